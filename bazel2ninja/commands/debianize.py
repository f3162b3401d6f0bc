"""`bazel2ninja debianize SRC`: write a debian/ for a Bazel project."""

from __future__ import annotations

import argparse
import contextlib
import email.utils
import io
import os
import re
import sys
import tempfile
from collections.abc import Sequence

from bazel2ninja.commands import audit, workspace_words
from bazel2ninja.debpkg import debianize, package_split
from bazel2ninja.debpkg.build_environment import BuildEnvironment
from bazel2ninja.debpkg.isa_levels import levels
from bazel2ninja.debpkg.package_split import PackageOption, PlannedPackage
from bazel2ninja.diagnostics import Diagnostic, Location, UsageError, WorkspaceError, suggestion
from bazel2ninja.pipeline import project_facts
from bazel2ninja.pipeline.library_split import LibrarySplit, split
from bazel2ninja.pipeline.packaging import analysed_of
from bazel2ninja.pipeline.progress import Progress
from bazel2ninja.pipeline.project_facts import ProjectFacts
from bazel2ninja.pipeline.repositories import survey
from bazel2ninja.pipeline.session import Request, Session, borrowed_root
from bazel2ninja.records import replace

_NAME = re.compile(r"[a-z0-9][a-z0-9+.-]+")
_VERSION = re.compile(r"\d[A-Za-z0-9.+~]*")
_DOCUMENTS = ("README", "README.md", "README.rst", "AUTHORS", "NEWS")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "bazel2ninja debianize [OPTION...] SRC"
    parser.epilog = (
        "OPTION may also be any option of 'bazel build'; those that change the result are kept in the settings.\n"
        "The version is taken of SRC's name, NAME-VERSION, unless it is given."
    )
    parser.add_argument("--source-name", default="", metavar="NAME", help="name of the source package")
    parser.add_argument("--upstream-version", default="", metavar="V", help="the upstream version")
    parser.add_argument(
        "--soname-version", default="", metavar="V", help="what follows '.so.' (default: the upstream version)"
    )
    parser.add_argument("--summary", default="", metavar="TEXT", help="the short description")
    parser.add_argument("--homepage", default="", metavar="URL", help="of the project")
    parser.add_argument(
        "--split", action="store_true", help="one shared library for each target with code, not one of everything"
    )
    parser.add_argument(
        "--isa",
        action="append",
        default=[],
        metavar="LEVEL",
        help="a package of the libraries for this processor level, too: x86-64-v3; may be given several times",
    )
    parser.add_argument(
        "--package",
        action="append",
        default=[],
        metavar="NAME",
        help="of the packages that a profile plans for the project only this one, and what holds the libraries of a "
        "development package; may be given several times",
    )
    parser.add_argument("--force", action="store_true", help="overwrite files of debian/ that are there already")


def run(parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    own, source, rest = workspace_words.split(parser, words)
    guessed, version = debianize.name_and_version(os.path.basename(os.path.abspath(source)))
    name = _checked("--source-name", own.source_name or guessed, _NAME)
    version = _checked("--upstream-version", own.upstream_version or version, _VERSION)
    with Progress("reading the workspace") as progress, borrowed_root() as root:
        request = Request(source=source, words=["-c", "opt", "-k", *rest], output_root=root, environment=os.environ)
        session = Session(request)
        planned = _planned(session, own.package, split=own.split)
        wanted = _package_options(session, planned)
        options = [each for each in wanted if not each.for_compiler]
        here = BuildEnvironment.of(os.environ).architecture
        if options:  # what the packages are built with decides what they are built of
            words = [w for each in options if here in (each.architectures or (here,)) for w in each.words]
            session = Session(replace(request, words=["-c", "opt", "-k", *words, *rest]))
        progress.step("analysing")
        if planned:
            found = ProjectFacts()
            planned = tuple(each for each in planned if _can_be_analysed(session, each, found))
            labels = list(dict.fromkeys(label for each in planned for label in each.labels))
            found.packages = survey(session, labels).debian_packages if labels else []
        else:
            found = project_facts.gather(session)
    if not (planned or found.libraries or found.shared or found.programs):
        raise WorkspaceError(
            Diagnostic(
                f"'{source}' has nothing to install: no public C++ library or program",
                notes=(),
                help="; ".join(f"{label}: {reason}" for label, reason in found.left_out[:3]) or None,
            )
        )
    about = session.profile.project if session.profile is not None else {}
    further = session.profile.build_dependencies if session.profile is not None else ()
    left_out = _grouped(found.left_out, root)
    overrides = dict(session.options.override_repositories)
    tools = project_facts.packages_of(overrides.values())
    parts = LibrarySplit()
    if own.split:
        parts = split(found.public, analysed_of(session).dependencies, name.removeprefix("lib") or name)
    facts = debianize.Facts(
        source=name,
        version=version,
        soname_version=own.soname_version or debianize.default_soname_version(version),
        maintainer=_maintainer(),
        date=email.utils.formatdate(float(os.environ.get("SOURCE_DATE_EPOCH") or 0) or None, localtime=False),
        summary=own.summary or about.get("summary", ""),
        homepage=own.homepage or about.get("homepage", ""),
        description=about.get("description", ""),
        libraries=found.libraries,
        shared=found.shared,
        programs=found.programs,
        tests=found.tests,
        size_filter="-large,-enormous" if found.large_tests else "",
        left_out=left_out,
        embedded=list(found.embedded),
        repositories={key: _from_source(path, source) for key, path in overrides.items()},
        vendor=[_from_source(path, source) for path in session.options.vendor],
        flags=[*(w for each in options if not each.architectures for w in each.words), *_kept_flags(rest)],
        architecture_flags=_architecture_flags(options),
        flag_reasons=[(" ".join(each.words), each.reason) for each in options],
        compiler_options=[each for each in wanted if each.for_compiler],
        headers=sorted(found.headers),
        build_depends=[
            *tools,
            *found.packages,
            *further,
            *(f"{package} <!nocheck>" for package in found.test_packages),
        ],
        split_libraries=parts.libraries,
        split_headers=parts.headers,
        isa=levels(own.isa),
        packages=planned,
        documents=[each for each in _DOCUMENTS if os.path.isfile(os.path.join(source, each))],
    )
    files = debianize.files(facts, _copyright(parser, source, name))
    _write(os.path.join(source, "debian"), files, force=own.force)
    for label, reason in left_out:
        print(f"note: left out {label}: {reason}", file=sys.stderr)
    print(
        f"wrote {len(files)} files to {os.path.join(source, 'debian')}; read them through, then run dpkg-buildpackage"
    )
    return 0


def _planned(session: Session, names: Sequence[str], *, split: bool) -> tuple[PlannedPackage, ...]:
    """What the profile plans, as far as it was asked for; raises UsageError for a package that is not among it."""
    planned = session.profile.packages if session.profile is not None and not split else ()
    known = [each.name for each in planned]
    for name in names:
        if not planned:
            message = f"--package={name}: no profile plans packages for this project"
            raise UsageError(Diagnostic(message, help="without --split and --noprofile, for a project that has one"))
        if name not in known:
            help = suggestion(name, known) or f"it plans: {', '.join(known)}"
            raise UsageError(Diagnostic(f"--package={name}: the profile plans no such package", help=help))
    planned = package_split.chosen(planned, names) if names else planned
    return tuple(replace(each, examples=_present(each.examples, session.source)) for each in planned)


def _present(examples: Sequence[tuple[str, str]], source: str) -> tuple[tuple[str, str], ...]:
    """Those whose source the tree has."""
    return tuple(each for each in examples if os.path.isfile(os.path.join(source, each[1].split()[0])))


def _package_options(session: Session, planned: Sequence[PlannedPackage]) -> list[PackageOption]:
    names = {each.name for each in planned}
    options = session.profile.package_options if session.profile is not None else ()
    return [each for each in options if names & set(each.packages)]


def _architecture_flags(options: Sequence[PackageOption]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for option in options:
        for architecture in option.architectures:
            found.setdefault(architecture, []).extend(option.words)
    return found


def _can_be_analysed(session: Session, package: PlannedPackage, facts: ProjectFacts) -> bool:
    """Whether the tree has the targets of a package that its profile plans, and everything that they need."""
    for label in package.labels:
        try:
            session.analyzer.configured_target(session.workspace.label(label), session.configurations.target)
        except WorkspaceError as error:
            facts.left_out.append((label, f"package {package.name}: {error.diagnostic.message}"))
            return False
    return True


def _grouped(left_out: Sequence[tuple[str, str]], root: str) -> list[tuple[str, str]]:
    """One entry for each reason, without the name of the directory that was borrowed."""
    reasons: dict[str, list[str]] = {}
    for label, reason in left_out:
        reasons.setdefault(reason.replace(f"{root}/.bazel2ninja/", ""), []).append(label)
    return [
        (labels[0] if len(labels) == 1 else f"{labels[0]} and {len(labels) - 1} others", reason)
        for reason, labels in reasons.items()
    ]


def _checked(option: str, value: str, pattern: re.Pattern[str]) -> str:
    if not value:
        raise UsageError(Diagnostic(f"{option} is needed: the directory's name does not tell"))
    if not pattern.fullmatch(value):
        raise UsageError(Diagnostic(f"{option}: '{value}' is not allowed in a source package"))
    return value


def _maintainer() -> str:
    name = os.environ.get("DEBFULLNAME") or os.environ.get("NAME") or "Unknown Maintainer"
    address = os.environ.get("DEBEMAIL") or os.environ.get("EMAIL") or "unknown@localhost"
    return f"{name} <{address}>"


def _from_source(path: str, source: str) -> str:
    """A path as it must be written for a command that runs in the source tree."""
    return path if os.path.isabs(path) else os.path.relpath(path, source)


def _kept_flags(words: Sequence[str]) -> list[str]:
    """The options that change the result; those about places are kept in keys of their own."""
    apart = ("--override_repository", "--vendor")
    return [word for word in words if word.startswith("-") and not word.startswith(apart) and word != "-k"]


def _copyright(parser: argparse.ArgumentParser, source: str, name: str) -> str:
    """debian/copyright as the audit writes it."""
    with tempfile.TemporaryDirectory(prefix="bazel2ninja.") as directory:
        path = os.path.join(directory, "copyright")
        auditor = type(parser)(prog="bazel2ninja audit", allow_abbrev=False)
        audit.add_arguments(auditor)
        with contextlib.redirect_stdout(io.StringIO()):
            audit.run(
                auditor,
                ["--cache=", "--jobs=1", "--exclude=debian/*", "--debian-copyright=", f"--name={name}",
                 f"--write-copyright={path}", source],
            )  # fmt: skip
        with open(path, encoding="utf-8") as file:
            return file.read()


def _write(directory: str, files: dict[str, tuple[str, bool]], *, force: bool) -> None:
    present = [path for path in files if os.path.lexists(os.path.join(directory, path))]
    if present and not force:
        raise WorkspaceError(
            Diagnostic(
                f"already there: {', '.join(sorted(present))}",
                Location(directory),
                help="nothing was written; --force overwrites these files",
            )
        )
    try:
        for path, (text, executable) in files.items():
            place = os.path.join(directory, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "w", encoding="utf-8") as file:
                file.write(text)
            os.chmod(place, 0o755 if executable else 0o644)
    except OSError as error:
        message = f"cannot be written: {(error.strerror or str(error)).lower()}"
        raise WorkspaceError(Diagnostic(message, Location(error.filename or directory))) from None

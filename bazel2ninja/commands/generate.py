"""`bazel2ninja generate`: write the ninja manifest of a workspace."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable, Mapping, Sequence

from bazel2ninja.commands import workspace_words
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError, by_cause, render
from bazel2ninja.filesystem import source_line
from bazel2ninja.ninja import regeneration
from bazel2ninja.ninja.manifest import Manifest, refusal
from bazel2ninja.ninja.regeneration import State
from bazel2ninja.ninja.sidefiles import write_atomically
from bazel2ninja.pipeline import build, changes, manifest, record
from bazel2ninja.pipeline.absent_macros import absent_macros
from bazel2ninja.pipeline.again import Again
from bazel2ninja.pipeline.changes import UnusableRecordError
from bazel2ninja.pipeline.incompatibilities import incompatibilities
from bazel2ninja.pipeline.missing_inputs import MissingInputs
from bazel2ninja.pipeline.namesakes import namesakes
from bazel2ninja.pipeline.packaging import Packaging
from bazel2ninja.pipeline.progress import Progress
from bazel2ninja.pipeline.record import Record
from bazel2ninja.pipeline.session import Request, Session
from bazel2ninja.records import dataclass

USAGE = "bazel2ninja generate [-o FILE] [OPTION...] SRC [TARGET...]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = USAGE
    parser.epilog = workspace_words.EPILOG
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="the manifest (default: standard output, for 'build.ninja' in the current directory); its directory is "
        "where ninja will run",
    )
    parser.add_argument(
        "--launcher", default="", metavar="WORDS", help="before every compiler call: ccache, distcc, sccache"
    )
    parser.add_argument("--link-jobs", type=int, default=0, metavar="N", help="links at a time (default: no limit)")
    parser.add_argument(
        "--heavy-compiles",
        action="append",
        default=[],
        metavar="REGEX",
        help="sources whose compiles need much memory; may be given several times",
    )
    parser.add_argument("--heavy-jobs", type=int, default=1, metavar="N", help="such compiles at a time (default: 1)")
    parser.add_argument(
        "--memory",
        type=_memory,
        default="auto",
        metavar="SIZE",
        help="what compiles and links may take together, by what each took before: 6G, 800M, 'none', or 'auto' (the "
        "default): nine tenths of what the machine has at that moment that builds",
    )
    parser.add_argument(
        "--packaging", default="", metavar="FILE", help="what is installed and how, see bazel2ninja.toml(5)"
    )
    parser.add_argument(
        "--isa",
        action="append",
        default=[],
        metavar="LEVEL",
        help="build the installed libraries for this processor level, too: x86-64-v3; may be given several times",
    )
    parser.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="VERSION",
        help="build installed Python extensions for this version: 3.11; may be given several times",
    )
    parser.add_argument("--prefix", default="", metavar="DIR", help="where to install (default: $PREFIX or /usr/local)")
    parser.add_argument("--libdir", default="lib", metavar="DIR", help="of libraries, below the prefix (default: lib)")
    parser.add_argument("--package-version", default="", metavar="V", help="the version that pkg-config files tell")
    parser.add_argument(
        "--skip", action="append", default=[], metavar="DIR", help="directory of SRC that is not looked into"
    )


def _memory(text: str) -> str:
    if text in ("auto", "none"):
        return text.removesuffix("none")
    from bazel2ninja.ninja import admission  # which takes its time to load

    found = admission.size(text)
    if not found:
        raise argparse.ArgumentTypeError(f"'{text}' is no size of memory: 6G, 800M, auto or none is meant")
    return str(found)


@dataclass(frozen=True, slots=True)
class Earlier:
    """The state of the run that made the manifest last, and what has changed since."""

    state: State
    changes: tuple[str, ...]


def run(parser: argparse.ArgumentParser, words: Sequence[str], earlier: Earlier | None = None) -> int:
    to_stdout = not any(word in ("-o", "--output") or word.startswith("--output=") for word in words)
    try:
        return _generate(parser, words, earlier)
    except Exception as error:
        if to_stdout:
            # an empty manifest would be "no work to do" to ninja, and exit status 0
            first = error.diagnostic if isinstance(error, WorkspaceError) else Diagnostic(f"internal error: {error}")
            sys.stdout.buffer.write(refusal(f"{first.location}: {first.message}" if first.location else first.message))
            sys.stdout.flush()
        raise


def _generate(parser: argparse.ArgumentParser, words: Sequence[str], earlier: Earlier | None) -> int:
    own, source, rest = workspace_words.split(parser, words)
    root, name = os.path.split(own.output) if own.output else ("", manifest.MANIFEST)
    regeneration.require_own(root, name)
    request = Request(
        source=source, words=rest, output_root=root or ".", environment=os.environ, skipped=tuple(own.skip)
    )
    packaging = Packaging(
        settings_file=own.packaging,
        prefix=own.prefix,
        libraries=own.libdir,
        version=own.package_version,
        isa=tuple(own.isa),
        python=tuple(own.python),
    )
    wishes = manifest.Wishes(
        launcher=own.launcher,
        link_jobs=own.link_jobs,
        heavy_compiles=tuple(own.heavy_compiles),
        heavy_jobs=own.heavy_jobs,
        memory=own.memory,
        manifest=name,
        command=tuple(words),
    )
    if earlier is not None and own.output and _again(request, packaging, wishes, earlier, own.output):
        return 0
    with Progress("reading the workspace") as progress:
        session = Session(request)
        progress.step("analysing")
        try:
            result = build.analyse(session, install=packaging.installation)
        except WorkspaceError as error:
            raise packaging.placed(error) from error.__cause__
        progress.step("writing the manifest")
        packaging.check(session, result.graph)
        missing = MissingInputs(session, result.graph)
        made = manifest.make(session, result, wishes, missing.refusals)
        manifest.lay(session, made)
    known = [*namesakes(session, result.graph), *incompatibilities(session, result.graph)]
    _warn(session, made, [*missing.warnings, *absent_macros(session), *known])
    if session.system_libraries.used:
        served = "; ".join(str(each) for each in session.system_libraries.used.values())
        print(f"note: libraries of the system stand for repositories: {served}", file=sys.stderr)
    if own.output:
        write_atomically(own.output, made.text)
    else:
        sys.stdout.buffer.write(made.text)
        sys.stdout.flush()

    def remembered(names: Mapping[str, str]) -> Record | None:
        return None if missing.warnings else record.record_of(session, result, made, names)

    manifest.remember(session, wishes, remembered)
    return _report(result)


def _again(request: Request, packaging: Packaging, wishes: manifest.Wishes, earlier: Earlier, output: str) -> bool:
    """Makes the manifest from what is known of the last one; False when that cannot be done."""
    digest = regeneration.state_digest(request.output_root)
    known = record.load(request.output_root, digest)
    if known is None:
        return False
    try:
        changes.renewed_packages(known, earlier.state, earlier.changes)
        run = Again(Session(request, print_to_stderr=False), wishes, packaging, earlier.state, known)
        made = run.make(earlier.changes)
    except (UnusableRecordError, WorkspaceError):
        return False
    manifest.lay(run.session, made)
    _warn(run.session, made, ())
    write_atomically(output, made.text)
    manifest.remember(run.session, wishes, lambda names: run.record(made, names), earlier.state, earlier.changes)
    if run.skipped:
        print(_skipped(run.skipped), file=sys.stderr)
    return True


def _warn(session: Session, made: Manifest, further: Iterable[Diagnostic]) -> None:
    for warning in (*session.warnings, *session.workspace.notices, *made.notes, *further):
        print(render(warning, source_line), file=sys.stderr)


def _skipped(count: int) -> str:
    return f"note: {count} target{' is' if count == 1 else 's are'} incompatible with the target platform"


def _report(result: build.Build) -> int:
    if result.skipped:
        print(_skipped(len(result.skipped)), file=sys.stderr)
    if not result.failures:
        return 0
    for diagnostic in by_cause(failure.diagnostic for failure in result.failures):
        print(render(diagnostic, source_line), file=sys.stderr)
    count = len(result.failures)
    what = "targets or packages" if count > 1 else "target or package"
    print(f"error: {count} {what} could not be analysed and {'are' if count > 1 else 'is'} left out", file=sys.stderr)
    return 1

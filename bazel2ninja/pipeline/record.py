"""What a run leaves for the next one, so that it analyses and lowers again only what an edit has changed.

The record says which steps the analysis took and what each asked for, what packages say of their targets, and what each
action added to the manifest.  It belongs to one `regeneration.json`, one version of this program and one Python: for
all others, and when it is damaged, there is none.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import marshal
import operator
import os
import pickle
import sys
import zlib
from collections.abc import Mapping
from typing import Any

import bazel2ninja
from bazel2ninja.analysis.action import FailAction
from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.labels import Label, PackageIdentifier
from bazel2ninja.loading import kept_packages
from bazel2ninja.loading.target import Package
from bazel2ninja.ninja.cpp import named_libraries
from bazel2ninja.ninja.manifest import Manifest
from bazel2ninja.ninja.parts import Part, TestFacts
from bazel2ninja.ninja.paths import SIDE
from bazel2ninja.ninja.sidefiles import write_atomically
from bazel2ninja.pipeline.build import Build, Matches, TopLevel
from bazel2ninja.pipeline.definitions import definitions
from bazel2ninja.pipeline.session import Session
from bazel2ninja.records import dataclass

PATH = f"{SIDE}/cache/manifest-parts"

StepName = tuple[str, str, str, str]
"""(kind, label, mnemonic of the configuration, aspects)"""


@dataclass(slots=True)
class Known:
    """A loaded package.

    path: of its BUILD file in `State.files`; directory: as the process opens it; content: of `loading.kept_packages`,
    empty when it has to be loaded; stamp: (size, time of the last change in ns) of the file that it was made from.
    """

    path: str
    directory: str
    definitions: dict[str, str]
    content: bytes
    stamp: tuple[int, int]


@dataclass(slots=True)
class Root:
    """A target that the command line asks for.

    nodes: what building it makes; installed: (node, path, path below the prefix, mode); test: label of the test that it
    is, "" if it is none that was asked for; actual: label behind aliases.
    """

    nodes: tuple[str, ...]
    testonly: bool
    installed: tuple[tuple[str, str, str, str], ...]
    test: str
    actual: str


@dataclass(slots=True)
class Record:
    """Labels and packages are texts; steps are numbers.

    steps: name -> number; asked: step -> what it asked for; nested: steps whose result nobody knows the users of.
    makers: key of a part -> its step, -1 where steps share it.  unbuilt: exec path -> step, of what nothing needs;
    shared: exec paths that several steps declare.  failing: BUILD file in `State.files` -> steps whose actions tell a
    line's number.  consulted: labels and packages that anything but the steps has looked at.  directories: their name
    in `State.directories` -> as the process opens them.  sources: labels of source files.
    sizes: side file -> its size in bytes.  named: exec paths of the libraries that say their name, see `ninja.cpp`.
    """

    packages: dict[str, Known]
    steps: dict[StepName, int]
    asked: list[list[int]]
    nested: set[int]
    consulted: set[str]
    parts: dict[str, Part]
    makers: dict[str, int]
    variables: dict[str, str]
    sets: dict[str, tuple[str, ...]]
    unbuilt: dict[str, int]
    shared: set[str]
    failing: dict[str, set[int]]
    roots: dict[str, Root]
    skipped: set[str]
    covered: dict[str, list[str]]  # Matches.packages
    matched: dict[tuple[str, str], tuple[str, ...]]  # Matches.names
    expansions: dict[str, tuple[str, ...]]
    directories: dict[str, str]
    sources: list[str]
    sizes: dict[str, int]
    named: set[str]


def step_name(key: Any) -> StepName:
    """A name for a step of the analysis that is the same in the next run."""
    extra = ""
    if key[0] == "aspect":
        extra = ";".join(f"{each.aspect.defined_in}%{each.aspect.name}{each.parameters!r}" for each in key[3])
    elif len(key) > 3 or not isinstance(key[1], Label):
        extra = "?"
    return key[0], str(key[1]), key[2].mnemonic if hasattr(key[2], "mnemonic") else "", extra


def label_of(text: str) -> Label:
    """The label that `str(label)` gave the text of."""
    package, _, name = text.partition(":") if not text.startswith("@") else _after_slashes(text)
    return Label(package_of(package), name)


def repository_of(text: str) -> str:
    """The canonical name of the repository in the text of a label."""
    return text.partition("//")[0].removeprefix("@")


def _after_slashes(text: str) -> tuple[str, str, str]:
    repository, slashes, rest = text.partition("//")
    package, colon, name = rest.partition(":")
    return repository + slashes + package, colon, name


def package_of(text: str) -> PackageIdentifier:
    """The package that `str(identifier)` gave the text of."""
    repository, _, path = text.partition("//")
    return PackageIdentifier(repository.removeprefix("@"), path)


def record_of(
    session: Session,
    build: Build,
    manifest: Manifest,
    names: Mapping[str, str],
) -> Record | None:
    """The record of a whole run; names: path as the process opens it -> in the state.

    None for a run that depends on what no step names: absent repositories, failures, links made for installing,
    settings for packaging, aspects of the command line, compilers for several machines, or of the project.
    """
    loader, steps = session.loader, session.analyzer.steps
    installation = build.installation
    if (
        build.failures
        or steps.failed
        or loader.incomplete
        or leaves_out(session, build.matches)
        or installation.by_target is None
        or installation.actions
        or session.analyzer.project_toolchains
        or any(each.tool_prefix != session.configurations.target.tool_prefix for each in session.configurations)
    ):
        return None
    found: dict[StepName, int] = {}
    numbers: dict[Any, int] = {}
    for key in steps.requests:
        numbers[key] = len(numbers)
        found[step_name(key)] = numbers[key]
    if len(found) != len(numbers) or any(name[3] == "?" for name in found):
        return None
    reached = manifest.body.parts
    makers: dict[str, int] = {}
    unbuilt: dict[str, int] = {}
    failing: dict[str, set[int]] = {}
    for action, maker in zip(session.analyzer.actions, session.analyzer.makers, strict=True):
        number = -1 if maker is None else numbers[maker]
        path = action.outputs[0].exec_path
        if path in reached:
            makers[path] = number
        else:
            unbuilt.update((output.exec_path, number) for output in action.outputs)
        if isinstance(action, FailAction) and action.location:
            failing.setdefault(names.get(action.location.path, ""), set()).add(number)
    if "" in failing:
        return None
    matches = build.matches
    return Record(
        packages={
            str(identifier): known_package(session, package, names[path])
            for identifier, package in loader.packages.items()
            if (path := build_file(package)) in names
        },
        steps=found,
        asked=[[numbers[each] for each in asked] for asked in steps.requests.values()],
        nested={numbers[key] for key in steps.nested},
        consulted=consulted(session),
        parts=dict(reached),
        makers=makers,
        variables=dict(manifest.body.variables),
        sets={name: tuple(nodes) for name, nodes in manifest.body.sets.items()},
        unbuilt=unbuilt,
        shared={artifact.exec_path for artifact in session.analyzer.shared},
        failing=failing,
        roots=roots_of(build.targets, build, manifest),
        skipped=set(map(str, build.skipped)),
        covered={pattern: list(map(str, packages)) for pattern, packages in matches.packages.items()},
        matched={(pattern, str(package)): given for (pattern, package), given in matches.names.items()},
        expansions=expansions_of(matches),
        directories={names[path]: path for path, kind in session.filesystem.reads.items() if kind == "directory"},
        sources=[str(artifact.owner) for artifact in build.graph.artifacts.values() if artifact.is_source],
        sizes={path: len(content) for path, content in manifest.side_files.files.items()},
        named=named_libraries(session.analyzer.actions, session.analyzer.generating_action, ()),
    )


def known_package(session: Session, package: Package, path: str, found: dict[str, str] | None = None) -> Known:
    """What a record has of a package.  path: of its BUILD file in the state; found: its definitions, if known."""
    try:
        status = os.stat(build_file(package))
        content = kept_packages.to_bytes(package, session.loader.rule_class) or b""
        stamp = status.st_size, status.st_mtime_ns
    except (OSError, WorkspaceError):
        content, stamp = b"", (0, 0)
    return Known(path, package.directory, found or definitions(package), content, stamp)


def recalled(session: Session, known: Known) -> Package | None:
    """The package that a record has, None when it has to be loaded."""
    try:
        status = os.stat(os.path.join(session.request.output_root, known.path))
        if not known.content or (status.st_size, status.st_mtime_ns) != known.stamp:
            return None
        return kept_packages.from_bytes(known.content, session.loader.rule_class)
    except (OSError, pickle.UnpicklingError):
        return None


def leaves_out(session: Session, matches: Matches) -> bool:
    """Whether the patterns cover calls of absent macros: a whole run warns of them."""
    covered = {identifier for packages in matches.packages.values() for identifier in packages}
    return any(package.absent for identifier, package in session.loader.packages.items() if identifier in covered)


def consulted(session: Session) -> set[str]:
    """Labels and packages that count for more than the steps that are named after them."""
    return {*map(str, session.loader.consulted), *map(str, session.loader.consulted_packages)}


def build_file(package: Package) -> str:
    """The path of a package's BUILD file as the process opens it."""
    name = package.build_file.name
    return name if package.directory == "." else f"{package.directory}/{name}"


def roots_of(targets: list[TopLevel], build: Build, manifest: Manifest) -> dict[str, Root]:
    """The roots of a record; `manifest` has their names."""
    tests = {str(label) for label in manifest.names.tests}
    files = {entry[2]: entry for entry in manifest.names.install}
    found = {}
    for top in targets:
        actual = str(top.target.actual)
        installed = tuple(files[path] for path in (build.installation.by_target or {}).get(top.label, ()))
        found[str(top.label)] = Root(
            tuple(manifest.names.labels[top.label]), top.testonly, installed, actual if actual in tests else "", actual
        )
    return found


def known_matches(record: Record, renewed: set[str]) -> Matches:
    """What the record knows of the command line's patterns, less what `renewed` packages (texts) may have changed."""
    return Matches(
        {pattern: list(map(package_of, packages)) for pattern, packages in record.covered.items()},
        {
            (pattern, package_of(package)): names
            for (pattern, package), names in record.matched.items()
            if package not in renewed
        },
        KnownExpansions(record.expansions, renewed),
    )


class KnownExpansions(dict[Label, tuple[Label, ...]]):
    """`Matches.expansions` of a record, less those of `renewed` packages; labels are made when somebody asks."""

    def __init__(self, known: Mapping[str, tuple[str, ...]], renewed: set[str]):
        super().__init__()
        self._known = known
        self._renewed = renewed

    def get(self, label: Label, default: Any = None) -> Any:
        found = super().get(label)
        if found is not None or str(label.package) in self._renewed:
            return found
        tests = self._known.get(str(label))
        if tests is None:
            return default
        found = self[label] = (label,) if tests == (str(label),) else tuple(map(label_of, tests))
        return found


def expansions_of(matches: Matches) -> dict[str, tuple[str, ...]]:
    """`Record.expansions`."""
    known = matches.expansions
    texts = {str(label): tuple(map(str, tests)) for label, tests in known.items()}
    if isinstance(known, KnownExpansions):
        kept = {text: tests for text, tests in known._known.items() if text not in texts}
        texts.update((text, tests) for text, tests in kept.items() if str(label_of(text).package) not in known._renewed)
    return texts


# On the disk.


def save(output_root: str, record: Record | None, state: str) -> None:
    """Writes the record, or takes an old one away.  state: digest of the state that it belongs to."""
    path = os.path.join(output_root, PATH)
    if record is None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        return
    values = {name: getattr(record, name) for name in _FIELDS}
    values["packages"] = {name: _KNOWN(known) for name, known in record.packages.items()}
    values["roots"] = {name: _ROOT(root) for name, root in record.roots.items()}
    values["parts"] = {
        key: (_PART(part), None if part.test is None else _TEST(part.test)) for key, part in record.parts.items()
    }
    content = marshal.dumps(list(values.values()))
    write_atomically(path, content, head=_header(content, state))


def load(output_root: str, state: str) -> Record | None:
    """The record that belongs to a state, None when there is none that can be used."""
    try:
        with open(os.path.join(output_root, PATH), "rb") as file:
            head, content = file.readline(), file.read()
    except OSError:
        return None
    if head != _header(content, state):
        return None
    values = dict(zip(_FIELDS, marshal.loads(content), strict=True))
    values["packages"] = {name: Known(*known) for name, known in values["packages"].items()}
    values["roots"] = {name: Root(*root) for name, root in values["roots"].items()}
    make: Any = Part
    values["parts"] = {
        key: make(*rest, None if test is None else TestFacts(*test)) for key, (rest, test) in values["parts"].items()
    }
    return Record(**values)


_FIELDS = tuple(Record.__slots__)
_KNOWN = operator.attrgetter(*Known.__slots__)
_ROOT = operator.attrgetter(*Root.__slots__)
_PART = operator.attrgetter(*Part.__slots__[:-1])
_TEST = operator.attrgetter(*TestFacts.__slots__)


def _header(content: bytes, state: str) -> bytes:
    """What says whether a record can be used: by whom it was made, for which state, and that it is whole."""
    words = (bazel2ninja.__version__, _program(), sys.version.split()[0], state, f"{zlib.crc32(content):08x}")
    return " ".join(words).encode() + b"\n"


@functools.cache
def _program() -> str:
    """A digest of the times and sizes of this program's modules."""
    found = hashlib.blake2b(digest_size=8)
    pending = [os.path.dirname(os.path.abspath(bazel2ninja.__file__))]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in sorted(entries, key=lambda each: each.name):
                if entry.name.endswith(".py"):
                    status = entry.stat()
                    found.update(f"{entry.name} {status.st_size} {status.st_mtime_ns}\n".encode())
                elif entry.is_dir() and entry.name not in ("__pycache__", "builtin_repositories", "overlays"):
                    pending.append(entry.path)
    return found.hexdigest()

"""The external repositories that targets need, in the configuration asked for, and where each comes from.

The walk goes from target to target like the analysis does, but makes nothing and does not end where a repository is
missing: whatever lies behind that one stays unknown, everything else is found.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from bazel2ninja.analysis.attribute_values import labels_of
from bazel2ninja.diagnostics import Location, WorkspaceError
from bazel2ninja.labels import MAIN_REPOSITORY, Label
from bazel2ninja.loading.globber import BUILD_FILE_NAMES
from bazel2ninja.loading.repository import AbsentRepositoryError, OriginKind, Repository
from bazel2ninja.loading.rule_class import Attribute, ConfigurationField
from bazel2ninja.loading.select import Select, SelectList
from bazel2ninja.loading.target import OutputFile, PackageGroup, RuleTarget
from bazel2ninja.loading.transition import AspectClass
from bazel2ninja.pipeline.build import wanted_labels
from bazel2ninja.pipeline.session import Session
from bazel2ninja.query.evaluate import conditions_of
from bazel2ninja.records import dataclass, field
from bazel2ninja.repositories.rules import Declaration
from bazel2ninja.system_libraries.machine import Installed, NotInstalled

_HASH = re.compile(r"[0-9a-f]{40}")
_VERSION = re.compile(r"v?(\d+(?:[._]\d+)*[\w.+~-]*)")
_NAMED = re.compile(r"'@@?([^'/]+)'")
_ARCHIVE = re.compile(r"\.(?:tar(?:\.\w+)?|tgz|tbz2?|txz|zip|jar)$")
_SHOWN_DIGITS = 12  # of a commit
_SOURCES = (".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".inc", ".proto", ".py")

_STATUS = {
    OriginKind.OVERRIDE: "overridden",
    OriginKind.VENDOR: "vendored",
    OriginKind.DECLARATION: "made by its rule",
    OriginKind.OVERLAY: "system library",
    OriginKind.BUILTIN: "built in",
}


@dataclass(frozen=True, slots=True)
class NeededRepository:
    """status: "overridden", "vendored", "made by its rule", "system library", "built in" or "missing".

    version: what the project pins, "" when nothing tells.  wanted_by: labels of targets and files that refer to it, in
    the order of the walk.  satisfied_by: a sentence; would_be: what would serve a missing one.  packages: (Debian
    package, its version or "").  source_package: Debian's, with its files.
    """

    name: str
    status: str
    version: str
    urls: tuple[str, ...]
    declared: Location | None
    wanted_by: tuple[Label, ...]
    satisfied_by: str
    would_be: tuple[str, ...]
    packages: tuple[tuple[str, str], ...]
    source_package: str

    @property
    def missing(self) -> bool:
        return self.status == "missing"


@dataclass(frozen=True, slots=True)
class Survey:
    """repositories: by name.  failures: what could not be read for other reasons than a missing repository."""

    repositories: tuple[NeededRepository, ...]
    failures: tuple[WorkspaceError, ...] = ()

    @property
    def debian_packages(self) -> list[str]:
        """Of what serves the targets, and of what would."""
        return sorted({name for each in self.repositories for name, _ in each.packages})


@dataclass(slots=True)
class _Walk:
    session: Session
    wanted: dict[str, dict[Label, None]] = field(default_factory=dict)
    broken: dict[str, WorkspaceError] = field(default_factory=dict)  # repositories that cannot be made
    failures: list[WorkspaceError] = field(default_factory=list)
    seen: set[Label] = field(default_factory=set)
    pending: list[tuple[Label, Label]] = field(default_factory=list)
    packages: set[object] = field(default_factory=set)

    def want(self, name: str, by: Label) -> None:
        """Notes that `by` needs a repository; a repository does not need itself."""
        if name != MAIN_REPOSITORY and by.repository != name:
            self.wanted.setdefault(name, {}).setdefault(by)

    def failed(self, error: WorkspaceError, by: Label) -> None:
        """Notes an error: of a missing repository what it is called, any other as it is."""
        name = missing_name(error)
        if name:
            self.want(name, by)
            self.broken.setdefault(name, error)
        elif all(error.diagnostic.message != other.diagnostic.message for other in self.failures):
            self.failures.append(error)

    def run(self) -> None:
        while self.pending:
            label, by = self.pending.pop()
            self.want(label.repository, by)
            if label in self.seen or label.repository in self.broken:
                continue
            self.seen.add(label)
            try:
                target = self.session.loader.target(label)
                self._loads(label)
            except WorkspaceError as error:
                if not self._lacks_sources(label.repository):
                    self.failed(error, by if missing_name(error) == label.repository else label)
                continue
            if isinstance(target, OutputFile):
                self.pending.append((target.generating_rule, label))
            elif isinstance(target, PackageGroup):
                self.pending += [(each, label) for each in target.includes]
            elif isinstance(target, RuleTarget):
                self.pending += [(each, label) for each in reversed(list(self._dependencies(target)))]

    def _lacks_sources(self, name: str) -> bool:
        """Whether only the project's BUILD file stands for a repository, so that it counts as missing anyway."""
        try:
            return self.session.workspace.repository(name).origin.kind is OriginKind.BUILD_ONLY
        except WorkspaceError:
            return False

    def _loads(self, label: Label) -> None:
        """The repositories of .bzl files that a BUILD file loads; an absent one counts when its symbols are used."""
        if label.package in self.packages:
            return
        self.packages.add(label.package)
        package = self.session.loader.package(label.package)
        for file in self.session.loader.load_closure(package):
            try:
                self.session.workspace.repository(file.repository)
            except WorkspaceError:
                continue
            self.want(file.repository, package.build_file)

    def _dependencies(self, target: RuleTarget) -> Iterator[Label]:
        session = self.session
        values = session.analyzer.attributes(target, session.configurations.target)
        for name, given in target.attributes.items():
            if isinstance(given, SelectList) and name in target.rule_class.attributes:
                yield from _conditions(given)
        for attribute in target.rule_class.attributes.values():
            if not attribute.type.is_dependency or attribute.irrelevant is not None:
                continue
            try:
                for label, _ in labels_of(values[attribute.name], attribute):
                    yield label
            except WorkspaceError as error:
                self.failed(error, target.label)
            yield from self._of_aspects(attribute)

    def _of_aspects(self, attribute: Attribute) -> Iterator[Label]:
        for aspect in attribute.aspects:
            if not isinstance(aspect, AspectClass):
                continue
            for own in aspect.attributes.values():
                default = own.default
                if isinstance(default, ConfigurationField):
                    default = self.session.analyzer.configuration_field(default, self.session.configurations.target)
                if own.type.is_dependency and default and isinstance(default, Label | tuple):
                    yield from (label for label, _ in labels_of(default, own))


def _conditions(value: SelectList) -> Iterator[Label]:
    for element in value.elements:
        if isinstance(element, Select):
            yield from conditions_of(element)


def missing_name(error: WorkspaceError) -> str:
    """The repository whose absence an error is about, "" for other errors."""
    if isinstance(error, AbsentRepositoryError):
        return error.name
    for diagnostic in error.diagnostics:
        for text in (diagnostic.message, *(note.message for note in diagnostic.notes)):
            if text.startswith(("no repository '@", "repository '@", "the system library '")):
                found = _NAMED.search(text)
                if found is not None and "is made by" not in text:
                    return found[1]
    return ""


def survey(session: Session, patterns: Sequence[str] | None = None) -> Survey:
    """What targets need, by default those of the command line.

    Raises WorkspaceError when the WORKSPACE file cannot be read.
    """
    walk = _Walk(session)
    labels, _, failures = wanted_labels(session, session.targets if patterns is None else patterns)
    for error in failures:
        walk.failed(error, session.workspace.label("//:WORKSPACE"))
    walk.pending += [(label, label) for label in reversed(labels)]
    walk.run()
    repositories = tuple(
        _needed(session, name, walk.wanted[name], walk.broken.get(name)) for name in sorted(walk.wanted)
    )
    return Survey(repositories, tuple(walk.failures))


def _needed(session: Session, name: str, wanted: Iterable[Label], broken: WorkspaceError | None) -> NeededRepository:
    workspace = session.workspace
    declaration = _declaration(session, name)
    version, urls = pinned(declaration)
    if workspace.modules is not None:
        version = workspace.modules.wanted_version(name) or version
    names = workspace.names_of(name)
    repository: Repository | None = None
    if broken is None:
        try:
            repository = workspace.repository(name)
        except WorkspaceError as error:
            broken = error
    registered = next((known for each in names if (known := workspace.registry.find(each)) and known.debian), None)
    source_package = registered.debian or "" if registered is not None else ""
    library = session.system_libraries.table.find(names)
    packages: tuple[tuple[str, str], ...] = ()
    would_be: list[str] = []
    if repository is not None and repository.origin.kind is not OriginKind.BUILD_ONLY:
        status = _STATUS[repository.origin.kind]
        satisfied = repository.origin.reason
        stands_in = repository.origin.kind is OriginKind.OVERLAY or _has_flags_only(repository, wanted)
        if stands_in and library is not None:
            checked = session.system_libraries.checked(library)
            if isinstance(checked, Installed):
                packages = checked.packages
    else:
        status, satisfied = "missing", ""
        if repository is not None:
            would_be.append(repository.origin.reason)
        if library is not None:
            checked = session.system_libraries.checked(library)
            text = f"system library {library.name}: Debian package {', '.join(checked.library.wanted_packages)}"
            if isinstance(checked, NotInstalled):
                text += f" ({'; '.join(checked.problems)})"
            packages = tuple((package, "") for package in checked.library.wanted_packages)
            would_be.append(text)
        elif registered is not None and registered.library:
            would_be.append(f"Debian package {registered.library}, with an overlay of your own")
        if source_package:
            would_be.append(f"--vendor with Debian source package {source_package}")
        if broken is not None and not isinstance(broken, AbsentRepositoryError) and missing_name(broken) != name:
            would_be.append(broken.diagnostic.message)
    return NeededRepository(
        name,
        status,
        version,
        urls,
        declaration.location if declaration is not None else None,
        tuple(wanted),
        satisfied,
        tuple(would_be),
        packages,
        source_package,
    )


def _has_flags_only(repository: Repository, wanted: Iterable[Label]) -> bool:
    """Whether a repository rule made an overlay of its own for the library (TF_SYSTEM_LIBS is the model).

    That is a repository with targets that others need, and without sources; .bzl files alone need no library.
    """
    if repository.origin.kind is not OriginKind.DECLARATION or all(by.name in BUILD_FILE_NAMES for by in wanted):
        return False
    files = (name for _, _, names in os.walk(repository.directory, followlinks=True) for name in names)
    return not any(name.endswith(_SOURCES) for name in files)


def _declaration(session: Session, name: str) -> Declaration | None:
    try:
        return session.workspace.external.declaration(name)
    except WorkspaceError:
        return None  # told when the repository is asked for


def pinned(declaration: Declaration | None) -> tuple[str, tuple[str, ...]]:
    """(version, URLs) that the call of a repository rule asks for; the version is "" when none can be told."""
    if declaration is None:
        return "", ()
    attributes = declaration.attributes
    urls = tuple(
        text
        for name in ("urls", "url", "remote")
        for text in _texts(attributes.get(name))
        if "://" in text or text.startswith("git@")
    )
    for name in ("tag", "version"):
        for text in _texts(attributes.get(name)):
            return text.removeprefix("v"), urls
    for text in _texts(attributes.get("commit")):
        return text[:_SHOWN_DIGITS], urls
    candidates = [*_texts(attributes.get("strip_prefix")), *(part for url in urls for part in _url_parts(url))]
    for text in candidates:
        found = version_in(text)
        if found:
            return found, urls
    return next(iter(_texts(attributes.get("branch"))), ""), urls


def _url_parts(url: str) -> list[str]:
    """Parts of a URL that may tell a version, the likeliest first: the file, then directories from the end."""
    parts = [part for part in url.split("?", 1)[0].split("/")[3:] if part]
    return [_ARCHIVE.sub("", parts[-1]), *reversed(parts[2:-1])] if parts else []


def version_in(text: str) -> str:
    """The version at the end of "name-1.2.3" or "v1.2.3", or the beginning of a commit; "" when there is none."""
    text = text.rstrip("/").split("/")[0] if "/" in text else text
    commit = _HASH.search(text)
    if commit is not None:
        return commit[0][:_SHOWN_DIGITS]
    for start in [0, *(match.end() for match in re.finditer(r"[-_]", text))]:
        match = _VERSION.fullmatch(text[start:])
        if match is not None:
            return match[1]
    return ""


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value] if value else []
    return [item for item in value if isinstance(item, str) and item] if isinstance(value, list | tuple) else []

"""What the profile knows of files that the build reads and that do not go with the libraries of this machine.

Warnings, not errors: the project may be right for a library that nobody has told us of, and what does not need the file
can be built.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from bazel2ninja.diagnostics import Diagnostic, Location, Note, WorkspaceError
from bazel2ninja.graph.build import BuildGraph
from bazel2ninja.loading.repository import OriginKind
from bazel2ninja.pipeline.session import Session
from bazel2ninja.profile_check import Incompatibility
from bazel2ninja.system_libraries.library import SystemLibrary
from bazel2ninja.system_libraries.machine import Installed

_SHOWN = 10  # further lines of a file
_COPIES = (OriginKind.OVERRIDE, OriginKind.VENDOR, OriginKind.DECLARATION)


def incompatibilities(session: Session, graph: BuildGraph) -> list[Diagnostic]:
    """A warning for each file and entry, at the first place.

    A file that the build does not read is not looked at; one that it makes is, for its namesake in the tree is found
    before it.
    Raises WorkspaceError when an entry speaks of a component that nobody knows.
    """
    known = session.profile.incompatibilities if session.profile is not None else ()
    return list(_warnings(session, graph, known)) if known else []


def _warnings(session: Session, graph: BuildGraph, known: Sequence[Incompatibility]) -> Iterator[Diagnostic]:
    built = {artifact.short_path for artifact in graph.artifacts.values()}
    asked = {os.path.abspath(path) for path in session.filesystem.reads}
    # a repository may have a link to a BUILD file of the tree
    asked.update(os.path.realpath(path) for path, kind in session.filesystem.reads.items() if kind == "program")
    versions: dict[str, str] = {}
    for entry in known:
        for file in entry.files:
            path = os.path.normpath(os.path.join(session.source, file))
            if file not in built and asked.isdisjoint((os.path.abspath(path), os.path.realpath(path))):
                continue
            places = entry.places(path)
            if not places:
                continue
            if entry.component and entry.component not in versions:
                versions[entry.component] = _version(session, entry)
            version = versions.get(entry.component, "")
            if not entry.component or entry.matters_with(version):
                yield _warning(entry, version, places)


def _warning(entry: Incompatibility, version: str, places: Sequence[Location]) -> Diagnostic:
    notes = [Note(entry.reason)]
    if entry.component:
        notes.append(Note(f"{entry.component} {version} is here, and it matters with {entry.range}"))
    if len(places) > 1:
        lines = ", ".join(str(place.line) for place in places[1 : _SHOWN + 1])
        more = f" and {len(places) - 1 - _SHOWN} more" if len(places) - 1 > _SHOWN else ""
        notes.append(Note(f"the same in line{'s' if len(places) > 2 else ''} {lines}{more}"))
    notes.append(Note(f"known to the profile '{entry.profile}'", entry.location))
    return Diagnostic(f"known incompatibility: {entry.symptom}", places[0], "warning", entry.remedy, tuple(notes))


def _version(session: Session, entry: Incompatibility) -> str:
    """The version that the build takes of the entry's component, "" when nothing tells."""
    assert session.profile is not None
    for component in session.profile.components:
        if component.name != entry.component:
            continue
        try:
            return component.found(session.workspace.repository(component.repository).directory)
        except WorkspaceError:
            return ""  # this build does without
    library = session.system_libraries.table.libraries.get(entry.component)
    if library is None:
        message = f"'{entry.component}' is neither a component of the profile nor a library of the system"
        raise WorkspaceError(Diagnostic(message, entry.location))
    if _is_vendored(session, library):
        return ""
    checked = session.system_libraries.checked(library)
    return checked.version if isinstance(checked, Installed) else ""


def _is_vendored(session: Session, library: SystemLibrary) -> bool:
    """Whether this build takes a copy of the library with sources of its own."""
    for name in session.analyzer.analysed_repositories():
        if not name or session.system_libraries.table.find(session.workspace.names_of(name)) is not library:
            continue
        try:
            repository = session.workspace.repository(name)
        except WorkspaceError:
            continue
        if repository.origin.kind in _COPIES and not repository.sourceless:
            return True
    return False

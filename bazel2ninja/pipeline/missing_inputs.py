"""Source files that the build needs and that are not there.

As in Bazel, that is an error of building what needs them, not of everything else.  People want to hear of it earlier.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.diagnostics import Diagnostic, Note, WorkspaceError, suggestion
from bazel2ninja.graph.build import BuildGraph
from bazel2ninja.loading.repository import OriginKind
from bazel2ninja.ninja.paths import PathMapper
from bazel2ninja.pipeline.missing_leaves import missing_leaves
from bazel2ninja.pipeline.session import Session

_SHOWN = 20


class MissingInputs:
    """The source files that are not there.

    refusals: what whoever needs one is told.  warnings: one for each file, where it is first named; a last one counts
    the rest when there are many.  Of repositories of which nobody has the sources, and of targets that nobody has,
    there is one warning with numbers.
    """

    def __init__(self, session: Session, graph: BuildGraph) -> None:
        self.refusals: dict[Artifact, str] = {}
        unavailable = []
        found = []
        for artifact, path in _missing_sources(session, graph):
            where = ""
            if _has_no_sources(session, artifact):
                unavailable.append(artifact)
            else:
                found.append(_warning(session, artifact, path))
                where = f"{found[-1].location}: " if found[-1].location else ""
            self.refusals[artifact] = f"{where}error: missing input file '{artifact.owner}'"
        self.warnings = [*_first(found), *missing_leaves(session, graph, unavailable)]


def _has_no_sources(session: Session, artifact: Artifact) -> bool:
    try:
        origin = session.workspace.repository(artifact.owner.repository).origin
    except WorkspaceError:
        return False
    return origin.kind is OriginKind.BUILD_ONLY


def _first(found: list[Diagnostic]) -> list[Diagnostic]:
    if len(found) <= _SHOWN:
        return found
    return [*found[:_SHOWN], Diagnostic(f"{len(found) - _SHOWN} more input files are missing", severity="warning")]


def _missing_sources(session: Session, graph: BuildGraph) -> Iterator[tuple[Artifact, str]]:
    """(source file, its path as the process opens it) of those that are not there."""
    root = session.request.output_root
    mapper = PathMapper.between(root, session.source)
    for artifact in graph.artifacts.values():
        if artifact.is_source and graph.generator(artifact) is None:
            path = os.path.join(root, mapper.path(artifact.exec_path))
            if not os.path.exists(path):
                yield artifact, path


def _warning(session: Session, artifact: Artifact, path: str) -> Diagnostic:
    label = artifact.owner
    notes = (Note(f"it would be '{os.path.normpath(path)}', a symbolic link that leads nowhere"),)
    location = help = None
    try:
        location = session.loader.subject(label).location
        package = session.loader.own_package(label.package)
        help = suggestion(label.name, (name for name in package.targets if name != label.name))
    except WorkspaceError:
        pass  # a file that no package names; the label alone says what is missing
    return Diagnostic(
        f"missing input file '{label}'",
        location,
        "warning",
        help,
        notes if os.path.islink(path) else (Note("what needs it cannot be built"),),
    )

"""Source files that the build needs and that are not there.

As in Bazel, that is an error of building what needs them, not of everything else: ninja says so when it gets there.
People want to hear of it earlier.
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


def missing_inputs(session: Session, graph: BuildGraph) -> list[Diagnostic]:
    """A warning for each, where the file is first named; a last one counts the rest when there are many.

    Of repositories of which nobody has the sources, and of targets that nobody has, there is one warning with numbers.
    """
    sources = list(_missing_sources(session, graph))
    unavailable = [artifact for artifact, _ in sources if _has_no_sources(session, artifact)]
    known = set(unavailable)
    leaves = missing_leaves(session, graph, unavailable)
    found = [_warning(session, artifact, path) for artifact, path in sources if artifact not in known]
    return [*_first(found), *leaves]


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

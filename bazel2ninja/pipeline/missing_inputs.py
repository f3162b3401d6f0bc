"""Source files that the build needs and that are not there.

As in Bazel, that is an error of building what needs them, not of everything else: ninja says so when it gets there.
People want to hear of it earlier.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from bazel2ninja.diagnostics import Diagnostic, Note, WorkspaceError, suggestion
from bazel2ninja.graph.build import BuildGraph
from bazel2ninja.ninja.paths import PathMapper
from bazel2ninja.pipeline.session import Session

_SHOWN = 20


def missing_inputs(session: Session, graph: BuildGraph) -> list[Diagnostic]:
    """A warning for each, where the file is first named; a last one counts the rest when there are many."""
    found = list(_missing(session, graph))
    if len(found) <= _SHOWN:
        return found
    return [*found[:_SHOWN], Diagnostic(f"{len(found) - _SHOWN} more input files are missing", severity="warning")]


def _missing(session: Session, graph: BuildGraph) -> Iterator[Diagnostic]:
    root = session.request.output_root
    mapper = PathMapper.between(root, session.source)
    for artifact in graph.artifacts.values():
        if not artifact.is_source or graph.generator(artifact) is not None:
            continue
        path = os.path.join(root, mapper.path(artifact.exec_path))
        if os.path.exists(path):
            continue
        label = artifact.owner
        notes = (Note(f"it would be '{os.path.normpath(path)}', a symbolic link that leads nowhere"),)
        location = help = None
        try:
            location = session.loader.target(label).location
            package = session.loader.package(label.package)
            help = suggestion(label.name, (name for name in package.targets if name != label.name))
        except WorkspaceError:
            pass  # a file that no package names; the label alone says what is missing
        yield Diagnostic(
            f"missing input file '{label}'",
            location,
            "warning",
            help,
            notes if os.path.islink(path) else (Note("what needs it cannot be built"),),
        )

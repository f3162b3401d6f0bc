"""Headers that the build makes and that the source tree has, too.

The compiler looks into the source tree first, as Bazel tells it to.  In Bazel's sandbox the file of the tree is not
there, and the one that is made is found; here nothing hides it.
"""

from __future__ import annotations

import os

from bazel2ninja.diagnostics import Diagnostic, Location, Note
from bazel2ninja.graph.build import BuildGraph
from bazel2ninja.pipeline.session import Session

_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc", ".inl")


def namesakes(session: Session, graph: BuildGraph) -> list[Diagnostic]:
    """A warning for each."""
    found = []
    for artifact in sorted(graph.artifacts.values()):
        name = artifact.short_path
        if artifact.is_source or name.startswith("../") or not name.endswith(_HEADERS):
            continue
        path = os.path.normpath(os.path.join(session.source, name))
        if os.path.isfile(path):
            notes = (Note(f"'{artifact.owner}' makes '{artifact.exec_path}'"),)
            message = "the compiler finds this header before the one of the same name that the build makes"
            found.append(Diagnostic(message, Location(path), "warning", "remove it from the source tree", notes))
    return found

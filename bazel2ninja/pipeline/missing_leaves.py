"""What absent repositories and packages leave out of a manifest: leaves that ninja refuses, and what needs them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from bazel2ninja.analysis.action import FailAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.diagnostics import Diagnostic, Note
from bazel2ninja.graph.build import BuildGraph
from bazel2ninja.labels import Label
from bazel2ninja.pipeline.session import Session

_SHOWN = 12
_EXAMPLES = 5


def missing_leaves(session: Session, graph: BuildGraph, absent_sources: Iterable[Artifact]) -> list[Diagnostic]:
    """A warning that counts the missing targets and files, by repository, and the actions that cannot run.

    absent_sources: source files that are not there.
    """
    owners: Counter[str] = Counter()
    starts: list[str] = []
    unfit: list[Label] = []
    absent: dict[Label, None] = {}
    refusals = 0
    for action in graph.actions.values():
        if isinstance(action, FailAction) and action.owner in session.loader.missing:
            starts += [output.exec_path for output in action.outputs]
            refusals += 1
            if action.owner in session.analyzer.leaves:
                unfit.append(action.owner)
                needed = session.analyzer.leaves[action.owner][0]
                if needed is not None and needed not in session.analyzer.leaves:
                    absent[needed] = None
            else:
                absent[action.owner] = None
    for label in absent:
        owners[f"@{label.repository}" if label.repository else str(label.package)] += 1
    targets = owners.total()
    files = 0
    for artifact in absent_sources:
        starts.append(artifact.exec_path)
        owners[f"@{artifact.owner.repository}" if artifact.owner.repository else str(artifact.owner)] += 1
        files += 1
    if not starts:
        return []
    refused = sum(1 for node in graph.dependents(starts) if isinstance(node, int) and node >= 0)
    shown = [f"{name} ({count})" for name, count in owners.most_common(_SHOWN)]
    if len(owners) > _SHOWN:
        shown.append(f"{len(owners) - _SHOWN} more")
    message = f"{_count(targets, 'target')} and {_count(files, 'source file')} are missing: {', '.join(shown)}"
    total = len(graph.actions) - refusals
    notes = [Note(f"{refused} of {total} actions need one of them; ninja refuses these, and runs the others")]
    for label in unfit[:_EXAMPLES]:
        notes.append(Note(f"'{label}' cannot be analysed without: {session.analyzer.leaves[label][1].message}"))
    if len(unfit) > _EXAMPLES:
        notes.append(Note(f"{len(unfit) - _EXAMPLES} more targets cannot be analysed without"))
    return [Diagnostic(message, severity="warning", notes=tuple(notes))]


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"

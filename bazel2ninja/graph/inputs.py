"""Which files an action needs, the ones that only its structured fields name included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from bazel2ninja.analysis.action import (
    Action,
    CppArchiveAction,
    CppCompileAction,
    CppLinkAction,
    RunfilesTreeAction,
    SpawnAction,
    TestAction,
)
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.executables import RunfilesEntries


class ArtifactSet(Protocol):
    """What the graph asks of a depset of artifacts."""

    @property
    def direct(self) -> tuple[Any, ...]: ...

    @property
    def transitive(self) -> tuple[Any, ...]: ...

    def flatten(self) -> Any: ...


def direct_inputs(action: Action) -> tuple[Artifact, ...]:
    """Inputs that do not come through a depset, in order, each once.

    A runfiles tree counts the files that it links to: who uses the tree uses them.
    """
    named = tuple(_named(action))
    if not named:
        return action.inputs
    return tuple(dict.fromkeys(action.inputs + named))


def _named(action: Action) -> Iterator[Artifact]:
    if isinstance(action, CppCompileAction):
        if action.source not in action.inputs:
            yield action.source
    elif isinstance(action, CppArchiveAction):
        yield from action.members
    elif isinstance(action, CppLinkAction):
        for item in action.items:
            yield item.artifact
        yield from action.version_scripts
    elif isinstance(action, SpawnAction):
        yield from action.tools
    elif isinstance(action, TestAction):
        yield action.executable
    elif isinstance(action, RunfilesTreeAction):
        if isinstance(action.entries, RunfilesEntries):
            return  # made of the action's inputs and sets, which are not worth looking through
        # most entries come from sets that many trees share; only the rest is worth an edge of its own
        covered: set[Artifact] = set()
        for group in action.input_sets:
            covered.update(group.flatten())  # type: ignore[attr-defined]
        for artifact in action.entries.values():
            if artifact is not None and artifact not in covered:
                yield artifact

"""An action of real Bazel as a value, whatever dump it comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

_EXEC_CONFIGURATION = re.compile(r"host|.*-exec(-.*)?")
_OUTPUT_CONFIGURATION = re.compile(r"bazel-out/([^/]+)/")


@dataclass(frozen=True, slots=True)
class OracleAction:
    """One action of Bazel.  Paths are execution paths; `host` is true for what only the build itself runs.

    untold: what the dump does not say of it, as fields of Record and "label" or "mnemonic"; such a field is not
    compared.  title: what a log calls it, for an action whose outputs are not told.
    """

    mnemonic: str
    label: str
    host: bool
    outputs: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    untold: frozenset[str] = frozenset()
    title: str = ""

    @property
    def configuration(self) -> str:
        """Where its outputs lie: "k8-opt" of bazel-out/k8-opt/bin/...; "" for what lies elsewhere."""
        match = _OUTPUT_CONFIGURATION.match(self.outputs[0]) if self.outputs else None
        return match[1] if match else ""


def is_exec_configuration(outputs: Sequence[str], configuration: str = "") -> bool:
    """Whether an action is for tools: told by the output directory, as old text dumps name a wrong configuration."""
    for path in outputs:
        match = _OUTPUT_CONFIGURATION.match(path)
        if match:
            return _EXEC_CONFIGURATION.fullmatch(match[1]) is not None
    return _EXEC_CONFIGURATION.fullmatch(configuration) is not None


@dataclass(frozen=True, slots=True)
class ActionDump:
    """Actions of Bazel, and what is to be known of where they come from.

    kinds: kinds of Record that it lists, None for all.  ran: what was run, so that all of it was needed; else it may be
    what analysis declares.  whole: an action of ours that is not in it is one that Bazel lacks.
    """

    actions: tuple[OracleAction, ...]
    kinds: frozenset[str] | None = None
    ran: bool = False
    whole: bool = True


_GENERATED = re.compile(r"bazel-out/[^\s'\";:,=()]+")


def idle(actions: Iterable[OracleAction], wanted: Callable[[OracleAction], bool]) -> set[str]:
    """First outputs of the actions that nothing in the dump uses, and that are not `wanted` for themselves.

    A dump lists what analysis declares, so archives and descriptor sets are among it that no output needs.  What uses
    a file is seen in inputs and command lines only: a header that only compiles read seems idle where a dump leaves
    out their inputs.
    """
    left = [action for action in actions if action.outputs]
    found: set[str] = set()
    while True:
        used: set[str] = set()
        for action in left:
            own = set(action.outputs)
            for word in (*action.inputs, *action.arguments):
                if "bazel-out/" in word:
                    used.update(path for path in _GENERATED.findall(word) if path not in own)
        kept = [a for a in left if wanted(a) or not used.isdisjoint(a.outputs)]
        if len(kept) == len(left):
            return found
        staying = set(map(id, kept))
        found.update(action.outputs[0] for action in left if id(action) not in staying)
        left = kept


def needed(actions: Iterable[OracleAction], requested: Iterable[str]) -> list[OracleAction]:
    """The actions that the `requested` files need; aquery lists all that analysis has declared.

    A request names a file without regard to the configuration: bazel-out/ANY/bin/a/b.
    """
    listed = list(actions)
    makers: dict[str, list[OracleAction]] = {}
    by_plain: dict[str, list[OracleAction]] = {}
    for action in listed:
        for path in action.outputs:
            makers.setdefault(path, []).append(action)
            if not action.host:
                by_plain.setdefault(_OUTPUT_CONFIGURATION.sub("bazel-out/", path), []).append(action)
    pending: list[OracleAction] = []
    for path in requested:
        pending += by_plain.get(_OUTPUT_CONFIGURATION.sub("bazel-out/", path), ())
    reached: set[int] = set()
    while pending:
        action = pending.pop()
        if id(action) not in reached:
            reached.add(id(action))
            for path in action.inputs:
                pending += makers.get(path, ())
    return [action for action in listed if id(action) in reached]

"""The body of a manifest from parts that are known and actions that have been made again."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping

from bazel2ninja.analysis.action import Action
from bazel2ninja.ninja.context import Context
from bazel2ninja.ninja.lower import lower
from bazel2ninja.ninja.parts import MADE, SETS, Body, Part
from bazel2ninja.ninja.paths import OUTPUT, SIDE
from bazel2ninja.pipeline.changes import UnusableRecordError

_STAMPS = f"{SIDE}/stamps/"


class Reassembly:
    """kept: parts that stay, as far as something needs them; sets: name -> nodes, of kept parts."""

    def __init__(self, context: Context, kept: Iterable[Part], sets: Mapping[str, tuple[str, ...]]):
        self.context = context
        self.parts: dict[str, Part] = {}
        self.lowered: set[str] = set()  # keys of the parts that were not kept
        self._lowered: dict[str, Part] = {}
        self._done: set[str] = set()  # parts of which all that they need is there
        self._replaced: list[str] = []  # nodes of parts that were replaced
        self._sets = sets
        self._kept: dict[str, Part] = {}
        self._actions: dict[str, Action] = {}
        for part in kept:
            self._kept.update(dict.fromkeys(part.outputs, part))

    def is_kept(self, node: str) -> bool:
        """Whether a part that stays makes a node."""
        return node in self._kept

    def offer(self, action: Action) -> None:
        """Takes an action that is lowered if something needs it and no kept part makes the same."""
        for node in self.context.mapper.nodes(action.outputs):
            self._actions.setdefault(node, action)

    def paths_if_lowered(self, action: Action) -> tuple[str, ...]:
        """The exec paths of what an action makes, if the manifest makes it by this action; () if not."""
        key = action.outputs[0].exec_path
        return tuple([output.exec_path for output in action.outputs]) if key in self.lowered else ()

    def replace(self, known: Mapping[str, Part], keys: Iterable[str]) -> bool:
        """Puts the actions that were made again in the place of parts (of `known`, by `keys`) that they stand for.

        Whether all of them still are needed, if what was asked for is: then nothing that is kept can have become
        useless, and `need` has to look at what is new only.
        """
        replaced = [known[key] for key in keys]
        for old in replaced:
            action = next((self._actions[node] for node in old.outputs if node in self._actions), None)
            if action is None or action.outputs[0].exec_path != old.key:
                return False
            part = lower(self.context, action)
            self._lowered[old.key] = part
            if not (set(old.outputs) <= set(part.outputs) and set(old.needs) <= set(part.needs)):
                return False
        self.parts = {part.key: part for part in self._kept.values()}
        self._done.update(self.parts)
        self._replaced = [next(node for node in old.outputs if node in self._actions) for old in replaced]
        return True

    def need(self, nodes: Iterable[str]) -> None:
        """Adds the parts that make these nodes, and everything that they need.

        Raises UnusableRecordError for a node that nothing known makes, and for a cycle.
        """
        running: dict[str, None] = {}
        done = self._done
        wanted = [node for node in (*nodes, *self._replaced) if node.startswith(MADE)]
        stack: list[tuple[str, Iterator[str]]] = [("", iter(wanted))]
        while stack:
            name, needs = stack[-1]
            for node in needs:
                key, below = self._step(node)
                if key in running:
                    raise UnusableRecordError(key, node, list(running)[-3:])
                if key not in done:
                    running[key] = None
                    stack.append((key, iter(below)))
                    break
            else:
                stack.pop()
                running.pop(name, None)
                done.add(name)

    def _step(self, node: str) -> tuple[str, Iterable[str]]:
        """(name of what makes a node, nodes that it needs)."""
        if node.startswith(SETS):
            members = self.context.known_sets.get(node) or self._sets.get(node)
            if members is None:
                raise UnusableRecordError
            return node, [each for each in members if each.startswith(MADE)]
        part = self._kept.get(node)
        if part is None:
            action = self._actions.get(node)
            if action is None:
                raise UnusableRecordError(node)
            key = action.outputs[0].exec_path
            part = self.parts.get(key)
            if part is None:
                part = self._lowered.get(key) or lower(self.context, action)
                self.lowered.add(key)
        self.parts.setdefault(part.key, part)
        return part.key, part.needs

    def body(self, variables: Mapping[str, str]) -> Body:
        """The body; variables: of kept parts.  Raises UnusableRecordError when an output lies inside another."""
        outputs = {node.removeprefix(_STAMPS) for part in self.parts.values() for node in part.outputs}
        fresh = [node for key in self.lowered for node in self.parts[key].outputs]
        if not all(node in self._kept for node in fresh):
            _check_prefixes(outputs)
        return Body(self.parts, {**variables, **self.context.variables}, {**self._sets, **self.context.known_sets})


def _check_prefixes(outputs: set[str]) -> None:
    checked: set[str] = set()
    for node in outputs:
        directory = posixpath.dirname(node)
        while directory not in checked and len(directory) > len(OUTPUT):
            if directory in outputs:
                raise UnusableRecordError
            checked.add(directory)
            directory = posixpath.dirname(directory)

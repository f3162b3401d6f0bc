"""Seeded damage to a dump: a comparison that does not see it is worthless.

Each mutation changes one thing that matters (a source, a define, an include directory, an option, a link member, an
order, a generated file, a command) in all actions of Bazel that stand for one of ours, and says what it did.

`python3 -m bazel2ninja.crosscheck.mutate DUMP SEED` prints a damaged dump, and on standard error what was done.
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from bazel2ninja.crosscheck.dumps import json_lines, read_actions
from bazel2ninja.crosscheck.normalize import compile_record, is_archive, oracle_records
from bazel2ninja.crosscheck.oracle import OracleAction, idle
from bazel2ninja.crosscheck.records import Names, Record
from bazel2ninja.diagnostics import WorkspaceError, render
from bazel2ninja.filesystem import Disk

Actions = Sequence[OracleAction]


@dataclass(frozen=True, slots=True)
class Mutation:
    """A damaged dump.  what: in words; target: label of the action that was damaged."""

    what: str
    target: str
    actions: tuple[OracleAction, ...]


def _is_compile(action: OracleAction) -> bool:
    return action.mnemonic == "CppCompile" and "-c" in action.arguments


def _is_link(action: OracleAction) -> bool:
    return action.mnemonic == "CppLink" and not is_archive(action) and bool(action.arguments)


def _is_other(action: OracleAction) -> bool:
    named = action.mnemonic in ("CppCompile", "CppLink", "CppArchive")
    parameters = any(re.search(r"-\d+\.params$|\.dwp$", path) for path in action.outputs)
    return not named and not parameters and bool(action.outputs)


def _project_fields(record: Record) -> dict[str, tuple[str, ...]]:
    """What the project asks for: the toolchain's flags may differ."""
    return {name: value for name, value in record.fields.items() if name not in ("toolchain_flags", "bookkeeping")}


class Mutator:
    """Makes mutations of one dump; the same seed gives the same ones.

    requested: labels of targets; when given, actions that nothing needs are left alone, as a comparison does.
    """

    def __init__(
        self, actions: Actions, seed: int, names: Names | None = None, requested: Collection[str] | None = None
    ):
        self.actions = tuple(actions)
        self.random = random.Random(seed)
        self.names = names or Names()
        self._groups: dict[tuple[str, ...], list[int]] = {}
        self._accepted: dict[Callable[[OracleAction], bool], list[OracleAction]] = {}
        self.requested = None if requested is None else frozenset(requested)
        self._idle = set() if requested is None else idle(self.actions, self._is_requested)
        for index, action in enumerate(self.actions):
            self._groups.setdefault(self._key(action), []).append(index)

    def _is_requested(self, action: OracleAction) -> bool:
        return self.requested is None or self.names.label(action.label) in self.requested

    def _key(self, action: OracleAction) -> tuple[str, ...]:
        record: Record | None = None
        if _is_compile(action):
            record = compile_record(action, self.names)
        elif action.outputs:
            return ("other", self.names.text(action.outputs[0]))
        return (record.kind, *record.key) if record else ("", action.label)

    def _pick(self, accepts: Callable[[OracleAction], bool]) -> tuple[OracleAction, list[int]] | None:
        chosen = self._accepted.get(accepts)
        if chosen is None:
            chosen = self._accepted[accepts] = [
                a for a in self.actions if accepts(a) and not (a.outputs and a.outputs[0] in self._idle)
            ]
        if not chosen:
            return None
        action = self.random.choice(chosen)
        return action, self._groups[self._key(action)]

    def _rewritten(
        self, indices: list[int], change: Callable[[tuple[str, ...]], tuple[str, ...] | None]
    ) -> tuple[OracleAction, ...] | None:
        """The dump with the command lines of a group changed; None when nothing changes that is compared."""
        result = list(self.actions)
        changed = False
        for index in indices:
            action = result[index]
            arguments = change(action.arguments)
            if arguments is not None and arguments != action.arguments:
                result[index] = replace(action, arguments=arguments)
                changed = True
        if not changed or not self._matters(indices, result):
            return None
        return tuple(result)

    def _matters(self, indices: list[int], result: Sequence[OracleAction]) -> bool:
        before = oracle_records([self.actions[index] for index in indices], self.names)
        after = oracle_records([result[index] for index in indices], self.names)
        return any(_project_fields(old) != _project_fields(new) for old, new in zip(before, after, strict=True))

    def _word(
        self, accepts: Callable[[OracleAction], bool], pattern: str, operation: str, what: str
    ) -> Mutation | None:
        """Drops, alters, repeats or swaps a word of a command line that matches `pattern`."""
        picked = self._pick(accepts)
        if picked is None:
            return None
        action, indices = picked
        words = [word for word in dict.fromkeys(action.arguments) if re.fullmatch(pattern, word)]
        if not words:
            return None
        word = self.random.choice(words)
        other = self.random.choice(words)
        if operation == "swap" and other == word:
            return None

        def change(arguments: tuple[str, ...]) -> tuple[str, ...] | None:
            if word not in arguments:
                return None
            found = list(arguments)
            at = found.index(word)
            flagged = at > 0 and found[at - 1] in ("-iquote", "-isystem")
            if operation == "drop":
                del found[at - flagged : at + 1]
            elif operation == "alter":
                stem, dot, ending = word.rpartition(".")
                is_file = bool(dot) and "/" not in ending and not word.startswith("-")
                found[at] = f"{stem}_mutated.{ending}" if is_file else f"{word}_mutated"
            elif operation == "repeat":
                found[at + 1 : at + 1] = [*found[at - flagged : at], word]
            elif other in arguments:
                there = found.index(other)
                found[at], found[there] = found[there], found[at]
            return tuple(found)

        result = self._rewritten(indices, change)
        return Mutation(f"{operation} {what} {word}", action.label, result) if result else None

    def _action(self, accepts: Callable[[OracleAction], bool], operation: str, what: str) -> Mutation | None:
        picked = self._pick(accepts)
        if picked is None:
            return None
        action, indices = picked
        if operation == "drop":
            kept = tuple(a for i, a in enumerate(self.actions) if i not in set(indices))
            return Mutation(f"drop {what} {action.outputs[0]}", action.label, kept)
        if not self._is_requested(action):
            return None  # nothing would use what it adds
        if _is_compile(action):
            source = action.arguments[action.arguments.index("-c") + 1]
            arguments = tuple(w + ".mutated.cc" if w == source else w for w in action.arguments)
            outputs = tuple(path + ".mutated" for path in action.outputs)
            added = replace(action, arguments=arguments, outputs=outputs)
        else:
            added = replace(action, outputs=tuple(path + ".mutated" for path in action.outputs))
        return Mutation(f"add {what} {added.outputs[0]}", action.label, (*self.actions, added))

    def _output(self, operation: str) -> Mutation | None:
        picked = self._pick(_is_other)
        if picked is None:
            return None
        action, indices = picked
        path = self.random.choice(action.outputs)
        result = list(self.actions)
        for index in indices:
            old = result[index]
            plain = {self.names.text(output): output for output in old.outputs}
            own = plain.get(self.names.text(path))
            if own is None:
                continue
            kept = tuple(output for output in old.outputs if output != own)
            if operation == "drop":
                if not kept:
                    return None
                result[index] = replace(old, outputs=kept)
            else:
                result[index] = replace(old, outputs=tuple(o + ".mutated" if o == own else o for o in old.outputs))
        return Mutation(f"{operation} generated file {path}", action.label, tuple(result))

    def mutation(self) -> Mutation:
        """One more mutation; raises ValueError for a dump in which nothing can be damaged."""
        for _ in range(1000):
            choice = self.random.choice(_MUTATIONS)
            found = choice(self)
            if found is not None:
                return found
        raise ValueError("nothing in this dump can be damaged")


_INCLUDES = r"(?!-)(?!bazel-out/[^/]+/bin/.*\.(?:o|d)$).*|-I.+"


def _word_mutation(
    accepts: Callable[[OracleAction], bool], pattern: str, operation: str, what: str
) -> Callable[[Mutator], Mutation | None]:
    return lambda mutator: mutator._word(accepts, pattern, operation, what)


def _action_mutation(
    accepts: Callable[[OracleAction], bool], operation: str, what: str
) -> Callable[[Mutator], Mutation | None]:
    return lambda mutator: mutator._action(accepts, operation, what)


_MUTATIONS: tuple[Callable[[Mutator], Mutation | None], ...] = (
    *(_action_mutation(_is_compile, operation, "source") for operation in ("drop", "add")),
    *(_action_mutation(_is_link, operation, "link") for operation in ("drop", "add")),
    *(_action_mutation(_is_other, operation, "generating action") for operation in ("drop", "add")),
    *(
        _word_mutation(_is_compile, pattern, operation, what)
        for operation in ("drop", "alter", "repeat", "swap")
        for pattern, what in (
            (r"-D(?!__).+", "define"),
            (r"(?:bazel-out/[^/]+/bin|external)(?:/(?:(?!\.(?:o|d|cc|cpp|c|cxx)$).)*)?|-I.+", "include directory"),
            (r"-[fWmOgs](?!PIC|random-seed|random).+", "option"),
        )
    ),
    *(
        _word_mutation(_is_link, pattern, operation, what)
        for operation in ("drop", "alter", "repeat", "swap")
        for pattern, what in (
            (r"(?!-).*\.(?:o|a|lo)|-l.*_Slib.*", "link member"),
            (r"-l(?!stdc|m$).*|-pthread", "link option"),
        )
    ),
    *(
        _word_mutation(is_archive, r".*\.o", operation, "archive member")
        for operation in ("drop", "alter", "repeat", "swap")
    ),
    *(_word_mutation(_is_other, r".{2,}", operation, "word of a command") for operation in ("drop", "alter", "swap")),
    *((lambda mutator, operation=operation: mutator._output(operation)) for operation in ("drop", "alter")),
)


def mutations(
    actions: Actions, seed: int, count: int, names: Names | None = None, requested: Collection[str] | None = None
) -> list[Mutation]:
    """`count` damaged dumps; the same arguments give the same ones."""
    mutator = Mutator(actions, seed, names, requested)
    return [mutator.mutation() for _ in range(count)]


def main(words: Sequence[str]) -> int:
    """DUMP SEED: prints one damaged dump."""
    if len(words) != 2 or not words[1].isdigit():
        print("usage: python3 -m bazel2ninja.crosscheck.mutate DUMP SEED", file=sys.stderr)
        return 2
    try:
        actions = read_actions(Disk().read(words[0]), words[0])
    except WorkspaceError as problem:
        print(render(problem.diagnostic), file=sys.stderr)
        return problem.status
    (found,) = mutations(actions, int(words[1]), 1)
    print(f"{found.target}: {found.what}", file=sys.stderr)
    sys.stdout.write(json_lines(found.actions))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The manifest's body as parts: what one action adds to it, by itself, so that it stays while others are made again.

Parts share variables and sets (phony targets for depsets); both have names that come from their content.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from bazel2ninja.ninja.paths import OUTPUT, SIDE
from bazel2ninja.records import dataclass

SETS = f"{SIDE}/sets/"
MADE = (f"{OUTPUT}/", SETS, f"{SIDE}/stamps/")
"""How nodes begin that an edge of the manifest may make; all others are files that are there."""


@dataclass(frozen=True, slots=True)
class TestFacts:
    """What the summaries of tests ask of a test.  passed: nodes of the files that exist when its shards have passed.

    inherited: names of environment variables that it sees of whoever runs ninja.
    """

    label: str
    passed: tuple[str, ...]
    manual: bool
    inherited: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """What an action adds.  key: exec path of its first output, which orders the parts.

    text: its edges.  outputs: the nodes that they make; needs: those that others make and that they read,
    sets included.  variables, rules: names of what the text uses.  side_files: paths that belong to it.
    """

    key: str
    text: str
    outputs: tuple[str, ...]
    needs: tuple[str, ...]
    variables: tuple[str, ...]
    rules: tuple[str, ...]
    side_files: tuple[str, ...]
    test: TestFacts | None


def digest(text: str) -> str:
    """16 digits that stand for a text in a name."""
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


class Body:
    """Parts by key, and the variables and sets that they share: name -> text, name -> nodes."""

    def __init__(
        self, parts: Mapping[str, Part], variables: Mapping[str, str], sets: Mapping[str, Sequence[str]]
    ) -> None:
        self.parts = parts
        self._variables = variables
        self._sets = sets
        self._ordered = [parts[key] for key in sorted(parts)]

    @functools.cached_property
    def variables(self) -> dict[str, str]:
        """Those that parts use, in the order of their names."""
        used: set[str] = set()
        for part in self._ordered:
            used.update(part.variables)
        return {name: self._variables[name] for name in sorted(used)}

    @functools.cached_property
    def sets(self) -> dict[str, Sequence[str]]:
        """Those that parts use, in the order of their names."""
        used: set[str] = set()
        pending: list[str] = []
        for part in self._ordered:
            pending += [node for node in part.needs if node.startswith(SETS)]
        while pending:
            name = pending.pop()
            if name not in used:
                used.add(name)
                pending += [node for node in self._sets[name] if node.startswith(SETS)]
        return {name: self._sets[name] for name in sorted(used)}

    @property
    def rules(self) -> Set[str]:
        """The names of the rules that parts use."""
        return {name for part in self._ordered for name in part.rules}

    @property
    def tests(self) -> list[TestFacts]:
        """In the order of the parts."""
        return [part.test for part in self._ordered if part.test is not None]

    def lines(self) -> Iterator[str]:
        """The text: variables, sets, edges."""
        for name, text in self.variables.items():
            yield f"{name} = {text}"
        for name, nodes in self.sets.items():
            yield f"build {name}: phony {' '.join(nodes)}"
        for part in self._ordered:
            yield part.text


def side_files(parts: Iterable[Part]) -> list[str]:
    """The paths of all side files of these parts."""
    return [path for part in parts for path in part.side_files]

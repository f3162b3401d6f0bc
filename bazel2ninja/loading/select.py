"""select() as a value: what a BUILD file wrote, before a configuration chooses.

https://bazel.build/reference/be/functions#select.  A `SelectList` is a concatenation, in order, of plain values and
`Select`s; `+` and `|` with plain values work on both sides.  Nothing here knows which branch is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bazel2ninja.diagnostics import Location
from bazel2ninja.labels import Label, parse_label

DEFAULT_CONDITION = parse_label("//conditions:default")
"""The key of a select() that is taken when nothing else matches."""


@dataclass(frozen=True, slots=True, eq=False)
class Select:
    """One select(): branches in the order written (value None: the attribute's default), and the text of its error."""

    branches: Mapping[Label, object]
    no_match_error: str = ""
    location: Location | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SelectList:
    """`[...] + select({...}) + ...`: at least one element is a Select.  `operator` is "+" or "|"."""

    elements: tuple[object, ...]
    operator: str = "+"

    starlark_type = "select"

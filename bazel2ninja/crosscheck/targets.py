"""Targets as `bazel query` and `bazel cquery` print them: a value for every form of output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bazel2ninja.diagnostics import Location

Value = object
"""str, int, bool, None, tuple of values, ("dict", pairs), ("select", pairs) or ("+", values)."""


@dataclass(frozen=True, slots=True)
class QueryTarget:
    """A target of a query.  kind: "cc_library rule", "source file" ..., "" where the form does not tell it.

    attributes: those given in the BUILD file, from forms that have them.  dependencies: labels within the dump, None
    where the form does not tell them.
    """

    label: str
    kind: str = ""
    attributes: Mapping[str, Value] = field(default_factory=dict)
    location: Location | None = None
    dependencies: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class TargetDump:
    """Targets of one dump.

    configured: of cquery, in which select() branches are chosen.  flattened: a list with select()s is the sum of all
    their branches.  by_name: `label` is a mere name (query --output=build).  some_dependencies: not all are told, as
    cquery's transitions leave out those on files.  repositories: those that are named in place of their targets.
    """

    targets: tuple[QueryTarget, ...]
    configured: bool = False
    flattened: bool = False
    by_name: bool = False
    some_dependencies: bool = False
    repositories: frozenset[str] = frozenset()

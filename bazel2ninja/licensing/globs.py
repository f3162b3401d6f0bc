"""The fewest patterns that give each file its terms, where of several matching patterns the last one counts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class _Directory:
    files: dict[str, str] = field(default_factory=dict)  # name -> value
    below: dict[str, _Directory] = field(default_factory=dict)
    cost: dict[str, int] = field(default_factory=dict)  # patterns needed inside when a value is the default
    other: int = 0  # the same for a default that occurs nowhere inside
    best: str = ""


def fewest(values: Mapping[str, str]) -> list[tuple[int, str, str]]:
    """(level, pattern, value) so that, in the order of levels, the last match of each path is its value.

    Level 0 is the pattern `*`; a pattern's level is one above that of the pattern around it. Exact: no smaller set of
    whole-directory and single-file patterns does.
    """
    root = _Directory()
    for path, value in values.items():
        at = root
        directory, name = posixpath.split(path)
        for part in directory.split("/") if directory else ():
            at = at.below.setdefault(part, _Directory())
        at.files[name] = value
    order = [("", root)]
    for above, node in order:
        order.extend((f"{above}/{name}" if above else name, inner) for name, inner in node.below.items())
    for _, node in reversed(order):
        _price(node)
    found: list[tuple[int, str, str]] = []
    if values:
        found.append((0, "*", root.best))
        _choose(root, "", root.best, 0, found)
    return sorted(found, key=lambda each: (each[0], each[1]))


def _price(directory: _Directory) -> None:
    candidates = set(directory.files.values())
    for inner in directory.below.values():
        candidates.update(inner.cost)
    directory.other = len(directory.files) + sum(min(i.other, 1 + i.cost[i.best]) for i in directory.below.values())
    counts: dict[str, int] = {}
    for value in directory.files.values():
        counts[value] = counts.get(value, 0) + 1
    for value in candidates:
        inside = sum(min(i.cost.get(value, i.other), 1 + i.cost[i.best]) for i in directory.below.values())
        directory.cost[value] = len(directory.files) - counts.get(value, 0) + inside
    directory.best = min(directory.cost, key=lambda value: (directory.cost[value], -counts.get(value, 0), value))


def _choose(root: _Directory, path: str, default: str, level: int, found: list[tuple[int, str, str]]) -> None:
    pending = [(root, path, default, level)]
    while pending:
        directory, path, default, level = pending.pop()
        prefix = f"{path}/" if path else ""
        for name, value in directory.files.items():
            if value != default:
                found.append((level + 1, escaped(prefix + name), value))
        for name, inner in directory.below.items():
            if inner.cost.get(default, inner.other) <= 1 + inner.cost[inner.best]:
                pending.append((inner, prefix + name, default, level))
            else:
                found.append((level + 1, escaped(prefix + name) + "/*", inner.best))
                pending.append((inner, prefix + name, inner.best, level + 1))


def escaped(path: str) -> str:
    """A path as a pattern that matches it; blanks, which separate patterns, become `?`."""
    return re.sub(r"\s", "?", re.sub(r"([*?\\])", r"\\\1", path))

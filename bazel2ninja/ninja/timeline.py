"""What a build's time went into: the units of work, the chain that bounds it, what each rule took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bazel2ninja.ninja.build_log import Entry
from bazel2ninja.ninja.edges import Edge
from bazel2ninja.records import dataclass

NO_RULE = "(not in the manifest)"


@dataclass(frozen=True, slots=True)
class Unit:
    """One run of a command; times in milliseconds.  `lane` is a number that no other unit has at that time."""

    outputs: tuple[str, ...]
    rule: str
    start: int
    end: int
    lane: int

    @property
    def duration(self) -> int:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Timeline:
    """units: sorted by start; critical: the chain of dependent units that takes longest, from first to last.

    span: from the first start to the last end; work: all durations together.  `critical_time` is what the build would
    take with any number of jobs, if each unit took as long as it did.  durations: of the edges that ran, by their place
    in the manifest.
    """

    units: list[Unit]
    critical: list[Unit]
    span: int
    work: int
    durations: Mapping[int, int]

    @property
    def critical_time(self) -> int:
        return sum(unit.duration for unit in self.critical)


@dataclass(frozen=True, slots=True)
class RuleTotal:
    rule: str
    count: int
    total: int
    longest: int


def timeline(entries: Sequence[Entry], edges: Sequence[Edge]) -> Timeline:
    """Of entries that do not overlap in more places than there were jobs."""
    maker = {output: number for number, edge in enumerate(edges) for output in edge.outputs}
    grouped: dict[tuple[object, ...], list[Entry]] = {}
    for entry in sorted(entries, key=lambda entry: (entry.start, entry.end, entry.output)):
        key = (maker.get(entry.output, entry.output), entry.start, entry.end)
        grouped.setdefault(key, []).append(entry)
    free: list[int] = []  # when each lane is free again
    units = []
    made_by: dict[int, Unit] = {}
    for (edge, start, end), group in grouped.items():
        assert isinstance(start, int) and isinstance(end, int)
        lane = next((number for number, time in enumerate(free) if time <= start), len(free))
        free[lane : lane + 1] = [end]
        rule = edges[edge].rule if isinstance(edge, int) else NO_RULE
        unit = Unit(tuple(entry.output for entry in group), rule, start, end, lane)
        units.append(unit)
        if isinstance(edge, int):
            made_by[edge] = unit
    span = max((unit.end for unit in units), default=0) - min((unit.start for unit in units), default=0)
    durations = {edge: unit.duration for edge, unit in made_by.items()}
    return Timeline(units, _critical(edges, maker, made_by), span, sum(unit.duration for unit in units), durations)


def _critical(edges: Sequence[Edge], maker: Mapping[str, int], units: Mapping[int, Unit]) -> list[Unit]:
    """The longest chain: edges that did not run count for nothing, but hand on what they wait for."""
    length: dict[int, int] = {}
    before: dict[int, int] = {}
    for first in units:
        pending = [first]
        while pending:  # depth first without recursion: chains are as long as the graph is deep
            number = pending[-1]
            needed = {maker[name] for name in edges[number].inputs if name in maker} - {number}
            missing = [each for each in needed if each not in length]
            if missing and number not in before:
                before[number] = -1
                pending += missing
                continue
            pending.pop()
            if number in length:
                continue
            longest = max(needed & length.keys(), key=lambda each: (length[each], -each), default=-1)
            before[number] = longest
            own = units[number].duration if number in units else 0
            length[number] = own + (length[longest] if longest >= 0 else 0)
    chain = []
    at = max(units, key=lambda each: (length[each], -each), default=-1)
    while at >= 0:
        if at in units:
            chain.append(units[at])
        at = before[at]
    return list(reversed(chain))


def rule_totals(units: Iterable[Unit]) -> list[RuleTotal]:
    """What each rule took, most first."""
    durations: dict[str, list[int]] = {}
    for unit in units:
        durations.setdefault(unit.rule, []).append(unit.duration)
    totals = [RuleTotal(rule, len(each), sum(each), max(each)) for rule, each in durations.items()]
    return sorted(totals, key=lambda total: (-total.total, total.rule))


def trace(found: Timeline) -> dict[str, Any]:
    """The document that Perfetto and chrome://tracing open, in the Trace Event Format: one thread for each lane."""
    critical = {id(unit) for unit in found.critical}
    events: list[dict[str, Any]] = [
        {
            "name": unit.outputs[0],
            "cat": unit.rule + (",critical" if id(unit) in critical else ""),
            "ph": "X",
            "ts": unit.start * 1000,
            "dur": unit.duration * 1000,
            "pid": 0,
            "tid": unit.lane,
            "args": {"outputs": list(unit.outputs), "rule": unit.rule, "critical": id(unit) in critical},
        }
        for unit in found.units
    ]
    return {"traceEvents": events, "displayTimeUnit": "ms"}

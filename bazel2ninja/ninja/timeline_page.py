"""A build's timeline for people: a page that needs nothing else, and a summary."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template

from bazel2ninja.ninja.timeline import Timeline, Unit, rule_totals

_SHOWN = 20


def write(found: Timeline, title: str) -> str:
    """The HTML document; names of files go in as JSON, and come out as text."""
    page = Template((Path(__file__).parent / "timeline.html").read_text(encoding="utf-8"))
    rules = sorted({unit.rule for unit in found.units})
    number = {rule: index for index, rule in enumerate(rules)}
    place = {id(unit): index for index, unit in enumerate(found.units)}
    document = {
        "rules": rules,
        "units": [
            [unit.outputs[0], number[unit.rule], unit.start, unit.duration, unit.lane, len(unit.outputs)]
            for unit in found.units
        ],
        "critical": [place[id(unit)] for unit in found.critical],
        "totals": [[total.rule, total.count, total.total, total.longest] for total in rule_totals(found.units)],
        "span": found.span,
        "work": found.work,
        "criticalTime": found.critical_time,
    }
    text = json.dumps(document, separators=(",", ":"))
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return page.substitute(title=escape(title), data=text)


def seconds(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.1f} s"


def summary(found: Timeline, predicted: Mapping[int, int]) -> str:
    """A few lines, then the slowest units, the rules, and the critical path.

    predicted: number of jobs -> milliseconds, see `schedule`.
    """
    jobs = found.work / found.span if found.span else 0.0
    bound = found.work / found.critical_time if found.critical_time else 0.0
    lines = [
        f"{len(found.units)} units in {seconds(found.span)}; {seconds(found.work)} of work, {jobs:.1f} at a time",
        f"critical path: {len(found.critical)} units, {seconds(found.critical_time)}; at most {bound:.1f} jobs help",
        "",
        "with other numbers of jobs",
        *(
            f"  {seconds(span):>10}  {jobs:6} jobs, {found.work / span if span else 0.0:.1f} at a time"
            for jobs, span in predicted.items()
        ),
        "",
        "slowest units",
        *_table(sorted(found.units, key=lambda unit: (-unit.duration, unit.outputs))[:_SHOWN]),
        "",
        "rules",
        *(
            f"  {seconds(total.total):>10}  {total.count:6} x {total.rule}, longest {seconds(total.longest)}"
            for total in rule_totals(found.units)
        ),
        "",
        "critical path",
        *_table(found.critical),
    ]
    return "\n".join(lines) + "\n"


def _table(units: Sequence[Unit]) -> list[str]:
    return [f"  {seconds(unit.duration):>10}  {unit.rule}: {unit.outputs[0]}" for unit in units]

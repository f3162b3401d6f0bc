"""What people have decided: a file that is read, reviewed and kept under version control.

[[decision]]
finding = "media"
subject = "docs/images"
seen = "4f0c2a9be1d377aa"            # changes when what was decided about changes: then it is asked again
verdict = "accepted"                 # or "remove", "non-free"
licence = "CC-BY-4.0"                # optional: the terms of the finding's files
reviewer = "Some Body <some@body.example>"
date = 2024-05-01
reason = "drawn by upstream, see AUTHORS"
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError, suggestion
from bazel2ninja.licensing.expressions import normal
from bazel2ninja.licensing.finding import KINDS, Finding
from bazel2ninja.licensing.references import read_toml

VERDICTS = ("accepted", "remove", "non-free")
_REQUIRED = ("finding", "subject", "seen", "verdict", "reviewer", "date", "reason")


@dataclass(frozen=True, slots=True)
class Decision:
    """One answer.  date: ISO 8601, as it stands in the file."""

    finding: str
    subject: str
    seen: str
    verdict: str
    reviewer: str
    date: str
    reason: str
    licence: str = ""


@dataclass(frozen=True, slots=True)
class Answers:
    """Findings sorted by what a person has said: `open`, `answered` with their decisions, and `stale` decisions, of which
    what they were about has changed or gone.
    """  # noqa: E501

    open: tuple[Finding, ...]
    answered: tuple[tuple[Finding, Decision], ...]
    stale: tuple[Decision, ...]


def read(path: str) -> tuple[Decision, ...]:
    """All decisions of a file; raises WorkspaceError for one that is incomplete or says what is not known."""
    table = read_toml(Path(path))
    entries = table.get("decision", [])
    if not isinstance(entries, list) or set(table) - {"decision"}:
        raise WorkspaceError(Diagnostic("a review file holds [[decision]] tables only", Location(path)))
    return tuple(_decision(path, number, entry) for number, entry in enumerate(entries, 1))


def _decision(path: str, number: int, entry: Any) -> Decision:
    where = Location(path)
    if not isinstance(entry, dict):
        raise WorkspaceError(Diagnostic("a review file holds [[decision]] tables only", where))
    for name in entry:
        if name not in (*_REQUIRED, "licence"):
            known = suggestion(name, (*_REQUIRED, "licence"))
            raise WorkspaceError(Diagnostic(f"decision {number} has the unknown key '{name}'", where, help=known))
    values: dict[str, str] = {}
    for name in (*_REQUIRED, "licence"):
        value = entry.get(name)
        if name == "date" and isinstance(value, datetime.date):
            value = value.isoformat()
        if value is None and name == "licence":
            continue
        if not isinstance(value, str) or not value.strip():
            raise WorkspaceError(Diagnostic(f"decision {number} lacks '{name}'", where))
        values[name] = value
    if values["finding"] not in KINDS:
        raise WorkspaceError(
            Diagnostic(
                f"decision {number}: there is no finding '{values['finding']}'",
                where,
                help=suggestion(values["finding"], KINDS),
            )
        )
    if values["verdict"] not in VERDICTS:
        raise WorkspaceError(
            Diagnostic(
                f"decision {number}: the verdict is one of {', '.join(VERDICTS)}, not '{values['verdict']}'",
                where,
                help=suggestion(values["verdict"], VERDICTS),
            )
        )
    if values.get("licence") and normal(values["licence"]) is None:
        raise WorkspaceError(Diagnostic(f"decision {number}: '{values['licence']}' is no SPDX expression", where))
    return Decision(**values)


def apply(decisions: Iterable[Decision], findings: Iterable[Finding]) -> Answers:
    """Matches answers to questions: by kind, subject and what was seen. "remove" and "non-free" keep the finding open,
    for the files are still there.
    """
    by_subject: dict[tuple[str, str], Decision] = {(d.finding, d.subject): d for d in decisions}
    used: set[tuple[str, str]] = set()
    opened: list[Finding] = []
    answered: list[tuple[Finding, Decision]] = []
    for finding in findings:
        key = (finding.kind, finding.subject)
        decision = by_subject.get(key)
        if decision is None or decision.seen != finding.seen:
            opened.append(finding)
            continue
        used.add(key)
        if decision.verdict == "accepted":
            answered.append((finding, decision))
        else:
            opened.append(finding)
    stale = tuple(decision for key, decision in by_subject.items() if key not in used)
    return Answers(tuple(opened), tuple(answered), stale)


def concluded(answers: Answers) -> dict[str, str]:
    """path -> terms that a person has decided on."""
    return {
        path: decision.licence for finding, decision in answers.answered if decision.licence for path in finding.paths
    }


def template(findings: Iterable[Finding], reviewer: str, date: str) -> str:
    """A review file with every question, to be completed: the reasons are left for the person to write."""
    parts = []
    for finding in findings:
        lines = [
            f"# {_comment(finding.detail)}",
            *(f"#   {_comment(path)}" for path in finding.paths[:5]),
            *([f"#   and {len(finding.paths) - 5} more"] if len(finding.paths) > 5 else []),
            "[[decision]]",
            f"finding = {_string(finding.kind)}",
            f"subject = {_string(finding.subject)}",
            f"seen = {_string(finding.seen)}",
            'verdict = ""',
            f"reviewer = {_string(reviewer)}",
            f"date = {date}",
            'reason = ""',
        ]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _comment(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)[:200]


def _string(text: str) -> str:
    """A TOML basic string: its escapes are those of JSON."""
    return json.dumps(text.encode("utf-8", "backslashreplace").decode(), ensure_ascii=False).replace("\x7f", "\\u007f")


def by_reviewer(answers: Answers) -> Mapping[str, int]:
    """reviewer -> number of findings answered."""
    found: dict[str, int] = {}
    for _, decision in answers.answered:
        found[decision.reviewer] = found.get(decision.reviewer, 0) + 1
    return found

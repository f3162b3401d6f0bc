"""The audit as one HTML file for a review: charts, search, a view for each directory, every finding; nothing is fetched.

All text goes in as JSON in a script element and comes out through textContent: file names and licence texts are hostile.
"""  # noqa: E501

from __future__ import annotations

import json
from collections import Counter
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from bazel2ninja.licensing.audit import Audit
from bazel2ninja.licensing.finding import KINDS

_EXCERPT = 1500  # characters of a notice that are shown


def write(audit: Audit, name: str, date: str) -> str:
    """The document; `date` as it is to be shown."""
    page = Template((Path(__file__).parent / "report.html").read_text(encoding="utf-8"))
    return page.substitute(title=escape(f"Licence audit of {name}, {date}"), data=_json(_data(audit)))


def _json(value: Any) -> str:
    """JSON that cannot end the script element it stands in."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _data(audit: Audit) -> dict[str, Any]:
    """Files as rows of numbers into tables: twenty thousand files stay a few megabytes."""
    terms: dict[str, int] = {}
    bases: dict[str, int] = {}
    sources: dict[str, int] = {"": 0}
    rows = []
    for path, conclusion in audit.concluded.files.items():
        rows.append(
            [
                path,
                terms.setdefault(conclusion.expression, len(terms)),
                bases.setdefault(conclusion.basis, len(bases)),
                sources.setdefault(conclusion.source, len(sources)),
                audit.tree.scans[path].kind,
            ]
        )
    counts = Counter(conclusion.expression for conclusion in audit.concluded.files.values())
    return {
        "main": audit.concluded.main,
        "terms": list(terms),
        "bases": list(bases),
        "sources": list(sources),
        "files": rows,
        "chart": counts.most_common(),
        "kinds": KINDS,
        "findings": [
            {
                "kind": finding.kind,
                "subject": finding.subject,
                "detail": finding.detail,
                "paths": finding.paths[:200],
                "count": len(finding.paths),
                "excerpt": finding.excerpt[:_EXCERPT],
                "asks": finding.asks,
                "seen": finding.seen,
            }
            for finding in audit.findings
        ],
        "answered": len(audit.answered),
        "differences": [
            [d.kind, d.said, d.found, d.count, list(d.files[:20]), d.stanza + 1] for d in audit.differences
        ],
    }

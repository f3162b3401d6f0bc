"""The audit for a terminal: a summary first, then what a person has to decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bazel2ninja.licensing.audit import Audit
from bazel2ninja.licensing.finding import KINDS

_SHOWN = 10  # findings of one kind, unless everything is asked for
_PATHS = 3


def lines(audit: Audit, *, everything: bool = False) -> Iterator[str]:
    """The report, line by line."""
    files = audit.concluded.files
    counts = Counter(conclusion.expression for conclusion in files.values())
    bases = Counter(conclusion.basis for conclusion in files.values())
    own = len(audit.concluded.own)
    yield f"{len(files)} files, mostly {audit.concluded.main}; {own} state their terms themselves, in {len(audit.known)} different notices"  # noqa: E501
    yield "  " + ", ".join(f"{count} by {basis}" for basis, count in bases.most_common())
    yield ""
    yield "terms:"
    shown = counts.most_common(None if everything else 25)
    for expression, count in shown:
        yield f"  {count:7}  {printable(expression)}"
    if len(shown) < len(counts):
        yield f"           and {len(counts) - len(shown)} more"
    yield ""
    asking = len(audit.questions)
    yield f"{len(audit.findings)} findings, of which {asking} ask for a decision" + (
        f"; {len(audit.answered)} are answered already" if audit.answered else ""
    )
    for kind, meaning in KINDS.items():
        found = [finding for finding in audit.findings if finding.kind == kind]
        if not found:
            continue
        yield ""
        yield f"{kind} ({len(found)}): {meaning}"
        limit = len(found) if everything else _SHOWN
        for finding in found[:limit]:
            yield f"  {printable(finding.subject)}: {printable(finding.detail)}"
            for path in finding.paths[:_PATHS]:
                if path != finding.subject:
                    yield f"      {printable(path)}"
            if len(finding.paths) > _PATHS:
                yield f"      and {len(finding.paths) - _PATHS} more"
        if len(found) > limit:
            yield f"  and {len(found) - limit} more"
    if audit.document is not None:
        yield ""
        yield f"debian/copyright: {len(audit.document.stanzas)} stanzas, {len(audit.differences)} differences"
        for difference in audit.differences if everything else audit.differences[:25]:
            where = f"stanza {difference.stanza + 1}" if difference.stanza >= 0 else "no stanza"
            yield (
                f"  {difference.kind}, {where}: {difference.count} x "
                + (f"says {difference.said}" if difference.said else "")
                + (f", found {difference.found}" if difference.found else "")
                + f": {', '.join(map(printable, difference.files[:_PATHS]))}"
            )


def printable(text: str) -> str:
    """Without control characters, which a file name or a notice could send to the terminal, and without surrogates."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text.replace("\n", " "))

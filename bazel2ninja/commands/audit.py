"""`bazel2ninja audit`: under which terms is what, file by file."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from bazel2ninja.diagnostics import Diagnostic, Location, UsageError, WorkspaceError, suggestion
from bazel2ninja.licensing import audit as audits
from bazel2ninja.licensing import (
    bills,
    debian_comparison,
    decisions,
    dep5_writing,
    references,
    report_html,
    report_json,
    report_text,
)
from bazel2ninja.licensing.cache import Cache
from bazel2ninja.licensing.dep5 import glob_pattern
from bazel2ninja.licensing.finding import KINDS

REVIEW = os.path.join("debian", "bazel2ninja-review.toml")
CACHE = os.path.join(".bazel2ninja", "audit.sqlite")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "bazel2ninja audit [OPTION...] SRC"
    parser.add_argument("source", metavar="SRC", help="the source tree")
    parser.add_argument(
        "--jobs", type=int, default=min(os.cpu_count() or 1, 4), metavar="N", help="processes that read"
    )
    parser.add_argument(
        "--cache", default=CACHE, metavar="FILE", help=f"what was found before (default: {CACHE}); empty for none"
    )
    parser.add_argument(
        "--exclude", action="append", default=[], metavar="GLOB", help="paths to leave out; may be given several times"
    )
    parser.add_argument(
        "--debian-copyright",
        metavar="FILE",
        help="compare with this file (default: SRC/debian/copyright if it is there); empty for none",
    )
    parser.add_argument(
        "--review",
        metavar="FILE",
        help=f"decisions (default: SRC/{REVIEW} if it is there); empty for none",
    )
    parser.add_argument("--write-review", metavar="FILE", help="write the open questions there, to be answered")
    parser.add_argument("--reviewer", default="", metavar="NAME", help="who will answer, for --write-review")
    parser.add_argument("--write-copyright", metavar="FILE", help="write a debian/copyright")
    parser.add_argument("--spdx", metavar="FILE", help="write an SPDX 2.3 bill of materials")
    parser.add_argument("--cyclonedx", metavar="FILE", help="write a CycloneDX 1.5 bill of materials")
    parser.add_argument("--json", metavar="FILE", help="write everything as JSON")
    parser.add_argument("--html", metavar="FILE", help="write a report for people, one file")
    parser.add_argument("--name", default="", help="the project's name in what is written (default: that of SRC)")
    parser.add_argument("--second-opinion", choices=["licensecheck"], help="ask another program about each notice, too")
    parser.add_argument("--all", action="store_true", dest="everything", help="show every finding")
    parser.add_argument(
        "--fail-on", default="", metavar="KIND,...", help="exit with status 3 when a finding of these kinds occurs"
    )


def run(parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    own = parser.parse_args(words)
    fatal = _kinds(own.fail_on)
    if own.jobs < 1:
        raise UsageError(Diagnostic("--jobs wants a number above 0"))
    directory = references.directory()
    cache = Cache(own.cache or None)
    excluded = [glob_pattern(glob) for glob in own.exclude]
    review = _beside(own.review, own.source, REVIEW)
    decided = decisions.read(review) if review else ()
    progress = _Progress()
    try:
        audit = audits.make(
            own.source,
            cache,
            jobs=own.jobs,
            exclude=lambda path: any(pattern.fullmatch(path) for pattern in excluded),
            directory=directory,
            decided=decided,
            second_opinion=own.second_opinion is not None,
            progress=progress.show,
        )
    finally:
        progress.clear()
        cache.close()
    audit = debian_comparison.with_document(
        audit, _beside(own.debian_copyright, own.source, os.path.join("debian", "copyright")), directory
    )
    _write(own, audit, directory)
    for line in report_text.lines(audit, everything=own.everything):
        print(line)
    return 3 if any(finding.kind in fatal for finding in audit.findings) else 0


def _beside(said: str | None, source: str, name: str) -> str:
    """What was said on the command line, else the file of that name in the source tree if there is one, else ""."""
    if said is not None:
        return said
    default = os.path.join(source, name)
    return default if os.path.isfile(default) else ""


def _write(own: argparse.Namespace, audit: audits.Audit, directory: Path) -> None:
    name = own.name or os.path.basename(os.path.abspath(own.source))
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    today = datetime.fromtimestamp(epoch, UTC).date().isoformat()
    documents: list[tuple[str | None, Callable[[], str]]] = [
        (own.write_review, lambda: decisions.template(audit.questions, own.reviewer, today)),
        (own.write_copyright, lambda: dep5_writing.write(audit, directory, name)),
        (own.spdx, lambda: bills.spdx(audit, name, epoch)),
        (own.cyclonedx, lambda: bills.cyclonedx(audit, name, epoch)),
        (own.json, lambda: report_json.write(audit)),
        (own.html, lambda: report_html.write(audit, name, today)),
    ]
    for path, text in documents:
        if path:
            _replace(path, text())


def _replace(path: str, text: str) -> None:
    """Writes beside the place and renames, so that no half-written file is left."""
    temporary = f"{path}.{os.getpid()}.new"
    try:
        with open(temporary, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise WorkspaceError(Diagnostic(f"cannot write the file: {reason}", Location(path))) from None


def _kinds(text: str) -> frozenset[str]:
    kinds = [kind for kind in text.split(",") if kind]
    for kind in kinds:
        if kind not in KINDS:
            raise UsageError(Diagnostic(f"--fail-on: there is no finding '{kind}'", help=suggestion(kind, KINDS)))
    return frozenset(kinds)


class _Progress:
    """One line on a terminal, rewritten."""

    def __init__(self) -> None:
        self.shown = False

    def show(self, what: str, done: int, total: int) -> None:
        if sys.stderr.isatty():
            self.shown = True
            print(f"\r{what} {done}/{total}\x1b[K", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self.shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

"""`bazel2ninja audit`: under which terms is what, file by file."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from bazel2ninja.diagnostics import Diagnostic, UsageError, suggestion
from bazel2ninja.licensing import audit as audits
from bazel2ninja.licensing import debian_comparison, references, report_text
from bazel2ninja.licensing.cache import Cache
from bazel2ninja.licensing.dep5 import glob_pattern
from bazel2ninja.licensing.finding import KINDS

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
    progress = _Progress()
    try:
        audit = audits.make(
            own.source,
            cache,
            jobs=own.jobs,
            exclude=lambda path: any(pattern.fullmatch(path) for pattern in excluded),
            directory=directory,
            progress=progress.show,
        )
    finally:
        progress.clear()
        cache.close()
    audit = debian_comparison.with_document(audit, _document(own), directory)
    for line in report_text.lines(audit, everything=own.everything):
        print(line)
    return 3 if any(finding.kind in fatal for finding in audit.findings) else 0


def _document(own: argparse.Namespace) -> str:
    if own.debian_copyright is not None:
        return str(own.debian_copyright)
    default = os.path.join(own.source, "debian", "copyright")
    return default if os.path.isfile(default) else ""


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

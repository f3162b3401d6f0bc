"""`bazel2ninja timeline`: where the time of a build went, from ninja's log."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError
from bazel2ninja.ninja import build_log, edges, timeline, timeline_page
from bazel2ninja.ninja.schedule import Schedule

USAGE = "bazel2ninja timeline [--format html|trace|text] [--last] [--jobs N,N...] [-o FILE] [MANIFEST]"
LOG = ".ninja_log"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = USAGE
    parser.add_argument("manifest", nargs="?", default="build.ninja", metavar="MANIFEST", help="default: build.ninja")
    parser.add_argument(
        "--format",
        choices=("html", "trace", "text"),
        default="text",
        help="a page by itself; a trace for Perfetto or chrome://tracing; or a summary (the default)",
    )
    parser.add_argument(
        "--last", action="store_true", help="the last run of ninja alone, not all that made what is there"
    )
    parser.add_argument(
        "--jobs",
        type=_numbers,
        default="1,4,16,64,256,1000",
        metavar="N,N...",
        help="predict in the summary what the build would take with so many jobs at a time (default: %(default)s)",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="default: standard output")


def _numbers(text: str) -> list[int]:
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and int(part) for part in parts):
        raise argparse.ArgumentTypeError(f"'{text}' is no list of numbers of jobs: 8 or 8,64 is meant")
    return [int(part) for part in parts]


def run(parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    own = parser.parse_args(words)
    manifest = edges.read(own.manifest)
    directory = os.path.dirname(own.manifest)
    log = os.path.join(directory, manifest.variables.get("builddir", ""), LOG)
    runs = build_log.builds(build_log.read(log))
    if not runs:
        raise WorkspaceError(Diagnostic("ninja has made nothing yet", Location(log), help="build first"))
    found = timeline.timeline(build_log.laid_end_to_end(runs[-1:] if own.last else runs), manifest.edges)
    if own.format == "trace":
        text = json.dumps(timeline.trace(found), separators=(",", ":")) + "\n"
    elif own.format == "html":
        text = timeline_page.write(found, f"Build of {os.path.abspath(own.manifest)}")
    else:
        plan = Schedule(manifest.edges, found.durations)
        text = timeline_page.summary(found, {jobs: plan.span(jobs) for jobs in own.jobs})
    if own.output:
        with open(own.output, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
    else:
        sys.stdout.write(text)
    return 0

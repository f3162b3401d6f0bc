"""`bazel2ninja audit`: under which terms is what, file by file."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from bazel2ninja.commands import workspace_words
from bazel2ninja.diagnostics import Diagnostic, Location, UsageError, WorkspaceError, render, suggestion
from bazel2ninja.filesystem import source_line
from bazel2ninja.licensing import audit as audits
from bazel2ninja.licensing import (
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
from bazel2ninja.licensing.policy import Policy

if TYPE_CHECKING:
    from bazel2ninja.licensing.binaries import BinaryTerms

REVIEW = os.path.join("debian", "bazel2ninja-review.toml")
CACHE = os.path.join(".bazel2ninja", "audit.sqlite")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "bazel2ninja audit [OPTION...] SRC"
    parser.epilog = "SRC is the source tree. With --target, any option of 'bazel2ninja generate' may be said as well."
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
    parser.add_argument(
        "--notices",
        metavar="FILE",
        help="with --target: write what has to be shipped: licence texts, holders, NOTICE files",
    )
    parser.add_argument("--json", metavar="FILE", help="write everything as JSON")
    parser.add_argument("--html", metavar="FILE", help="write a report for people, one file")
    parser.add_argument("--name", default="", help="the project's name in what is written (default: that of SRC)")
    parser.add_argument("--second-opinion", choices=["licensecheck"], help="ask another program about each notice, too")
    parser.add_argument("--all", action="store_true", dest="everything", help="show every finding")
    parser.add_argument(
        "--target",
        action="append",
        default=[],
        metavar="LABEL",
        help="tell instead what ends up in each file that this target makes, and under which terms; may be given "
        "several times",
    )
    parser.add_argument(
        "--build-directory",
        default="",
        metavar="DIR",
        help="where ninja has built the targets, for the headers that the compiler really read",
    )
    parser.add_argument(
        "--why", action="append", default=[], metavar="LICENCE", help="tell how it got into what the targets make"
    )
    parser.add_argument(
        "--fail-on", default="", metavar="KIND,...", help="exit with status 3 when a finding of these kinds occurs"
    )


def run(parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    own, source, rest = workspace_words.split(parser, words)
    fatal = _kinds(own.fail_on)
    _check(own, rest)
    own.source = source
    directory = references.directory()
    cache = Cache(own.cache or None)
    progress = _Progress()
    try:
        audit = _audit(own, source, cache, directory, progress)
        if own.target:
            return _binaries(own, rest, audit, cache, directory, progress)
        document = _beside(own.debian_copyright, source, os.path.join("debian", "copyright"))
        audit = debian_comparison.with_document(audit, document, directory, cache)
    finally:
        progress.clear()
        cache.close()
    _write(own, audit, directory)
    for line in report_text.lines(audit, everything=own.everything):
        print(line)
    return 3 if any(finding.kind in fatal for finding in audit.findings) else 0


def _check(own: argparse.Namespace, rest: Sequence[str]) -> None:
    """Raises UsageError for options that do not go together."""
    if own.jobs < 1:
        raise UsageError(Diagnostic("--jobs wants a number above 0"))
    if own.target:
        return
    if rest:
        known = "an option of a build" if rest[0].startswith("-") else "a target"
        raise UsageError(
            Diagnostic(f"unexpected '{rest[0]}'", help=f"if it is {known}: name targets by --target=LABEL")
        )
    for option, value in (("--why", own.why), ("--build-directory", own.build_directory), ("--notices", own.notices)):
        if value:
            raise UsageError(Diagnostic(f"{option} needs --target=LABEL"))


def _audit(own: argparse.Namespace, source: str, cache: Cache, directory: Path, progress: _Progress) -> audits.Audit:
    excluded = [glob_pattern(glob) for glob in own.exclude]
    review = _beside(own.review, own.source, REVIEW) if source == own.source else ""
    answers = os.path.relpath(review, source) if review else ""
    return audits.make(
        source,
        cache,
        jobs=own.jobs,
        exclude=lambda path: path == answers or any(pattern.fullmatch(path) for pattern in excluded),
        directory=directory,
        decided=decisions.read(review) if review else (),
        second_opinion=own.second_opinion is not None,
        progress=progress.show,
    )


def _binaries(
    own: argparse.Namespace,
    rest: Sequence[str],
    audit: audits.Audit,
    cache: Cache,
    directory: Path,
    progress: _Progress,
) -> int:
    """The terms of what targets make."""
    # all the stages up to the graph, of which the audit of a tree needs none
    from bazel2ninja.licensing import report_binaries, shipped_notices
    from bazel2ninja.pipeline.binary_contents import contents
    from bazel2ninja.pipeline.session import Request, Session, borrowed_root

    if own.build_directory and not os.path.isdir(own.build_directory):
        raise UsageError(Diagnostic(f"build directory '{own.build_directory}' does not exist"))
    with borrowed_root() as borrowed:
        request = Request(
            source=own.source,
            words=[*rest, "--", *own.target],
            output_root=own.build_directory or borrowed,
            environment=os.environ,
        )
        found = contents(
            Session(request),
            audit,
            lambda tree: _audit(own, tree, cache, directory, progress),
            Policy(directory),
            built=bool(own.build_directory),
        )
    progress.clear()
    for failure in found.failures:
        print(render(failure.diagnostic, source_line), file=sys.stderr)
    if not found.binaries:
        raise WorkspaceError(Diagnostic(f"{', '.join(own.target)}: makes no file"))
    _write(own, audit, directory, found.binaries)
    if own.notices:
        _replace(
            own.notices,
            shipped_notices.write(found.binaries, found.places, found.trees, Policy(directory), directory),
        )
    shown = (
        report_binaries.why(found.binaries, own.why, everything=own.everything)
        if own.why
        else (line for each in found.binaries for line in report_binaries.lines(each, everything=own.everything))
    )
    for line in shown:
        print(line)
    return 1 if found.failures else 0


def _beside(said: str | None, source: str, name: str) -> str:
    """What was said on the command line, else the file of that name in the source tree if there is one, else ""."""
    if said is not None:
        return said
    default = os.path.join(source, name)
    return default if os.path.isfile(default) else ""


def _write(own: argparse.Namespace, audit: audits.Audit, directory: Path, binaries: Sequence[BinaryTerms] = ()) -> None:
    name = own.name or os.path.basename(os.path.abspath(own.source))
    epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or time.time())
    today = datetime.fromtimestamp(epoch, UTC).date().isoformat()
    documents: list[tuple[str | None, Callable[[], str]]] = [
        (own.write_review, lambda: decisions.template(audit.questions, own.reviewer, today)),
        (own.write_copyright, lambda: dep5_writing.write(audit, directory, name)),
        (own.spdx, lambda: _bills().spdx(audit, name, epoch, binaries)),
        (own.cyclonedx, lambda: _bills().cyclonedx(audit, name, epoch, binaries)),
        (own.json, lambda: report_json.write(audit, binaries)),
        (own.html, lambda: report_html.write(audit, name, today)),
    ]
    for path, text in documents:
        if path:
            _replace(path, text())


def _bills() -> ModuleType:
    """What writes bills of materials, which brings the stages up to the graph along."""
    from bazel2ninja.licensing import bills

    return bills


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

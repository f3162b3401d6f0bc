"""`bazel2ninja repositories`: the external repositories that targets need, and where each comes from."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence

from bazel2ninja.commands import workspace_words
from bazel2ninja.diagnostics import render
from bazel2ninja.filesystem import source_line
from bazel2ninja.pipeline.progress import Progress
from bazel2ninja.pipeline.repositories import NeededRepository, Survey, survey
from bazel2ninja.pipeline.session import Request, Session, borrowed_root

USAGE = "bazel2ninja repositories [--format table|json|build-depends] [OPTION...] SRC [TARGET...]"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = USAGE
    parser.epilog = workspace_words.EPILOG
    parser.add_argument("--format", choices=("table", "json", "build-depends"), default="table", help="default: table")
    parser.add_argument(
        "--all", action="store_true", help="in the table, list the repositories built into bazel2ninja as well"
    )


def run(parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    own, source, rest = workspace_words.split(parser, words)
    with borrowed_root() as root, Progress("reading the workspace"):
        session = Session(Request(source=source, words=rest, output_root=root, environment=os.environ))
        found = survey(session)
    if own.format == "json":
        text = json.dumps([_document(each) for each in found.repositories], ensure_ascii=False, indent=1) + "\n"
    elif own.format == "build-depends":
        text = build_depends(found)
    else:
        text = table(found, with_builtin=own.all)
    sys.stdout.write(text)
    for failure in found.failures:
        print(render(failure.diagnostic, source_line), file=sys.stderr)
    missing = [each for each in found.repositories if each.missing]
    if missing and own.format != "table":
        verb = "repository is" if len(missing) == 1 else "repositories are"
        print(f"note: {len(missing)} {verb} missing: {_names(missing)}", file=sys.stderr)
    return 1 if missing or found.failures else 0


def _names(repositories: Sequence[NeededRepository]) -> str:
    return ", ".join(f"@{each.name}" for each in repositories)


def _document(each: NeededRepository) -> dict[str, object]:
    return {
        "name": each.name,
        "status": each.status,
        "version": each.version,
        "urls": list(each.urls),
        "declared": str(each.declared) if each.declared else None,
        "wanted_by": [str(wanted) for wanted in each.wanted_by],
        "satisfied_by": each.satisfied_by or None,
        "would_be_satisfied_by": list(each.would_be),
        "debian": {"packages": dict(each.packages), "source": each.source_package or None},
    }


def build_depends(found: Survey) -> str:
    """A ready field for debian/control, with what serves the build, and what would serve it.

    The version that is there is the bound: that one is known to work.
    """
    packages: dict[str, str] = {}
    for each in found.repositories:
        for name, version in each.packages:
            packages[name] = version or packages.get(name, "")
    words = [f"{name} (>= {_bound(version)})" if version else name for name, version in sorted(packages.items())]
    return f"Build-Depends: {', '.join(words)}\n"


def _bound(version: str) -> str:
    """A version without Debian's revision, so that backports satisfy it."""
    upstream, dash, _ = version.rpartition("-")
    return (upstream if dash else version) + "~"


def table(found: Survey, *, with_builtin: bool) -> str:
    """Columns: repository, the version that the project pins, what satisfies it or would, who wants it."""
    shown = [each for each in found.repositories if with_builtin or each.status != "built in"]
    rows = [("REPOSITORY", "PINNED", "SATISFIED BY", "WANTED BY")]
    for each in shown:
        rows.append((f"@{each.name}", each.version or "-", _served(each), _wanted(each)))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = [
        "  ".join([*(text.ljust(width) for text, width in zip(row, widths, strict=False)), row[3]]).rstrip()
        for row in rows
    ]
    hidden = len(found.repositories) - len(shown)
    missing = sum(each.missing for each in shown)
    lines.append("")
    count = f"{len(shown)} {'repository' if len(shown) == 1 else 'repositories'}, {missing} missing"
    more = f"; {hidden} more {'is' if hidden == 1 else 'are'} built in (--all)" if hidden else ""
    lines.append(count + more)
    return "\n".join(lines) + "\n"


def _served(each: NeededRepository) -> str:
    """What the table has room for; the reasons are in the JSON document."""
    if each.missing:
        wanted = " ".join(name for name, _ in each.packages)
        source = f", from Debian's source package {each.source_package}" if each.source_package else ""
        return f"MISSING: apt install {wanted}" if wanted else f"MISSING: vendor it{source}"
    if each.packages:
        return "Debian: " + ", ".join(f"{name} {version}" for name, version in each.packages)
    return each.satisfied_by.replace("declared with ", "made here by ", 1)


def _wanted(each: NeededRepository) -> str:
    more = len(each.wanted_by) - 1
    return f"{each.wanted_by[0]}" + (f" and {more} more" if more > 0 else "") if each.wanted_by else "-"

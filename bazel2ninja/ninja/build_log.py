"""What a build did and when, from ninja's log.

The format is ninja's own (build_log.cc): a line with the version, then one line a file that was made: start and end in
milliseconds since its build began, a time of the file system in nanoseconds, the file's name, a hash of the command;
with tabs between.  From version 6 on the third is when the command began, before it is when the file was written.  A
later line for a file replaces an earlier one, and ninja now and then writes the log anew in any order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError
from bazel2ninja.records import dataclass

_FIRST = re.compile(r"# ninja log v(\d+)")
_VERSIONS = range(5, 8)
_APART = 2000  # milliseconds between the beginnings of two builds that are told apart


@dataclass(frozen=True, slots=True)
class Entry:
    """One file that was made: milliseconds since its build began, and the time (in milliseconds) that this was at."""

    output: str
    start: int
    end: int
    began: int
    command: str


def read(path: str) -> list[Entry]:
    """The last entry of each file; raises WorkspaceError when there is no such log or it has another format."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().split("\n")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise WorkspaceError(
            Diagnostic(f"cannot read ninja's log: {reason}", Location(path), help="build first")
        ) from None
    match = _FIRST.fullmatch(lines[0])
    if match is None:
        raise WorkspaceError(Diagnostic("not a log of ninja's", Location(path)))
    if int(match[1]) not in _VERSIONS:
        raise WorkspaceError(Diagnostic(f"ninja's log has version {match[1]}, not 5 to 7", Location(path)))
    written_at_end = int(match[1]) < 6
    found: dict[str, Entry] = {}
    for number, line in enumerate(lines[1:], 2):
        fields = line.split("\t")
        if not line or line.startswith("#") or (len(fields) < 5 and number == len(lines)):
            continue  # the last line of an interrupted build may be cut short
        try:
            start, end, stamp = map(int, fields[:3])
            output, command = fields[3:5]
        except ValueError:
            raise WorkspaceError(Diagnostic("not a line of ninja's log", Location(path, number))) from None
        began = stamp // 1_000_000 - (end if written_at_end else start)
        found[output] = Entry(output, start, end, began, command)
    return list(found.values())


def builds(entries: Iterable[Entry]) -> list[list[Entry]]:
    """The entries of each run of ninja, in the order of the runs.

    Of a rule with `restat` ninja notes when the file was written, so its run seems to begin later than it did; but one
    run is over before the next begins.
    """
    groups: list[list[Entry]] = []
    over = 0
    for entry in sorted(entries, key=lambda entry: entry.began):
        if not groups or (entry.began - groups[-1][0].began > _APART and entry.began >= over):
            groups.append([])
            over = 0
        groups[-1].append(entry)
        over = max(over, groups[-1][0].began + entry.end)
    return groups


def laid_end_to_end(groups: Sequence[Sequence[Entry]]) -> list[Entry]:
    """All runs as one, without the pauses between them, sorted by start."""
    offset = 0
    moved = []
    for group in groups:
        shift = offset - min(entry.start for entry in group)
        moved += [
            Entry(entry.output, entry.start + shift, entry.end + shift, entry.began, entry.command) for entry in group
        ]
        offset = shift + max(entry.end for entry in group)
    return sorted(moved, key=lambda entry: (entry.start, entry.end, entry.output))

"""Differences from Bazel that are meant: predicates over mnemonic, field and flag, never over a label or a file.

The data is intended.toml beside this file; a profile may add a file of the same form for its configuration.
"""

from __future__ import annotations

import importlib.resources
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass

from bazel2ninja.crosscheck.compare import Difference
from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError, suggestion

_KEYS = ("id", "reason", "mnemonic", "field", "kind", "flag", "host", "command_line")


@dataclass(frozen=True, slots=True)
class Intended:
    """One entry: it explains a Difference when all that it says holds.

    flag: matched wholly against the value; host: only for tools' actions (or only for others); command_line: only for
    flags that the command line or .bazelrc of our run asks for.
    """

    id: str
    reason: str
    mnemonics: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    flag: re.Pattern[str] | None = None
    host: bool | None = None
    command_line: bool = False

    def explains(self, difference: Difference, command_line_flags: frozenset[str] = frozenset()) -> bool:
        """Whether `difference` is as this entry says."""
        return (
            (not self.mnemonics or difference.mnemonic in self.mnemonics)
            and difference.field in self.fields
            and difference.kind in self.kinds
            and (self.host is None or difference.host is self.host)
            and (self.flag is None or self.flag.fullmatch(difference.value) is not None)
            and (not self.command_line or difference.value in command_line_flags)
        )


def _words(row: dict[str, object], key: str, where: Location) -> frozenset[str]:
    value = row.get(key, [])
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise WorkspaceError(Diagnostic(f"'{key}' of an intended difference is a text or a list of texts", where))
    return frozenset(words)


def parse(text: str, name: str) -> tuple[Intended, ...]:
    """The entries of a file; raises WorkspaceError for an unknown key or a missing one."""
    where = Location(name)
    try:
        rows = tomllib.loads(text).get("difference", [])
    except tomllib.TOMLDecodeError as problem:
        raise WorkspaceError(Diagnostic(f"not TOML: {str(problem).lower()}", where)) from None
    found = []
    for row in rows:
        for key in row:
            if key not in _KEYS:
                help = suggestion(key, _KEYS) or "intended differences are told by mnemonic, field and flag only"
                raise WorkspaceError(Diagnostic(f"an intended difference has no key '{key}'", where, help=help))
        for key in ("id", "reason", "field", "kind"):
            if not row.get(key):
                raise WorkspaceError(Diagnostic(f"an intended difference lacks '{key}': {row.get('id', row)}", where))
        try:
            flag = re.compile(row["flag"]) if "flag" in row else None
        except re.error as problem:
            raise WorkspaceError(Diagnostic(f"'flag' of '{row['id']}': {problem}", where)) from None
        found.append(
            Intended(
                row["id"],
                row["reason"],
                _words(row, "mnemonic", where),
                _words(row, "field", where),
                _words(row, "kind", where),
                flag,
                row.get("host"),
                bool(row.get("command_line", False)),
            )
        )
    return tuple(found)


def default_entries() -> tuple[Intended, ...]:
    """The entries that hold for every project."""
    text = importlib.resources.files(__package__).joinpath("intended.toml").read_text("utf-8")
    return parse(text, "intended.toml")


@dataclass(slots=True)
class Absorbed:
    """What one entry explained in a run."""

    entry: Intended
    count: int = 0
    example: Difference | None = None


def sort_out(
    differences: Iterable[Difference],
    entries: Iterable[Intended],
    command_line_flags: frozenset[str] = frozenset(),
) -> tuple[list[Difference], list[Absorbed]]:
    """(unexplained differences, what each entry absorbed); the first entry that explains one takes it."""
    absorbed = [Absorbed(entry) for entry in entries]
    known: dict[tuple[str, str, str, str, bool], Absorbed | None] = {}
    unexplained = []
    for difference in differences:
        key = (difference.mnemonic, difference.field, difference.kind, difference.value, difference.host)
        if key not in known:
            known[key] = next((a for a in absorbed if a.entry.explains(difference, command_line_flags)), None)
        taker = known[key]
        if taker is None:
            unexplained.append(difference)
        else:
            taker.count += 1
            taker.example = taker.example or difference
    return unexplained, absorbed

"""Differences from Bazel that are meant: predicates over mnemonic, field and flag, never over a label or a file.

The data is intended.toml beside this file; a profile may add a file of the same form for its configuration.
"""

from __future__ import annotations

import importlib.resources
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bazel2ninja.crosscheck.compare import Difference
from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError, suggestion

_KEYS = (
    "id",
    "reason",
    "mnemonic",
    "field",
    "kind",
    "flag",
    "host",
    "command_line",
    "rule",
    "bazel_before",
    "configuration",
    "by_name",
    "repository",
)


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What entries may ask besides the difference itself.

    command_line_flags: values of --copt, --cxxopt, --conlyopt, --linkopt and their --host_ forms of our run; rules:
    label -> rule class, such as "cc_binary"; release: of the Bazel that our run stands for, () when it is not known.
    """

    command_line_flags: frozenset[str] = frozenset()
    rules: Mapping[str, str] = field(default_factory=dict)
    release: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Intended:
    """One entry: it explains a Difference when all that it says holds.

    flag: matched wholly against the value; host: only for tools' actions (or only for others); command_line: only for
    flags that the command line or .bazelrc of our run asks for; rules: only for targets of these rule classes;
    bazel_before: only where our run stands for a Bazel older than this major release; configuration: matched wholly
    against the name of a whole action's configuration, such as "k8-opt"; by_name: only whole actions of the main
    repository under its own name; repository: matched wholly against the repository of the target (of the dependency,
    in that field).
    """

    id: str
    reason: str
    mnemonics: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    flag: re.Pattern[str] | None = None
    host: bool | None = None
    command_line: bool = False
    rules: frozenset[str] = frozenset()
    bazel_before: int | None = None
    configuration: re.Pattern[str] | None = None
    by_name: bool = False
    repository: re.Pattern[str] | None = None

    def explains(self, difference: Difference, circumstances: Circumstances) -> bool:
        """Whether `difference` is as this entry says."""
        return (
            (not self.mnemonics or difference.mnemonic in self.mnemonics)
            and difference.field in self.fields
            and difference.kind in self.kinds
            and (self.host is None or difference.host is self.host)
            and (self.flag is None or self.flag.fullmatch(difference.value) is not None)
            and (not self.command_line or difference.value in circumstances.command_line_flags)
            and (not self.rules or circumstances.rules.get(difference.label) in self.rules)
            and (self.bazel_before is None or () < circumstances.release < (self.bazel_before,))
            and (not self.by_name or difference.by_name)
            and (self.repository is None or self.repository.fullmatch(_repository(difference)) is not None)
            and (self.configuration is None or self.configuration.fullmatch(difference.configuration) is not None)
        )


def _repository(difference: Difference) -> str:
    label = difference.value if difference.field == "dependency" else difference.label
    return label.lstrip("@").partition("//")[0] if label.startswith("@") else ""


def _words(row: dict[str, object], key: str, where: Location) -> frozenset[str]:
    value = row.get(key, [])
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise WorkspaceError(Diagnostic(f"'{key}' of an intended difference is a text or a list of texts", where))
    return frozenset(words)


def _pattern(row: dict[str, object], key: str, where: Location) -> re.Pattern[str] | None:
    if key not in row:
        return None
    try:
        return re.compile(str(row[key]))
    except re.error as problem:
        raise WorkspaceError(Diagnostic(f"'{key}' of '{row['id']}': {problem}", where)) from None


def _release(value: object, where: Location) -> int | None:
    if value is not None and not isinstance(value, int):
        raise WorkspaceError(Diagnostic("'bazel_before' of an intended difference is a major release, a number", where))
    return value


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
                help = (
                    suggestion(key, _KEYS)
                    or "intended differences are told by mnemonic, field, flag and rule class only"
                )
                raise WorkspaceError(Diagnostic(f"an intended difference has no key '{key}'", where, help=help))
        for key in ("id", "reason", "field", "kind"):
            if not row.get(key):
                raise WorkspaceError(Diagnostic(f"an intended difference lacks '{key}': {row.get('id', row)}", where))
        found.append(
            Intended(
                row["id"],
                row["reason"],
                _words(row, "mnemonic", where),
                _words(row, "field", where),
                _words(row, "kind", where),
                _pattern(row, "flag", where),
                row.get("host"),
                bool(row.get("command_line", False)),
                _words(row, "rule", where),
                _release(row.get("bazel_before"), where),
                _pattern(row, "configuration", where),
                bool(row.get("by_name", False)),
                _pattern(row, "repository", where),
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
    circumstances: Circumstances,
) -> tuple[list[Difference], list[Absorbed]]:
    """(unexplained differences, what each entry absorbed); the first entry that explains one takes it."""
    absorbed = [Absorbed(entry) for entry in entries]
    known: dict[tuple[object, ...], Absorbed | None] = {}
    unexplained = []
    for difference in differences:
        rule = circumstances.rules.get(difference.label, "")
        key = (
            difference.mnemonic,
            difference.field,
            difference.kind,
            difference.value,
            difference.host,
            rule,
            difference.configuration,
            difference.by_name,
            _repository(difference),
        )
        if key not in known:
            known[key] = next((a for a in absorbed if a.entry.explains(difference, circumstances)), None)
        taker = known[key]
        if taker is None:
            unexplained.append(difference)
        else:
            taker.count += 1
            taker.example = taker.example or difference
    return unexplained, absorbed

"""Reading a TOML file against a table of keys, with the place of every entry.

tomllib tells no positions; a file that it has accepted is regular enough for its keys to be found line by line.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError, suggestion

_TABLE = re.compile(r"\s*(\[\[?)\s*(.+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(
    r"""\s*((?:[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_PART = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*'""")
_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_TYPE_NAMES = {str: "a text", bool: "true or false", list: "a list of texts", dict: "a table"}

Path = tuple[str | int, ...]
"""The way to an entry: ("library", 0, "soname")."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key: its type (str, bool, list of texts, dict of texts), what it is for, an example value as TOML text."""

    name: str
    type: type
    meaning: str
    example: str = ""
    required: bool = False


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file that is read: its tables and the places of their keys."""

    path: str
    values: Mapping[str, Any]
    places: Mapping[Path, tuple[int, int]]

    def location(self, *way: str | int) -> Location:
        """Where the entry stands; where the nearest enclosing one does, when it has no line of its own."""
        while way:
            if way in self.places:
                return Location(self.path, *self.places[way])
            way = way[:-1]
        return Location(self.path)

    def error(self, message: str, *way: str | int, help: str | None = None) -> WorkspaceError:
        return WorkspaceError(Diagnostic(message, self.location(*way), help=help))

    def table(self, values: Mapping[str, Any], keys: Sequence[Key], what: str, *way: str | int) -> dict[str, Any]:
        """`values` checked against `keys`; raises WorkspaceError for an unknown, mistyped or missing one."""
        known = {key.name: key for key in keys}
        for name, value in values.items():
            key = known.get(name)
            if key is None:
                raise self.error(f"{what} has no key '{name}'", *way, name, help=suggestion(name, known))
            if not _has_type(value, key.type):
                raise self.error(f"'{name}' must be {_TYPE_NAMES[key.type]}", *way, name)
        for key in keys:
            if key.required and key.name not in values:
                example = f"for example {key.name} = {key.example}" if key.example else None
                raise self.error(f"{what} lacks '{key.name}', {key.meaning}", *way, help=example)
        return dict(values)


def _has_type(value: object, wanted: type) -> bool:
    if wanted is list:
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    if wanted is dict:
        return isinstance(value, dict) and all(isinstance(item, str) for item in value.values())
    return isinstance(value, wanted)


def read(path: str, text: str) -> SettingsFile:
    """Parses a file's text; raises WorkspaceError for what is no TOML."""
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        match = _POSITION.search(message)
        location = Location(path)
        if match is not None:
            message = message[: match.start()]
            lines = text.splitlines() or [""]
            location = Location(path, int(match[1] or len(lines)), int(match[2] or len(lines[-1]) + 1))
        raise WorkspaceError(Diagnostic(message[:1].lower() + message[1:], location)) from None
    return SettingsFile(path, values, _places(text))


def _places(text: str) -> dict[Path, tuple[int, int]]:
    places: dict[Path, tuple[int, int]] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    depth = 0  # of brackets of a value over several lines
    for number, line in enumerate(text.splitlines(), 1):
        if depth == 0:
            head = _TABLE.match(line)
            if head is not None:
                table = tuple(map(_plain, _PART.findall(head[2])))
                if head[1] == "[[":
                    index = counts[table] = counts.get(table, -1) + 1
                    places.setdefault(table, (number, line.index("[") + 1))
                    table = (*table, index)
                places[table] = (number, line.index("[") + 1)
                continue
            key = _KEY.match(line)
            if key is None:
                continue
            places[(*table, *map(_plain, _PART.findall(key[1])))] = (number, key.start(1) + 1)
            line = line[key.end() :]
        depth = max(0, depth + _bracket_balance(line))
    return places


def _plain(part: str) -> str:
    return part[1:-1] if part[0] in "\"'" else part


def _bracket_balance(line: str) -> int:
    bare = re.sub(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'', "", line).partition("#")[0]
    return bare.count("[") + bare.count("{") - bare.count("]") - bare.count("}")

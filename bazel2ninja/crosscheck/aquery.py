"""What `bazel aquery` prints: https://bazel.build/query/aquery and src/main/protobuf/analysis.proto, analysis_v2.proto.

The protobuf forms are an ActionGraphContainer with numbered tables; version 1 (before Bazel 4) has whole paths and
string ids, version 2 has path fragments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import pyparsing as pp

from bazel2ninja.crosscheck.oracle import OracleAction, is_exec_configuration
from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError

_WORD = re.compile(r"(?:'[^']*'|\\[^\n]|[^\s'\\])+")


def _grammar() -> pp.ParserElement:
    """Blocks of a title and indented fields; whole lines are tokens, so that megabytes take seconds."""
    comment = pp.Regex(r"#[^\n]*\n").leave_whitespace().suppress()
    blank = pp.Regex(r"[ \t]*\n").leave_whitespace().suppress()
    title = pp.Regex(r"[^\s#][^\n]*\n").leave_whitespace().suppress()
    words = r"(?:'[^']*'|\\[^\n]|\\\n|[^'\\])*?"
    command = pp.Regex(rf"  Command Line: \((?:exec )?(?P<words>{words})\)(?=\n|\Z)\n?").leave_whitespace()
    command.set_parse_action(lambda tokens: [("Command Line", tokens["words"])])
    field = pp.Regex(r"  (?P<name>[A-Z][A-Za-z ]*): (?P<value>[^\n]*)\n?").leave_whitespace()
    field.set_parse_action(lambda tokens: [(tokens["name"], tokens["value"])])
    other = pp.Regex(r"  [^\n]*\n?").leave_whitespace().suppress()  # environment and the like over several lines
    block = pp.Group(title + pp.OneOrMore(command | field | other))
    return pp.ZeroOrMore(blank | comment | block)


def _list(text: str) -> tuple[str, ...]:
    inner = text.strip().removeprefix("[").removesuffix("]")
    return tuple(path.removesuffix(" (TreeArtifact)") for path in inner.split(", ")) if inner else ()


def shell_words(text: str) -> tuple[str, ...]:
    """The words of a command line as Bazel escapes it: bare, or in single quotes; lines end in a backslash."""
    found = []
    for match in _WORD.finditer(text):
        word = match.group()
        if "'" in word or "\\" in word:
            word = re.sub(r"'([^']*)'|\\(.)", lambda part: part[1] if part[1] is not None else part[2], word)
        found.append(word)
    return tuple(found)


def read_text(text: str, name: str) -> list[OracleAction]:
    """`--output=text`; raises WorkspaceError where the text is not of that form."""
    try:
        blocks = _grammar().parse_string(text, parse_all=True)
    except pp.ParseException as problem:
        location = Location(name, problem.lineno, problem.column)
        raise WorkspaceError(Diagnostic("not the text that aquery prints", location)) from None
    found = []
    for block in blocks:
        fields: dict[str, str] = {}
        for key, value in block:
            fields.setdefault(key, value)
        if "Mnemonic" not in fields:
            continue
        outputs = _list(fields.get("Outputs", ""))
        found.append(
            OracleAction(
                fields["Mnemonic"],
                fields.get("Target", ""),
                is_exec_configuration(outputs, fields.get("Configuration", "")),
                outputs,
                _list(fields.get("Inputs", "")),
                shell_words(fields.get("Command Line", "")),
            )
        )
    return found


_TEXTPROTO_LINE = re.compile(
    r'\s*(?:(?P<open>\w+)\s*[:]?\s*[{<]|(?P<close>[}>])|(?P<name>\w+):\s*(?P<value>".*"|\S+))\s*'
)
_ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|(.))", re.DOTALL)
_SIMPLE_ESCAPES = {"n": b"\n", "t": b"\t", "r": b"\r", "a": b"\a", "b": b"\b", "f": b"\f", "v": b"\v"}


def _unescape(text: str) -> str:
    if "\\" not in text:
        return text
    parts: list[bytes] = []
    end = 0
    for match in _ESCAPE.finditer(text):
        parts.append(text[end : match.start()].encode())
        end = match.end()
        octal, hexadecimal, other = match.groups()
        if octal or hexadecimal:
            parts.append(bytes([int(octal, 8) & 255 if octal else int(hexadecimal, 16)]))
        else:
            parts.append(_SIMPLE_ESCAPES.get(other, other.encode()))
    parts.append(text[end:].encode())
    return b"".join(parts).decode("utf-8", "replace")


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def read_textproto(text: str, name: str) -> list[OracleAction]:
    """`--output=textproto`: the same tables as jsonproto, every field repeated."""
    tables: dict[str, list[dict[str, Any]]] = {}
    stack: list[dict[str, Any]] = []
    for number, line in enumerate(text.splitlines(), 1):
        match = _TEXTPROTO_LINE.fullmatch(line)
        if match is None:
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            raise WorkspaceError(Diagnostic("not the textproto that aquery prints", Location(name, number)))
        if match["open"]:
            message: dict[str, Any] = {}
            key = _camel(match["open"])
            if stack:
                stack[-1].setdefault(key, []).append(message)
            else:
                tables.setdefault(key, []).append(message)
            stack.append(message)
        elif match["close"]:
            if not stack:
                raise WorkspaceError(Diagnostic("unbalanced brace", Location(name, number)))
            stack.pop()
        elif stack:
            value = match["value"]
            value = _unescape(value[1:-1]) if value.startswith('"') else value
            stack[-1].setdefault(_camel(match["name"]), []).append(value)
    if stack:
        raise WorkspaceError(Diagnostic("the dump ends inside a message", Location(name)))
    return _from_tables(tables, name)


def read_jsonproto(text: str, name: str) -> list[OracleAction]:
    """`--output=jsonproto`."""
    try:
        tables = json.loads(text)
    except ValueError as problem:
        raise WorkspaceError(Diagnostic(f"not JSON: {problem}", Location(name))) from None
    if not isinstance(tables, dict) or not isinstance(tables.get("actions", []), list):
        raise WorkspaceError(Diagnostic("not the jsonproto that aquery prints", Location(name)))
    return _from_tables(tables, name)


def _one(message: dict[str, Any], key: str) -> str:
    value = message.get(key, "")
    if isinstance(value, list):
        value = value[0] if value else ""
    return str(value)


def _many(message: dict[str, Any], key: str) -> list[str]:
    value = message.get(key, ())
    return [str(item) for item in value] if isinstance(value, list) else [str(value)] if value else []


class _Tables:
    """The numbered tables of an ActionGraphContainer, with paths and depsets put together on demand."""

    def __init__(self, tables: dict[str, list[dict[str, Any]]]):
        def numbered(key: str) -> dict[str, dict[str, Any]]:
            return {_one(row, "id"): row for row in tables.get(key, ())}

        self.fragments = numbered("pathFragments")
        self.artifacts = numbered("artifacts")
        self.depsets = numbered("depSetOfFiles")
        self.targets = numbered("targets")
        self.configurations = numbered("configuration")
        self._paths: dict[str, str] = {}
        self._directories: dict[str, str] = {}

    def _fragment(self, number: str) -> str:
        parts = []
        while number and number != "0":
            row = self.fragments[number]
            parts.append(_one(row, "label"))
            number = _one(row, "parentId")
        return "/".join(reversed(parts))

    def path(self, artifact: str) -> str:
        found = self._paths.get(artifact)
        if found is None:
            row = self.artifacts[artifact]
            found = _one(row, "execPath") or self._fragment(_one(row, "pathFragmentId"))
            self._paths[artifact] = found
        return found

    def inputs(self, roots: Iterable[str]) -> tuple[str, ...]:
        found: dict[str, None] = {}
        pending = list(roots)
        seen: set[str] = set()
        while pending:
            number = pending.pop()
            if number in seen:
                continue
            seen.add(number)
            row = self.depsets[number]
            for artifact in _many(row, "directArtifactIds"):
                found[self.path(artifact)] = None
            pending += _many(row, "transitiveDepSetIds")
        return tuple(sorted(found))


def _from_tables(raw: dict[str, list[dict[str, Any]]], name: str) -> list[OracleAction]:
    tables = _Tables(raw)
    found = []
    try:
        for row in raw.get("actions", ()):
            outputs = tuple(tables.path(number) for number in _many(row, "outputIds"))
            configuration = tables.configurations.get(_one(row, "configurationId"), {})
            found.append(
                OracleAction(
                    _one(row, "mnemonic"),
                    _one(tables.targets.get(_one(row, "targetId"), {}), "label"),
                    is_exec_configuration(outputs, _one(configuration, "mnemonic")),
                    outputs,
                    tables.inputs(_many(row, "inputDepSetIds")),
                    tuple(_many(row, "arguments")),
                )
            )
    except KeyError as problem:
        raise WorkspaceError(
            Diagnostic(f"the dump refers to number {problem}, which it lacks", Location(name))
        ) from None
    return found

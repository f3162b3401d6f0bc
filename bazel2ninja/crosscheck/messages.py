"""Messages of Bazel's dumps, whatever form they are written in: names of fields as JSON has them -> values.

The schemas are src/main/protobuf/analysis.proto, analysis_v2.proto and build.proto of Bazel, as far as they are
compared.
"""

from __future__ import annotations

import json
import re
from typing import Any

from bazel2ninja.crosscheck import wire_format
from bazel2ninja.crosscheck.wire_format import Malformed, Message, Schema
from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError

_TEXT, _NUMBER = "text", "number"


def _action_graph(identifier: str) -> Schema:
    """ActionGraphContainer; version 1 (before Bazel 4) has texts for identifiers and no path fragments."""
    return {
        1: ("artifacts", {1: ("id", identifier), 2: _ARTIFACT_PATH[identifier]}),
        2: (
            "actions",
            {
                1: ("targetId", identifier),
                4: ("mnemonic", _TEXT),
                5: ("configurationId", identifier),
                6: ("arguments", _TEXT),
                8: ("inputDepSetIds", identifier),
                9: ("outputIds", identifier),
            },
        ),
        3: ("targets", {1: ("id", identifier), 2: ("label", _TEXT)}),
        4: (
            "depSetOfFiles",
            {1: ("id", identifier), 2: ("transitiveDepSetIds", identifier), 3: ("directArtifactIds", identifier)},
        ),
        5: ("configuration", {1: ("id", identifier), 2: ("mnemonic", _TEXT)}),
        8: ("pathFragments", {1: ("id", identifier), 2: ("label", _TEXT), 3: ("parentId", identifier)}),
    }


_ARTIFACT_PATH = {_TEXT: ("execPath", _TEXT), _NUMBER: ("pathFragmentId", _NUMBER)}

_PAIR: Schema = {1: ("key", _TEXT), 2: ("value", _TEXT)}
_ATTRIBUTE: Schema = {
    1: ("name", _TEXT),
    2: ("type", _NUMBER),
    3: ("intValue", _NUMBER),
    5: ("stringValue", _TEXT),
    6: ("stringListValue", _TEXT),
    8: ("stringDictValue", _PAIR),
    10: ("labelListDictValue", _PAIR),
    11: ("stringListDictValue", _PAIR),
    13: ("explicitlySpecified", _NUMBER),
    17: ("intListValue", _NUMBER),
    19: ("labelDictUnaryValue", _PAIR),
    22: ("labelKeyedStringDictValue", _PAIR),
}
_TARGET: Schema = {
    1: ("type", _NUMBER),
    2: (
        "rule",
        {1: ("name", _TEXT), 2: ("ruleClass", _TEXT), 3: ("location", _TEXT), 4: ("attribute", _ATTRIBUTE)},
    ),
    3: ("sourceFile", {1: ("name", _TEXT), 2: ("location", _TEXT)}),
    4: ("generatedFile", {1: ("name", _TEXT), 3: ("location", _TEXT)}),
    5: ("packageGroup", {1: ("name", _TEXT)}),
    6: ("environmentGroup", {1: ("name", _TEXT)}),
}
_QUERY_RESULT: Schema = {1: ("target", _TARGET)}
_CQUERY_RESULT: Schema = {1: ("results", {1: ("target", _TARGET)})}


def _read(data: bytes, schema: Schema, name: str) -> Message:
    try:
        return wire_format.decode(data, schema)
    except Malformed as problem:
        raise wire_format.error(problem, name) from None


def read_binary(data: bytes, name: str) -> Message:
    """`--output=proto` of aquery, query or cquery, and `streamed_proto`; raises WorkspaceError.

    What it is tells the key: "actions", "target" or "results".
    """
    try:
        numbers: dict[int, tuple[int, int, int]] = {}
        for number, kind, _, first, last in wire_format.fields(data):
            numbers.setdefault(number, (kind, first, last))
    except Malformed as problem:
        return _read_stream(data, name, problem)
    if numbers.keys() & {3, 4, 5, 7, 8}:
        found = _read(data, _action_graph(_identifiers(data)), name)
        found.setdefault("actions", [])
        return found
    if 1 in numbers and numbers[1][0] == 2:
        _, first, last = numbers[1]
        if data[first:last][:1] == b"\x08":  # Target.type
            return _read(data, _QUERY_RESULT, name)
        return _read(data, _CQUERY_RESULT, name)
    raise wire_format.error(Malformed(0, "no result of query, cquery or aquery"), name)


def _identifiers(data: bytes) -> str:
    """What identifiers are: those of the first artifact or target tell."""
    for number, _, _, first, last in wire_format.fields(data):
        if number in (1, 3, 4, 5):
            return _TEXT if data[first:last][:1] == b"\x0a" else _NUMBER
    return _NUMBER


def _read_stream(data: bytes, name: str, problem: Malformed) -> Message:
    """What a stream of targets, or of parts of an action graph, holds; `problem`: with the data as one message."""
    try:
        parts = wire_format.delimited(data)
        if parts and all(data[first : first + 1] == b"\x08" for first, _ in parts):
            return {"target": [wire_format.decode(data, _TARGET, first, last) for first, last in parts]}
        found: Message = {"actions": []}
        for first, last in parts:
            for key, values in wire_format.decode(data, _action_graph(_NUMBER), first, last).items():
                found.setdefault(key, []).extend(values)
    except Malformed:
        raise wire_format.error(problem, name) from None
    if not found["actions"]:
        raise wire_format.error(problem, name)
    return found


_TEXTPROTO_LINE = re.compile(
    r'\s*(?:(?P<open>\w+)\s*[:]?\s*[{<]|(?P<close>[}>])|(?P<name>\w+):\s*(?P<value>"(?:[^"\\]|\\.)*"|[^\s"]+))\s*'
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


def read_textproto(text: str, name: str) -> Message:
    """`--output=textproto`: the same tables as jsonproto, every field repeated; raises WorkspaceError."""
    message: Message = {}
    stack: list[tuple[Message, Location]] = []
    for number, line in enumerate(text.splitlines(), 1):
        match = _TEXTPROTO_LINE.fullmatch(line)
        place = Location(name, number, len(line) - len(line.lstrip()) + 1)
        if match is None:
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            raise WorkspaceError(Diagnostic("not the textproto that Bazel prints", place))
        if match["open"]:
            inner: Message = {}
            message.setdefault(_camel(match["open"]), []).append(inner)
            stack.append((message, place))
            message = inner
        elif match["close"]:
            if not stack:
                raise WorkspaceError(Diagnostic("unbalanced brace", place))
            message, _ = stack.pop()
        else:
            value = match["value"]
            value = _unescape(value[1:-1]) if value.startswith('"') else value
            message.setdefault(_camel(match["name"]), []).append(value)
    if stack:
        raise WorkspaceError(Diagnostic("the dump ends inside a message that begins here", stack[-1][1]))
    return message


def read_json(text: str, name: str) -> dict[str, Any]:
    """`--output=jsonproto`: one object; raises WorkspaceError."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError as problem:
        place = Location(name, problem.lineno, problem.colno)
        raise WorkspaceError(Diagnostic(f"not JSON: {problem.msg.lower()}", place)) from None
    except RecursionError:
        raise WorkspaceError(Diagnostic("not JSON: nested too deeply", Location(name, 1, 1))) from None
    if not isinstance(found, dict):
        raise WorkspaceError(Diagnostic("not the jsonproto that Bazel prints", Location(name, 1, 1)))
    return found


def one(message: dict[str, Any], key: str) -> str:
    """The (first) value of a field as text; "" when there is none."""
    value = message.get(key, "")
    if isinstance(value, list):
        value = value[0] if value else ""
    return str(value)


def many(message: dict[str, Any], key: str) -> list[str]:
    """All values of a field as texts."""
    value = message.get(key, ())
    return [str(item) for item in value] if isinstance(value, list) else [str(value)] if value else []


def inner(message: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The messages in a field; raises ValueError when they are none."""
    value = message.get(key, [])
    found = value if isinstance(value, list) else [value]
    if not all(isinstance(item, dict) for item in found):
        raise ValueError(f"'{key}' is no message")
    return found

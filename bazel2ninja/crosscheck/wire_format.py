"""The wire format of protocol buffers, as far as reading a dump takes: https://protobuf.dev/programming-guides/encoding.

docs/design.md says why there is no library behind this.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError

Schema = Mapping[int, tuple[str, object]]
"""Field number -> (name as JSON has it, "text", "number" or the Schema of a message); other fields are skipped."""

Message = dict[str, list[Any]]
"""Name of a field -> its values: texts, numbers or Messages."""

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


class Malformed(ValueError):
    """What is no message: `offset` in bytes from the start of the file."""

    def __init__(self, offset: int, problem: str):
        super().__init__(problem)
        self.offset = offset


def _varint(data: bytes, position: int, end: int) -> tuple[int, int]:
    value = shift = 0
    start = position
    while position < end:
        byte = data[position]
        position += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, position
        shift += 7
        if shift > 63:
            raise Malformed(start, "a number of more than 64 bits")
    raise Malformed(start, "the end comes inside a number")


def fields(data: bytes, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int, int, int, int]]:
    """(field number, wire type, value of a number, start, end of its bytes) of a message's fields; raises Malformed."""
    position = start
    end = len(data) if end is None else end
    while position < end:
        at = position
        tag, position = _varint(data, position, end)
        number, kind = tag >> 3, tag & 7
        if not number:
            raise Malformed(at, "a field has number 0")
        value, first = 0, position
        if kind == _VARINT:
            value, position = _varint(data, position, end)
        elif kind == _BYTES:
            length, first = _varint(data, position, end)
            position = first + length
        elif kind in (_FIXED64, _FIXED32):
            position += 8 if kind == _FIXED64 else 4
        else:
            raise Malformed(at, f"a field has the unknown wire type {kind}")
        if position > end:
            raise Malformed(at, f"field {number} goes on after the end")
        yield number, kind, value, first, position


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def decode(data: bytes, schema: Schema, start: int = 0, end: int | None = None) -> Message:
    """The message in data[start:end]; raises Malformed."""
    found: Message = {}
    for number, kind, value, first, last in fields(data, start, end):
        if number not in schema:
            continue
        name, what = schema[number]
        values = found.setdefault(name, [])
        if what == "text" and kind == _BYTES:
            try:
                values.append(data[first:last].decode())
            except UnicodeDecodeError as problem:
                raise Malformed(first + problem.start, f"'{name}' is no text") from None
        elif what == "number" and kind == _VARINT:
            values.append(_signed(value))
        elif what == "number" and kind == _BYTES:  # packed
            while first < last:
                value, first = _varint(data, first, last)
                values.append(_signed(value))
        elif isinstance(what, Mapping) and kind == _BYTES:
            values.append(decode(data, what, first, last))
        else:
            raise Malformed(first, f"'{name}' has wire type {kind}")
    return found


def delimited(data: bytes) -> list[tuple[int, int]]:
    """(start, end) of the messages of a stream in which the length of each stands before it; raises Malformed."""
    found = []
    position = 0
    while position < len(data):
        at = position
        length, first = _varint(data, position, len(data))
        position = first + length
        if position > len(data):
            raise Malformed(at, "a message goes on after the end")
        found.append((first, position))
    return found


def error(problem: Malformed, name: str) -> WorkspaceError:
    """What a user is told of a broken file; a file that is no text has bytes instead of lines."""
    return WorkspaceError(
        Diagnostic(f"not a protocol buffer: {problem}, at byte {problem.offset}", Location(name, 1, 1))
    )

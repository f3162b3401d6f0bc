"""The json module: encode, decode, indent, encode_indent.

Source: the API reference of the json module in Bazel's documentation, and RFC 8259.
"""

# Starlark values are Any: their types are checked when the program runs.
# mypy: disable-error-code="no-any-return,type-arg"
from __future__ import annotations

import math
import re
from typing import Any

from .errors import EvalError
from .protocol import float_text, int_text, quote, type_name
from .structs import Struct
from .values import Dict, List, iterate

_ENCODE = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNSAFE = re.compile(r'["\\\x00-\x1f]')
_NUMBER = re.compile(r"[-+.0-9eE]+")
_VALID_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_SPACE = re.compile(r"[ \t\n\r]*")
_SIMPLE = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_SIZE_LIMIT = 1 << 28  # characters that json.indent() may make
_DEPTH_LIMIT = 400  # nesting of values


class _TooDeepError(EvalError):
    """Not wrapped in the path to the value, which is long."""


def encode_string(text: str) -> str:
    return '"' + _UNSAFE.sub(lambda m: _ENCODE.get(m[0]) or f"\\u{ord(m[0]):04x}", text) + '"'


def encode(value: Any) -> str:
    """The JSON text of a value: dict keys sorted, no white space."""
    parts: list[str] = []
    _encode(value, parts, 0)
    return "".join(parts)


def _encode(value: Any, parts: list[str], depth: int) -> None:
    if depth > _DEPTH_LIMIT:
        raise _TooDeepError("nesting depth limit exceeded")
    kind = value.__class__
    if kind is str:
        parts.append(encode_string(value))
    elif value is None:
        parts.append("null")
    elif kind is bool:
        parts.append("true" if value else "false")
    elif kind is int:
        parts.append(int_text(value))
    elif kind is float:
        if not math.isfinite(value):
            raise EvalError(f"cannot encode non-finite float {float_text(value)}")
        parts.append(float_text(value))
    elif isinstance(value, Dict):
        keys = list(value)
        for key in keys:
            if key.__class__ is not str:
                raise EvalError(f"dict has {type_name(key)} key, want string")
        _encode_fields([(key, value[key]) for key in sorted(keys)], "dict key ", parts, depth)
    elif isinstance(value, Struct):
        _encode_fields(value.starlark_fields(), f"{type_name(value)} field .", parts, depth)
    elif isinstance(value, (list, tuple, range, dict)) or hasattr(value, "starlark_iterate"):
        name = type_name(value)
        parts.append("[")
        for position, item in enumerate(iterate(value)):
            if position:
                parts.append(",")
            try:
                _encode(item, parts, depth + 1)
            except _TooDeepError:
                raise
            except EvalError as problem:
                raise EvalError(f"at {name} index {position}: {problem.message}") from None
        parts.append("]")
    else:
        raise EvalError(f"cannot encode {type_name(value)} as JSON")


def _encode_fields(fields: list[tuple[str, Any]], context: str, parts: list[str], depth: int) -> None:
    separator = "{"
    for name, item in fields:
        parts.append(f"{separator}{encode_string(name)}:")
        separator = ","
        try:
            _encode(item, parts, depth + 1)
        except _TooDeepError:
            raise
        except EvalError as problem:
            shown = quote(name) if context.startswith("dict") else name
            raise EvalError(f"in {context}{shown}: {problem.message}") from None
    parts.append("}" if fields else "{}")


class _Decoder:
    """A parser of JSON text."""

    def __init__(self, text: str):
        self.text = text
        self.position = 0
        self.depth = 0

    def fail(self, message: str) -> EvalError:
        return EvalError(f"at offset {self.position}, {message}")

    def skip(self) -> str:
        """Passes white space; the next character, or ""."""
        self.position = _SPACE.match(self.text, self.position).end()  # type: ignore[union-attr]
        return self.text[self.position : self.position + 1]

    def document(self) -> Any:
        value = self.value()
        if self.skip():
            raise self.fail(f"unexpected character {quote(self.text[self.position])} after value")
        return value

    def value(self) -> Any:
        character = self.skip()
        if not character:
            raise self.fail("unexpected end of file")
        if character == '"':
            return self.string()
        if character in "-0123456789":
            return self.number()
        for word, value in (("null", None), ("true", True), ("false", False)):
            if self.text.startswith(word, self.position):
                self.position += len(word)
                return value
        if character in "[{":
            self.depth += 1
            if self.depth > _DEPTH_LIMIT:
                raise self.fail("nesting depth limit exceeded")
            result = self.array() if character == "[" else self.object()
            self.depth -= 1
            return result
        raise self.fail(f"unexpected character {quote(character)}")

    def array(self) -> List:
        self.position += 1
        items = List()
        if self.skip() == "]":
            self.position += 1
            return items
        while True:
            list.append(items, self.value())
            character = self.skip()
            if character == ",":
                self.position += 1
                continue
            if character != "]":
                raise self.expected(character, "',' or ']'")
            self.position += 1
            return items

    def expected(self, character: str, wanted: str, context: str = "") -> EvalError:
        return self.fail(f"{context}got {quote(character)}, want {wanted}" if character else "unexpected end of file")

    def object(self) -> Dict:
        self.position += 1
        fields = Dict()
        character = self.skip()
        while character != "}":
            key = self.value()
            if key.__class__ is not str:
                raise self.fail(f"got {type_name(key)} for object key, want string")
            if self.skip() != ":":
                character = self.text[self.position : self.position + 1]
                shown = quote(character) if character else "end of file"
                raise self.fail(f"after object key, got {shown}, want ':'")
            self.position += 1
            fields[key] = self.value()
            character = self.skip()
            if character == ",":
                self.position += 1
                character = self.skip()
                if character == "}":
                    raise self.fail('unexpected character "}"')
            elif character != "}":
                raise self.expected(character, "',' or '}'", "in object, ")
        self.position += 1
        return fields

    def string(self) -> str:
        self.position += 1
        parts: list[str] = []
        while True:
            match = _PLAIN.match(self.text, self.position)
            assert match is not None
            parts.append(match[0])
            self.position = match.end()
            character = self.text[self.position : self.position + 1]
            if character == '"':
                self.position += 1
                return "".join(parts)
            if not character:
                raise self.fail("unclosed string literal")
            if character != "\\":
                raise self.fail(f"invalid character '\\x{ord(character):02x}' in string literal")
            code = self.text[self.position + 1 : self.position + 2]
            if not code:
                raise self.fail("incomplete escape")
            if code == "u":
                parts.append(self.unicode_escape())
            elif code in _SIMPLE:
                parts.append(_SIMPLE[code])
                self.position += 2
            else:
                raise self.fail(f"invalid escape '\\{code}'")

    def unicode_escape(self) -> str:
        number = self.hexadecimal()
        if 0xD800 <= number < 0xDC00 and self.text.startswith("\\u", self.position):
            start = self.position
            low = self.hexadecimal()
            if 0xDC00 <= low < 0xE000:
                return chr(0x10000 + ((number - 0xD800) << 10) + (low - 0xDC00))
            self.position = start
        return "\ufffd" if 0xD800 <= number < 0xE000 else chr(number)

    def hexadecimal(self) -> int:
        digits = self.text[self.position + 2 : self.position + 6]
        if len(digits) < 4 or '"' in digits:
            raise self.fail("incomplete \\uXXXX escape")
        if not re.fullmatch(r"[0-9A-Fa-f]{4}", digits):
            raise self.fail(f"invalid hex char in \\u{digits} escape")
        self.position += 6
        return int(digits, 16)

    def number(self) -> int | float:
        match = _NUMBER.match(self.text, self.position)
        assert match is not None
        text = match[0]
        valid = _VALID_NUMBER.fullmatch(text)
        if valid is None:
            raise self.fail(f"invalid number: {text}")
        self.position = match.end()
        if valid[1] is None and valid[2] is None:
            try:
                return int(text)
            except ValueError:
                raise self.fail("number is too long") from None
        value = float(text)
        if not math.isfinite(value):
            raise self.fail(f"floating-point number too large: {text}")
        return value


def decode(text: Any, default: Any = ...) -> Any:
    """The value of a JSON text; `default`, when given, for a text that is not valid."""
    if text.__class__ is not str:
        raise EvalError(f"in call to decode(), parameter 'x' got value of type '{type_name(text)}', want 'string'")
    try:
        return _Decoder(text).document()
    except EvalError:
        if default is ...:
            raise
        return default


def indent(text: str, prefix: str, step: str) -> str:
    """A JSON text laid out over lines."""
    parts: list[str] = []
    depth = 0
    position = 0
    size = len(text)

    def line() -> str:
        nonlocal size
        size += 1 + len(prefix) + len(step) * max(depth, 0)
        if size > _SIZE_LIMIT:
            raise EvalError(f"excessive indentation (more than {_SIZE_LIMIT} characters)")
        return f"\n{prefix}{step * depth}"

    while position < len(text):
        character = text[position]
        position += 1
        if character == '"':
            start = position - 1
            while text[position : position + 1] not in ('"', ""):
                position += 2 if text[position] == "\\" else 1
            position += 1
            if position > len(text):
                raise EvalError("input is not valid JSON")
            parts.append(text[start:position])
        elif character in "[{":
            rest = _SPACE.match(text, position).end()  # type: ignore[union-attr]
            if text[rest : rest + 1] in ("]", "}"):
                parts.append(character + text[rest])
                position = rest + 1
            else:
                depth += 1
                parts.append(character + line())
        elif character in "]}":
            depth -= 1
            parts.append(line() + character)
        elif character == ",":
            parts.append("," + line())
        elif character == ":":
            parts.append(": ")
        elif character not in " \t\r\n":
            parts.append(character)
    if depth > 0:
        raise EvalError("unexpected end of file")
    return "".join(parts)


class JsonModule:
    """The value of the universal name `json`."""

    starlark_type = "json"

    def starlark_repr(self) -> str:
        return "<module json>"

    def s_encode(self, x: Any, /) -> str:
        return encode(x)

    def s_decode(self, x: Any, /, default: Any = ...) -> Any:
        return decode(x, default)

    def s_indent(self, s: Any, /, *, prefix: str = "", indent: str = "\t") -> str:
        if s.__class__ is not str:
            raise EvalError(f"in call to indent(), parameter 's' got value of type '{type_name(s)}', want 'string'")
        return _indent(s, prefix, indent)

    def s_encode_indent(self, x: Any, /, *, prefix: str = "", indent: str = "\t") -> str:
        return _indent(encode(x), prefix, indent)


_indent = indent

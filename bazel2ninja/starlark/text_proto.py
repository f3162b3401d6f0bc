"""The module proto: structs as messages in the text format of protocol buffers.

Source: https://bazel.build/rules/lib/toplevel/proto, and what struct.to_proto() of Bazel 4.2.3 prints.
"""

# Starlark values are Any: their types are checked when the program runs.
# mypy: disable-error-code="type-arg"
from __future__ import annotations

from typing import Any

from .errors import EvalError
from .protocol import float_text, int_text, type_name
from .structs import Struct
from .values import Dict, List

_WANTED = "string, int, float, bool, or struct"
_DEPTH_LIMIT = 400  # nesting of structs


def encode_text(message: Any) -> str:
    """A struct as a message: a line for each scalar, fields by name, those that are None left out.

    Raises EvalError for what no message can hold.
    """
    if not isinstance(message, Struct):
        raise EvalError(
            f"in call to encode_text(), parameter 'x' got value of type '{type_name(message)}', want 'struct'"
        )
    lines: list[str] = []
    _message(message, "", lines)
    return "".join(lines)


def _message(message: Struct, indent: str, lines: list[str]) -> None:
    if len(indent) > 2 * _DEPTH_LIMIT:
        raise EvalError("nesting depth limit exceeded")
    for name, value in message.starlark_fields():
        if value is None:
            continue
        try:
            _field(name, value, indent, lines)
        except EvalError as problem:
            raise EvalError(f"in {type_name(message)} field .{name}: {problem.message}") from None


def _field(name: str, value: Any, indent: str, lines: list[str]) -> None:
    if isinstance(value, Dict):
        for key in value:
            if key.__class__ not in (int, str):
                raise EvalError(f"invalid dict key: got {type_name(key)}, want int or string")
            lines.append(f"{indent}{name} {{\n")
            _single("key", key, indent + "  ", lines)
            try:
                _single("value", value[key], indent + "  ", lines)
            except EvalError as problem:
                raise EvalError(f"in value for dict key {key!r}: {problem.message}") from None
            lines.append(f"{indent}}}\n")
    elif isinstance(value, (List, tuple, range)):
        for position, item in enumerate(value):
            try:
                _single(name, item, indent, lines)
            except EvalError as problem:
                raise EvalError(f"at {type_name(value)} index {position}: {problem.message}") from None
    else:
        _single(name, value, indent, lines)


def _single(name: str, value: Any, indent: str, lines: list[str]) -> None:
    """What is no repeated field."""
    if isinstance(value, Struct):
        lines.append(f"{indent}{name} {{\n")
        _message(value, indent + "  ", lines)
        lines.append(f"{indent}}}\n")
        return
    kind = value.__class__
    if kind is str:
        text = '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    elif kind is bool:
        text = "true" if value else "false"
    elif kind is int:
        text = int_text(value)
    elif kind is float:
        text = float_text(value)
    else:
        raise EvalError(f"got {type_name(value)}, want {_WANTED}")
    lines.append(f"{indent}{name}: {text}\n")


class ProtoModule:
    """The value of the global name `proto` of BUILD and .bzl files."""

    starlark_type = "proto"

    def starlark_repr(self) -> str:
        return "<module proto>"

    def s_encode_text(self, x: Any, /) -> str:
        return encode_text(x)

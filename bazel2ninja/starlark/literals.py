"""What Python's parser does not tell about literals: escapes, implicit concatenation, prefixes, and columns."""

# Starlark values are Any: their types are checked when the program runs.
# mypy: disable-error-code="no-any-return,type-arg"
from __future__ import annotations

import re
from functools import cached_property
from typing import Any

from .semantics import Semantics

_STRING = re.compile(
    r"""(?P<prefix>[A-Za-z]*)(?P<quote>\"\"\"|'''|"|')(?P<body>.*)(?P=quote)""",
    re.DOTALL,
)
_ONE = re.compile(
    r'''[A-Za-z]*(?:"""(?:[^"\\]|\\.|"(?!""))*"""|\'\'\'(?:[^'\\]|\\.|'(?!\'\'))*\'\'\'|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')''',
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(\n|[0-7]{1,3}|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_SIMPLE = {
    "\n": "",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}


class Literals:
    """Looks literals of one file up in its text."""

    def __init__(self, text: str, semantics: Semantics):
        self.text = text
        self.ascii = text.isascii()
        self.semantics = semantics

    @cached_property
    def lines(self) -> list[str]:
        return self.text.split("\n")

    def column(self, line: int, offset: int) -> int:
        """The 1-based column in characters for an offset in UTF-8 bytes."""
        if self.ascii or line > len(self.lines):
            return offset + 1
        return len(self.lines[line - 1].encode()[:offset].decode("utf-8", "replace")) + 1

    def segment(self, node: Any) -> str:
        """The source text of a node."""
        first, last = node.lineno - 1, node.end_lineno - 1
        if self.ascii:
            if first == last:
                return self.lines[first][node.col_offset : node.end_col_offset]
            parts = [self.lines[first][node.col_offset :], *self.lines[first + 1 : last]]
            return "\n".join([*parts, self.lines[last][: node.end_col_offset]])
        lines = [line.encode() for line in self.lines[first : last + 1]]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b"\n".join(lines).decode("utf-8", "replace")

    def check_string(self, node: Any) -> str | None:
        """The error in a string literal, or None; gives the node the value that Starlark's escapes make."""
        value = node.value
        if (
            node.end_col_offset - node.col_offset == len(value) + 2
            and node.lineno == node.end_lineno
            and self.ascii
            and "\\" not in value
        ):
            return None
        segment = self.segment(node)
        if segment[:1] == "(":
            return None
        if _ONE.fullmatch(segment) is None:
            return "implicit string concatenation is forbidden, use the + operator"
        match = _STRING.fullmatch(segment)
        if match is None:
            return "invalid string literal"
        prefix = match["prefix"]
        if prefix not in ("", "r", "b", "rb", "br"):
            return f"syntax error at '{prefix}': unknown string prefix"
        body = match["body"]
        if "r" in prefix or "\\" not in body or value.__class__ is bytes:
            return None
        problem: list[str] = []

        def decode(escape: re.Match) -> str:
            code = escape[1]
            simple = _SIMPLE.get(code)
            if simple is not None:
                return simple
            first = code[0]
            if first in "01234567":
                number = int(code, 8)
                if number > 255:
                    problem.append(f"octal escape sequence out of range (maximum is \\377): \\{code}")
                return chr(number)
            if first in "xuU" and not self.semantics.specified_strings:
                if self.semantics.restrict_string_escapes:
                    problem.append(f"invalid escape sequence: \\{first}. Use '\\\\' to insert '\\'.")
                return "\\" + code
            if len(code) > 1:
                number = int(code[1:], 16)
                if number > 0x10FFFF or 0xD800 <= number < 0xE000:
                    problem.append(f"invalid Unicode code point: \\{code}")
                    return ""
                return chr(number)
            if first in "xuU":
                problem.append(f"truncated escape sequence \\{code}")
            elif self.semantics.restrict_string_escapes:
                problem.append(f"invalid escape sequence: \\{code}. Use '\\\\' to insert '\\'.")
            return "\\" + code

        node.value = _ESCAPE.sub(decode, body)
        return problem[0] if problem else None

    def check_number(self, node: Any) -> str | None:
        """The error in an integer literal, or None."""
        if node.end_col_offset - node.col_offset == 1 or node.value.__class__ is bool:
            return None
        segment = self.segment(node)
        if "_" in segment:
            return "invalid number literal: '_' is not a digit"
        if segment[0] == "0" and segment.isdigit() and len(segment) > 1 and node.value == 0:
            return "invalid octal literal (use the prefix '0o')" if not self.semantics.legacy_octal else None
        return None

"""Calls that hold nothing but literals, taken out of a file's text before Python parses it.

Most statements of real BUILD files are `cc_library(name = "a", srcs = ["b.cc"], ...)`: keyword arguments that are
strings, numbers, constants and lists of strings.  A tree of them costs more than everything else in a file: an object
for each string, which Python's parser makes, we look at and Python's compiler reads again.  `lift` puts white space in
the place of such arguments, and gives them as values; the tree then has a call without arguments where they were.

What the regular expression finds is believed only when the tree agrees, that is when `f()` stands exactly where
`f(...)` was found; otherwise the file is read again as a whole.  So is every file with an error: no message is ever
about a lifted text.
"""

from __future__ import annotations

import keyword
import re
from sys import intern

# name, value, name, value ...; a list is a tuple here
Arguments = tuple[object, ...]

# No group is repeated possessively: where a repetition ends in the middle of one, Python 3.11.2, which Debian 12 has,
# goes on from there.  Nothing follows the outermost repetitions, so they never go back; for others it is a few steps.
_GAP = r"(?:[ \t\n]++|\#[^\n]*+\n)*"
_TEXT = r"""(?:"[^"\\\n]*+"(?!")|'[^'\\\n]*+'(?!'))"""
_LIST = rf"\[{_GAP}(?:{_TEXT}{_GAP}(?:,{_GAP}{_TEXT}{_GAP})*(?:,{_GAP})?)?\]"
_WORD = r"(?:True|False|None|0|[1-9][0-9]{0,8}+)\b"
_LONG = r'"""[^"\\]*+"""'
_NAME = r"[A-Za-z_]\w*+"
_ARGUMENT = rf"{_NAME}{_GAP}={_GAP}(?:{_TEXT}|{_LIST}|{_WORD}|{_LONG})"

# all tokens up to the next call that begins a line
_SKIPPED = re.compile(
    rf"""
    (?:
        [^"'\#\n]++
      | \#[^\n]*+
      | \"\"\"(?:[^"\\]++|\\.|"(?!\"\"))*\"\"\" | '''(?:[^'\\]++|\\.|'(?!''))*'''
      | "(?:[^"\\\n]++|\\.)*" | '(?:[^'\\\n]++|\\.)*'
      | \n(?!{_NAME}\()
    )*
    """,
    re.VERBOSE | re.DOTALL | re.ASCII,
)
# such a call, with those of its first arguments that are literals
_CALL = re.compile(
    rf"\n{_NAME}\(((?:{_GAP}{_ARGUMENT}{_GAP}(?:,|(?=\))))*)",
    re.DOTALL | re.ASCII,
)
_ONE_ARGUMENT = re.compile(  # or a comment
    rf"""
    \#[^\n]*+
  | ({_NAME}){_GAP}={_GAP}
    (?: "([^"\\\n]*+)"(?!") | '([^'\\\n]*+)' | \"\"\"([^"\\]*+)\"\"\" | ({_LIST}) | (\w++) )
    """,
    re.VERBOSE | re.ASCII,
)
_ONE_ELEMENT = re.compile(r"""\#[^\n]*+ | "([^"]*+)" | '([^']*+)'""", re.VERBOSE)
_WORDS: dict[str, object] = {"True": True, "False": False, "None": None}
_RESERVED = frozenset(keyword.kwlist) | {"__debug__"}


def lift(text: str) -> tuple[str, dict[int, Arguments]]:
    """The text without the arguments of its literal calls, and these by the line that the call begins.

    All else keeps its line and column.  A text that is not wholly ASCII is left alone: columns in it are bytes.
    """
    found: dict[int, Arguments] = {}
    if not text.isascii():
        return text, found
    parts: list[str] = []
    copied = counted = position = 0
    line = 1
    end = len(text)
    while True:
        skipped = _SKIPPED.match(text, position)
        assert skipped is not None
        match = _CALL.match(text, skipped.end())
        if match is None:
            if skipped.end() == end:
                break
            return text, {}  # not the tokens of a Starlark file
        position = match.end()
        body = match[1]
        if not body:
            continue
        arguments = _arguments(body)
        if arguments is None:
            continue
        start = match.start(1)
        line += text.count("\n", counted, start)
        counted = start
        found[line] = arguments
        parts += (text[copied:start], "\n" * body.count("\n"), " " * (len(body) - body.rfind("\n") - 1))
        copied = position
    parts.append(text[copied:])
    return "".join(parts), found


def _arguments(body: str) -> Arguments | None:
    """The arguments of a call; None where a name is given twice or cannot be one."""
    arguments: list[object] = []
    for name, double, single, long, elements, word in _ONE_ARGUMENT.findall(body):
        if name:  # else it is a comment
            value: object = double or single or long
            if elements:
                value = _elements(elements)
            elif word:
                value = _WORDS[word] if word in _WORDS else int(word)
            arguments += (intern(name), value)
    names = frozenset(arguments[::2])
    return tuple(arguments) if 2 * len(names) == len(arguments) and _RESERVED.isdisjoint(names) else None


def _elements(text: str) -> tuple[str, ...]:
    """The strings of a list of literals."""
    if "'" not in text and "#" not in text:
        return tuple(text.split('"')[1::2])
    return tuple([match[match.lastindex] for match in _ONE_ELEMENT.finditer(text) if match.lastindex is not None])

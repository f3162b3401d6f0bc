"""Spelling text so that ninja, the shell and response files read it back as it was.

https://ninja-build.org/manual.html#ref_lexer.  Ninja has no way to write a line break or NUL, and no escape for "|" in
a path; the manifest defines the variable `pipe` for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from bazel2ninja.diagnostics import Diagnostic, WorkspaceError

PIPE = "pipe = |"
"""The definition that paths with "|" refer to."""

_UNWRITABLE = re.compile(r"[\n\r\0]")
_PATH_SPECIAL = re.compile(r"[$ :|\n\r\0]")
_PATH_ESCAPES = {"$": "$$", " ": "$ ", ":": "$:", "|": "${pipe}"}
_READABLE = re.compile(r"[a-zA-Z0-9+,/_:.~(){}%=@\[\]!\x80-\U0010ffff $#-]+")  # of ninja's depfile_parser
_SHELL_SPECIAL = re.compile(r"[^A-Za-z0-9@%+=:,./_-]")
_RESPONSE_SPECIAL = re.compile(r"([\\'\"\s])")


def _unwritable(text: str) -> WorkspaceError:
    word = re.search(r"[^ ]*[\n\r\0][^ ]*", text)
    return WorkspaceError(Diagnostic(f"ninja cannot express a line break or NUL: {(word[0] if word else text)!r}"))


def path(text: str) -> str:
    """A path in a build statement; raises WorkspaceError for one with a line break or NUL."""
    if not _PATH_SPECIAL.search(text):
        return text
    if _UNWRITABLE.search(text):
        raise _unwritable(text)
    return _PATH_SPECIAL.sub(lambda match: _PATH_ESCAPES[match[0]], text)


def value(text: str) -> str:
    """The value of a variable; raises WorkspaceError for one with a line break or NUL."""
    if _UNWRITABLE.search(text):
        raise _unwritable(text)
    text = text.replace("$", "$$")
    return "$" + text if text.startswith(" ") else text


def writable(text: str) -> bool:
    """Whether ninja can hold `text` in a variable."""
    return not _UNWRITABLE.search(text)


def depfile_readable(path: str) -> bool:
    """Whether ninja reads this path back from a depfile; another one is cut into pieces that never exist."""
    return _READABLE.fullmatch(path) is not None


def shell_word(word: str) -> str:
    """One word for /bin/sh."""
    if word and not _SHELL_SPECIAL.search(word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"


def shell_words(words: Iterable[str]) -> str:
    return " ".join(map(shell_word, words))


def response_words(words: Iterable[str]) -> str:
    """Words of a response file as gcc, ar and ld read it: a backslash counts even between single quotes."""
    return " ".join(_RESPONSE_SPECIAL.sub(r"\\\1", word) for word in words)

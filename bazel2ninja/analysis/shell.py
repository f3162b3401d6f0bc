"""Quoting and splitting of words as a Bourne shell does it, and as Bazel documents it.

https://bazel.build/reference/be/common-definitions#sh-tokenization
"""

from __future__ import annotations

import re

from bazel2ninja.diagnostics import Diagnostic, WorkspaceError

_SAFE = re.compile(r"[A-Za-z0-9@%\-_+:,./]+")
_SPECIAL = re.compile(r"""['"\\]""")


def escape(word: str) -> str:
    """`word` in a spelling that a shell reads back as one word: left alone where it is harmless."""
    if _SAFE.fullmatch(word):
        return word
    return "'" + word.replace("'", "'\\''") + "'"


def tokenize(text: str) -> tuple[str, ...]:
    """The words of `text`; raises WorkspaceError for an open quotation or a backslash at the end."""
    if _SPECIAL.search(text) is None:
        return tuple(text.split())
    words: list[str] = []
    word: list[str] = []
    quotation = ""
    quoted = False  # an empty quotation makes a word, too
    characters = iter(text)
    for c in characters:
        if c == "\\" and quotation != "'":
            following = next(characters, None)
            if following is None:
                raise WorkspaceError(Diagnostic("backslash at end of string"))
            word.append("\\" + following if quotation and following not in '\\"' else following)
        elif quotation:
            if c == quotation:
                quotation = ""
            else:
                word.append(c)
        elif c in "'\"":
            quotation, quoted = c, True
        elif c.isspace():
            if word or quoted:
                words.append("".join(word))
            word, quoted = [], False
        else:
            word.append(c)
    if quotation:
        raise WorkspaceError(Diagnostic("unterminated quotation"))
    if word or quoted:
        words.append("".join(word))
    return tuple(words)

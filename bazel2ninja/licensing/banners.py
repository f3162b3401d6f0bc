"""The line with which a script or style sheet for browsers begins: name, version and licence, each a field of it."""

from __future__ import annotations

import re

from bazel2ninja.licensing.notices import Notice
from bazel2ninja.licensing.words import digest, words

EXTENSIONS = (".js", ".mjs", ".cjs", ".css")
_COMMENT = re.compile(r"\s{0,40}/\*[*!]?(.{4,600}?)\*/", re.DOTALL)
_NAMES = r"(MIT|ISC|BSD[ -][23][ -]Clause|Apache[ -]2\.0|MPL[ -]2\.0)"
_IN_BRACKETS = re.compile(rf"\({_NAMES}(?: Licen[sc]ed?)?\)")
_FIELD = re.compile(rf"(?:[|,]|\s-) {_NAMES}(?: Licen[sc]ed?)?(?= ?(?:[|,]|$)| - )")
_JQUERY = re.compile(r"\bjquery\.org/license\b")  # since its version 1.9 there is one
_MARKS = re.compile(r"\s*\n[ \t*]*")


def notice(text: str) -> Notice | None:
    """What the comment at the beginning of a text says in a field of its own, as a notice; None if nothing."""
    comment = _COMMENT.match(text)
    if comment is None:
        return None
    said = _MARKS.sub(" | ", comment[1]).strip(" |*\t\r\n")
    field = _IN_BRACKETS.search(said) or _FIELD.search(said)
    name = field[1] if field is not None else "MIT" if _JQUERY.search(said) else ""
    if not name:
        return None
    stated = words(f"license {name}")
    last = 1 + text.count("\n", 0, comment.end())
    return Notice(digest(stated), " ".join(stated), 1, last, "comment", said[:600])

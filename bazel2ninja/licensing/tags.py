"""SPDX tags: those that a text states about itself, not the ones that it shows or that are about other files."""

from __future__ import annotations

import re
from collections.abc import Iterator

SPDX = re.compile(r"SPDX-License-Identifier:[ \t]*([^\n]{1,300})", re.IGNORECASE)
# before a tag, in the same line: the file or the thing that it is about
_OF_FILE = re.compile(r"(?:^|\s)([\w.+-]+(?:/[\w.+-]+)+)/?:?\s*$")
_OF_THING = re.compile(r"(?:^|[\s*#/;])(?!(?:The|This|Code|File|Project|Source)\b)[A-Z][\w.+-]+ Licen[cs]e:\s*$")
_WITHIN_A_SENTENCE = re.compile(r"[a-z]+ [a-z]+ [a-z]+ (?:[a-z]+ )?[\"'`]+$")
_FENCE = re.compile(r"[ \t]{0,8}(`{3}|~{3})")
_LISTING = re.compile(r"-{4,}[ \t]*$")
_SHOWN = re.compile(
    r"(?:::|\b(?:like|like this|as follows|follows as required|following|(?:for )?example|e\.g\.):)\s*$", re.IGNORECASE
)
_BEFORE = 200  # characters of a line


def stated(block: str, name: str, *, prose: bool) -> Iterator[str]:
    """The expressions of the tags in a block, as they stand. name: of the file; prose: words for people, which may show
    how a tag looks.
    """
    shown = _examples(block) if prose else []
    for match in SPDX.finditer(block):
        line = block.rfind("\n", max(0, match.start() - _BEFORE), match.start()) + 1
        before = block[max(line, match.start() - _BEFORE) : match.start()]
        of_file = _OF_FILE.search(before)
        if of_file is not None and of_file[1].rpartition("/")[2] != name:
            continue
        if _OF_THING.search(before) or (prose and _WITHIN_A_SENTENCE.search(before)):
            continue
        if not any(start <= match.start() < end for start, end in shown):
            yield _expression(match[1])


def _examples(text: str) -> list[tuple[int, int]]:
    """The spans of what a document shows: between fences (Markdown), between lines of hyphens (AsciiDoc), and indented
    below words that say so.
    """
    found = []
    at = begun = 0
    closing = ""
    last = ""  # the line before that is not empty
    previous = ""
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if closing:
            if (fence is not None and fence[1] == closing) or (closing == "-" and _LISTING.match(line)):
                found.append((begun, at))
                closing = ""
        elif fence is not None:
            begun, closing = at, fence[1]
        elif _LISTING.match(line) and (not previous.strip() or previous.startswith(("[", "."))):
            begun, closing = at, "-"
        elif line.startswith(("    ", "\t")) and _SHOWN.search(last):
            found.append((at, at + len(line)))
            previous = line
            at += len(line) + 1
            continue  # the words above hold for the next line, too
        if line.strip():
            last = line
        previous = line
        at += len(line) + 1
    return found


def _expression(value: str) -> str:
    """The expression of a tag, without what ends the comment or quotes it; its own parentheses stay."""
    bare = value.strip(" \t\r*/#;%\"'<>-|)!(,\\:")
    at = value.find(bare)
    while bare.count("(") < bare.count(")") and at > 0 and "(" in value[:at]:
        at = value.rfind("(", 0, at)
        bare = "(" + bare
    return bare + ")" * max(0, min(bare.count("(") - bare.count(")"), value.count(")") - bare.count(")")))

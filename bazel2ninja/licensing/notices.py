"""Licence notices of one text: found by their words, cut out of the comment around them, brought to words.

Most texts say nothing about licences, so the search is for a few plain strings first; only what surrounds a hit is
looked at more closely.  Work is linear in the text, with a limit on the hits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bazel2ninja.licensing import copyrights, tags
from bazel2ninja.licensing.languages import Syntax, head
from bazel2ninja.licensing.words import digest, without_markup, words
from bazel2ninja.records import dataclass

TRIGGERS = (
    "licen",
    "copyright",
    "\xa9",
    "spdx-",
    "public domain",
    "public-domain",
    "public\n",  # "domain" in the next line
    "redistribut",
    "permission to",
    "permission is",
    "rights reserved",
    "warrant",
    "creative commons",
    "gpl",
    "proprietary",
    "confidential",
    "freely",
    "without restriction",
    "without limitation",
    "patent",
    "non-commercial",
    "noncommercial",
)
_MEANT = re.compile(
    r"licen[cs]|permission (?:to|is)|redistribut|warrant|public[\s-]+domain|\bl?gpl|copyleft|creative\s+commons|proprietary|"  # noqa: E501
    r"confidential|patents?\b|freely|rights reserved|without (?:restriction|limitation)|as is\b|no claim|non-?commercial|copyright|liable|"  # noqa: E501
    r"same terms|misrepresent|\bnotice|disclaim|endorse|advertis|\bconditions\b|\bdamages|\bterms\b",
    re.IGNORECASE,
)
# a picture that links to a licence file, as at the top of a library's documentation
_BADGE = re.compile(r"\[!\[[^\]\n]{0,200}\]\([^()\s]{0,300}\)\](?:\([^()\s]{0,300}\)|\[[^\]\n]{0,100}\])")
_NUMBERED = re.compile(r"(?<=PL\.) \d[.)] (?=[A-Z])")  # the next point of a list is no version
_HOLDER_TAG = re.compile(r"SPDX-(?:File|Snippet)CopyrightText:", re.IGNORECASE)
_AUTHOR = re.compile(
    r"(?:(?:authors?|maintainers?|contributors?|e-?mail|from) ?:|@author\b|(?:written|contributed|created|maintained) by )",  # noqa: E501
    re.IGNORECASE,
)
_RIGHTS = re.compile(r"all\s+rights?\s+reserved", re.IGNORECASE)

# a line that is a message of a program, in a file of any kind that translates them
_MESSAGE = re.compile(
    r"[ \t]*(?![\w.-]*licen[cs]e)[\w.-]+[ \t]*[=:]?[ \t]*\"(?:[^\"\\\n]|\\.){40,}\"[,;]?[ \t\r]*$", re.IGNORECASE
)
# each line of a long statement in PostScript, as its conventions for comments want it
_FIELD = re.compile(r"^(%%)Copyright:(?=[ \t]|$)", re.MULTILINE)
# a line of the mail that an answer quotes, in a comment or not
_QUOTED = re.compile(r"^[ \t]{0,40}(?:#+|//+|\*+|;+|--|%+|dnl)?[ \t]{0,10}>[^\n]*$", re.MULTILINE)
_WROTE = re.compile(r"\bwrote:[ \t]*$", re.MULTILINE)
_LINES_QUOTED = 3  # fewer are no mail
_FIELDS = 4  # lines; fewer are statements of their own

# before the quotes of a string that a program uses, as what it prints; and where that is called its terms
_VALUE = re.compile(r"(?:[=(,+%:]|\breturn|\bprint)[ \t]*[rRbBuUfF]{0,2}$")
_OF_TERMS = re.compile(r"licen[cs]e|copyright|legal|__doc__|\bdoc\w* ?=", re.IGNORECASE)

_HITS = 200  # notices looked for in one file
_BLOCK = 80_000  # characters of one comment
_GAP = 6  # paragraphs without such a word that may stand inside one notice
_WINDOW = 6000  # characters around a hit in long prose
_WORDS = 8000  # of one notice; a licence file may have ten times as many
_LINE = 3000  # characters of one line
_NEAR = 300  # characters of a very long line that are looked at


@dataclass(frozen=True, slots=True)
class Notice:
    """A statement about licences.  `text`: its words, joined by spaces, without copyright statements.

    place: "comment", "prose" or "code" (a string, or anything else outside comments). Lines are 1-based.
    rights_reserved: "all rights reserved" stood there.
    """

    digest: str
    text: str
    first_line: int
    last_line: int
    place: str
    excerpt: str
    rights_reserved: bool = False


@dataclass(frozen=True, slots=True)
class Statements:
    """What one text says: notices, SPDX expressions as they stand, copyright statements in canonical form."""

    notices: tuple[Notice, ...] = ()
    spdx: tuple[str, ...] = ()
    copyrights: tuple[str, ...] = ()


NOTHING = Statements()


def lowered(text: str) -> str:
    """`text` in lower case, at the same offsets."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def statements(text: str, syntax: Syntax, *, whole: bool = False, name: str = "") -> Statements:
    """All statements of a text; `whole`: the text is nothing but licences (a LICENSE file) and stays in one piece;
    name: of the file.
    """
    low = lowered(text)
    hits = _hits(low)
    if not hits:
        return NOTHING
    notices: dict[tuple[str, str], Notice] = {}
    spdx: dict[str, None] = {}
    holders: dict[str, None] = {}
    line, counted = 1, 0
    for start, end, place in _blocks(text, hits, syntax, whole):
        line += text.count("\n", counted, start)
        counted = start
        for found in _read(text[start:end], line, place, spdx, holders, whole, name):
            notices.setdefault((found.digest, found.place), found)
    return Statements(tuple(notices.values()), tuple(spdx), tuple(holders))


def _hits(low: str) -> list[int]:
    found = []
    for trigger in TRIGGERS:
        at = low.find(trigger)
        count = 0
        while at >= 0 and count < _HITS:
            found.append(at)
            count += 1
            at = low.find(trigger, at + 24)
    found.sort()
    return found


def _blocks(text: str, hits: list[int], syntax: Syntax, whole: bool) -> Iterator[tuple[int, int, str]]:
    """(start, end, place) of what surrounds each hit, in order, without overlap."""
    if syntax.prose:
        if whole:
            yield 0, len(text), "prose"
        else:
            yield from _windows(text, hits)
        return
    done = 0
    top = -1
    for count, hit in enumerate(hits):
        if hit < done:
            continue
        if count > _HITS:
            return
        start, end, place = _around(text, hit, done, syntax)
        if place == "code":
            top = head(text) if top < 0 else top
            if hit < top:
                start, end, place = 0, top, "comment"
        start, end = max(start, done), min(end, start + _BLOCK)
        if end > start:
            yield start, end, place
            done = end


def _windows(text: str, hits: list[int]) -> Iterator[tuple[int, int, str]]:
    """Prose: everything when it is short, else what lies near the hits."""
    if len(text) <= _BLOCK:
        yield 0, len(text), "prose"
        return
    start = end = -1
    for hit in hits[:_HITS]:
        if start < 0 or hit - _WINDOW > end:
            if end > 0:
                yield start, end, "prose"
            start = max(0, hit - _WINDOW)
        end = min(len(text), max(hit + _WINDOW, end))
    if end > 0:
        yield start, end, "prose"


def _around(text: str, hit: int, floor: int, syntax: Syntax) -> tuple[int, int, str]:
    line_start = text.rfind("\n", 0, hit) + 1
    line_end = _line_end(text, hit)
    for opening, closing in syntax.blocks:
        if opening == closing:
            if text.count(opening, 0, hit) % 2:
                start, end = text.rfind(opening, 0, hit), text.find(closing, hit)
                before = text[max(text.rfind("\n", 0, start) + 1, start - 200) : start]
                place = "code" if _VALUE.search(before) and not _OF_TERMS.search(before) else "comment"
                return start, len(text) if end < 0 else end, place
            continue
        start = text.rfind(opening, max(floor, hit - _BLOCK), hit)
        if text.startswith(closing, start):
            continue  # the end of a block begins as its beginning does
        if start >= 0 and text.find(closing, start + len(opening), hit) < 0:
            end = text.find(closing, hit)
            end = len(text) if end < 0 else end + len(closing)
            return (*_with_one_liners(text, start, end, opening, closing), "comment")
    before = text[max(line_start, hit - 2000) : hit].lstrip()
    for marker in syntax.lines:
        if _begins(before, marker):
            return (*_neighbours(text, line_start, line_end, syntax.lines), "comment")
    if "//" in syntax.lines and " //" in before and before.count('"') % 2 == 0:
        return hit - len(before), line_end, "comment"
    return max(line_start, hit - _NEAR), min(line_end, hit + _NEAR), "code"


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _begins(line: str, marker: str) -> bool:
    if not line.startswith(marker):
        return line == marker.rstrip()  # an empty line of a comment
    return (
        not marker[-1].isalnum()
        or len(line) == len(marker)
        or not (line[len(marker)].isalnum() or line[len(marker)] in "_(=.")
    )


def _neighbours(text: str, start: int, end: int, markers: tuple[str, ...]) -> tuple[int, int]:
    """A line comment with the lines around it that are comments as well; one empty line may stand in between."""
    lowest, highest = start - _BLOCK // 2, end + _BLOCK // 2
    at, blank = start, False
    while at > 0 and at > lowest:
        previous = text.rfind("\n", 0, at - 1) + 1
        line = text[previous : at - 1].strip()
        if any(_begins(line, marker) for marker in markers):
            start, blank = previous, False
        elif line or blank:
            break
        else:
            blank = True
        at = previous
    at, blank = end, False
    while at < len(text) and at < highest:
        following = _line_end(text, at + 1)
        line = text[at + 1 : following].strip()
        if any(_begins(line, marker) for marker in markers):
            end, blank = following, False
        elif line or blank:
            break
        else:
            blank = True
        at = following
    return start, end


def _with_one_liners(text: str, start: int, end: int, opening: str, closing: str) -> tuple[int, int]:
    """A comment that is one line, with the further one-line comments around it: a box drawn by hand."""
    if "\n" in text[start:end]:
        return start, end
    limit = start - _BLOCK // 2
    while start > limit:
        line_start = text.rfind("\n", 0, start) + 1
        if line_start == 0:
            break
        previous = text.rfind("\n", 0, line_start - 1) + 1
        line = text[previous : line_start - 1].strip()
        if not (line.startswith(opening) and line.endswith(closing)):
            break
        start = previous
    limit = end + _BLOCK // 2
    while end < limit:
        following = _line_end(text, end)
        if following >= len(text):
            break
        next_end = _line_end(text, following + 1)
        line = text[following + 1 : next_end].strip()
        if not (line.startswith(opening) and line.endswith(closing)):
            break
        end = next_end
    return start, end


def _read(
    block: str, first_line: int, place: str, spdx: dict[str, None], holders: dict[str, None], whole: bool, name: str
) -> Iterator[Notice]:
    """The notices of one block, and into `spdx` and `holders` what it says of these."""
    if place == "code":
        block = block.replace("\\n", " ").replace("\\t", " ")
    if block.count("%%Copyright:") >= _FIELDS:
        block = _FIELD.sub(r"\1", block)
    if "wrote:" in block:
        block = _answer(block)
    if "<" in block or "&" in block:
        block = without_markup(block) if place == "prose" else block
    if "[![" in block and place != "prose":
        block = _BADGE.sub("", block)
    if "spdx-" in block.lower():
        for tag in tags.stated(block, name, prose=place == "prose" and not whole) if place != "code" else ():
            spdx.setdefault(tag)
        block = tags.SPDX.sub("", block)
        block = _HOLDER_TAG.sub("Copyright ", block)
    paragraphs: list[tuple[int, int, list[str], bool]] = []  # first line, last line, lines, all rights reserved
    current: list[str] = []
    reserved = False
    after_statement = False
    number = begun = 0
    for number, raw in _lines(block, place):
        message = place == "prose" and not whole and '"' in raw and _MESSAGE.match(raw)
        line = "" if message or raw.lstrip().startswith("#!") else copyrights.clean(raw[:_LINE])
        if not line:
            if current or reserved:
                paragraphs.append((begun, number - 1, current, reserved))
                current, reserved = [], False
            after_statement = False
            continue
        if not current and not reserved:
            begun = number
        stated = copyrights.split(line)
        rights = "eserved" in line or "ESERVED" in line
        if rights and _RIGHTS.search(line):
            reserved = True
        if stated is not None:
            if place != "code":
                holder = copyrights.canonical(stated[0])
                if len(holder) > 3:
                    holders.setdefault(holder)
            after_statement = True
            if stated[1]:
                current.append(stated[1])
                after_statement = False
        elif (after_statement and copyrights.continues(line)) or (
            _AUTHOR.match(line) and len(line) < 100 and not whole
        ):
            continue
        else:
            after_statement = False
            current.append(_RIGHTS.sub(" ", line) if rights else line)
    if current or reserved:
        paragraphs.append((begun, number, current, reserved))
    for first, last in _ranges(paragraphs, whole):
        chosen = paragraphs[first : last + 1]
        lines = [line for _, _, part, _ in chosen for line in part]
        text = words(_NUMBERED.sub(" ", " ".join(lines)))[: _WORDS * 10 if whole else _WORDS]
        rights = any(part[3] for part in chosen)
        if not text and not rights:
            continue
        yield Notice(
            digest(text),
            " ".join(text),
            first_line + chosen[0][0],
            first_line + chosen[-1][1],
            place,
            "\n".join(lines)[:4000],
            rights,
        )


def _answer(block: str) -> str:
    """A mail without the lines that it quotes, with as many lines, when it speaks of terms itself: what somebody asked
    is no grant.
    """
    if not _WROTE.search(block) or len(_QUOTED.findall(block)) < _LINES_QUOTED:
        return block
    own = _QUOTED.sub("", block)
    return own if "icense" in own or "GPL" in own or "ublic domain" in own else block


def _lines(block: str, place: str) -> Iterator[tuple[int, str]]:
    """(number from 0, line) of a block; a very long line of prose, as in HTML that a program wrote, in pieces."""
    for number, raw in enumerate(block.split("\n")):
        if place != "prose" or len(raw) <= _LINE:
            yield number, raw
        else:
            for start in range(0, min(len(raw), _BLOCK), _LINE):
                yield number, raw[start : start + _LINE]


def _ranges(paragraphs: list[tuple[int, int, list[str], bool]], whole: bool) -> list[tuple[int, int]]:
    """Runs of paragraphs from one that speaks of licences to the last one near it that does."""
    if whole and paragraphs:
        return [(0, len(paragraphs) - 1)]
    meant = [index for index, part in enumerate(paragraphs) if part[3] or _MEANT.search(" ".join(part[2]))]
    found: list[tuple[int, int]] = []
    for index in meant:
        if found and index - found[-1][1] <= _GAP:
            found[-1] = (found[-1][0], index)
        else:
            found.append((index, index))
    return found

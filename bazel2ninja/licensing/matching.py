"""What a notice grants: its words compared with the reference texts, then with phrases; what is left is unexplained.

A text of N words is compared with all references at once through an index of three successive words.  Hits that lie on
a rising line belong to one occurrence of a reference; an occurrence counts its words found, less those
missing and half of those that stand in between.  So BSD-3-Clause wins over the BSD-2-Clause that it contains, and a
licence with a changed clause keeps the clause as unexplained words, for a person to read.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections import defaultdict
from collections.abc import Iterable

from bazel2ninja.licensing import expressions, gnu
from bazel2ninja.licensing.references import Reference, References
from bazel2ninja.records import dataclass

_REPEATS = 12  # occurrences of one reference in one text that are looked for
_ROOM = 1.3  # times the length of a reference; in a longer text it may be there twice
_NARROW = 12  # words, and a fifth of a reference: so far its words may be moved by what was added or left out
_BANDS = 5
_REACH = 90  # words between two hits of one occurrence
_ADDITION = 9  # words within an occurrence that the reference lacks; fewer are another wording
_GRANTED = 0.55  # of the words before the disclaimer that have to be there: without them a text grants something else
_LONG = 4000  # characters
_GONE = "\x00"  # stands for explained words, so that no phrase matches across them

_DOUBT = re.compile(
    r"\b(?:permission|redistribut\w+|licensed|sublicens\w+|prohibited|proprietary|confidential|commercial\w*|restrict\w+|"
    r"provided that|may not|must not|royalt\w+|charge|fee)\b"
)
_TERMS = re.compile(
    r"licen[cs]|public domain|copyright|gpl|permission|redistribut|creative commons|mozilla|apache|freely|commercial|patent|"  # noqa: E501
    r"confidential|proprietary|without restriction|any purpose"
)
_TITLE = re.compile(r"licen|under|terms|\x00 $")
# what something was under once
_ONCE = re.compile(
    r"\b(?:originally|formerly|previously) (?:released|licensed|distributed|published) under (?:\S+ ){1,12}?"
    r"(?=(?:but|and|now|then|later)(?: (?:has|have|was|is|been|later|since|now)){0,3} (?:re ?released|re ?licensed)\b)"
)
_MENTION = re.compile(
    r"(?:compatible (?:with|to)|instead of|requirements of|comply with the above|which uses?|"
    # at the end of SSLeay's, which forbids them
    r"(?:license|\x00) including|"
    r"\ba version is also available under|"
    # of another work that this one was made from, whose name stands before
    r"\bitself (?:is|was) (?:published|released|licensed|distributed|available) under)(?: both)?(?: the| a)?(?: gnu)? $"
)
_COPY = re.compile(r"\b(?:a )?cop(?:y|ies) of(?: both)?(?: the)?(?: gnu)? $")
_COMPATIBLE = re.compile(r"(?: (?:and|or) [al]?gpl)? compatible\b(?! (?:license|or|and))")  # approved as GPL compatible
_AS_ADJECTIVE = re.compile(r" (?:librar(?:y|ies)|modules?|interfaces?|plug ?ins?|replacement|variant)\b")
_SEE = re.compile(r" for more details\b")  # see the GNU General Public License for more details
# the GPL does not require acceptance
_AS_SUBJECT = re.compile(
    r" (?:does not|doesn t|requires?|allows?|permits?|forbids?|prohibits?|says?|states?|demands?)\b"
)
_NOT = re.compile(r"\b(?:not|never)(?: be)?(?: necessarily| currently| yet| itself)?(?: be)? ?$")
_STATED = re.compile(r"\b(?:code|file|software|program|library|module|script|this) is $")
_REDISTRIBUTE = re.compile(
    r"\bredistribute (?:it )?and or modify (?:it )?under the terms of (?:version \S+ of )?(?:the )?$"
)
_INCORPORATED = " incorporates work covered by the following "  # what is below offers no choice with what is above
_LICENSED = re.compile(r"(?<!not)(?<!not be) licensed $")  # "Copyright A. Body and others; Licensed MIT", at the end
_NEAR = 80  # characters between two names of one list
_HEAD = 1200  # characters of a licence file in which a project says what it is under
_PROJECT_IS = re.compile(
    r"\b(?:this (?:\w+ )?(?:software|project|program|library|package|distribution|work|game|application|module|code)|"
    r"the (?:\w+ ){0,2}(?:project|program|package|software|library|distribution|code)|"
    r"(?:all|most) (?:of )?(?:the )?(?:other )?(?:\w+ )?(?:code|files|sources?)|everything(?: else)?|"
    r"(?!which|that|it|they|and)\w+) (?:itself )?"
    r"(?:is|are|has been) (?:free software )?(?:now |also |hereby |generally |primarily |all |dual )?"
    r"(?:licensed|released|distributed|covered|provided|available|made available|published|placed)\b|"
    r"^(?:\w+ ){1,4}(?:is|are|comes) under\b"
)
_GOES_ON = re.compile(r"\b(?:and|or)(?: under)?(?: the| an?)? $")
_HARMLESS = re.compile(
    r"\b(?:redistribute it and or modify it|you may not use this file except in compliance|see (?:the )?\S* ?license|all rights reserved|"  # noqa: E501
    r"restrict(?:ed)? (?:pointer|qualifier|keyword)|free of charge|licensed material|"
    r"(?:read|write|file|access|execute)\w* permissions?|permissions? (?:denied|bits?|error|mode)|restrict\w* to|is restricted|restriction)\b"  # noqa: E501
)
# "the GPL or the MIT license", with both names gone; the first may be the last of a list
_OR = re.compile(
    r"\bdual \x00|\x00 (?:and )?or(?: alternatively)?(?: under)?(?: the| an?)?(?: terms of(?: the)?)? \x00"
)
_CHOICE = re.compile(
    r"\b(?:(?<!in the documentation are )(?:dual|double|tri|triple|multi|multiple)(?:ly)? ?licens(?:ed?|ing)|choose and use the license|you may also (?:consider|treat) (?:this|the) (?:file|code|work) |discretion of (?:the|any) user|at your discretion|licensed under (?:\w+ ){1,5}or|alternatively(?! (?:at|from|see|on)\b)|(?:under|of) either|either of|or under the following terms|"  # noqa: E501
    r"(?:may|can) (?:also )?(?:choose|be used under)|(?:it|they|files?|software|program|code|work|library) (?:may|can) also be (?:used|copied|(?:re)?distributed|(?:re)?licensed|modified)|"  # noqa: E501
    r"you (?:may|can) also(?: at your option)? (?:use|copy|distribute|redistribute) (?:this|it)\b|"
    r"at your option (?:this|the|it|you)(?: \w+){0,3} (?:may|can) also be|use the one you|at your choice|your choice of|artistic license or|or (?:of )?(?:the )?(?:perl )?artistic license|whichever|license (?:[\w.]+ ){1,6}or(?= \x00)|licen[cs]ed? (?:under )?\x00+ or|license (?:waiver )?or (?:\w+ ){1,6}at your option|you may select|one of the (?:above|following|two|three)(?: \w+)? licenses|mutually exclusive (?:\w+ ){0,3}licenses|"  # noqa: E501
    r"or (?:under )?(?:the )?(?:mit|apache|bsd|isc|zlib|boost|unlicense|x11|expat)\b(?: \S+){0,14}? at your option)\b"
)
_POINTER = re.compile(
    r"\b(?:(?:see|in|by|to|with|from|read|per|of)(?: the)?(?: accompanying| enclosed| included| top level| root| project| main| file){0,4}"  # noqa: E501
    r"(?: called| named| file){0,3} |for (?:license|licensing|copyright)(?: and copyright)? (?:information|details|terms) see(?: the)?(?: file)? )"  # noqa: E501
    r"((?:un)?licen[cs]e(?! agreement\b)|copying(?: lib(?:v[23])?)?|copyright|legal|readme|notice)(?: (txt|md|rst|html|apache|mit|bsd|gpl|lgpl|libpng|zlib))?\b"  # noqa: E501
)

_FREELY = "LicenseRef-freely-usable"
# a sentence that begins as if anything were allowed
_NOT_FREELY = re.compile(
    r"\bnot (?:be )?(?:sell|sold)\b|\bnoncommercial(?:ly)? (?:use|purposes?|only)\b|\bin (?:an )?unmodified form\b|"
    r"\bwithout (?:any )?(?:modifications?|changes?|alterations?) (?:is|are) (?:allowed|permitted|granted)\b"
)

_VAGUE_BSD = "LicenseRef-BSD-unspecified"
_DESCRIBED = re.compile(
    r"\b(?:apache(?: license)?(?: \d(?:\.\d)?)?|mit|isc|x11|zlib|boost)(?: license)? a? ?$"
)  # Apache (BSD-like)
_VAGUE_CC = "LicenseRef-CC-unspecified"
_CC_ADDRESS = re.compile(r"\bcreativecommons org licenses (by(?: (?:nc|nd|sa))*) (\d(?:\.\d)?)\b")


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A reference found in the words [start, end) of a notice; coverage: share of the reference's words found.

    additions: spans of words within it that the reference lacks, such as a further condition.
    """

    expression: str
    kind: str
    start: int
    end: int
    coverage: float
    score: float
    additions: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Classification:
    """What a notice's words say.

    expression: SPDX, "" when nothing was recognised. basis: "text", "notice", "phrase", "pointer" or "". `alone`: each
    expression found, in order. pointer: name of the file that the notice refers to ("license", "copying" ...), or "".
    unexplained: words that look like terms and that no reference explains. flags: kinds of doubtful terms.
    coverage: of the least well matched reference, 1 for phrases.
    """

    expression: str
    basis: str
    alone: tuple[str, ...] = ()
    pointer: str = ""
    unexplained: str = ""
    flags: tuple[str, ...] = ()
    coverage: float = 1.0


def classify(text: str, references: References, *, whole: bool = False) -> Classification:
    """Classifies normalised words, joined by spaces; whole: a licence file, in which names of licences are titles."""
    tokens = text.split(" ") if text else []
    occurrences = _best(occurrences_of(tokens, references))
    taken = [False] * len(tokens)
    for occurrence in occurrences:
        for position in range(occurrence.start, occurrence.end):
            taken[position] = True
        for start, end in occurrence.additions:
            if _DOUBT.search(" ".join(tokens[start:end])):
                taken[start:end] = [False] * (end - start)
    rest = " ".join(_GONE if gone else token for gone, token in zip(taken, tokens, strict=True))
    rest = re.sub(f"{_GONE}(?: {_GONE})+", _GONE, rest)
    if "originally" in rest or "formerly" in rest or "previously" in rest:
        rest = _ONCE.sub(f"{_GONE} ", rest)
    if len(rest) > _LONG:
        rest = _near_terms(rest)
    found = [occurrence.expression for occurrence in occurrences]
    basis = "text" if any(o.kind == "text" for o in occurrences) else "notice" if occurrences else ""
    has_text = any(o.kind == "text" and o.end - o.start > 120 for o in occurrences)
    spans: list[tuple[int, int]] = []
    stated: list[str] = []
    leading: list[str] = []  # what a licence file grants itself before it gives the first text
    for statement in gnu.read(rest):
        stated += [statement.expression] if statement.expression else []
        spans.append((statement.start, statement.end))
        before = rest[: statement.start]
        if statement.expression and _GONE not in before and _REDISTRIBUTE.search(before[-_NEAR:]):
            leading.append(statement.expression)
    named: list[str] = []
    more: list[tuple[int, int]] = []
    both = _choice_before(rest, references) if whole and has_text else ""
    if both:
        found = [both]
    offered = not both and len(set(found)) == 1 and _CHOICE.search(rest) is not None
    if offered or not (whole and has_text):
        named, more = _phrases(rest, references, short=len(tokens) <= 14, taken=spans)
        if any(each.startswith("BSD-") for each in found):
            named = [each for each in named if "BSD-" not in each]  # the text tells which one its title means
        if stated or named:
            basis = basis or "phrase"
        found += stated + named
        if found == [_FREELY] and _NOT_FREELY.search(rest):
            found, basis, more = [], "", []
    elif not both:
        found = (leading or _of_the_whole(rest, references)) + found
    address = _CC_ADDRESS.search(rest) if _VAGUE_CC in found else None
    if address is not None:
        version = address[2] if "." in address[2] else address[2] + ".0"
        exact = f"CC-{address[1].replace(' ', '-').upper()}-{version}"
        found = [exact if each == _VAGUE_CC else each for each in found]
    plain = _without(rest, spans + more)
    choice = _CHOICE.search(_without(rest, spans)) is not None or (
        len(stated + named) > 1 and _OR.search(plain) is not None
    )
    pointer = _POINTER.search(rest)
    found = simplified(found)
    licences = [each for each in found if not is_exception(each)]
    exceptions = [each for each in found if is_exception(each)]
    expression = _combined(licences, exceptions, choice=choice)
    if " OR " in expression and len(licences) > 1 and not whole:
        own, incorporated, other = text.partition(_INCORPORATED)
        sides = [classify(each, references).expression for each in (own, other)] if incorporated else []
        expression = expressions.joined(sides) if all(sides) and sides else expression
    name = "" if pointer is None else pointer[1].split(" ")[0] + ("." + pointer[2] if pointer[2] else "")
    if not expression and name:
        basis = "pointer"
    return Classification(
        expression,
        basis,
        tuple(found),
        name,
        _unexplained(plain),
        tuple(sorted({flag.kind for flag in references.flags if flag.pattern.search(plain if whole else rest)})),
        round(min((o.coverage for o in occurrences), default=1.0), 3),
    )


def _choice_before(rest: str, references: References) -> str:
    """The choice that a licence file names in a few words before the texts of its sides: the same terms as Perl."""
    head = rest.partition(_GONE)[0][-_LONG:]
    named, _ = _phrases(head, references, short=False, taken=[])
    return next((each for each in named if " OR " in each), "")


def _of_the_whole(rest: str, references: References) -> list[str]:
    """The licence under which a licence file's first words place the project, before the texts of its parts."""
    head = rest.partition(_GONE)[0][:_HEAD]
    said = _PROJECT_IS.search(head)
    if said is None:
        return []
    statements = [each for each in gnu.read(head) if each.expression]
    stated = [(each.start, each.expression) for each in statements]
    named, places = _phrases(head, references, short=False, taken=[(each.start, each.end) for each in statements])
    stated += [(place[0], each) for place, each in zip(places, named, strict=False)]
    near = sorted(each for each in stated if said.start() <= each[0] <= said.end() + _NEAR)
    return [near[0][1]] if near and near[0][1] not in _UNVERSIONED else []


def _without(text: str, spans: list[tuple[int, int]]) -> str:
    """`text` with the spans blanked out, at the same offsets."""
    for start, end in spans:
        text = text[:start] + _GONE * (end - start) + text[end:]
    return text


def _near_terms(rest: str) -> str:
    """Of a long text only what stands near a word about terms: phrases need no more."""
    pieces = []
    end = 0
    for match in _TERMS.finditer(rest):
        if match.start() < end:
            continue
        start = max(end, rest.rfind(" ", 0, max(0, match.start() - 400)) + 1)
        end = rest.find(" ", match.end() + 400)
        end = len(rest) if end < 0 else end
        pieces.append(rest[start:end])
    return f" {_GONE} ".join(pieces)


def occurrences_of(tokens: list[str], references: References) -> list[Occurrence]:
    """Every sufficiently complete occurrence of every reference; they may overlap."""
    hits: dict[int, list[tuple[int, int]]] = defaultdict(list)
    index = references.index
    for position in range(len(tokens) - 2):
        places = index.get((tokens[position], tokens[position + 1], tokens[position + 2]))
        if places is not None:
            for number, place in places:
                hits[number].append((position, place))
    found: list[Occurrence] = []
    for number, places in hits.items():
        reference = references.references[number]
        needed = _threshold(reference) * len(reference.words)
        if (len({place for _, place in places}) + 2) * 1.5 + 4 >= needed:
            found += _chains(reference, places, needed)
    return found


def _threshold(reference: Reference) -> float:
    length = len(reference.words)
    if reference.kind == "notice":
        return 0.72 if length > 40 else 0.8
    return 0.72 if length > 100 else 0.8 if length > 40 else 0.88


def _chains(reference: Reference, hits: list[tuple[int, int]], needed: float) -> list[Occurrence]:
    """Occurrences of one reference, from its hits (position in the text, position in the reference), in text order."""
    found = []
    for _ in range(_REPEATS):
        chain = _longest_chain(hits)
        if hits and hits[-1][0] - hits[0][0] > len(reference.words) * _ROOM:
            # another text that shares a part with this one may have taken the words of both
            chain = max(chain, _longest_chain(_in_one_place(hits, len(reference.words))), key=len)
        covered = {place + offset for _, place in chain for offset in (0, 1, 2)}
        if len(covered) < needed:
            break
        start, end = chain[0][0], chain[-1][0] + 3
        granted = sum(place in covered for place in range(reference.granting))
        if reference.critical <= covered and granted >= reference.granting * _GRANTED:
            positions = {position + offset for position, _ in chain for offset in (0, 1, 2)}
            total = len(reference.words)
            extra = (end - start) - len(positions)
            score = len(covered) - (total - len(covered)) - extra / 2
            if score > 0:
                share = len(covered) / total
                additions = tuple(
                    (before + 3, after)
                    for (before, _), (after, _) in itertools.pairwise(chain)
                    if after - before - 3 >= _ADDITION
                )
                found.append(Occurrence(reference.expression, reference.kind, start, end, share, score, additions))
        hits = [hit for hit in hits if hit[0] < start or hit[0] >= end]
        if len(hits) + 2 < needed * 0.5:
            break
    return found


def _in_one_place(hits: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """The hits of the place in a text where most words of a reference of this length stand: those at about the same
    distance from where it would begin.
    """
    width = max(_NARROW, length // _BANDS)
    bands: dict[int, int] = defaultdict(int)
    for position, place in hits:
        bands[(position - place) // width] += 1
    best = max(bands, key=lambda band: (bands[band] + bands.get(band + 1, 0), -band))
    return [hit for hit in hits if best - 1 <= (hit[0] - hit[1]) // width <= best + 2]


def _longest_chain(hits: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The most hits that rise in both text and reference, cut where the text has a gap; the longest piece.

    The longest increasing subsequence by patience sorting: n log n, whatever the text.
    """
    ordered = sorted(hits, key=lambda hit: (hit[0], -hit[1]))
    tails: list[int] = []  # place of the last hit of the best chain of each length
    last: list[int] = []  # and the index of that hit
    before = [-1] * len(ordered)
    for index, (_, place) in enumerate(ordered):
        length = bisect.bisect_left(tails, place)
        if length == len(tails):
            tails.append(place)
            last.append(index)
        else:
            tails[length] = place
            last[length] = index
        before[index] = last[length - 1] if length else -1
    chain: list[tuple[int, int]] = []
    at = last[-1] if last else -1
    while at >= 0:
        chain.append(ordered[at])
        at = before[at]
    chain.reverse()
    best: list[tuple[int, int]] = []
    begun = 0
    for index in range(1, len(chain) + 1):
        if index == len(chain) or chain[index][0] - chain[index - 1][0] > _REACH:
            if index - begun > len(best):
                best = chain[begun:index]
            begun = index
    return best


def _best(found: list[Occurrence]) -> list[Occurrence]:
    """The occurrences that explain the text: the highest scores first, none over another, in text order."""
    chosen: list[Occurrence] = []
    taken: set[int] = set()
    for occurrence in sorted(found, key=lambda o: (-o.score, -o.coverage, len(o.expression), o.expression)):
        span = range(occurrence.start, occurrence.end)
        if sum(position in taken for position in span) * 5 <= len(span):
            chosen.append(occurrence)
            taken.update(span)
    return sorted(chosen, key=lambda o: o.start)


def _phrases(
    rest: str, references: References, *, short: bool, taken: list[tuple[int, int]]
) -> tuple[list[str], list[tuple[int, int]]]:
    """Licences named in passing, with the characters that name them: the longest name at each place."""
    candidates: list[tuple[int, int, str, bool]] = []
    going_on: list[tuple[int, int, str, bool]] = []
    for phrase in references.phrases:
        for count, match in enumerate(phrase.pattern.finditer(rest)):
            if count > 40:
                break
            start, end = match.span()
            if any(start < last and first < end for first, last in taken):
                continue
            if phrase.name:
                before = rest[max(0, start - 160) : start]
                if (
                    _MENTION.search(before)
                    or (phrase.expression == _VAGUE_BSD and _DESCRIBED.search(before))
                    or _COMPATIBLE.match(rest, end)
                    or (phrase.expression in _UNVERSIONED and _SEE.match(rest, end))
                    or (phrase.expression in _GNU_UNVERSIONED and _AS_SUBJECT.match(rest, end))
                ):
                    continue
                if taken and phrase.expression in _GNU_UNVERSIONED and _COPY.search(before):
                    continue  # a copy that comes with it: what it is under has been told
                grant = references.grant.search(before) if references.grant else None
                if short:
                    whole = start == 0 and end >= len(rest.rstrip())
                    exact = phrase.expression.startswith("CC-BY-")  # with its version
                    if not (whole or exact or _TITLE.search(rest) or _STATED.search(before)):
                        continue
                elif grant is None and not (_LICENSED.search(before) and end >= len(rest.rstrip())):
                    if _GOES_ON.search(before):
                        going_on.append((start, end, phrase.expression, phrase.weak))
                    continue
                if grant is not None and _NOT.search(before, 0, grant.start()):
                    continue
                used = grant is not None and "under" not in grant[0] and "licens" not in grant[0]
                if used and phrase.expression in _GNU_UNVERSIONED and _AS_ADJECTIVE.match(rest, end):
                    continue
                licensed = _LICENSED.search(before)
                if grant is not None:
                    start -= len(before) - grant.start()
                elif licensed is not None and not short:
                    start -= len(before) - licensed.start()
            candidates.append((start, end, phrase.expression, phrase.weak))
    for each in sorted(going_on):
        ends = [end for _, end in taken] + [candidate[1] for candidate in candidates]
        if any(each[0] - _NEAR < end < each[0] for end in ends):
            candidates.append(each)
    candidates.sort(key=lambda c: (c[3], -(c[1] - c[0]), c[0]))
    chosen: list[tuple[int, int, str, bool]] = []
    for start, end, expression, weak in candidates:
        if weak and (chosen or taken):
            continue
        if not any(start < last and first < end for first, last, _, _ in chosen):
            chosen.append((start, end, expression, weak))
    chosen.sort()
    return [c[2] for c in chosen if c[2]], [(c[0], c[1]) for c in chosen]  # some say nothing


def is_exception(expression: str) -> bool:
    """Whether an identifier is an addition to a licence, not a licence."""
    return ("exception" in expression.lower() and " " not in expression) or expression == "Linux-syscall-note"


_UNVERSIONED = {
    "GPL-1.0-or-later": "GPL-",
    "LGPL-2.0-or-later": "LGPL-",
    "GFDL-1.1-or-later": "GFDL-",
    "LicenseRef-BSD-unspecified": "BSD-",
    "LicenseRef-CC-unspecified": "CC",
    "LicenseRef-freely-usable": "",
}
_GNU_UNVERSIONED = ("GPL-1.0-or-later", "LGPL-2.0-or-later")
# what gives everything to the public, in their own words
TO_THE_PUBLIC = frozenset({"CC0-1.0", "Unlicense", "NCBI-PD", "blessing", "PDDL-1.0", "bcrypt-Solar-Designer"})


def simplified(found: Iterable[str]) -> list[str]:
    """Each once, without the vague statements that a more exact one of the same family makes superfluous."""
    found = list(dict.fromkeys(found))
    sides = {key for each in found if " OR " in each for key in expressions.keys(each)}
    kept = []
    for each in found:
        if sides and " " not in each and sides & {each, each.replace("-only", "-or-later")}:
            continue  # one side of a choice, named beside it
        family = _UNVERSIONED.get(each)
        if family is not None and any(other != each and other.startswith(family) for other in found):
            continue
        if each == "LicenseRef-public-domain" and TO_THE_PUBLIC.intersection(found):
            continue
        if any(other.startswith(f"{each} WITH ") for other in found):
            continue  # the exception stands in a notice of its own
        if each == "CDDL-1.0" and "CDDL-1.1" in found:
            continue  # the name without a version, further on
        if each == "libpng-1.6.35" and ("Libpng" in found or "libpng-2.0" in found):
            continue  # the same but for the list of versions, or the text of what version 2 was made from
        if each == "Libpng" and "libpng-2.0" in found:
            continue  # the name without a version, above the text
        if each.endswith("-only") and each.removesuffix("-only") + "-or-later" in found:
            continue
        kept.append(each)
    return kept


def _combined(licences: list[str], exceptions: list[str], *, choice: bool) -> str:
    """One SPDX expression: exceptions belong to the first licence of the GNU family."""
    parts = []
    waiting = list(exceptions)
    for each in licences:
        if waiting and "GPL" in each and " WITH " not in each:
            parts.append(f"{each} WITH {waiting.pop(0)}")
        else:
            parts.append(each)
    if len(parts) == 1:
        return parts[0]
    operator = " OR " if len(parts) < 4 and choice else " AND "
    return operator.join(f"({part})" if " OR " in part or " AND " in part else part for part in parts)


def _unexplained(plain: str) -> str:
    """The words around the first doubtful term that nothing explains, at most 40 of them."""
    text = _HARMLESS.sub(lambda match: _GONE * len(match[0]), plain)
    match = _DOUBT.search(text)
    if match is None:
        return ""
    before = plain[: match.start()].replace(_GONE, " ").split()[-14:]
    after = plain[match.start() :].replace(_GONE, " ").split()[:26]
    return " ".join(before + after)

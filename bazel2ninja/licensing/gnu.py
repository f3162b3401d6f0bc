"""The notices of the GNU licences: the same few statements in a hundred wordings, so they are read, not compared."""

from __future__ import annotations

import re

from bazel2ninja.records import dataclass

_NAME = re.compile(
    r"\b(?:gnu )?"
    r"(?P<kind>(?:library or lesser|lesser or library|library|less[eo]r|affero|free documentation)(?: gnu)? )?"
    r"(?:(?:general )?public license\b|(?P<short>\b(?:[al]?gpl|g?fdl)\b)|(?<=free documentation )license)"
)
_VERSION = re.compile(r"\b(?:either |under )?(?:version|versions|ver|v) (\d(?:\.\d)?)\b")
_BARE_VERSION = re.compile(r"^(?: license)?(?: (?:[al]?gpl|g?fdl))? (\d(?:\.\d)?)\b")
_TWO_VERSIONS = re.compile(r"\b(?:versions? )?(\d(?:\.\d)?) (?:and or|or)(?: version)? (\d(?:\.\d)?) of the (?:gnu )?$")
_LATER = re.compile(
    r"^(?: of(?: the)?(?: gnu)?(?: [al]?gpl)?(?: license)?| the license| license| as published by the free software foundation(?: inc)?)*"  # noqa: E501
    r"(?: only)?(?: or| and)?(?: \w+)?(?: at your option)?(?: any| a)?(?: later| newer| above| greater| higher)\b"
)
# "version 2 or (at your option) version 3"
_OR_VERSION = re.compile(
    r"^(?: of(?: the)?(?: gnu)?(?: [al]?gpl)?(?: license)?| the license| license)*(?: and)? or(?: at your option)?"
    r" (?:version )?(\d(?:\.\d)?)\b(?! of(?! the license\b)| or| \w+ later| clause)"
)
# "a later version at the discretion of A Body": nobody else may choose one
_BY_ANOTHER = re.compile(
    r"^(?: versions?)?(?: of the (?:license|[al]?gpl))?(?: that (?:is|are|has been|have been))?"
    r" (?:(?:accepted|approved|endorsed) by|(?:at the (?:sole )?(?:discretion|option) of))"
    r"(?! (?:the )?(?:user|recipient|licensee|you)\b)"
)
_OR_LATER = re.compile(r"\b(?:any|or|a|and) (?:at your option )?(?:any )?(?:later|newer|above|higher|greater)\b")
_MENTION = re.compile(
    r"(?:copy of|see|read|copy of both|for more details|incompatible with|compatible (?:with|to)|\bcddl|refer to|than|"
    r"\b(?:transitioning|migrating|moving|switching|changing)(?: \w+){0,4} to|"
    r"not (?:necessarily )?(?:licensed|released|distributed|covered) (?:under|by)|"
    r"last (?:one|version|release) (?:released |available |licensed |that was )*under)(?: both)?(?: the| a)?(?: gnu)? ?$"  # noqa: E501
)
# what follows them is another licence's version
_OTHER_NAME = re.compile(
    r"\b(?:or|and)(?: under)?(?: the| an?)? (?:\w+ )?"
    r"(?:apache|artistic|mozilla|mpl|boost|bsl|creative commons|cc|eclipse|epl|cddl|common development|academic free|"
    r"open software|python|php|zope)\b"
)
_ADDRESS = re.compile(r"gnu org (?:licenses|copyleft)(?: old licenses)? $")  # of a text on the web
_GRANT = re.compile(
    r"(?:terms|conditions|under|license|licensed|subject to|covered by|distributed|per|with|or|and|is|either|the)"
    r"(?: and conditions)?(?: of| by)?(?: either| both)?(?: the| a| an)?(?: terms of the)?(?: version \S+ of the)?(?: gnu)? ?$"  # noqa: E501
    r"|\blicense (?:www )?(?:gnu|opensource|fsf) org (?:[\w.]+ ){1,6}$"  # a tag of phpDocumentor: address, then name
)
_FEW_WORDS = 100  # characters of a notice that has no room for anything but the name, the version and "or later"
# a number that stands near is not always the licence's
_VERSIONS = {
    "GPL": ("1.0", "2.0", "3.0"),
    "LGPL": ("2.0", "2.1", "3.0"),
    "AGPL": ("1.0", "3.0"),
    "GFDL": ("1.1", "1.2", "1.3"),
}
_FAMILY = {"": "GPL", "library": "LGPL", "lesser": "LGPL", "lessor": "LGPL", "affero": "AGPL", "free": "GFDL"}

_SHORT = {"gpl": "GPL", "lgpl": "LGPL", "agpl": "AGPL", "gfdl": "GFDL", "fdl": "GFDL"}


@dataclass(frozen=True, slots=True)
class Statement:
    """`expression` with the span of characters that says so, in normalised words; "" for an address beside others."""

    expression: str
    start: int
    end: int


def read(text: str) -> list[Statement]:
    """Every GNU licence that normalised words place something under, with its version; mentions are left out."""
    found: list[Statement] = []
    addresses: list[Statement] = []
    unversioned: list[Statement] = []
    if not any(name in text for name in ("gpl", "fdl", "public license", "free documentation")):
        return found
    for match in _NAME.finditer(text):
        kind = (match["kind"] or "").split(" ")[0]
        short = match["short"] or ""
        if not kind and not short and "gnu" not in match[0] and "general" not in match[0]:
            continue
        before = text[max(0, match.start() - 80) : match.start()]
        after = text[match.end() : match.end() + 260]
        if _MENTION.search(before):
            continue
        family = _SHORT.get(short, "") or _FAMILY[kind]
        version, later, end = _version(before, after)
        if version is None and family == "AGPL" and _GRANT.search(before):
            # the Free Software Foundation has published no other version of it than 3
            unversioned.append(Statement("AGPL-3.0-or-later", match.start(), match.end()))
        told = later and len(text) < _FEW_WORDS
        if version is None or not (_GRANT.search(before) or match.start() == 0 or found or told):
            continue
        if family == "LGPL" and version == "2":
            version = "2.0"
        elif "." not in version:
            version += ".0"
        if version not in _VERSIONS[family]:
            continue
        suffix = "or-later" if later else "only"
        two = _TWO_VERSIONS.search(text[max(0, match.start() - 40) : match.start()])
        if two is not None and f"{two[1]}.0" in _VERSIONS[family] and f"{two[2]}.0" == version and not later:
            found.append(
                Statement(f"{family}-{two[1]}.0-only OR {family}-{version}-only", match.start(), match.end() + end)
            )
            continue
        more = None if later or not end else _OR_VERSION.match(after[end:])
        if more is not None and f"{more[1]}.0" in _VERSIONS[family]:
            end += more.end()
            stated = Statement(
                f"{family}-{version}-only OR {family}-{more[1]}.0-only", match.start(), match.end() + end
            )
        else:
            stated = Statement(f"{family}-{version}-{suffix}", match.start(), match.end() + end)
        (addresses if _ADDRESS.search(before) else found).append(stated)
    if not found:
        return addresses or unversioned  # where the text can be read tells the version when nothing else does
    return found + [Statement("", each.start, each.end) for each in addresses]


def _version(before: str, after: str) -> tuple[str | None, bool, int]:
    """(version, whether later ones may be chosen, characters of `after` that say so)."""
    for name in (_NAME, _OTHER_NAME):
        following = name.search(after)
        if following is not None:
            after = after[: following.start()]
    bare = _BARE_VERSION.match(after)
    found = bare or _VERSION.search(after)
    if found is not None and (bare or found.start() < 110):
        rest = after[found.end() :][:110]
        later = _LATER.match(rest) or _OR_LATER.search(rest[:60])
        end = found.end() + (later.end() if later else 0)
        free = later is not None and _BY_ANOTHER.match(after[end:]) is None
        return found[1], free, end
    earlier = None
    for earlier in _VERSION.finditer(before):  # noqa: B007 - the last one is meant
        pass
    if earlier is not None and len(before) - earlier.end() < 50:
        later = _OR_LATER.search(before[earlier.end() :]) or _LATER.match(after[:60])
        return earlier[1], later is not None, 0
    return None, False, 0

"""Copyright statements: told from the other lines of a notice, and brought to one form."""

from __future__ import annotations

import re

# what stands at the edge of a comment's lines, in any language; markers that are words are dealt with apart
_EDGE = " \t\r\f\v*/#;%!|<>=+~_'\"\\{}[]@-:.,"
_END = ' \t\r\f\v*/#|=\\"~_-'
_WORD_MARKERS = ("dnl ", "REM ", "rem ", "C ", "c ", '" ', "@rem ", "@REM ", "* ", ".. ", "=head1 ", "=head2 ")

_START = re.compile(
    r"(?:(?:portions?|parts?|modifications?|additions?|some code|changes|code|original(?: code| version)?|includes)"
    r"(?: are| is| of| by)?[ ,:]+)?(?:(?:the )?copyrights?\b|\(c\)[ \d]|\xa9|&copy;|copr\.? |spdx-filecopyrighttext)",
    re.IGNORECASE,
)
_INSIDE = re.compile(
    r"(?:\bcopyright[ :,]{1,3}(?:by |in |\(c\)|\xa9|&copy;|\d{4})|\(c\) ?(?:copyright )?(?:19|20)\d\d|\xa9 ?\d{4}|&copy; ?\d{4})",  # noqa: E501
    re.IGNORECASE,
)
_SIGN = re.compile(
    r"copyrights?\b|\(c\)|\xa9|&copy;|&#169;|\\\(co|\\copyright|copr\.|spdx-filecopyrighttext", re.IGNORECASE
)
_NOT_A_HOLDER = re.compile(
    r"[:\s]*(?:notices?|holders?|owners?|laws?|protect\w*|interests?|statements?|licen\w*|disclaimers?|assign\w*|status|"
    r"claims?|headers?|infring\w*|text|messages?|years?|information|infos?|blocks?|comments?|symbol|act|and (?:licen|this|"  # noqa: E501
    r"other|related|perm|war)\w*|in (?:this|the)|of (?:this|the|its)|is (?:hereby|retained|not|owned|held|assigned)|to (?:this|the|use)|"  # noqa: E501
    r"as (?:applied|an|a)\b|or (?:other|licen\w*|trade\w*|patent\w*)|under|file|files|line|lines|has been|which|that|patent|"  # noqa: E501
    r"management|(?:to|in) |relinquish|for (?:this|the)|term|issues?|permission|see|below|belongs|remains|material|work|does|on |are |"  # noqa: E501
    r"doctrine|date|section|string|field|page|dialog|tag|metadata|attribution|exception)\b|[:\s]*[=&|?+,)\]]",
    re.IGNORECASE,
)
_YEARS = re.compile(r"(?:19|20)\d\d(?:\s*[-\u2013,/]\s*(?:(?:19|20)?\d\d|present))*", re.IGNORECASE)
_RIGHTS = re.compile(r"[.,;]?\s*all rights? reserved\.?", re.IGNORECASE)
_GRANT = re.compile(
    r"\b(?:(?:(?:dual|double|tri|triple|multi|multiple)(?:ly)?[- ]?)?licen[cs]ed under|released under|distributed under|permission is|permission to|redistribution and|this (?:file|software|program|"  # noqa: E501
    r"library|code|work|project|document|manual|page|article|script|module|package) (?:is|has been|may)|use of this|may be (?:used|freely|distributed)|subject to|see |under the|this source|"  # noqa: E501
    r"you may|freely|licen[cs]e)|(?<=[|,;/(-]) {0,3}(?:[al]?gpl(?:[- ]?v?\d|\b)|(?:bsd|apache|mpl|cc|epl)-[\w.-]*\d)",
    re.IGNORECASE,
)
# the name before the word: "Copyright 2015 Some Holder, MIT licensed"
_NAMED = re.compile(
    r"[.,;|][ \t]*((?:(?:source|code|released|is|under|the|new|simplified|[23][- ]clause) )?"
    r"(?:MIT|L?GPL(?:v?[\d.]{1,4})?|BSD(?: [23]-clause)?|ISC|X11|Apache(?:[- ]2\.0)?|Artistic|zlib|Boost(?: Software)?)[ \t]{1,4})$",  # noqa: E501
    re.IGNORECASE,
)
_LICENCE = re.compile(r"@?licen[cs]ed?\b", re.IGNORECASE)  # "License: MIT, Copyright 2015 Some Holder"
_LONGEST = 400  # characters of one statement; more is no holder's name


def clean(line: str) -> str:
    """A line without comment marks and decoration at its edges."""
    line = line.strip()
    for marker in _WORD_MARKERS:
        if line.startswith(marker):
            line = line[len(marker) :]
            break
    return line.lstrip(_EDGE).rstrip(_END)


def split(line: str) -> tuple[str, str] | None:
    """(statement, what follows it) when a clean line states a copyright, else None."""
    low = line.lower()
    if "copyr" not in low and "(c)" not in low and "\xa9" not in low and "&copy" not in low and "copr" not in low:
        return None
    begin = _START.match(line)
    if begin is None:
        begin = _INSIDE.search(line)
        if begin is None:
            return None
    sign = _SIGN.search(line, begin.start())
    if sign is None:
        return None
    rest = line[sign.end() :]
    if _NOT_A_HOLDER.match(rest) and not re.match(r"[\s:]*\(c\)", rest, re.IGNORECASE):
        return None
    if not rest.strip(" .:()") or not (_YEARS.search(rest) or re.search(r"[A-Z<]|\(c\)|\xa9", rest)):
        return None
    following = ""
    grant = _GRANT.search(line, sign.end())
    if grant is not None:
        at = grant.start()
        named = _NAMED.search(line, sign.end(), at)
        at = at if named is None else named.start(1)
        following, line = line[at:], line[:at]
    before = line[: begin.start()]
    if before and _LICENCE.match(before):
        following = f"{before.rstrip()} {following}".rstrip()
    return line[sign.start() :][:_LONGEST], following


def canonical(statement: str) -> str:
    """ "2015-2020 Some Holder": years and holder, without sign, decoration and "all rights reserved"."""
    text = _SIGN.sub(" ", statement)
    text = _RIGHTS.sub("", text)
    years = ", ".join(dict.fromkeys(re.sub(r"\s", "", found) for found in _YEARS.findall(text)))
    holder = " ".join(_YEARS.sub(" ", text).split()).strip(" ,.;:-()*/|")
    holder = re.sub(r"^(?:by|the|,)\s+(?=[A-Z])", "", holder)
    return f"{years} {holder}".strip()


def continues(line: str) -> bool:
    """Whether a clean line right after a copyright statement goes on with it: further years, names or addresses."""
    if len(line) > 120 or _GRANT.search(line):
        return False
    return bool(
        _YEARS.match(line)
        or re.match(r"(?:and|by|&|with contributions)\b", line)
        or ("@" in line and len(line.split()) < 9)
        or re.match(r"all rights? reserved", line, re.IGNORECASE)
    )

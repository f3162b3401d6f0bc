"""Text as the words that carry its meaning: what makes two spellings of one notice equal.

Case, punctuation, line breaks and comment marks vanish; version numbers stay whole ("2.0").  Every function here takes
time linear in its input: the text is not ours.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

_WORD = re.compile(r"[^\W_]+(?:\.\d+)*")
_PLUS = re.compile(r"(?<=\d)\+")
_AT_LEAST = re.compile(r"(?:>=|\u2265) ?(?:version |v\.? ?)?(\d(?:\.\d)?)(?![\d.]*\d)")  # "GPL (>=2)"
_ABBREVIATED = re.compile(r"\bv(?:er|ers)?\.(?=\d)")  # "GPL v.2"
_JOINED = re.compile(r"\b((?:a|l)?gpl|bsd|mpl|apache|epl|asl)(?:v|-v)?(?=\d)")
# "GPL/MIT" offers both
_SLASH = re.compile(
    r"\b((?:a|l)?gpl|bsd|mit|mpl|apache)([- ]?v?\d[\d.]*\+?)?\s?/\s?(?=(?:(?:a|l)?gpl(?:v?\d[\d.]*)?|bsd|mit|mpl|apache|artistic|isc|zlib)\b)"  # noqa: E501
)
_NON = re.compile(r"\bnon[-\u2010 ]\s*(?=[a-z])")  # "non-commercial" must not become "commercial"
_ENTITY = re.compile(r"&(?:lt|gt|amp|quot|apos|nbsp|copy|#\d{1,5});")
_TAG = re.compile(r"</?[a-zA-Z][^<>\n]{0,200}>")
_METADATA = re.compile(
    r"<(?:cc:)?license\s[^<>]{0,80}?(?:resource|about|href)\s*=\s*[\"']([^\"'<>]{10,120})[\"'][^<>]{0,80}>",
    re.IGNORECASE,
)
# what a picture's metadata tell of a licence, which may not be the one that the picture itself has further up
_DESCRIBED = re.compile(r"<cc:License\s[^<>]{0,80}?\brdf:about\b")
_GRANTING = re.compile(r"<cc:license\s[^<>]{0,80}?\brdf:resource\s*=\s*[\"'][^\"'<>]{10,120}[\"']")
# a link to a licence, of which only the address may tell the version, with its words
_LINKED = re.compile(
    r"<(?:a|link)\s[^<>]{0,200}?creativecommons\.org/licenses/([a-z-]{2,10}/\d\.\d)[^<>]{0,200}>(?:([^<>]{0,200})</a>)?",
    re.IGNORECASE,
)
_SAME = {
    "licence": "license",
    "licences": "licenses",
    "licenced": "licensed",
    "sublicence": "sublicense",
    "http": "",
    "https": "",
    "www": "",
    "dnl": "",
    "rem": "",
    "merchantibility": "merchantability",
    "acknowledgement": "acknowledgment",
    "acknowledgements": "acknowledgments",
    "authorisation": "authorization",
    "utilise": "utilize",
    "favour": "favor",
    "favours": "favors",
    "organisation": "organization",
    "modfication": "modification",
    "2.0": "2",
    "3.0": "3",
    "4.0": "4",
    "1.0": "1",
    "v2": "2",
    "v3": "3",
    "v4": "4",
    "v2.0": "2",
    "v3.0": "3",
    "v2.1": "2.1",
    "v4.0": "4",
    "v2.5": "2.5",
    "v1.0": "1",
    "v1.1": "1.1",
    "v1.2": "1.2",
    "v1.3": "1.3",
}


def words(text: str) -> list[str]:
    """The words of `text`, lower case, British and American spellings made one."""
    text = text.lower()
    if "/" in text:
        text = _SLASH.sub(r"\1\2 or ", text)
    text = _JOINED.sub(r"\1 ", text)
    if "v" in text:
        text = _ABBREVIATED.sub("version ", text)
    if ">=" in text or "\u2265" in text:
        text = _AT_LEAST.sub(r" \1 or later ", text)
    if "non" in text:
        text = _NON.sub("non", text)
    found = _WORD.findall(_PLUS.sub(" or later ", text) if "+" in text else text)
    same = _SAME
    return [word for word in (same.get(word, word) for word in found) if word]


def without_markup(text: str) -> str:
    """HTML and XML text without its tags and entities; the licence that metadata or a link name stays."""
    if "icense" in text and "<" in text:
        if "rdf:about" in text and _GRANTING.search(text):
            text = _DESCRIBED.sub("<described ", text)
        text = _METADATA.sub(r" This work is licensed under \1. ", text)
    if "creativecommons.org/licenses/" in text:
        text = _LINKED.sub(r" \2 creativecommons.org/licenses/\1 ", text)
    if "&" in text:
        text = _ENTITY.sub(" ", text)
    return _TAG.sub(" ", text) if "<" in text else text


def digest(text: Sequence[str]) -> str:
    """A stable name of 16 hexadecimal digits for a sequence of words."""
    return hashlib.sha256(" ".join(text).encode("utf-8", "surrogatepass")).hexdigest()[:16]

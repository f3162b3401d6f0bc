"""What the markup of a file tells of its terms, and what a document only shows: listings, and scripts within pages."""

from __future__ import annotations

import posixpath
import re

from bazel2ninja.licensing.notices import Notice
from bazel2ninja.licensing.words import digest, words

# of files that describe a project, a program or a picture, or that have words of their own for it
_NOT_ITSELF = re.compile(
    r"(?:pom|package|info|addon|manifest|plugin)\.xml(?:\.in)*$|"
    r".*\.(?:doap|nuspec|svg|svgz|html?|xhtml|docbook|dbk|(?:metainfo|appdata)\.xml(?:\.in)*)$",
    re.IGNORECASE,
)
_NEAR_THE_TOP = 6000  # characters
_ELEMENT = re.compile(r"<license>([^<>\n]{2,80})</license>")
# what describes a language to editors
_ATTRIBUTE = re.compile(r"<language\s[^<>]{0,1500}?\blicense\s?=\s?\"([^\"<>\n]{2,60})\"")
# DOAP describes a project
_DOAP_LICENCE = re.compile(r"<license\s[^<>]{0,300}>")

_PAGES = (".html", ".htm", ".xhtml")
_WORDS_OF_A_PAGE = 2000  # characters outside tags; a page with fewer is a program
_TAG = re.compile(r"<[^<>]{1,300}>")
_WITHOUT_LISTINGS = (".md", ".markdown", ".rst")
_OF_THE_PROJECT = re.compile(r"read[-_]?me|licen[cs]|copy", re.IGNORECASE)
_FENCE = re.compile(r"[ \t]{0,8}(`{3,}|~{3,})")
_DIRECTIVE = re.compile(r"[ \t]{0,40}\.\. (?:code-block|code|sourcecode|parsed-literal)::[ \t]?[\w+-]{0,20}[ \t\r]*$")
_UNDERLINE = re.compile(r"[=~^\"'`#*+-]{3,}[ \t\r]*$")
# a listing below such words may hold the terms of the document
_ITS_TERMS = re.compile(
    r"[#=*\s]{0,10}(?:[\w'()-]{1,30} ){0,3}(?:licen[cs]es?|licensing|copyrights?|legal|terms)\b[^.:]{0,20}:{0,2}\s*$|"
    r".{0,200}\bthis (?:document|manual|file|work|page|software|project|package|library|text)\b",
    re.IGNORECASE,
)


def field(path: str, text: str) -> Notice | None:
    """What an XML file tells of its licence in an element or attribute of that name near its top, as a notice."""
    head = text[:_NEAR_THE_TOP]
    if "license" not in head or not (path.endswith(".xml") or head.lstrip("\ufeff \t\r\n").startswith("<?xml")):
        return None
    if _NOT_ITSELF.match(posixpath.basename(path)):
        return None
    found = _ELEMENT.search(head) or _ATTRIBUTE.search(head)
    if found is None or not found[1].strip():
        return None
    stated = words(f"license {found[1]}")
    line = 1 + text.count("\n", 0, found.end())
    return Notice(digest(stated), " ".join(stated), line, line, "comment", found[0][-200:])


def without_shown(path: str, text: str) -> str:
    """A document without what it only shows: the scripts of a page, listings; lines stay at their numbers."""
    low = path.lower()
    if low.endswith(".doap"):
        return _DOAP_LICENCE.sub("", text)
    if low.endswith(_PAGES):
        return _without_scripts(text)
    if low.endswith(_WITHOUT_LISTINGS) and not _OF_THE_PROJECT.match(posixpath.basename(path)):
        return _without_listings(text, low.endswith(".rst"))
    return text


def _without_scripts(text: str) -> str:
    """A page for people without its scripts and styles, which tell of themselves only; a program stays as it is."""
    page = text
    for name in ("script", "style"):
        low = page.lower()
        if len(low) != len(page):
            return text
        pieces: list[str] = []
        at = 0
        while (start := low.find("<" + name, at)) >= 0 and (end := low.find("</" + name, start)) >= 0:
            pieces += [page[at:start], "\n" * page.count("\n", start, end)]
            at = end
        page = "".join(pieces) + page[at:]
    return page if len(_TAG.sub("", page)) > _WORDS_OF_A_PAGE else text


def _without_listings(text: str, indented: bool) -> str:
    """`text` without what stands between fences or, if indented, below a line that announces code."""
    if "```" not in text and "~~~" not in text and not (indented and "::" in text):
        return text
    kept: list[str] = []
    above = ""  # the last line with words outside listings
    closing = ""
    depth = -1  # indentation of the line that announced a listing
    its_terms = False
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if closing:
            ends = fence is not None and fence[1].startswith(closing)
            kept.append(line if its_terms or ends else "")
            closing = "" if ends else closing
            continue
        if depth >= 0:
            if not line.strip():
                kept.append(line)
                continue
            if len(line) - len(line.lstrip()) > depth:
                kept.append(line if its_terms else "")
                continue
            depth = -1
        kept.append(line)
        directive = indented and _DIRECTIVE.match(line)
        if fence is not None or directive:
            its_terms = _ITS_TERMS.match(above) is not None
            if fence is not None:
                closing = fence[1]
            else:
                depth = len(line) - len(line.lstrip())
        elif indented and line.rstrip().endswith("::") and not line.lstrip().startswith(".."):
            its_terms = _ITS_TERMS.match(line if line.strip() != "::" else above) is not None
            depth = len(line) - len(line.lstrip())
        if line.strip() and fence is None and not directive and not _UNDERLINE.match(line):
            above = line
    return "\n".join(kept)

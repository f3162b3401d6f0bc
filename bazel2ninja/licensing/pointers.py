"""Files that a notice names in full, to be read for its terms: a licence file with a name of its own, a source file."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Mapping

from bazel2ninja.licensing import inheritance
from bazel2ninja.licensing.scan import FileScan

_NAME = r"[\"'`<(\[]{0,2}([\w.+-]+(?:/[\w.+-]+){0,8})"
# LICENSE.zed, ZED-LICENSE.txt, zed/COPYING: more than the bare name
_LICENCE = re.compile(
    r"\b(?:see|in|by|to|with|from|read|per|of|under|at) "
    rf"(?:(?:the|accompanying|enclosed|included|file|text|terms|of|in) ){{0,4}}{_NAME}",
    re.IGNORECASE,
)
_OF_A_LICENCE = re.compile(r"licen[cs]e|copying|copyright", re.IGNORECASE)
# may be any of those above
_ANY = re.compile(r"(?:licen[cs]e|copying|copyright)s?(?:\.(?:txt|md|rst|html))?", re.IGNORECASE)
_SOURCE = r"\.(?:h|hh|hpp|hxx|c|cc|cpp|cxx|inc|py|js|java|pl|tcl|m4|lua|el)\b"
_IN_SOURCE = re.compile(
    r"\b(?:see|read|refer to|for)(?: \w+){0,3} (?:copyright|licen[cs]e|licensing|copying)\b(?: [\w,]+){0,5}? "
    rf"(?:in|see|to|from|at the (?:top|head|beginning|start|end|bottom) of)(?: the)?(?: file)? {_NAME}{_SOURCE}|"
    rf"\b(?:see|read|refer to)(?: the)?(?: file)? {_NAME}{_SOURCE}[\"'`>)\]]{{0,2}} for(?: the)?(?: \w+){{0,2}} "
    r"(?:copyright|licen[cs]e|licensing|copying)\b",
    re.IGNORECASE,
)
_HEADERS = (".hpp", ".hh", ".hxx")  # a header of C in C++
_BEGINNING = 60  # lines


def to_licence(excerpt: str, path: str, licence_files: Collection[str]) -> str:
    """The licence file beside a file, or above it, that a notice in it names in full; "" if none."""
    if _OF_A_LICENCE.search(excerpt) is None:
        return ""
    for match in _LICENCE.finditer(" ".join(excerpt.split())):
        name = match[1].rstrip(".").removeprefix("./")
        if _OF_A_LICENCE.search(name) and _ANY.fullmatch(name) is None:
            for above in inheritance.ancestors(posixpath.dirname(path)):
                target = posixpath.join(above, name)
                if target in licence_files and target != path:
                    return target
    return ""


def source_named(excerpt: str) -> str:
    """The source file that a notice names to be read for the terms; "" if none."""
    if _OF_A_LICENCE.search(excerpt) is None:
        return ""
    match = _IN_SOURCE.search(" ".join(excerpt.split()))
    if match is None:
        return ""
    name, end = (match[1], match.end(1)) if match[1] else (match[2], match.end(2))
    extension = re.match(_SOURCE, match.string[end:])
    return name + extension[0] if extension is not None else ""


def to_sources(scans: Mapping[str, FileScan], silent: Iterable[str]) -> dict[str, str]:
    """Of files without terms of their own, those that name a source file to be read for them, or that were made smaller
    from one -> that file: beside it, else the only one of that name.
    """
    named = {}
    for path in silent:
        if ".min." in posixpath.basename(path) and path.replace(".min.", ".") in scans:
            named[path] = posixpath.basename(path).replace(".min.", ".")
            continue
        for notice in scans[path].notices:
            if notice.place != "code" and notice.first_line <= _BEGINNING:
                name = source_named(notice.excerpt)
                if name:
                    named[path] = name
                    break
    if not named:
        return {}
    wanted = {posixpath.basename(name) for name in named.values()}
    places: dict[str, list[str]] = {}
    for path in scans:
        stem, extension = posixpath.splitext(posixpath.basename(path))
        name = stem + ".h" if extension in _HEADERS else stem + extension
        if name in wanted:
            places.setdefault(name, []).append(path)
    found = {}
    for path, name in named.items():
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
        others = places.get(posixpath.basename(name), [])
        if beside in scans and beside != path:
            found[path] = beside
        elif len(others) == 1 and others[0] != path:
            found[path] = others[0]
    return found

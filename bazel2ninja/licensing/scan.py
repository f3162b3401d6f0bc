"""One file read: what it is, and everything it says about licences.  A pure function of its name and bytes."""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from bazel2ninja.licensing import banners, build_statements, fonts, markup, profiles
from bazel2ninja.licensing.build_statements import Declared
from bazel2ninja.licensing.content import HEAD, binary_kind, decode
from bazel2ninja.licensing.languages import PROSE, of_data, syntax_of
from bazel2ninja.licensing.notices import NOTHING, Notice, statements
from bazel2ninja.records import dataclass

VERSION = "32"  # of what is read here; raised when results kept from before are no longer right

READ = 3_000_000  # bytes of a text that are looked through; a longer one is data
_TAIL = 65_536  # bytes at the end of a longer one
_CHUNK = 1 << 20

_LICENCE_NAME = re.compile(
    r"_?(?:(?:un)?licen[cs]es?|copying(?:v?\d)?|copyrights?|copyleft|legal|patents|notices?|ofl|gpl|lgpl|eula|third[-_ ]?party[-_ ]?(?:notices?|licen[cs]es?))"  # noqa: E501
    r"(?:[-_. ].*)?$|(?:.*[-_. ])(?:licen[cs]es?|copying|copyrights?)(?:\.(?:txt|md|rst|html|rtf|terms))?$",
    re.IGNORECASE,
)
# what the pages of a manual include: GNOME's and DocBook's names for it
_LEGAL_NOTICE = re.compile(r"(?:legal(?:[-_]?notice)?|legalnotice)\.(?:xml|docbook|dbk)(?:\.in)?$", re.IGNORECASE)
# Debian's machine-readable form, which speaks of a whole tree, whatever the file's name is
_MACHINE_READABLE = re.compile(
    r"\s*Format(?:-Specification)?:[ \t]*\S{0,200}(?:copyright-format|dep-?5)", re.IGNORECASE
)
_HEAD = re.compile(r"(?:#[^\n]*\n)*")  # comments before the first field: of the file itself
_CODE_EXTENSION = re.compile(
    r"\.(?:py|c|cc|cpp|h|hpp|go|java|js|ts|rb|pl|sh|cs|rs|bzl|json|xml|yaml|yml|cmake|m4|in|png|svg|css|proto|el|lua|kt|swift|php|inc|am|toml|mk|gn|gni|ui|qml|po|exe)$",
    re.IGNORECASE,
)
# https://www.freedesktop.org/software/appstream/docs/ : under which terms the file itself is
_METAINFO = re.compile(r"\.(?:metainfo|appdata)\.xml(?:\.in)*$", re.IGNORECASE)
_METADATA_LICENCE = re.compile(r"<metadata_license>([^<>]{2,100})</metadata_license>")
# KDE's handbooks have their terms in entities that kdoctools defines
_KDE_NOTICE = re.compile(r"&(?:(FDL)|(CCBYSA4?)|(L)?GPL)Notice;|&under(?:(FDL)|(CCBYSA4?));")
_THIS_DOCUMENT_UNDER = "Permission is granted to copy, distribute and/or modify this document under the terms of the"
_KDE_TERMS = (
    f"{_THIS_DOCUMENT_UNDER} GNU Free Documentation License, Version 1.2 or any later version",
    "This document is licensed under the Creative Commons Attribution-ShareAlike 4.0 International license",
    f"{_THIS_DOCUMENT_UNDER} GNU Lesser General Public License, version 2 or any later version",
    f"{_THIS_DOCUMENT_UNDER} GNU General Public License, version 2 or any later version",
)
_GENERATED = re.compile(
    r"(?:automatically |auto-?|machine[- ])generated|generated (?:automatically|by|from|file|code)|do not (?:edit|modify|hand)|"  # noqa: E501
    r"@generated|was generated|code generated|this file is generated|created by",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FileScan:
    """kind: "text" or the kind of a binary (content.py).  marks: "minified", "generated: WORDS", "truncated", "empty",
    "notebook-output", "unreadable".  size in bytes; whole: the file holds nothing but licences.
    """

    sha256: str
    sha1: str
    size: int
    kind: str
    language: str = ""
    encoding: str = ""
    notices: tuple[Notice, ...] = ()
    spdx: tuple[str, ...] = ()
    copyrights: tuple[str, ...] = ()
    declared: tuple[Declared, ...] = ()
    marks: tuple[str, ...] = ()
    whole: bool = False

    def packed(self, said: dict[str, object]) -> list[object]:
        """As JSON can hold it. The words of notices, which many files have, are added to `said` under a key."""
        notices = []
        for each in self.notices:
            shared = (each.digest, each.text, each.place, each.excerpt, each.rights_reserved)
            key = hashlib.sha256(repr(shared).encode("utf-8", "surrogatepass")).hexdigest()[:32]
            said[key] = shared
            notices.append((key, each.first_line, each.last_line))
        declared = [(each.kind, each.value, each.line, each.scope) for each in self.declared]
        before = [self.sha256, self.sha1, self.size, self.kind, self.language, self.encoding]
        return [*before, notices, self.spdx, self.copyrights, declared, self.marks, self.whole]


class Unpacking:
    """The inverse of `FileScan.packed` after JSON made lists of tuples.  Notices that are alike are one object."""

    def __init__(self, said: Mapping[str, list[Any]]):
        self._said = said
        self._notices: dict[tuple[str, int, int], Notice] = {}

    def scan(self, values: list[Any]) -> FileScan:
        sha256, sha1, size, kind, language, encoding, notices, spdx, copyrights, declared, marks, whole = values
        return FileScan(
            sha256,
            sha1,
            size,
            sys.intern(kind),
            sys.intern(language),
            sys.intern(encoding),
            tuple([self._notice(*each) for each in notices]) if notices else (),
            tuple(spdx),
            tuple(copyrights),
            tuple([Declared(*each) for each in declared]) if declared else (),
            tuple(marks),
            whole,
        )

    def _notice(self, key: str, first_line: int, last_line: int) -> Notice:
        found = self._notices.get((key, first_line, last_line))
        if found is None:
            digest, text, place, excerpt, rights_reserved = self._said[key]
            found = Notice(digest, text, first_line, last_line, place, excerpt, rights_reserved)
            self._notices[key, first_line, last_line] = found
        return found


def said_by(packed: Iterable[list[Any]]) -> set[str]:
    """The keys under which `FileScan.packed` has added what packed scans say."""
    return {each[0] for values in packed for each in values[6]}


def is_licence_file(path: str) -> bool:
    """Whether a file is there to hold licences: LICENSE, COPYING, NOTICE.txt, foo-license.md; not license.py."""
    name = posixpath.basename(path)
    if path == "debian/copyright" or path.endswith("/debian/copyright"):
        return False  # speaks of a whole tree, in a form of its own
    if _LEGAL_NOTICE.match(name):
        return True
    if _CODE_EXTENSION.search(name):
        return False
    if posixpath.basename(posixpath.dirname(path)).lower() in (
        "licenses",
        "licences",
        "license",
    ) and name.lower().endswith((".txt", ".md", "")):
        return True
    return bool(_LICENCE_NAME.match(name))


def scan_file(root: str, path: str) -> FileScan:
    """Reads one file; never raises for what the file holds."""
    full = os.path.join(root, path)
    sha256, sha1 = hashlib.sha256(), hashlib.sha1(usedforsecurity=False)
    size = 0
    data = b""
    tail = b""
    try:
        with open(full, "rb") as file:
            data = file.read(READ)
            sha256.update(data)
            sha1.update(data)
            size = len(data)
            while size >= READ:
                chunk = file.read(_CHUNK)
                if not chunk:
                    break
                sha256.update(chunk)
                sha1.update(chunk)
                size += len(chunk)
                tail = (tail + chunk)[-_TAIL:]
    except OSError:
        return FileScan("", "", 0, "unreadable", marks=("unreadable",))
    return scan_bytes(path, data, sha256.hexdigest(), sha1.hexdigest(), size, tail)


def scan_bytes(path: str, data: bytes, sha256: str, sha1: str, size: int, tail: bytes = b"") -> FileScan:
    """The result for bytes at hand; `tail`: the end of a file of which `data` is the beginning."""
    marks = ["truncated"] if tail else []
    if not data:
        return FileScan(sha256, sha1, 0, "text", marks=("empty",))
    kind = binary_kind(path, data[:HEAD])
    if kind is not None:
        if fonts.is_font(data) or profiles.is_profile(data):
            own = fonts.statements(data) if fonts.is_font(data) else profiles.statement(data)
            said = statements(own, PROSE)
            return FileScan(
                sha256, sha1, size, kind, notices=said.notices, copyrights=said.copyrights, marks=tuple(marks)
            )
        inside = _embedded_text(data, tail)
        found = statements(inside, PROSE) if inside else None
        return FileScan(sha256, sha1, size, kind, copyrights=found.copyrights[:5] if found else (), marks=tuple(marks))
    text, encoding = decode(data)
    if path.lower().endswith(fonts.IN_TEXT):
        said = statements(fonts.in_text(text), PROSE)
        return FileScan(
            sha256, sha1, size, "text", "font", encoding, said.notices, copyrights=said.copyrights, marks=tuple(marks)
        )
    if tail:
        text += "\n" + decode(tail)[0]
    syntax = syntax_of(path, text[:200].lstrip().split("\n", 1)[0])
    of_a_tree = posixpath.basename(path) == "REUSE.toml" or _MACHINE_READABLE.match(text[:600]) is not None
    whole = is_licence_file(path) and not of_a_tree
    if whole:
        syntax = PROSE
    if syntax.name == "gettext":
        first = text.find("\n\n", text.find("\nmsgid "))
        text = text[:first] if first > 0 else text  # below the first entry the words are a program's
    if syntax.prose and not whole:
        syntax = of_data(path, text) or syntax
    if syntax.prose and not whole:
        text = markup.without_shown(path, text)
    if path.endswith(".docbook"):
        text = _KDE_NOTICE.sub(_kde_terms, text)
    if of_a_tree:
        text = text[: _HEAD.match(text).end()]  # type: ignore[union-attr]  # it matches nothing, too
    found = statements(text, syntax, whole=whole, name=posixpath.basename(path)) if text else NOTHING
    spdx = found.spdx or (tuple(_METADATA_LICENCE.findall(text)[:1]) if _METAINFO.search(path) else ())
    banner = banners.notice(text) if path.endswith(banners.EXTENSIONS) and not spdx else None
    if banner is None and syntax.prose and not whole and not spdx:
        banner = markup.field(path, text)
    notices = found.notices if banner is None else (banner, *found.notices)
    marks += _marks(path, text)
    declared = build_statements.read(path, text) if build_statements.concerns(path) else ()
    return FileScan(
        sha256,
        sha1,
        size,
        "text",
        syntax.name,
        encoding,
        notices,
        spdx,
        found.copyrights,
        declared,
        tuple(marks),
        whole,
    )


def _kde_terms(entity: re.Match[str]) -> str:
    """What an entity of KDE's handbooks stands for, in one line."""
    free, shared, lesser, under_free, under_shared = entity.groups()
    kind = 0 if free or under_free else 1 if shared or under_shared else 2 if lesser else 3
    return f" {_KDE_TERMS[kind]}. "


def _marks(path: str, text: str) -> list[str]:
    found = []
    extension = posixpath.splitext(path)[1].lower()
    if extension in (".js", ".css", ".mjs", ".html") and len(text) > 2000:
        lines = text.count("\n") + 1
        code = max((len(line) for line in text[:400_000].split("\n")), default=0)
        if (len(text) / lines > 400 and code > 2000) or ".min." in posixpath.basename(path).lower():
            found.append("minified")
    generated = _GENERATED.search(text, 0, 1500)
    if generated is not None and extension not in (".md", ".rst", ".txt"):
        start = text.rfind("\n", 0, generated.start()) + 1
        end = text.find("\n", generated.end())
        words = text[start : end if end >= 0 else len(text)].strip(" \t\r/*#-;%<>!")
        found.append("generated: " + words[:120])
    if extension == ".ipynb" and '"image/png"' in text:
        found.append("notebook-output")
    return found


_PRINTABLE = re.compile(rb"[\x20-\x7e\xa9\n\r\t]{12,2000}")


def _embedded_text(data: bytes, tail: bytes) -> str:
    """Readable strings of a binary that speak of copyright: fonts and pictures carry such."""
    window = data[:200_000] + tail
    low = window.lower()
    if b"copyright" not in low and b"licen" not in low:
        return ""
    found = [m[0] for m in _PRINTABLE.finditer(window) if b"opyright" in m[0] or b"icen" in m[0]]
    return b"\n".join(found[:20]).decode("latin-1")

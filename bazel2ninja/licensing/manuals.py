"""What a manual grants for itself in one of its files, and which other files belong to it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from bazel2ninja.licensing.inheritance import Terms
from bazel2ninja.licensing.matching import Classification
from bazel2ninja.licensing.notices import Notice
from bazel2ninja.licensing.own_terms import Conclusion, of_notice
from bazel2ninja.licensing.scan import FileScan

PAGES = (".html", ".htm")
DOCBOOK = (".xml", ".xxml", ".docbook", ".dbk", ".sgml")
_TEXINFO = (".texi", ".texinfo", ".txi", ".itexi")
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".svgz", ".eps", ".fig", ".dia", ".webp", ".bmp", ".tiff", ".odg")
# directories of a manual for its pictures
_FOR_PICTURES = re.compile(
    r"(?:images?|figs?|figures?|pics?|pictures?|screenshots?|screens|graphics|media|img|_images|_static)$",
    re.IGNORECASE,
)
_FIRST_PAGES = ("index.html", "index.htm")
# how the first page of a manual in pieces is written, and the pieces
_FIRST_OF = {"index.rst": (".rst",), "index.adoc": (".adoc", ".asciidoc"), "index.asciidoc": (".adoc", ".asciidoc")}
# AsciiDoc's name for what stands on the back of a title; the files of a directory "includes" are of the one above
_DOCINFO = re.compile(r"(?:.*[-_])?docinfo\.(?:adoc|asciidoc|xml|html)$")
_ASCIIDOC = (".adoc", ".asciidoc")
# licences that only documents have
FOR_DOCUMENTS = re.compile(r"(?:GFDL|CC-BY|Latex2e|OPL|OPUBL|FreeBSD-DOC|LDP)")
_DOCUMENT = r"(?:document(?:ation)?|manual|book|guide|handbook)"
_THIS_DOCUMENT = re.compile(
    rf"\b(?:copy|distribute|modify|copies of|versions of) this {_DOCUMENT}\b|"
    rf"\bthis {_DOCUMENT} is (?:\w+ )?(?:licensed|released|distributed|available|provided|published) under\b"
)

_GRANT = 900  # words; a longer one has the text of a licence in it


class Manuals:
    """Directory -> terms that files of some kinds there have when they say nothing."""

    def __init__(
        self, scans: Mapping[str, FileScan], own: Mapping[str, Conclusion], known: Mapping[str, Classification]
    ) -> None:
        self._found: dict[tuple[str, str], Terms | None] = {}
        for path, said in own.items():
            if posixpath.basename(path) in _FIRST_PAGES and FOR_DOCUMENTS.match(said.expression):
                self._add(posixpath.dirname(path), PAGES, said.expression, path)
        for path, scan in scans.items():
            directory, _, name = path.rpartition("/")
            kinds: tuple[str, ...] = ()
            if path.endswith(DOCBOOK) and path in own:
                kinds = DOCBOOK
            elif path.endswith(_TEXINFO):
                kinds = _TEXINFO
            elif name.lower() in _FIRST_OF:
                kinds = _FIRST_OF[name.lower()]
            elif _DOCINFO.match(name):
                kinds = _ASCIIDOC
                if posixpath.basename(directory) in ("includes", "include"):
                    directory = posixpath.dirname(directory)
            expression = _granted(scan, known) if kinds and directory else ""
            if expression:
                self._add(directory, kinds + _PICTURES, expression, path)

    def _add(self, directory: str, kinds: tuple[str, ...], expression: str, path: str) -> None:
        for kind in kinds:
            terms = self._found.setdefault((directory, kind), Terms(expression, path))
            if terms is not None and terms.expression != expression:
                self._found[directory, kind] = None  # several manuals

    def of(self, path: str) -> Terms | None:
        """The terms of the manual to which a file belongs, None when it belongs to none."""
        directory, name = posixpath.split(path)
        kind = posixpath.splitext(name)[1].lower()
        if (
            kind in _PICTURES
            and (directory, kind) not in self._found
            and _FOR_PICTURES.match(posixpath.basename(directory))
        ):
            directory = posixpath.dirname(directory)
        return self._found.get((directory, kind))


def _granted(scan: FileScan, known: Mapping[str, Classification]) -> str:
    """What a file grants for "this document", "" if nothing."""
    for notice in scan.notices:
        if notice.text.count(" ") < _GRANT and _THIS_DOCUMENT.search(notice.text):
            expression = _of_document(notice, of_notice(notice, scan, known))
            if expression:
                return expression
    return ""


def _of_document(notice: Notice, found: Classification) -> str:
    """The licence of the document among those in a notice, which may tell of the program, too."""
    if " AND " not in found.expression:
        return found.expression
    of_documents = [each for each in found.alone if FOR_DOCUMENTS.match(each)]
    return of_documents[0] if len(of_documents) == 1 else ""

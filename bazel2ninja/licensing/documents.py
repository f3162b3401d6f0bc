"""What READMEs and manuals say of the files beside them."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping

from bazel2ninja.licensing.inheritance import Terms
from bazel2ninja.licensing.manuals import PAGES
from bazel2ninja.licensing.matching import Classification
from bazel2ninja.licensing.notices import Notice
from bazel2ninja.licensing.own_terms import UNKNOWN, is_readme, of_notice
from bazel2ninja.licensing.scan import FileScan

_MANUAL = 4  # pages; more are a manual
# the page of a manual about the licences of what the program uses
_PAGE_OF_LICENCES = re.compile(
    r"(?:^|/)(?:docs?|documentation|manual)/(?:.*/)?licen[cs]es\.(?:rst|md|adoc)$", re.IGNORECASE
)
# texts about a licence
_ABOUT_LICENCE = re.compile(r"(?<![a-z])(?:faqs?|unofficial|how[-_]?to|translations?)(?![a-z])", re.IGNORECASE)
_PLAIN = re.compile(r"(?:licen[cs]es?|copying|copyright|legal|notice)$", re.IGNORECASE)
_IN_MANUAL = re.compile(r"(?:^|/)(?:docs?|documentation|manual)/")
_TEXTS = (".rst", ".adoc")
_SHORT = 150  # words; a longer passage names a licence for one reason and files for another
_SOME = 3  # pages beside
_A_README = re.compile(r"(?:^|/)readme[^/]*$", re.IGNORECASE)
# one of several in a directory that is no more about something there than the others; de: a language
_ABOUT_ALL = re.compile(
    r"(?:^|/)readme(?:[-_.]?(?:1st|first)|[-_.](?:te?xt|md|markdown|rst|adoc|asciidoc|html?|org|pod|licen[cs]e|legal|"
    r"[a-z]{2}(?:[-_][a-z]{2})?)){0,3}$",
    re.IGNORECASE,
)
# of what a README below the root speaks when it speaks of all that is beside it
_THESE = re.compile(
    r"\b(?:these|all|this directory)\b(?: \w+){0,6}? "
    r"(?:images|pictures|photos|icons|fonts|sounds|samples|examples|tests|files|data)\b"
)
# the same where there is no other README beside it
_THIS_DATA = re.compile(
    r"\bthis (?:\w+ )?(?:dictionary|thesaurus|word ?list|data ?set|corpus|icon (?:set|theme)|font family|sound ?font)\b"
    r"|\bthis (?:work|plugin|theme|skin|font software|repository|repo|extension|add ?on)(?: and(?: \w+){1,4})? "
    r"(?:is|are) (?:\w+ )?(?:licensed|released|distributed|available|published|provided|under)\b"
    r"|\bthis (?:source )?(?:code|software|library|program|package|module|documentation|manual) "
    r"is (?:written by (?:\w+ ){1,4}and is )?(?:\w+ )?"
    r"(?:licensed|released|distributed|provided|in the public domain|under)\b"
)
# the GNU licences' own words for what they cover
_STATED_IN_FULL = re.compile(r"\b(?:is|are) free software you can redistribute (?:it|them)\b")
# what a README grants for all that is beside it, in words that nobody knows
_FREE_TO = re.compile(
    r"\byou (?:are free to|may|can) (?:freely )?(?:use|copy|distribute|redistribute) "
    r"(?:this|these|all) (?:\w+ ){0,2}(?:library|collection|set|symbols|files|fonts|images|icons|examples|sounds)\b"
)
# UFO's and Glyphs' fonts in pieces, Psi's sets of icons, themes of freedesktop.org
_DESCRIPTION = re.compile(r"\.(?:ufo|glyphspackage)/fontinfo\.plist$|/(?:icondef\.xml|index\.theme)$")
_CONTENTS = re.compile(
    r"\b(?:contents?|everything|(?:all|the) files) (?:of|in|within|under) this (?:folder|directory)\b"
)


# what a README tells about comes from many places
_VARIOUS = re.compile(
    r"\b(?:various|several|different|mixed|diverse) (?:\w+ ){0,5}?(?:licen[cs]es|archives|sources|terms|collections)\b"
)


# of the files of which a README does not tell the terms
_AS_THE_REST = re.compile(
    r"\b(?:others?|remaining|rest|everything else|all else)\b(?: \w+){0,8} the same "
    r"(?:license|licensing|terms)(?: \w+)? as (?:the )?(?:rest|remainder|main|project|whole|program|library)\b"
)


def beside_others_of_the_project(licence_files: Iterable[str], scans: Mapping[str, FileScan]) -> set[str]:
    """Licence files below the root beside a README that says that other files there have the project's terms."""
    directories = {posixpath.dirname(path) for path in licence_files} - {""}
    mixed = {
        posixpath.dirname(path)
        for path, scan in scans.items()
        if scan.notices
        and posixpath.dirname(path) in directories
        and is_readme(path, scan.language)
        and any(_AS_THE_REST.search(notice.text) for notice in scan.notices)
    }
    return {path for path in licence_files if posixpath.dirname(path) in mixed}


def pages_of_manuals(licence_files: Iterable[str], scans: Mapping[str, FileScan]) -> set[str]:
    """Licence files that are pages of a manual, which holds or tells of licences."""
    pages = Counter(posixpath.dirname(path) for path in scans if path.endswith(PAGES))
    texts = Counter(posixpath.dirname(path) for path in scans if path.endswith(_TEXTS) and _IN_MANUAL.search(path))
    return {
        path
        for path in licence_files
        if (path.endswith(PAGES) and pages[posixpath.dirname(path)] > _MANUAL)
        or _is_page(path, scans)
        or _PAGE_OF_LICENCES.search(path)
        or _ABOUT_LICENCE.search(posixpath.basename(path))
        or (path.endswith(_TEXTS) and texts[posixpath.dirname(path)] > _SOME and not _PLAIN.match(_stem(path)))
    }


def _stem(path: str) -> str:
    return posixpath.splitext(posixpath.basename(path))[0]


def _is_page(path: str, scans: Mapping[str, FileScan]) -> bool:
    """Whether a licence file is one of the pages that an index beside it is the first of: docs/licenses.rst."""
    directory, name = posixpath.split(path)
    extension = posixpath.splitext(name)[1]
    index = posixpath.join(directory, "index" + extension)
    return bool(directory) and extension in (".rst", ".md", ".adoc") and name.islower() and index in scans


def bundles(scans: Mapping[str, FileScan], known: Mapping[str, Classification]) -> dict[str, Terms]:
    """Directory whose files are one thing, a font or a set of icons -> what the file that describes it says."""
    found: dict[str, Terms] = {}
    for path, scan in scans.items():
        if scan.notices and "/" in path and _DESCRIPTION.search(path):
            said = {of_notice(notice, scan, known).expression for notice in scan.notices} - {""}
            if len(said) == 1:
                found[posixpath.dirname(path)] = Terms(said.pop(), path)
    return {directory: terms for directory, terms in found.items() if " AND " not in terms.expression}


def _in_full(notice: Notice, said: Classification) -> bool:
    return said.basis == "text" or _STATED_IN_FULL.search(notice.text) is not None


def projects(scans: Mapping[str, FileScan], known: Mapping[str, Classification]) -> dict[str, Terms]:
    """Directory below the root -> the licence whose text its README holds or states in full, a project of its own, or
    under which the README says all that is there to be.
    """
    found: dict[str, Terms] = {}
    readmes = [
        path
        for path, scan in scans.items()
        if "readme" in path.lower() and _A_README.search(path) and "/" in path and is_readme(path, scan.language)
    ]
    beside = Counter(posixpath.dirname(path) for path in readmes)
    several = set()
    for path in readmes:
        directory, scan = posixpath.dirname(path), scans[path]
        if beside[directory] > 1 and not _ABOUT_ALL.search(path):
            continue  # README.zed is about zed
        for notice in scan.notices:
            said = of_notice(notice, scan, known)
            contents = bool(said.expression and _CONTENTS.search(notice.text))
            short = notice.text.count(" ") < _SHORT or said.basis == "text"
            these = (
                contents
                or (short and _THESE.search(notice.text))
                or (beside[directory] == 1 and _THIS_DATA.search(notice.text))
            )
            about_all = (
                said.expression and these and " AND " not in said.expression and not _VARIOUS.search(notice.text)
            )
            if not said.expression and _FREE_TO.search(notice.text):
                found.setdefault(directory, Terms(UNKNOWN, path))
            elif about_all or (said.expression and " " not in said.expression and _in_full(notice, said)):
                alone = said.alone if said.basis == "text" else ()
                terms = found.setdefault(directory, Terms(said.expression, path, alone, alone, contents))
                if terms.source != path and terms.expression != said.expression:
                    several.add(directory)
    return {directory: terms for directory, terms in found.items() if directory not in several}

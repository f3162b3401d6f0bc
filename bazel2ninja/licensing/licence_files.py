"""What licence files hold, and of what they say that they are about."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping

from bazel2ninja.licensing import expressions
from bazel2ninja.licensing.inheritance import Neighbours
from bazel2ninja.licensing.matching import Classification, is_exception
from bazel2ninja.licensing.own_terms import GRANTED, UNKNOWN, VAGUE_BSD, of_notice
from bazel2ninja.licensing.scan import FileScan

# a project's word that the text of the GPL in its licence file is the only version
_THIS_VERSION = re.compile(
    r"\bonly (?:valid |applicable )?version of the (?:gnu )?(?:l?gpl|general public license)\b|"
    r"\b(?:this|that) (?:particular )?version of the license (?:\w+ )?\d \w*(?: )?not\b"
)
_TITLE = re.compile(
    r"\bgnu (?:lesser |library |affero )?general public license version \d[\d.]*(?: \d+)? (?:june|november|february)\b"
)
_OR_LATER = re.compile(
    r"\bor (?:at your (?:\w+ )?option )?(?:any|a) (?:later|newer|higher)\b|\bor (?:later|newer|higher)\b"
)
# where REUSE keeps the texts of licences that have no SPDX identifier
_REUSE = re.compile(r"(?:^|/)LICENSES/LicenseRef-[\w.-]+$")
_KEPT = re.compile(r"(?:^|/)LICENSES/[\w.-]+$")
_SIDECAR = re.compile(r"\.licen[cs]e(?:[-_.][a-z0-9]+)*$", re.IGNORECASE)
_COLLECTED = 3  # texts in a directory that may have been collected from below it
# its first line names the file that it is about, which may no longer be there
_OF_FILES = re.compile(
    r"\s*(?:icons?|images?|pictures?|files?|sounds?)(?: for)?:\s+[\w./-]{1,80}\.[a-z]\w{1,4}\b", re.IGNORECASE
)
_PARTS = re.compile(r"(?:\S+ ){0,4}?(?:parts|portions|pieces|some (?:files|code)) (?:of|in|from) ")
# the same of what is bundled: "Zed includes a number of components with separate copyright notices"
_COMPONENTS = re.compile(
    r"(?:\S+ ){1,8}?(?:includes?|contains?|bundles?|incorporates?) (?:\w+ ){0,3}?"
    r"(?:(?:sub ?)?components|libraries|packages|software) "
    r"(?:with|under|that have|which have|having) (?:separate|different|their own|other) "
)


def name_beside(licence_files: dict[str, tuple[str, ...]], by_directory: Mapping[str, list[str]]) -> None:
    """Replaces "the BSD license" that a licence file names by the one that is in a licence file beside it."""
    for path, licences in licence_files.items():
        if any(VAGUE_BSD in each for each in licences):
            texts = [each for other in by_directory[posixpath.dirname(path)] for each in licence_files[other]]
            exact = next((each for each in texts if each.startswith("BSD-") and " " not in each), VAGUE_BSD)
            licence_files[path] = tuple(each.replace(VAGUE_BSD, exact) for each in licences)


def only_version(scan: FileScan) -> bool:
    """Whether a licence file says before the text that no other version counts."""
    return any(_THIS_VERSION.search(notice.text) for notice in scan.notices)


def about_parts_only(scan: FileScan) -> bool:
    """Whether a licence file begins by saying that it is about parts of what is there."""
    if not scan.notices:
        return False
    first = scan.notices[0]
    return bool(_PARTS.match(first.text) or _COMPONENTS.match(first.text) or _OF_FILES.match(first.excerpt))


def collected_from_below(licence_files: Mapping[str, tuple[str, ...]], scans: Mapping[str, FileScan]) -> set[str]:
    """Licence files that were copied out of the parts below their directory, which say nothing about itself: each is
    also in a directory below, those come from several, and none of them has all (as the parts of one project may).
    """
    below: dict[str, list[str]] = {}  # what is in a licence file -> directories
    by_directory: dict[str, list[str]] = {}
    for path in licence_files:
        below.setdefault(scans[path].sha256, []).append(posixpath.dirname(path))
        if "/" in path:
            by_directory.setdefault(posixpath.dirname(path), []).append(path)
    found: set[str] = set()
    for directory, paths in by_directory.items():
        texts = {scans[path].sha256 for path in paths}
        if len(texts) < _COLLECTED:
            continue
        sources = [{each for each in below[text] if each.startswith(directory + "/")} for text in texts]
        if all(sources) and not set.intersection(*sources):
            found.update(paths)
    return found


def of_licence_file(scan: FileScan, known: Mapping[str, Classification], path: str = "") -> tuple[str, ...]:
    """The licences that a licence file holds or names, in its order, a choice as one expression; UNKNOWN alone when it
    grants something in words that nobody knows.
    """
    found = [tag for tag in (expressions.normal(tag) for tag in scan.spdx) if tag]
    unknown = False
    for notice in scan.notices:
        classification = of_notice(notice, scan, known)
        if " OR " in classification.expression and len(classification.alone) <= 3:
            found.append(classification.expression)
        else:
            found += [each for each in classification.alone if not is_exception(each)]
        unknown = unknown or bool(classification.unexplained and GRANTED.search(notice.text))
        before = _TITLE.search(notice.text)
        if before is not None and _OR_LATER.search(notice.text, 0, before.start()):
            found = [each.replace("-only", "-or-later") if " " not in each else each for each in found]
    stem = posixpath.splitext(posixpath.basename(path))[0]  # of REUSE: LICENSES/GPL-2.0-or-later.txt
    if found and _REUSE.search(path):
        return (stem,)
    found = [stem if each == stem.replace("-or-later", "-only") else each for each in found]
    if only_version(scan):
        found = [each.replace("-or-later", "-only") for each in found]
    if unknown and not found:
        return (UNKNOWN,)  # it grants something, and nobody knows these words
    return tuple(dict.fromkeys(found))


def version_of_part(
    path: str, about: Iterable[str], licence_files: Mapping[str, tuple[str, ...]], said: Mapping[str, str]
) -> str:
    """The terms that a licence file stands for that speaks for some files, `about`: "X-or-later" where nearly all of
    those state that (`said`) that name X, or where the texts that REUSE keeps are of no other version.
    """
    text = licence_files[path][0]
    later = text.removesuffix("-only") + "-or-later"
    kept = [each for each in licence_files if _KEPT.search(each)] if text.endswith("-only") else ()
    stems = {posixpath.splitext(posixpath.basename(each))[0] for each in kept}
    if later in stems and text not in stems:
        return later
    return Neighbours((each, said[each]) for each in about if each in said).later("", text)


def by_sidecar(scans: Mapping[str, FileScan]) -> dict[str, str]:
    """File -> the one that has its name and tells its terms: FILE.license (REUSE specification), FILE.LICENSE-ZLIB."""
    found: dict[str, str] = {}
    for path in scans:
        match = _SIDECAR.search(path) if ".licen" in path.lower() else None
        about = path[: match.start()] if match is not None else ""
        if about in scans and not scans[about].whole:
            found[about] = path
    return found


def of_sidecar(scan: FileScan, known: Mapping[str, Classification]) -> str:
    """What FILE.license says of FILE, "" if nothing (REUSE specification)."""
    found = of_licence_file(scan, known)
    return found[0] if found else ""

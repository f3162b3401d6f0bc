"""Under which terms each file is: what it says itself, else what it inherits, always with the reason."""

from __future__ import annotations

import dataclasses
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bazel2ninja.licensing import expressions, inheritance
from bazel2ninja.licensing.inheritance import Neighbours, Terms
from bazel2ninja.licensing.matching import Classification, is_exception
from bazel2ninja.licensing.own_terms import (
    GRANTED,
    UNKNOWN,
    VAGUE_BSD,
    Conclusion,
    family,
    is_readme,
    of_notice,
    said_by,
)
from bazel2ninja.licensing.reading import SourceTree
from bazel2ninja.licensing.scan import FileScan

_VAGUE_GNU = "GPL-1.0"
# the GNU licences without a version -> how the identifiers of their family begin
_VAGUE = {"GPL-1.0-or-later": "GPL-", "LGPL-2.0-or-later": "LGPL-"}
_FIRST_VERSION = {
    "GPL-1.0-or-later": re.compile(r"\b(?:versions?|gpl|license) 1\b"),
    "LGPL-2.0-or-later": re.compile(r"\b(?:versions?|lgpl|license) 2\b"),
}
_FEW = 4  # files that state terms; no more show nothing about the project
_NEARLY_ALL = 0.8

_PAGES = (".html", ".htm")
_FIRST_PAGES = ("index.html", "index.htm")
_DOCBOOK = (".xml", ".xxml", ".docbook", ".dbk", ".sgml")
_FOR_DOCUMENTS = re.compile(r"(?:GFDL|CC-BY)")  # what the first page of a manual states all others have
# directories in which files from elsewhere that help to build stand beside the project's own
_OF_BUILD = re.compile(r"(?:^|[-_])(?:cmake|m4|aux|scripts?|tools?)(?:$|[-_])", re.IGNORECASE)
_COPIED = 4  # files that have to say the same in a directory that looks like a copy
_THIS_DOCUMENT = re.compile(r"\bdistribute and or modify this (?:document|manual|book)\b")
_MANUAL = 4  # pages; more are a manual
# a project's word that the text of the GPL in its licence file is the only version
_THIS_VERSION = re.compile(
    r"\bonly (?:valid |applicable )?version of the (?:gnu )?(?:l?gpl|general public license)\b|"
    r"\b(?:this|that) (?:particular )?version of the license (?:\w+ )?\d \w*(?: )?not\b"
)
# of what a README below the root speaks when it speaks of all that is beside it
_THESE = re.compile(
    r"\b(?:these|all|this directory)\b(?: \w+){0,6}? "
    r"(?:images|pictures|photos|icons|fonts|sounds|samples|examples|tests|files|data)\b"
)
_PARTS = re.compile(r"(?:\S+ ){0,4}?(?:parts|portions|pieces|some (?:files|code)) (?:of|in|from) ")
VENDORED = re.compile(
    r"(?:^|/)(?:third[-_]?party|thirdparty|3rd[-_]?party|externals?|extern|vendor|vendored|deps|extlibs?|embedded|"
    r"bundled|subprojects|extra_?libs)/([^/]+)(?=/|$)",
    re.IGNORECASE,
)


def is_vendored(directory: str) -> bool:
    """Whether a directory is, or is in, a copy of another project, told from its name: third_party/zlib."""
    return VENDORED.search(directory) is not None


@dataclass(frozen=True, slots=True)
class Concluded:
    """`main`: the project's own terms; `files`: path -> Conclusion; `own`: what files say themselves; `governing`:
    directory -> terms of its licence files.
    """

    main: str
    files: dict[str, Conclusion]
    own: dict[str, Conclusion]
    governing: dict[str, Terms]


def conclude(
    tree: SourceTree,
    known: Mapping[str, Classification],
    *,
    named: Mapping[str, Terms] | None = None,
    decided: Mapping[str, str] | None = None,
    identifiers: frozenset[str] = frozenset(),
) -> Concluded:
    """Draws a conclusion for every file that was read. `decided`: what a person has said; `named`: files that a README
    or licence file elsewhere speaks of; identifiers: licences that a manifest may declare.
    """
    named = named or {}
    decided = decided or {}
    licence_files = {
        path: _of_licence_file(scan, known) for path, scan in tree.scans.items() if scan.whole and scan.kind == "text"
    }
    by_directory: dict[str, list[str]] = {}
    for path in licence_files:
        by_directory.setdefault(posixpath.dirname(path), []).append(path)
    _name_beside(licence_files, by_directory)
    pages = Counter(posixpath.dirname(path) for path in tree.scans if path.endswith(_PAGES))
    about_parts = {path for path in licence_files if "/" in path and _about_parts(tree.scans[path])}
    # a manual that holds the texts of licences as pages
    about_parts |= {p for p in licence_files if p.endswith(_PAGES) and pages[posixpath.dirname(p)] > _MANUAL}
    partial = inheritance.partial(licence_files, (path for path, scan in tree.scans.items() if not scan.whole))
    for licence_file, about in partial.items():
        for path in (licence_file, *about) if about and licence_files[licence_file] else ():
            named = {**named, path: Terms(licence_files[licence_file][0], licence_file)}
    own_parts = {path: found for path, found in licence_files.items() if path not in about_parts}
    governing = inheritance.governing(own_parts, partial)
    own: dict[str, Conclusion] = {}
    vague: dict[str, str] = {}
    for path, scan in tree.scans.items():
        if scan.whole:
            continue
        found = said_by(path, scan, known, by_directory, licence_files)
        if found is not None:
            own[path] = found
            if found.expression in _VAGUE and not _with_version(scan, found.expression):
                vague[path] = _vague_target(path, scan, known, by_directory)
    known_own = {path: c for path, c in own.items() if c.expression != UNKNOWN}
    at_root = [licence_files[path] for path in by_directory.get("", ()) if licence_files[path]]
    strict = any(_only_version(tree.scans[path]) for path in by_directory.get("", ()))
    unversioned = Counter(own[path].expression for path in vague)
    declared = _declared(tree.scans, identifiers)
    told = _told_at_root(tree.scans, known, declared)
    main = _main(governing, known_own.values(), at_root, unversioned, told, strict=strict)
    if main == VAGUE_BSD:
        exact = _bsd_of_root(tree.scans, known)
        main = exact.expression if exact is not None else main
        if exact is not None:
            governing.setdefault("", exact)
    if "" in governing:
        governing[""] = dataclasses.replace(governing[""], expression=main)
    _make_exact(own, vague, main, governing, licence_files)
    manuals = {
        posixpath.dirname(path): Terms(said.expression, path)
        for path, said in known_own.items()
        if posixpath.basename(path) in _FIRST_PAGES and _FOR_DOCUMENTS.match(said.expression)
    }
    books = _books(tree.scans, known_own, known)
    stated = ((path, c.expression) for path, c in own.items() if c.expression != UNKNOWN)
    neighbours = Neighbours((path, said) for path, said in stated if not _of_build_system(said))
    for directory, terms in _projects(tree.scans, known).items():
        if neighbours.at(directory, 1) == terms.expression or not (terms.found or neighbours.speaking(directory, 1)):
            governing.setdefault(directory, terms)
    sizes = inheritance.sizes(tree.scans)
    speaking = {terms.source for terms in governing.values()}
    silent: dict[str, Conclusion] = {}
    files: dict[str, Conclusion] = {}
    for path in tree.scans:
        if path in decided:
            files[path] = Conclusion(decided[path], "decision")
        elif path in own:
            files[path] = own[path]
        elif path in named and path not in speaking:
            files[path] = Conclusion(named[path].expression, "named", named[path].source)
        else:
            sidecar = next((path + end for end in (".license", ".LICENSE") if path + end in tree.scans), "")
            beside = _own_of_sidecar(tree.scans[sidecar], known) if sidecar else ""
            if beside:
                files[path] = Conclusion(beside, "sidecar", sidecar)
                continue
            directory = posixpath.dirname(path)
            if directory in manuals and path.endswith(_PAGES):
                files[path] = Conclusion(manuals[directory].expression, "named", manuals[directory].source)
                continue
            if directory in books and path.endswith(_DOCBOOK):
                files[path] = Conclusion(books[directory].expression, "named", books[directory].source)
                continue
            if directory not in silent:
                silent[directory] = _inherited(directory, governing, neighbours, declared, main, sizes)
            files[path] = silent[directory]
    return Concluded(main, files, own, governing)


def _name_beside(licence_files: dict[str, tuple[str, ...]], by_directory: Mapping[str, list[str]]) -> None:
    """Replaces "the BSD license" that a licence file names by the one that is in a licence file beside it."""
    for path, licences in licence_files.items():
        if VAGUE_BSD in licences:
            texts = [each for other in by_directory[posixpath.dirname(path)] for each in licence_files[other]]
            exact = next((each for each in texts if each.startswith("BSD-") and " " not in each), VAGUE_BSD)
            licence_files[path] = tuple(exact if each == VAGUE_BSD else each for each in licences)


def _books(
    scans: Mapping[str, FileScan], own: Mapping[str, Conclusion], known: Mapping[str, Classification]
) -> dict[str, Terms]:
    """Directory -> what a DocBook file there grants for "this document": the legal notice of the book whose other files
    stand beside it.
    """
    found: dict[str, Terms] = {}
    for path, said in own.items():
        granted = path.endswith(_DOCBOOK) and _FOR_DOCUMENTS.match(said.expression) is not None
        grants = [notice for notice in scans[path].notices if granted and _THIS_DOCUMENT.search(notice.text)]
        if any(of_notice(notice, scans[path], known).basis != "text" for notice in grants):
            found.setdefault(posixpath.dirname(path), Terms(said.expression, path))
    return found


def _told_at_root(
    scans: Mapping[str, FileScan], known: Mapping[str, Classification], declared: Mapping[str, Terms]
) -> frozenset[str]:
    """Every licence that a README or manifest at the root names."""
    said = {
        each
        for path, scan in scans.items()
        if "/" not in path and path.lower().startswith("readme")
        for notice in scan.notices
        for each in of_notice(notice, scan, known).alone
    }
    return frozenset(said | ({declared[""].expression} if "" in declared else set()))


def _bsd_of_root(scans: Mapping[str, FileScan], known: Mapping[str, Classification]) -> Terms | None:
    """The BSD text that a licence file or README at the root has; None if there is none, or different ones."""
    found = {
        each: path
        for path, scan in scans.items()
        if "/" not in path and (scan.whole or is_readme(path, scan.language))
        for notice in scan.notices
        for each in of_notice(notice, scan, known).alone
        if each.startswith("BSD-")
    }
    return Terms(*next(iter(found.items()))) if len(found) == 1 else None


def _make_exact(
    own: dict[str, Conclusion],
    vague: Mapping[str, str],
    main: str,
    governing: Mapping[str, Terms],
    licence_files: Mapping[str, tuple[str, ...]],
) -> None:
    """Replaces what they say in `own` without a version, or by pointing, by what licence files have. vague: file -> the
    licence file that its notice without a version refers to.
    """
    for path, target in vague.items():
        if target and main.startswith(_VAGUE[own[path].expression]) and " " not in main:
            own[path] = Conclusion(main, "pointer", target)
    below = {d: terms for d, terms in governing.items() if d and terms.expression.endswith("-or-later")}
    for path, said in own.items():
        if said.expression == VAGUE_BSD:
            own[path] = _exact(path, said, governing, "BSD-")
        elif VAGUE_BSD in said.expression:
            side = _exact(path, Conclusion(VAGUE_BSD, said.basis), governing, "BSD-").expression
            own[path] = dataclasses.replace(said, expression=said.expression.replace(VAGUE_BSD, side))
        elif path in vague and said.basis == "notice":
            own[path] = _exact(path, said, below, _VAGUE[said.expression])
        # a COPYRIGHT at the root tells of others' terms, too
        if said.basis == "pointer" and "/" not in said.source and main in licence_files.get(said.source, ()):
            own[path] = Conclusion(main, "pointer", said.source)


def _exact(path: str, said: Conclusion, governing: Mapping[str, Terms], family_: str) -> Conclusion:
    """ "The BSD license" of a file is the one that the nearest licence file has, when that has one of the family."""
    for above in inheritance.ancestors(posixpath.dirname(path)):
        if above in governing:
            terms = governing[above]
            one = terms.expression.startswith(family_) and " " not in terms.expression
            return Conclusion(terms.expression, "pointer", terms.source) if one else said
    return said


def _only_version(scan: FileScan) -> bool:
    """Whether a licence file says before the text that no other version counts."""
    return any(_THIS_VERSION.search(notice.text) for notice in scan.notices)


def _of_build_system(expression: str) -> bool:
    """Whether autotools' files have such terms, which tell nothing about the files beside them."""
    return "Autoconf-exception" in expression or all(key.startswith("FSF") for key in expressions.keys(expression))


def _about_parts(scan: FileScan) -> bool:
    """Whether a licence file begins by saying that it is about parts of what is there."""
    return bool(scan.notices and _PARTS.match(scan.notices[0].text))


def _projects(scans: Mapping[str, FileScan], known: Mapping[str, Classification]) -> dict[str, Terms]:
    """Directory below the root -> the licence whose text its README holds, a project of its own, or under which the
    README says all that is there to be.
    """
    found: dict[str, Terms] = {}
    for path, scan in scans.items():
        directory, name = posixpath.split(path)
        if directory and name.lower().startswith("readme") and is_readme(path, scan.language):
            for notice in scan.notices:
                said = of_notice(notice, scan, known)
                about_all = said.expression and _THESE.search(notice.text)
                if (said.basis == "text" or about_all) and " " not in said.expression:
                    alone = said.alone if said.basis == "text" else ()
                    found.setdefault(directory, Terms(said.expression, path, alone, alone))
    return found


def _with_version(scan: FileScan, expression: str) -> bool:
    """Whether a file names the first version of a GNU licence, so that it is no statement without a version."""
    first = _FIRST_VERSION[expression]
    return any(first.search(notice.text) for notice in scan.notices if notice.place != "code")


def _vague_target(
    path: str, scan: FileScan, known: Mapping[str, Classification], by_directory: Mapping[str, list[str]]
) -> str:
    """The licence file that a notice without a version refers to, "" if none."""
    for notice in scan.notices:
        pointer = of_notice(notice, scan, known).pointer
        if pointer and notice.place != "code":
            return inheritance.pointed_at(pointer, posixpath.dirname(path), by_directory)
    return ""


def _of_licence_file(scan: FileScan, known: Mapping[str, Classification]) -> tuple[str, ...]:
    found = [tag for tag in (expressions.normal(tag) for tag in scan.spdx) if tag]
    unknown = False
    for notice in scan.notices:
        classification = of_notice(notice, scan, known)
        if " OR " in classification.expression and len(classification.alone) <= 3:
            found.append(classification.expression)
        else:
            found += [each for each in classification.alone if not is_exception(each)]
        unknown = unknown or bool(classification.unexplained and GRANTED.search(notice.text))
    if _only_version(scan):
        found = [each.replace("-or-later", "-only") for each in found]
    if unknown and not found:
        return (UNKNOWN,)  # it grants something, and nobody knows these words
    return tuple(dict.fromkeys(found))


def _own_of_sidecar(scan: FileScan, known: Mapping[str, Classification]) -> str:
    found = _of_licence_file(scan, known)
    return found[0] if found else ""


def _main(
    governing: Mapping[str, Terms],
    own: Iterable[Conclusion],
    at_root: Sequence[tuple[str, ...]],
    unversioned: Mapping[str, int],
    told: frozenset[str],
    *,
    strict: bool,
) -> str:
    """The project's own terms: of those that its licence files allow for the ones that most files state.

    A licence file whose name tells nothing and that holds one text, none of the GNU family's, says it alone: those with
    other names are about parts. The GNU texts are there for each other's sake.
    unversioned: how many of those that seem to state the first version of a GNU licence state none.
    told: what a README or manifest at the root says.  strict: the licence file says that no later version counts.
    """
    root = governing.get("")
    counts = Counter(conclusion.expression for conclusion in own)
    if root is None:
        return counts.most_common(1)[0][0] if counts else UNKNOWN
    texts = _families(each for found in at_root for each in found)
    if "LGPL-2.1" in texts:
        with_version = counts["LGPL-2.0-or-later"] - unversioned.get("LGPL-2.0-or-later", 0)
        counts["LGPL-2.1-or-later"] += with_version
        counts["LGPL-2.0-or-later"] -= with_version
    exact = Counter(counts)
    for vague, prefix in _VAGUE.items():
        # without a version it is the one that is there
        one = next((each for found in at_root for each in found if each.startswith(prefix) and " " not in each), "")
        later = one.replace("-only", "-or-later")
        if one and vague not in (one, later):
            counts[later if counts[later] > counts[one] else one] += unversioned.get(vague, 0)
            counts[vague] -= unversioned.get(vague, 0)
    stated = {
        expression: count
        for expression, count in counts.items()
        if count and (_allowed(expression, texts) or _later_than(expression, texts))
    }
    if _alone(root):
        stated = {each: count for each, count in stated.items() if _families(root.found) <= _families([each])}
        if exact[root.expression] > _FEW:
            return root.expression  # what else is offered for more files is a copy's
    most = max(stated, key=lambda expression: stated[expression], default="")
    if most == root.expression.replace("-only", "-or-later") != root.expression:
        # "or later" is more than the text says: nearly all that choose between the two have to say it
        sure = not strict and exact[most] > _NEARLY_ALL * (exact[most] + exact[root.expression])
        return most if sure and (exact[most] > _FEW or most in told) else root.expression
    later = root.expression.replace("-only", "-or-later")
    if not most and not strict and later in told and root.expression not in told:
        return later
    count = stated.get(most, 0)
    first = len(at_root) == 1 and len(root.found) > 1  # of the texts in one file the first one leads
    return most if count > _FEW and (count * 2 > sum(stated.values()) or not first) else root.expression


def _alone(root: Terms) -> bool:
    """Whether the licence file of the root leaves nothing to choose."""
    return root.plain and len(root.found) == 1 and "GPL-" not in root.expression and " " not in root.found[0]


def _families(expressions_: Iterable[str]) -> set[str]:
    return {family(key) for each in expressions_ for key in expressions.keys(each)}


def _allowed(expression: str, texts: set[str]) -> bool:
    """Whether texts have the licences of an expression, or of a side of a choice; one may speak of the GPL without a
    version.
    """
    gnu = _VAGUE_GNU in texts
    found = [key in texts or (gnu and key.startswith("GPL-")) for key in _families([expression])]
    return any(found) if " OR " in expression and " AND " not in expression else all(found)


def _later_than(expression: str, texts: set[str]) -> bool:
    """Whether an expression lets one choose a later version, which is one of the texts: "version 2 or later" with the
    text of version 3.  Version 2 of the LGPL counts as 2.1, which only has another name for it.
    """
    licence, dash, version = expression.removesuffix("-or-later").rpartition("-")
    if not expression.endswith("-or-later") or " " in expression or not dash or licence == "LGPL":
        return False
    return any(each.startswith(f"{licence}-") and version < each.removeprefix(f"{licence}-") for each in texts)


def _inherited(
    directory: str,
    governing: Mapping[str, Terms],
    neighbours: Neighbours,
    declared: Mapping[str, Terms],
    main: str,
    sizes: Mapping[str, int],
) -> Conclusion:
    for above in inheritance.ancestors(directory):
        terms = governing.get(above)
        vendored = is_vendored(above)
        if terms is not None and above:
            around = neighbours.at(above, 1)
            if not vendored and neighbours.at(above) == main:
                continue  # its files say what all others say: the licence file is about some of them
            texts = _families(terms.found)
            if around and _allowed(around, texts):
                return Conclusion(around, "directory", terms.source)
            if "GPL-" in terms.expression and texts == _families([main]):
                continue  # once more the text of the project's own licence
            return Conclusion(terms.expression, "directory", terms.source)
        if above:
            # a directory around a copy that has its own licence file is the project's own
            around = neighbours.at(above) if vendored and not inheritance.governed_below(above, governing) else ""
            if around:
                return Conclusion(around, "neighbours", above)
            if above in declared and (vendored or "" not in governing or declared[above].expression == main):
                # in the project itself a manifest that says otherwise is a finding, not the answer
                return Conclusion(declared[above].expression, "declared", declared[above].source)
    root = governing.get("")
    part = _of_part(directory, neighbours, main, root, sizes)
    if part is not None:
        return part
    if root is not None:
        return Conclusion(root.expression, "directory", root.source)
    if main != UNKNOWN:
        return Conclusion(main, "neighbours")
    return Conclusion(UNKNOWN, "none")


def _a_copy(directory: str, around: str, neighbours: Neighbours, main: str, sizes: Mapping[str, int]) -> bool:
    """Whether a directory looks like a copy of another project, whatever its name: half of all its files say `around`,
    none what the project has, and it is the smaller part of the whole.
    """
    if _OF_BUILD.search(posixpath.basename(directory)):
        return False
    count = neighbours.count(directory, around)
    exact = " AND " not in around and "LicenseRef-" not in around
    half = count * 2 >= sizes[directory] and sizes[directory] * 2 <= sizes[""]
    return exact and half and count >= _COPIED and not neighbours.count(directory, main)


def _of_part(
    directory: str, neighbours: Neighbours, main: str, root: Terms | None, sizes: Mapping[str, int]
) -> Conclusion | None:
    """What the nearest directory whose files speak says, where the project has other licences for its parts."""
    if root is None:
        return None
    for above in inheritance.ancestors(directory):
        if is_vendored(above + "/each"):
            return None  # copies of other projects, or the directory around them
        if above and neighbours.speaking(above):
            around = neighbours.at(above)
            older = around == "LGPL-2.0-or-later" and main == "LGPL-2.1-or-later"
            if not around or older or _families([around]) == _families([main]):
                return None
            if _a_copy(above, around, neighbours, main, sizes):
                return Conclusion(around, "neighbours", above)
            if _alone(root):
                return None
            of_project = _allowed(around, _families(root.beside))
            program = main.startswith("LGPL-") and around.startswith("GPL-") and " " not in main + around
            return Conclusion(around, "neighbours", above) if of_project or program else None
    return None


def _declared(scans: Mapping[str, FileScan], identifiers: frozenset[str]) -> dict[str, Terms]:
    found: dict[str, Terms] = {}
    for path, scan in scans.items():
        for each in scan.declared:
            if each.kind == "manifest":
                expression = expressions.normal(each.value)
                if expression and expressions.keys(expression) <= identifiers:
                    found.setdefault(posixpath.dirname(path), Terms(expression, path))
    return found

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
from bazel2ninja.licensing.matching import Classification, is_exception, simplified
from bazel2ninja.licensing.notices import Notice
from bazel2ninja.licensing.reading import SourceTree
from bazel2ninja.licensing.scan import FileScan

UNKNOWN = "NOASSERTION"

_README = re.compile(
    r"(?:readme|about(?:-nls)?|changes?|changelog|news|authors|contribut\w*|todo|history|install|faq|release|credits|thanks|copyright-holders|"
    r"maintainers|hacking|building)(?:[-_. ].*)?$",
    re.IGNORECASE,
)
_FOR_PEOPLE = frozenset({"", "prose", "percent", "roff", "semicolon"})
_ITSELF = re.compile(
    r"\b(?:this|the) (?:\w+ )?(?:document|file|work|manual|page|font|data|software|program|code|article|image|material|book|script|library|"  # noqa: E501
    r"package|module|translation|text)\b"
)
_DOCUMENT = frozenset(
    {
        ".md",
        ".rst",
        ".html",
        ".htm",
        ".tex",
        ".texi",
        ".adoc",
        ".txt",
        ".xml",
        ".rtf",
        ".dox",
        ".po",
        ".pot",
        ".csv",
        ".json",
        ".ipynb",
    }
)


_VAGUE_GNU = "GPL-1.0"
# the GNU licences without a version -> how the identifiers of their family begin
_VAGUE = {"GPL-1.0-or-later": "GPL-", "LGPL-2.0-or-later": "LGPL-"}
_FEW = 4  # files that state terms; no more show nothing about the project
_NEARLY_ALL = 0.8
_BEGINNING = 60  # lines of a document in which its copyright statement belongs to a notice

_GRANTED = re.compile(
    r"\bpermission (?:to use|to copy|(?:is )?(?:hereby )?granted)|\bis hereby granted|\bare permitted provided|"
    r"\byou (?:may|can) (?:freely )?(?:use|copy|modify|distribute|redistribute)\b"
)
_GOVERNED = re.compile(r"subject to|governed|licensed|terms|\bsee (?:the )?(?:file )?(?:license|copying|copyright)")
_SCRIPT = "FSFUL"  # configure, with the notices of what it writes in it
_PARTS = re.compile(r"(?:\S+ ){0,4}?(?:parts|portions|pieces|some (?:files|code)) (?:of|in|from) ")
_VAGUE_BSD = "LicenseRef-BSD-unspecified"
VENDORED = re.compile(
    r"(?:^|/)(?:third[-_]?party|thirdparty|3rd[-_]?party|externals?|extern|vendor|vendored|deps|extlibs?|embedded|"
    r"bundled|subprojects|extra_?libs)/([^/]+)(?=/|$)",
    re.IGNORECASE,
)


def is_vendored(directory: str) -> bool:
    """Whether a directory is, or is in, a copy of another project, told from its name: third_party/zlib."""
    return VENDORED.search(directory) is not None


def is_readme(path: str, language: str = "prose") -> bool:
    """Whether a file speaks of the project rather than of itself: README, NEWS, INSTALL ...; not install-sh or news.py.

    language: in which the file was read (languages.py).
    """
    return language in _FOR_PEOPLE and bool(_README.match(posixpath.basename(path)))


@dataclass(frozen=True, slots=True)
class Conclusion:
    """basis: "decision", "tag", "notice", "pointer", "sidecar", "named", "neighbours", "directory", "declared" or
    "none". source: the file that says so ("" for the file itself). main: it is what the project as a whole has.
    """

    expression: str
    basis: str
    source: str = ""


@dataclass(frozen=True, slots=True)
class Concluded:
    """`main`: the project's own terms; `files`: path -> Conclusion; `own`: what files say themselves; `governing`:
    directory -> terms of its licence files.
    """

    main: str
    files: dict[str, Conclusion]
    own: dict[str, Conclusion]
    governing: dict[str, Terms]


def of_notice(notice: Notice, scan: FileScan, known: Mapping[str, Classification]) -> Classification:
    """The classification of one of a file's notices."""
    return known[notice.digest + ("w" if scan.whole else "")]


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
    about_parts = {path for path in licence_files if "/" in path and _about_parts(tree.scans[path])}
    partial = inheritance.partial(licence_files, (path for path, scan in tree.scans.items() if not scan.whole))
    for licence_file, about in partial.items():
        for path in about if licence_files[licence_file] else ():
            named = {**named, path: Terms(licence_files[licence_file][0], licence_file)}
    own_parts = {path: found for path, found in licence_files.items() if path not in about_parts}
    governing = inheritance.governing(own_parts, partial)
    own: dict[str, Conclusion] = {}
    vague: dict[str, str] = {}
    for path, scan in tree.scans.items():
        if scan.whole:
            continue
        found = _own(path, scan, known, by_directory, licence_files)
        if found is not None:
            own[path] = found
            if found.expression in _VAGUE:
                vague[path] = _vague_target(path, scan, known, by_directory)
    known_own = {path: c for path, c in own.items() if c.expression != UNKNOWN}
    neighbours = Neighbours((path, c.expression) for path, c in known_own.items() if not _of_build_system(c.expression))
    at_root = [licence_files[path] for path in by_directory.get("", ()) if licence_files[path]]
    main = _main(governing, known_own.values(), at_root)
    if "" in governing:
        governing[""] = dataclasses.replace(governing[""], expression=main)
    for path, target in vague.items():
        if target and main.startswith(_VAGUE[own[path].expression]) and " " not in main:
            own[path] = Conclusion(main, "pointer", target)
    for path, said in own.items():
        # a COPYRIGHT at the root tells of others' terms, too
        if said.basis == "pointer" and "/" not in said.source and main in licence_files.get(said.source, ()):
            own[path] = Conclusion(main, "pointer", said.source)
    declared = _declared(tree.scans, identifiers)
    sources = Neighbours((p, c.expression) for p, c in known_own.items() if not _of_build_system(c.expression))
    for directory, terms in _projects(tree.scans, known).items():
        if sources.at(directory, 1) == terms.expression:
            governing.setdefault(directory, terms)
    silent: dict[str, Conclusion] = {}
    files: dict[str, Conclusion] = {}
    for path in tree.scans:
        if path in decided:
            files[path] = Conclusion(decided[path], "decision")
        elif path in own:
            files[path] = own[path]
        elif path in named:
            files[path] = Conclusion(named[path].expression, "named", named[path].source)
        else:
            sidecar = next((path + end for end in (".license", ".LICENSE") if path + end in tree.scans), "")
            beside = _own_of_sidecar(tree.scans[sidecar], known) if sidecar else ""
            if beside:
                files[path] = Conclusion(beside, "sidecar", sidecar)
                continue
            directory = posixpath.dirname(path)
            if directory not in silent:
                silent[directory] = _inherited(directory, governing, neighbours, declared, main)
            files[path] = silent[directory]
    return Concluded(main, files, own, governing)


def _of_build_system(expression: str) -> bool:
    """Whether autotools' files have such terms, which tell nothing about the files beside them."""
    return "Autoconf-exception" in expression or all(key.startswith("FSF") for key in expressions.keys(expression))


def _about_parts(scan: FileScan) -> bool:
    """Whether a licence file begins by saying that it is about parts of what is there."""
    return bool(scan.notices and _PARTS.match(scan.notices[0].text))


def _projects(scans: Mapping[str, FileScan], known: Mapping[str, Classification]) -> dict[str, Terms]:
    """Directory below the root -> the licence whose text its README holds: a project of its own."""
    found: dict[str, Terms] = {}
    for path, scan in scans.items():
        directory, name = posixpath.split(path)
        if directory and name.lower().startswith("readme") and is_readme(path, scan.language):
            for notice in scan.notices:
                said = of_notice(notice, scan, known)
                if said.basis == "text" and " " not in said.expression:
                    found.setdefault(directory, Terms(said.expression, path, said.alone, said.alone))
    return found


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
        unknown = unknown or bool(classification.unexplained and _GRANTED.search(notice.text))
    if unknown and not found:
        return (UNKNOWN,)  # it grants something, and nobody knows these words
    return tuple(dict.fromkeys(found))


def _own_of_sidecar(scan: FileScan, known: Mapping[str, Classification]) -> str:
    found = _of_licence_file(scan, known)
    return found[0] if found else ""


def _own(
    path: str,
    scan: FileScan,
    known: Mapping[str, Classification],
    by_directory: Mapping[str, list[str]],
    licence_files: Mapping[str, tuple[str, ...]],
) -> Conclusion | None:
    """What the file says of itself, None when nothing."""
    tags = [tag for tag in (expressions.normal(tag) for tag in scan.spdx) if tag]
    if tags:
        return Conclusion(expressions.joined(tags), "tag")
    parts: list[str] = []
    exceptions: list[str] = []
    unknown = False
    pointers: list[tuple[str, str]] = []
    governed: list[
        tuple[str, ...]
    ] = []  # the terms of files that a notice says to see, which hold beside what other notices say
    basis, source = "", ""
    name = posixpath.basename(path)
    readme = is_readme(path, scan.language)
    document = posixpath.splitext(name)[1].lower() in _DOCUMENT or scan.language == "prose"
    for notice in scan.notices:
        if notice.place == "code":
            continue
        found = of_notice(notice, scan, known)
        if readme or (notice.place == "prose" and document):
            length = notice.text.count(" ") + 1
            if readme or (found.basis == "text" and len(found.alone) > 2):
                continue
            begins = scan.copyrights and notice.first_line <= _BEGINNING
            if found.basis == "phrase" and (length > 120 or not (_ITSELF.search(notice.text) or begins)):
                continue
            if found.basis == "pointer":
                continue
        expression = found.expression
        if found.pointer and " " in expression and _VAGUE_BSD in expression:
            target = inheritance.pointed_at(found.pointer, posixpath.dirname(path), by_directory)
            exact = next((each for each in licence_files.get(target, ()) if "BSD" in each and " " not in each), "")
            expression = expression.replace(_VAGUE_BSD, exact or _VAGUE_BSD)
        if found.pointer and expression in ("", "LicenseRef-BSD-unspecified", "LicenseRef-freely-usable"):
            target = inheritance.pointed_at(found.pointer, posixpath.dirname(path), by_directory)
            terms = licence_files.get(target, ())
            if "BSD" in expression:
                terms = tuple(each for each in terms if "BSD" in each)
            if terms and not expression:
                pointers.append((terms[0], target))
                if _GOVERNED.search(notice.text):
                    governed.append(terms)
                continue
            if terms:
                parts.append(terms[0])
                basis, source = basis or "pointer", source or target
                continue
        if expression:
            parts.append(expression)
            basis = "notice"
            if parts == [_SCRIPT]:
                break
        else:
            exceptions += [each for each in found.alone if is_exception(each)]
            unknown = unknown or bool(
                found.unexplained and not document and notice.first_line <= _BEGINNING and _GRANTED.search(notice.text)
            )
    if parts:
        parts = [each[0] for each in governed if not _implied(each, parts)] + parts
    if not parts and pointers:
        parts, basis, source = [pointers[0][0]], "pointer", pointers[0][1]
    if not parts:
        # what grants something in words that nobody knows does not have the terms of what is around
        return Conclusion(UNKNOWN, "notice") if unknown else None
    for number, part in enumerate(parts):
        if exceptions and "GPL" in part and " " not in part:
            parts[number] = f"{part} WITH {exceptions.pop(0)}"
    return Conclusion(_joined(parts), basis, source if basis == "pointer" else "")


def _implied(terms: Iterable[str], parts: list[str]) -> bool:
    """Whether any terms of the file that a notice points at are among those that others spell out."""
    wanted = {_family(key) for each in terms for key in expressions.keys(each)}
    return any(wanted & {_family(key) for key in expressions.keys(part)} for part in parts)


def _joined(parts: list[str]) -> str:
    """All parts together. Where one offers a choice, another that names a side of it only does so in passing."""
    choices = [expressions.keys(part) for part in parts if " OR " in part and " AND " not in part]
    kept = [part for part in parts if " " in part or not any(part in choice for choice in choices)]
    return expressions.joined(simplified(kept))


def _main(governing: Mapping[str, Terms], own: Iterable[Conclusion], at_root: Sequence[tuple[str, ...]]) -> str:
    """The project's own terms: of those that its licence files allow for the ones that most files state.

    A licence file whose name tells nothing and that holds one text, none of the GNU family's, says it alone: those with
    other names are about parts. The GNU texts are there for each other's sake.
    """
    root = governing.get("")
    counts = Counter(conclusion.expression for conclusion in own)
    if root is None:
        return counts.most_common(1)[0][0] if counts else UNKNOWN
    texts = _families(each for found in at_root for each in found)
    exact = Counter(counts)
    for vague, family in _VAGUE.items():
        # without a version it is the one that is there
        one = next((each for found in at_root for each in found if each.startswith(family) and " " not in each), "")
        later = one.replace("-only", "-or-later")
        if one and vague not in (one, later):
            counts[later if counts[later] > counts[one] else one] += counts.pop(vague, 0)
    stated = {expression: count for expression, count in counts.items() if count and _allowed(expression, texts)}
    if _alone(root):
        stated = {each: count for each, count in stated.items() if _families(root.found) <= _families([each])}
    most = max(stated, key=lambda expression: stated[expression], default="")
    if most == root.expression.replace("-only", "-or-later") != root.expression:
        # "or later" is more than the text says: nearly all that choose between the two have to say it
        sure = exact[most] > _NEARLY_ALL * (exact[most] + exact[root.expression])
        return most if sure and exact[most] > _FEW else root.expression
    count = stated.get(most, 0)
    first = len(at_root) == 1 and len(root.found) > 1  # of the texts in one file the first one leads
    return most if count > _FEW and (count * 2 > sum(stated.values()) or not first) else root.expression


def _alone(root: Terms) -> bool:
    """Whether the licence file of the root leaves nothing to choose."""
    return root.plain and len(root.found) == 1 and "GPL-" not in root.expression and " " not in root.found[0]


def _families(expressions_: Iterable[str]) -> set[str]:
    return {_family(key) for each in expressions_ for key in expressions.keys(each)}


def _allowed(expression: str, texts: set[str]) -> bool:
    """Whether texts have the licences of an expression, or of a side of a choice; one may speak of the GPL without a
    version.
    """
    gnu = _VAGUE_GNU in texts
    found = [key in texts or (gnu and key.startswith("GPL-")) for key in _families([expression])]
    return any(found) if " OR " in expression and " AND " not in expression else all(found)


def _family(key: str) -> str:
    return key.removesuffix("-only").removesuffix("-or-later")


def _inherited(
    directory: str,
    governing: Mapping[str, Terms],
    neighbours: Neighbours,
    declared: Mapping[str, Terms],
    main: str,
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
    part = _of_part(directory, neighbours, main, root)
    if part is not None:
        return part
    if root is not None:
        return Conclusion(root.expression, "directory", root.source)
    if main != UNKNOWN:
        return Conclusion(main, "neighbours")
    return Conclusion(UNKNOWN, "none")


def _of_part(directory: str, neighbours: Neighbours, main: str, root: Terms | None) -> Conclusion | None:
    """What the nearest directory whose files speak says, where the project has other licences for its parts."""
    if root is None or _alone(root):
        return None
    for above in inheritance.ancestors(directory):
        if is_vendored(above + "/each"):
            return None  # copies of other projects, or the directory around them
        if above and neighbours.speaking(above):
            around = neighbours.at(above)
            if not around or _families([around]) == _families([main]):
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

"""Under which terms each file is: what it says itself, else what it inherits, always with the reason."""

from __future__ import annotations

import dataclasses
import posixpath
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from bazel2ninja.licensing import documents, expressions, fonts, inheritance, kin, pointers, style_sheets
from bazel2ninja.licensing.inheritance import BUILD_FILE, VENDORED, Neighbours, Terms, is_vendored
from bazel2ninja.licensing.licence_files import (
    about_parts_only,
    by_sidecar,
    collected_from_below,
    name_beside,
    of_licence_file,
    of_sidecar,
    only_version,
    version_of_part,
)
from bazel2ninja.licensing.manuals import Manuals
from bazel2ninja.licensing.matching import Classification
from bazel2ninja.licensing.own_terms import PIECE, UNKNOWN, VAGUE_BSD, Conclusion, of_notice, said_by
from bazel2ninja.licensing.parts import COPIED, inner_copy, of_part
from bazel2ninja.licensing.project_terms import (
    VAGUE,
    allowed,
    bsd_of_root,
    families,
    main_terms,
    of_place,
    told_at_root,
)
from bazel2ninja.licensing.reading import SourceTree
from bazel2ninja.licensing.scan import FileScan
from bazel2ninja.licensing.tree import directory_of

_IJG = re.compile(r"(?<=^IJG)-short$")  # the same licence with fewer of its paragraphs
_FIRST_VERSION = {
    "GPL-1.0-or-later": re.compile(r"\b(?:versions?|gpl|license) 1\b"),
    "LGPL-2.0-or-later": re.compile(r"\b(?:versions?|lgpl|license) 2\b"),
}

_VAGUE_LGPL = "LGPL-2.0-or-later"
_ENOUGH = 3  # files that have to say the same in a part of a copy
# what the sources of Chromium, Go, Zstandard and others begin with; without the file in a copy it is their common text
_GOVERNED = re.compile(
    r"\bgoverned by an? bsd style license that can be found in the (?:\w+ ){0,4}license file\b|"
    r"\blicensed under the bsd style license found in the license file in the root directory of\b"
)
_ALL_OTHERS = re.compile(
    r"\b(?:everything|all (?:the )?(?:other|rest)|the rest|other files|others|otherwise|remain(?:ing|der)|except\w*|"
    r"unless)\b"
)


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
    """Draws a conclusion for every file that was read. `decided`: what a person has said; identifiers: licences that a
    manifest may declare; `named`: files that a README or licence file elsewhere speaks of, "" for the whole tree.
    """
    named = named or {}
    decided = decided or {}
    licence_files = {
        path: of_licence_file(scan, known, path)
        for path, scan in tree.scans.items()
        if scan.whole and scan.kind == "text"
    }
    by_directory: dict[str, list[str]] = {}
    for path in licence_files:
        by_directory.setdefault(posixpath.dirname(path), []).append(path)
    name_beside(licence_files, by_directory)
    about_parts = {path for path in licence_files if "/" in path and about_parts_only(tree.scans[path])}
    about_parts |= documents.pages_of_manuals(licence_files, tree.scans)
    about_parts |= documents.beside_others_of_the_project(licence_files, tree.scans)
    about_parts |= collected_from_below(licence_files, tree.scans)
    partial = inheritance.partial(licence_files, (path for path, scan in tree.scans.items() if not scan.whole))
    for licence_file, about in partial.items():
        for path in (licence_file, *about) if about and licence_files[licence_file] else ():
            named = {**named, path: Terms(licence_files[licence_file][0], licence_file)}
    for licence_file, of_font in inheritance.of_fonts(licence_files, tree.scans).items():
        about_parts.add(licence_file)
        terms = Terms(licence_files[licence_file][0], licence_file)
        named = {**dict.fromkeys((licence_file, *of_font), terms), **named}
    for path in inheritance.of_something_else(licence_files, partial):
        copy = VENDORED.search(posixpath.dirname(path))
        if licence_files[path] and (copy is None or copy.end() < len(posixpath.dirname(path))):
            about_parts.add(path)
            named = {**named, path: Terms(licence_files[path][0], path)}
    about_parts |= _about_named(named, licence_files, tree.scans, known)
    own_parts = {path: found for path, found in licence_files.items() if path not in about_parts}
    governing = inheritance.governing(own_parts, partial)
    if "" in named and not ("" in governing and governing[""].plain):
        governing[""] = named[""]
    own: dict[str, Conclusion] = {}
    vague: dict[str, str] = {}
    pieces: dict[str, Conclusion] = {}
    for path, scan in tree.scans.items():
        if scan.whole:
            continue
        found = said_by(path, scan, known, by_directory, licence_files)
        if found is not None and found.basis == PIECE:
            pieces[path] = found
        elif found is not None:
            own[path] = found
            if found.expression in VAGUE and not _with_version(scan, found.expression):
                vague[path] = _vague_target(path, scan, known, by_directory)
    without = (path for path, scan in tree.scans.items() if path not in own and not scan.whole)
    for path, target in pointers.to_sources(tree.scans, without).items():
        if target in own:
            own[path] = Conclusion(own[target].expression, "pointer", target)
    own |= {
        path: Conclusion(own[target].expression, "pointer", target)
        for path, target in fonts.beside(tree.scans, {path: said.expression for path, said in own.items()}).items()
    }
    known_own = {path: c for path, c in own.items() if c.expression != UNKNOWN}
    said_exactly = {path: said.expression for path, said in known_own.items()}
    of_parts: dict[str, Terms] = {}
    for licence_file, about in partial.items():
        if licence_files[licence_file]:
            terms = Terms(version_of_part(licence_file, about, licence_files, said_exactly), licence_file)
            of_parts |= dict.fromkeys((path for path in about if named[path].source == licence_file), terms)
    named = {**named, **of_parts}
    telling = [(path, said.expression) for path, said in known_own.items()]
    telling += [(path, found[0]) for path, found in licence_files.items() if len(found) == 1]
    named = {**kin.metrics_of_fonts(telling, tree.scans), **named}
    at_root = {
        # without a version it is no other text than that of 2.1
        path: tuple(e for e in licence_files[path] if e != _VAGUE_LGPL or _with_version(tree.scans[path], e))
        for path in by_directory.get("", ())
        if licence_files[path]
    }
    strict = any(only_version(tree.scans[path]) for path in by_directory.get("", ()))
    unversioned = Counter(own[path].expression for path in vague)
    declared = _declared(tree.scans, identifiers)
    told = told_at_root(tree.scans, known, declared)
    own_files = [said for path, said in known_own.items() if not is_vendored(path)]
    main = main_terms(
        governing, own_files or known_own.values(), at_root, unversioned, told, strict=strict, rest=named.get("")
    )
    if main == VAGUE_BSD:
        exact = bsd_of_root(tree.scans, known)
        main = exact.expression if exact is not None else main
        if exact is not None:
            governing.setdefault("", exact)
    told_main = next((each for each in (told.project, of_place(governing)) if each and each.expression == main), None)
    if "" not in governing and told_main is not None:
        governing[""] = told_main
    if "" in governing:
        governing[""] = dataclasses.replace(governing[""], expression=main)
    in_words = main in told.licences or "" in named or (told.project is not None and told.project.expression == main)
    _make_exact(own, vague, main, governing, licence_files, named, in_words=in_words)
    for path, said in own.items():
        if VAGUE_BSD in said.expression and any(_GOVERNED.search(notice.text) for notice in tree.scans[path].notices):
            expression = said.expression.replace(VAGUE_BSD, "BSD-3-Clause")
            own[path] = dataclasses.replace(said, expression=expressions.joined([expression]))
    named = {**style_sheets.pictures(tree, own, main), **named}
    manuals = Manuals(tree.scans, known_own, known)
    stated = ((path, c.expression) for path, c in own.items() if c.expression != UNKNOWN and not fonts.is_named(path))
    neighbours = Neighbours(
        (path, said)
        for path, said in stated
        if not _of_build_system(said) and not (said == main and BUILD_FILE.match(posixpath.basename(path)))
    )
    about_some = {terms.source for terms in named.values()}
    for directory, terms in documents.projects(tree.scans, known).items():
        text = governing.get(directory)
        if text is not None and terms.expression == text.expression.replace("-only", "-or-later"):
            governing[directory] = dataclasses.replace(text, expression=terms.expression)
        around = neighbours.at(directory, 1)
        about_all = terms.plain and (not around or neighbours.count(directory, around) < COPIED)
        most = neighbours.most(directory)
        named_bsd = most == VAGUE_BSD and terms.expression.startswith("BSD-")
        silence = not most and terms.source not in about_some
        if about_all or named_bsd or silence or most == terms.expression:
            governing.setdefault(directory, terms)
        elif most == _IJG.sub("", terms.expression):
            governing.setdefault(directory, Terms(most, terms.source, (most,), (most,)))
    for directory, terms in documents.bundles(tree.scans, known).items():
        governing.setdefault(directory, terms)
    sizes = inheritance.sizes(tree.scans)
    governing |= kin.among_documents(governing, neighbours)
    governing = kin.libraries_of_scripts(own, sizes, neighbours) | governing
    governing = kin.directories_of_libraries(own, sizes, neighbours, governing, declared, main) | governing
    governing = kin.parts_of_modules(own, tree.scans, neighbours, governing) | governing
    around_copies = inheritance.around_governed(governing, tree.scans)
    speaking = {terms.source for terms in governing.values()}
    sidecars = by_sidecar(tree.scans)
    silent: dict[str, Conclusion] = {}
    files: dict[str, Conclusion] = {}
    for path in tree.scans:
        if path in decided:
            files[path] = Conclusion(decided[path], "decision")
        elif path in own:
            files[path] = own[path]
        elif path in named and path not in speaking and not _other_text(path, named[path], licence_files):
            files[path] = Conclusion(named[path].expression, "named", named[path].source)
        else:
            sidecar = sidecars.get(path, "")
            beside = of_sidecar(tree.scans[sidecar], known) if sidecar else ""
            if beside:
                files[path] = Conclusion(beside, "sidecar", sidecar)
                continue
            directory = directory_of(path)
            of_manual = manuals.of(path) if not licence_files.get(path) else None
            if of_manual is not None:
                files[path] = Conclusion(of_manual.expression, "named", of_manual.source)
                continue
            if directory not in silent:
                silent[directory] = _inherited(directory, governing, neighbours, declared, main, sizes, around_copies)
            files[path] = silent[directory]
            if files[path].basis == "neighbours" and (
                inheritance.is_of_fonts(files[path].expression, path)
                or (posixpath.basename(path) == "Makefile.am" and not is_vendored(path))
            ):
                files[path] = _inherited("", governing, neighbours, declared, main, sizes, around_copies)
            if path in pieces:
                files[path] = own[path] = _with_piece(files[path], pieces[path].expression)
                continue
            texts = licence_files.get(path, ())
            if len(texts) != 1:
                continue
            elsewhere = directory_of(silent[directory].source) != directory or path in named
            inherited = families([silent[directory].expression])
            apart = not families(texts) & inherited and (directory or inheritance.names_a_part(path))
            if families(texts) != inherited if elsewhere else apart:
                files[path] = Conclusion(texts[0], "directory", path)  # it holds its own terms, whatever it is about
    return Concluded(main, files, own, governing)


def _with_piece(inherited: Conclusion, piece: str) -> Conclusion:
    """The terms of a file that says nothing but of a piece of it."""
    around = [inherited.expression] if inherited.expression != UNKNOWN else []
    return Conclusion(expressions.joined([*around, piece]), "notice", inherited.source)


def _about_named(
    named: Mapping[str, Terms],
    licence_files: Mapping[str, tuple[str, ...]],
    scans: Mapping[str, FileScan],
    known: Mapping[str, Classification],
) -> set[str]:
    """Licence files below the root that hold no text and tell the terms of single files beside them, and nothing of the
    others.
    """
    naming = {
        terms.source
        for path, terms in named.items()
        if path not in licence_files and posixpath.dirname(path) == posixpath.dirname(terms.source)
    }
    return {
        path
        for path in naming & licence_files.keys()
        if "/" in path
        and not any(
            of_notice(notice, scans[path], known).basis == "text" or _ALL_OTHERS.search(notice.text)
            for notice in scans[path].notices
        )
    }


def _other_text(path: str, terms: Terms, licence_files: Mapping[str, tuple[str, ...]]) -> bool:
    """Whether a licence file that another one names holds one text, and not the one that this says."""
    texts = licence_files.get(path, ())
    return len(texts) == 1 and path != terms.source and not families(texts) & families([terms.expression])


def _make_exact(
    own: dict[str, Conclusion],
    vague: Mapping[str, str],
    main: str,
    governing: Mapping[str, Terms],
    licence_files: Mapping[str, tuple[str, ...]],
    named: Mapping[str, Terms],
    *,
    in_words: bool,
) -> None:
    """Replaces what they say in `own` without a version, or by pointing, by what licence files have. vague: file -> the
    licence file that its notice without a version refers to; in_words: the project says its terms beside the texts.
    """
    for path, target in vague.items():
        family_ = VAGUE[own[path].expression]
        texts = [each for each in licence_files.get(target, ()) if each.startswith(family_)] if "/" in target else []
        if len(texts) == 1 and " " not in texts[0]:
            own[path] = Conclusion(texts[0], "pointer", target)
        elif target and main.startswith(family_) and " " not in main:
            own[path] = Conclusion(main, "pointer", target)
    # at the root where the project says so in words of its own: the text alone says nothing about other versions
    later = {
        directory: terms
        for directory, terms in governing.items()
        if terms.expression.endswith("-or-later") and (directory or in_words or terms.expression in terms.found)
    }
    for path, said in own.items():
        if VAGUE_BSD in said.expression and path in named and named[path].expression.startswith("BSD-"):
            exact = said.expression.replace(VAGUE_BSD, named[path].expression)
            own[path] = Conclusion(expressions.joined([exact]), "pointer", named[path].source)
        elif said.expression == VAGUE_BSD:
            own[path] = _exact(path, said, governing, "BSD-")
        elif VAGUE_BSD in said.expression:
            side = _exact(path, Conclusion(VAGUE_BSD, said.basis), governing, "BSD-").expression
            own[path] = dataclasses.replace(said, expression=said.expression.replace(VAGUE_BSD, side))
        elif path in vague and said.basis == "notice":
            own[path] = _exact(path, said, later, VAGUE[said.expression])
        # a COPYRIGHT at the root tells of others' terms, too
        if said.basis == "pointer" and "/" not in said.source and _is_text_of(main, licence_files.get(said.source, ())):
            own[path] = Conclusion(main, "pointer", said.source)


def _is_text_of(main: str, found: tuple[str, ...]) -> bool:
    """Whether a licence file has the project's terms, or their text, which may not tell of later versions."""
    return main in found or (" " not in main and families([main]) <= families(found))


def _exact(path: str, said: Conclusion, governing: Mapping[str, Terms], family_: str) -> Conclusion:
    """ "The BSD license" of a file is the one that the nearest licence file has, when that has one of the family."""
    for above in inheritance.ancestors(posixpath.dirname(path)):
        if above in governing:
            terms = governing[above]
            one = terms.expression.startswith(family_) and " " not in terms.expression
            return Conclusion(terms.expression, "pointer", terms.source) if one else said
    return said


def _of_build_system(expression: str) -> bool:
    """Whether autotools' files have such terms, which tell nothing about the files beside them."""
    return "Autoconf-exception" in expression or all(key.startswith("FSF") for key in expressions.keys(expression))


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


def _inherited(
    directory: str,
    governing: Mapping[str, Terms],
    neighbours: Neighbours,
    declared: Mapping[str, Terms],
    main: str,
    sizes: Mapping[str, int],
    around_copies: frozenset[str],
) -> Conclusion:
    for above in inheritance.ancestors(directory):
        terms = governing.get(above)
        vendored = is_vendored(above)
        if terms is not None and above:
            around = neighbours.at(above, 1)
            choice = declared.get(above)
            if choice is not None and (
                _offers(choice.expression, terms) or _later(choice.expression, terms.expression)
            ):
                return Conclusion(choice.expression, "declared", choice.source)
            if not vendored and neighbours.mostly(above, main):
                continue  # its files say what all others say: the licence file is about some of them
            texts = families(terms.found)
            agreed = choice is not None and families([choice.expression]) == texts and " OR " in around
            older = around == _VAGUE_LGPL and "LGPL-2.1" in texts
            if (
                around
                and (older or allowed(around, texts))
                and not (agreed and neighbours.count(above, around) < COPIED)
            ):
                return Conclusion(around, "directory", terms.source)
            if "GPL-" in terms.expression and texts == families([main]) and not vendored:
                continue  # once more the text of the project's own licence
            return Conclusion(neighbours.later(above, terms.expression), "directory", terms.source)
        if above:
            # a directory around a copy that has its own licence file is the project's own
            around = _of_copy(above, neighbours) if vendored and above not in around_copies else ""
            if around and not _apart(above, around, governing, declared, neighbours, sizes):
                around = ""
            if around:
                return Conclusion(around, "neighbours", above)
            said = declared[above].expression if above in declared else ""
            agreed = said in (main, neighbours.at(above)) or _later(said, main)
            if said and (vendored or "" not in governing or agreed):
                # in the project itself a manifest that says otherwise alone is a finding, not the answer
                return Conclusion(declared[above].expression, "declared", declared[above].source)
    root = governing.get("")
    part = of_part(directory, neighbours, main, root, sizes)
    if part is not None:
        return part
    if root is not None:
        return Conclusion(root.expression, "directory", root.source)
    if main != UNKNOWN:
        return Conclusion(main, "neighbours")
    return Conclusion(UNKNOWN, "none")


def _later(expression: str, text: str) -> bool:
    """Whether an expression says "or later" of the licence whose text alone does not tell that."""
    return text.endswith("-only") and " " not in text and expression == text.removesuffix("-only") + "-or-later"


def _of_copy(directory: str, neighbours: Neighbours) -> str:
    """What the files of a part of a copy say; for a whole copy what all say that say anything, however few."""
    copy = VENDORED.search(directory)
    around = neighbours.at(directory, _ENOUGH if copy is None or copy.end() < len(directory) else 1)
    around = around or neighbours.side(directory)
    inner = neighbours.in_one(directory, around) if around else ""
    if inner and inner_copy(directory, inner):
        around = neighbours.apart_from(directory, inner) or around
    return around if " AND " not in around or neighbours.speaking(directory) else ""


def _offers(expression: str, terms: Terms) -> bool:
    """Whether a manifest offers a choice whose sides the texts beside it are, or tells how all of them go together."""
    sides = families([expression])
    texts = families(terms.beside or terms.found)
    if " AND " in expression:
        return len(sides) > 1 and sides <= texts and texts - sides <= {"LicenseRef-public-domain"}
    return " OR " in expression and bool(texts) and texts <= sides


def _apart(
    directory: str,
    around: str,
    governing: Mapping[str, Terms],
    declared: Mapping[str, Terms],
    neighbours: Neighbours,
    sizes: Mapping[str, int],
) -> bool:
    """Whether the files of a part of a copied project that has a licence file above speak against it: half of all, when
    they say something else than its texts; not where they state a side of what its manifest offers.
    """
    inner = neighbours.in_one(directory, around)
    for above in inheritance.ancestors(directory):
        if (
            above in declared
            and is_vendored(above)
            and _offers(declared[above].expression, Terms(around, "", (around,)))
        ):
            return False
        if above not in ("", directory) and above in governing and is_vendored(above):
            if allowed(around, families(governing[above].found)):
                return True
            if inner and inner_copy(directory, inner):
                return False
            return neighbours.count(directory, around) * 2 >= sizes[directory]
    return True


def _declared(scans: Mapping[str, FileScan], identifiers: frozenset[str]) -> dict[str, Terms]:
    found: dict[str, Terms] = {}
    for path, scan in scans.items():
        for each in scan.declared:
            if each.kind == "package":
                expression = expressions.normal(each.value)
                place = posixpath.normpath(posixpath.join(posixpath.dirname(path), each.scope))
                if expression and expressions.keys(expression) <= identifiers and not place.startswith("."):
                    found.setdefault(place, Terms(expression, path))
            if each.kind == "manifest":
                expression = expressions.normal(each.value)
                if expression and expressions.keys(expression) <= identifiers:
                    found.setdefault(posixpath.dirname(path), Terms(expression, path))
    return found

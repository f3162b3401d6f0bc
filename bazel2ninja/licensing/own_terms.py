"""What a file says of its own terms: its notices, classified, put together; documents and READMEs speak of other things
as well.
"""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Iterable, Mapping

from bazel2ninja.licensing import expressions, inheritance, pointers
from bazel2ninja.licensing.matching import TO_THE_PUBLIC, Classification, is_exception, simplified
from bazel2ninja.licensing.notices import Notice
from bazel2ninja.licensing.scan import FileScan
from bazel2ninja.licensing.tree import name_of
from bazel2ninja.records import dataclass

UNKNOWN = "NOASSERTION"
_NO_TERMS = (UNKNOWN, "NONE")  # a tag that states nothing: the words below it may

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
# far from the top "the library" and "the original code" may be any
_THIS = re.compile(
    r"\bthis (?:\w+ )?(?:document|file|work|manual|page|program|software|book|library|package|translation|font|data|"
    r"code|article|image|material|script|module|text)\b"
)
# the first words of a document under its title
_HEADING = re.compile(r"(?:license|licensed under)\b")
_TITLE_LINES = 15
_HEADING_WORDS = 40
# a document that grants itself, in a statement of any length
_GRANTS_ITSELF = re.compile(r"\bpermission is granted to copy distribute and or modify this (?:document|manual|file)\b")
# what such a document is under, beside words about the program, the fonts and others that it tells of
_OF_DOCUMENTS = re.compile(r"(?:GFDL|CC-BY|Latex2e|FreeBSD-DOC)[\w.-]*$")
_COPIES_OF_ITSELF = re.compile(r"\bverbatim copies of this (?:document|manual|file)\b")
_EXAMPLES = re.compile(r"\b(?:code|examples?|listings?|snippets?|programs?|samples?|scripts?)\b")
# a README or INSTALL that has terms of its own
_THIS_FILE = re.compile(r"\bthis (?:file|document)\b")
# whose words or code something was made from
_CREDIT = re.compile(
    r"\b(?:based (?:up)?on|borrowed|adapted|derived|lifted|taken|copied|stolen|ported|inspired|modell?ed|adopted|reused|"  # noqa: E501
    r"originally|original|courtesy|thanks|implementation|from)\b"
)
# of something in the public domain that a file was made from; what follows "this" may be about the file
_PUBLIC_SOURCE = re.compile(
    r"\b(?:(?:based (?:up)?on|adapted from|derived from|adaptation of|inspired by|"
    r"the original (?:\w+ )?(?:code|program|version|work|implementation))(?: (?!this )\S+){0,14}?|via the|"
    r"(?:algorithm|method|technique|format)s? (?:is|are)(?: in the)?) public domain\b|"
    r"\b(?:is|are)(?: in the)? public domain see \w+ (?:c|cc|cpp|py|java|s)\b"
)
_PUBLIC = "LicenseRef-public-domain"
# what a statement far from the top has; other words there tell what the code below them does
_STATES = re.compile(
    r"\b(?:licensed|released|distribut\w+|redistribut\w+|published|available|covered|subject|under|terms|permission|"
    r"copyright\w*|public domain|licenses?(?: is\b| [\w.]+$|$)|license (?=[al]?gpl|mit|bsd|apache|cc)|same)\b"
)
# in its first words a notice far from the top says that it is about the piece of code below it
_OF_A_PIECE = re.compile(
    r"\b(?:(?:(?:based (?:up)?on|backport of(?: \w+){1,5}? from|"
    r"(?:adapted|backported|borrowed|copied|taken|lifted|sourced|ported|derived)(?: \w+ \w+)? from)"
    r" (?!this |the software|software)|file from the\b|"
    r"the following (?!conditions|terms|restrictions)(?:\w+ ){1,4}(?:is|are|was|were)\b|licensed under the following\b|"
    r"(?:this|these) (?:functions?|routines?|macros?|tables?|methods?|algorithms?|regex|class(?:es)?|sections?|parts?|"
    r"blocks?|snippets?)\b))"
)
_FIRST_WORDS = 240  # characters
_SOME_CODE = re.compile(
    r"(?:some|parts|portions|pieces|much|most)(?: of the)? (?:code )?(?:in|of) this file(?: and \w+ files)? "
    r"(?:is|are|was|were) "
)
PIECE = "piece"  # the basis of terms that hold beside those of a silent file
# a form that is to be filled in
_TO_FILL_IN = re.compile(r"(?: (?:or )?(?:[al]?gpl|bsd|mit|apache|artistic|mpl|public domain)){3,12} etc\b")
# a script tells its licence to the program that runs it
_FIELD = re.compile(r"[\"']?licen[cs]e[\"']?\s*:\s*[\"'][\w.+ -]{2,40}[\"'],?")
_SCRIPTS = (".js", ".mjs", ".qml")
_FIELD_LINES = 10
# where a piece is from, and its licence: it holds beside that of the file
_THIS_PIECE = re.compile(
    r"\b(?:this|the following) (?:block|section|snippet|part) (?:is|was) (?:\w+ ){0,2}from"
    r" (?:\S+ ){1,12}licensed? "
)
# below a pointer to the licence of the file
_THE_ORIGINAL = re.compile(
    r"\boriginal (?:license|copyright)(?: and (?:license|copyright))?(?: notice| statement| terms)?"
    r" (?:is|was|are|reads|follows)\b"
)
# what a program only uses
_USED = re.compile(
    r"\b(?:we|it|this (?:\w+ )?(?:program|file|code|plugin|module|package)) (?:also )?uses? (?:the|an?)\b"
    r".{1,80}\bwhich is\b"
)
# recipes for building, whose remarks are about what they build
_RECIPE = re.compile(
    r"(?:^|/)(?:(?:GNU)?[Mm]akefile[^/]*|CMakeLists\.txt|meson(?:\.build|_options\.txt)|configure\.(?:ac|in)|"
    r"[^/]+\.(?:am|cmake|mk|gn|gni|bazel|pro|pri))$"
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
_SEVERAL = 3  # texts; a licence file with more is a collection, of which the first is the project's
_BEGINNING = 60  # lines of a document in which its copyright statement belongs to a notice

GRANTED = re.compile(
    r"\bpermission (?:to use|to copy|(?:is )?(?:hereby )?granted)|\bis hereby granted|\bare permitted(?: provided)?|"
    r"\byou (?:may|can|are free to) (?:freely )?(?:use|copy|modify|distribute|redistribute)"
    r" (?:this|these|it|them|and|or|use|copy|modify|distribute|redistribute|freely)\b"
)
_GOVERNED = re.compile(r"subject to|governed|licensed|terms|\bsee (?:the )?(?:file )?(?:license|copying|copyright)")
# that a file holds the text, of which a notice before gave a name
_HELD = re.compile(
    r"\b(?:see|(?:is|are|found|contained|included|given) in)(?: (?:the|accompanying|enclosed|included|file)){0,3}"
    r" (?:license|copying)(?: file| txt| md| rst)\b|\bsee (?:license|copying)\b"
)
# the GNU licences without a version -> how the identifiers of their family begin
_WITHOUT_VERSION = {"GPL-1.0-or-later": "GPL-", "LGPL-2.0-or-later": "LGPL-"}
_OF_DATA = "for terms of use"
_STATED_IN_FULL = "redistribute it and or modify it"
_SCRIPT = "FSFUL"  # configure, with the notices of what it writes in it
VAGUE_BSD = "LicenseRef-BSD-unspecified"
_LIKE_MIT = ("MIT", "X11", "ICU", "HPND", "NTP")
_BSD_NAMES = frozenset({"BSD-2-Clause", "BSD-3-Clause"})
_FREELY = "LicenseRef-freely-usable"  # told from a few words that may be about something else


def is_readme(path: str, language: str = "prose") -> bool:
    """Whether a file speaks of the project rather than of itself: README, NEWS, INSTALL ...; not install-sh or news.py.

    language: in which the file was read (languages.py).
    """
    return language in _FOR_PEOPLE and bool(_README.match(name_of(path)))


@dataclass(frozen=True, slots=True)
class Conclusion:
    """basis: "decision", "tag", "notice", "pointer", "sidecar", "named", "neighbours", "directory", "declared" or
    "none". source: the file that says so ("" for the file itself). main: it is what the project as a whole has.
    """

    expression: str
    basis: str
    source: str = ""


def of_notice(notice: Notice, scan: FileScan, known: Mapping[str, Classification]) -> Classification:
    """The classification of one of a file's notices."""
    return known[notice.digest + ("w" if scan.whole else "")]


def said_by(
    path: str,
    scan: FileScan,
    known: Mapping[str, Classification],
    by_directory: Mapping[str, list[str]],
    licence_files: Mapping[str, tuple[str, ...]],
) -> Conclusion | None:
    """What the file says of itself, None when nothing; basis PIECE: of a piece of it alone."""
    tags = [tag for tag in (expressions.normal(tag) for tag in scan.spdx) if tag and tag not in _NO_TERMS]
    if tags:
        return Conclusion(expressions.joined([*tags, *_beside_tags(scan, known, tags)]), "tag")
    if not scan.notices:
        return None
    parts: list[str] = []
    exceptions: list[str] = []
    unknown = False
    referred: list[tuple[str, str]] = []
    borrowed: list[str] = []  # terms of pieces that a notice tells by naming a file
    pieces = 0  # of the parts
    governed: list[tuple[str, ...]] = []  # terms of files that a notice says to see: they hold beside the other notices
    basis, source = "", ""
    readme = is_readme(path, scan.language)
    document = scan.language == "prose" or posixpath.splitext(path)[1].lower() in _DOCUMENT
    for notice in scan.notices:
        found = of_notice(notice, scan, known)
        if notice.place == "code":
            field = notice.first_line <= _FIELD_LINES and path.endswith(_SCRIPTS) and not parts
            if not (field and found.expression and _FIELD.fullmatch(notice.excerpt.strip())):
                continue
        if readme or (notice.place == "prose" and document):
            length = notice.text.count(" ") + 1
            if readme and not _of_this_file(notice, found):
                continue
            if found.basis == "text" and len(found.alone) > 2:
                continue
            begins = scan.copyrights and notice.first_line <= _BEGINNING
            if found.basis == "phrase" and not _GRANTS_ITSELF.search(notice.text):
                if parts and notice.first_line > _BEGINNING:
                    continue  # it has said what it is under
                headed = notice.first_line <= _TITLE_LINES and length <= _HEADING_WORDS
                if not (headed and _HEADING.match(notice.text)):
                    itself = _ITSELF if notice.first_line <= _BEGINNING else _THIS
                    begun = begins and found.expression != _FREELY  # a few words that may be about anything
                    in_full = _STATED_IN_FULL in notice.text and notice.first_line <= _TITLE_LINES
                    if (length > 120 and not in_full) or not (itself.search(notice.text) or begun):
                        continue
            if found.basis == "pointer" and not (
                length <= _HEADING_WORDS and pointers.to_licence(notice.excerpt, path, licence_files)
            ):
                continue
        if found.basis == "phrase" and not document:
            if found.expression == "Unicode-DFS-2016" and _OF_DATA in notice.text:
                continue  # the head of the data that a table was made from
            if _in_passing(notice, bool(parts), found.expression == _FREELY):
                continue
            remark = _STATED_IN_FULL not in notice.text and not _THIS_FILE.search(notice.text)
            if parts and remark and _RECIPE.search(path):
                continue
        expression = _without_source(found, notice)
        if document:
            expression = _of_document(expression, notice)
        if found.expression and not expression and not found.pointer:
            continue
        if not expression and pointers.source_named(notice.excerpt):
            continue  # looked at when all others have spoken
        named = pointers.to_licence(notice.excerpt, path, licence_files) if not expression or found.pointer else ""
        target = named
        if found.pointer and not target:
            target = inheritance.pointed_at(found.pointer, posixpath.dirname(path), by_directory)
        if found.pointer and not target and expression == _FREELY:
            continue  # the terms are in a file that is not here
        if found.pointer and " " in expression and VAGUE_BSD in expression:
            sides = (key for each in licence_files.get(target, ()) for key in sorted(expressions.keys(each)))
            exact = next((each for each in sides if "BSD" in each and each != VAGUE_BSD), "")
            expression = expression.replace(VAGUE_BSD, exact or VAGUE_BSD)
        if found.basis == "phrase" and expression in _BSD_NAMES and found.pointer and _HELD.search(notice.text):
            text = inheritance.pointed_at(found.pointer, posixpath.dirname(path), by_directory, beyond=True)
            held = [each for each in licence_files.get(named or text, ()) if "BSD" in each]
            if len(held) == 1 and " " not in held[0] and held[0] != VAGUE_BSD:
                expression = held[0]  # the text tells which one is meant, whatever name it was given
        if target and expression in ("", VAGUE_BSD, _FREELY):
            terms = licence_files.get(target, ())
            if "BSD" in expression:
                terms = tuple(each for each in terms if "BSD" in each)
            of_a_piece = notice.first_line > _BEGINNING or _OF_A_PIECE.search(notice.text)
            if terms and not expression and of_a_piece and target == named:
                borrowed.append(terms[0])
                continue
            if terms and not expression:
                referred.append((terms[0], target))
                if _GOVERNED.search(notice.text):
                    governed.append(terms)
                continue
            if terms:
                parts.append(terms[0])
                basis, source = basis or "pointer", source or target
                continue
        if expression:
            if target and _THE_ORIGINAL.search(notice.text) and " OR " not in expression and licence_files.get(target):
                governed.append(licence_files[target])
            parts.append(expression)
            basis = "notice"
            pieces += _of_a_piece(notice) and not document
            if parts == [_SCRIPT]:
                break
        else:
            exceptions += [each for each in found.alone if is_exception(each)]
            unknown = unknown or bool(
                found.unexplained and not document and notice.first_line <= _BEGINNING and GRANTED.search(notice.text)
            )
    if parts and pieces == len(parts):
        if not referred:
            return Conclusion(_joined(tuple(parts)), PIECE)
        governed.append((referred[0][0],))
    if borrowed and not parts and not referred and not unknown:
        return Conclusion(_joined(tuple(borrowed)), PIECE)
    if parts:
        said = [each if len(each) <= _SEVERAL else each[:1] for each in governed]
        parts = [each[0] for each in said if not _implied(each, parts)] + parts
    if not parts and referred:
        parts, basis, source = [referred[0][0]], "pointer", referred[0][1]
    if not parts:
        # what grants something in words that nobody knows does not have the terms of what is around
        return Conclusion(UNKNOWN, "notice") if unknown else None
    for number, part in enumerate(parts):
        if exceptions and "GPL" in part and " " not in part:
            parts[number] = f"{part} WITH {exceptions.pop(0)}"
    return Conclusion(_joined(tuple(parts)), basis, source if basis == "pointer" else "")


def _beside_tags(scan: FileScan, known: Mapping[str, Classification], tags: list[str]) -> list[str]:
    """What a file with a tag has besides, of a part: GNU licences of another kind than the tag's, stated in full, the
    texts of others, and those that follow the one of the tag's licence.
    """
    kinds = {_kind(key) for tag in tags for key in expressions.keys(tag)}
    comments = [notice for notice in scan.notices if notice.place == "comment"]
    stated = [of_notice(notice, scan, known).expression for notice in comments if _STATED_IN_FULL in notice.text]
    gnu = [each for each in stated if "GPL-" in each and " " not in each and _kind(each) not in kinds]
    found = [of_notice(notice, scan, known) for notice in comments]
    texts = [
        each for each in found if each.basis in ("text", "notice") and each.expression and " " not in each.expression
    ]
    others = [each.expression for each in texts if each.basis == "text" and _kind(each.expression) not in kinds]
    expressions_ = [each.expression for each in texts]
    return gnu + (expressions_[1:] if expressions_[:1] == tags else others)


def _kind(key: str) -> str:
    """Licences that a tag does not tell apart: one of the BSD family, one of MIT's, the GPL without its version."""
    return "BSD" if "BSD" in key else "MIT" if key.startswith(_LIKE_MIT) else key.partition("-")[0]


def _of_this_file(notice: Notice, found: Classification) -> bool:
    """Whether a notice in a README is about that file: the terms that files of the GNU build system carry."""
    own = (found.basis in ("text", "notice") or found.expression.startswith("FSF")) and len(found.alone) == 1
    return own and _THIS_FILE.search(notice.text) is not None


def _of_a_piece(notice: Notice) -> bool:
    """Whether a notice far from the top is about a piece of the file."""
    below = notice.first_line > _BEGINNING and _OF_A_PIECE.search(notice.text[:_FIRST_WORDS])
    return bool(below or _SOME_CODE.match(notice.text))


def _of_document(expression: str, notice: Notice) -> str:
    """The expression of a notice in a document; of one that grants the document its terms, without what it tells of
    others.
    """
    sides = expression.split(" AND ") if " OR " not in expression else []
    of_documents = [each for each in sides if _OF_DOCUMENTS.match(each)]
    if not of_documents or len(of_documents) == len(sides):
        return expression
    granted = _GRANTS_ITSELF.search(notice.text) or _COPIES_OF_ITSELF.search(notice.text)
    if granted is None or _EXAMPLES.search(notice.text, granted.end()):
        return expression
    return expressions.joined(of_documents)


def _without_source(found: Classification, notice: Notice) -> str:
    """The expression of a notice without the public domain, where it only says that of what the file was made from."""
    if _PUBLIC not in found.alone or " OR " in found.expression or " WITH " in found.expression:
        return found.expression
    if "public domain" in _PUBLIC_SOURCE.sub(" ", notice.text) or not _PUBLIC_SOURCE.search(notice.text):
        return found.expression
    return expressions.joined([each for each in found.alone if each != _PUBLIC])


def _in_passing(notice: Notice, stated: bool, weak: bool) -> bool:
    """Whether a few words about terms tell where something in a file came from.

    stated: it has told its own terms; weak: the words may be about anything that is free.
    """
    if (stated and _USED.search(notice.text)) or _TO_FILL_IN.search(notice.text):
        return True
    if _STATED_IN_FULL in notice.text or _THIS_PIECE.search(notice.text):
        return False
    below = notice.first_line > _BEGINNING
    if (_THIS if below else _ITSELF).search(notice.text):
        return False
    if weak or (below and not _STATES.search(notice.text)):
        return below
    credit = _CREDIT.search(notice.text) is not None
    return below or credit if stated else below and credit


def _implied(terms: Iterable[str], parts: list[str]) -> bool:
    """Whether any terms of the file that a notice points at are among those that others spell out."""
    wanted = {family(key) for each in terms for key in expressions.keys(each)}
    return any(wanted & {family(key) for key in expressions.keys(part)} for part in parts)


@functools.lru_cache(maxsize=10_000)
def _joined(parts: tuple[str, ...]) -> str:
    """All parts together. Where one offers a choice, another that names a side of it only does so in passing."""
    single = [each for part in parts for each in ([part] if " OR " in part or "(" in part else part.split(" AND "))]
    choices = {part: expressions.keys(part) for part in single if " OR " in part and " AND " not in part}
    kept = [
        part
        for part in dict.fromkeys(single)
        if not any(part != choice and _within(part, sides, part in choices) for choice, sides in choices.items())
    ]
    single = [each for part in kept for each in (part.split(" AND ") if " OR " not in part else [part])]
    return expressions.joined(simplified(single))


def _within(part: str, sides: frozenset[str], choice: bool) -> bool:
    """Whether each licence of a part is a side of another choice, maybe without its version; of two choices with the
    same sides it is the one that leaves a version out.
    """
    keys = expressions.keys(part)
    if sides & TO_THE_PUBLIC:
        keys -= {"LicenseRef-public-domain"}  # what such a side says in other words
    # the text of a side, which may not tell of later versions
    keys = frozenset(key for key in keys if key.replace("-only", "-or-later") not in sides or choice)
    vague = {key: _WITHOUT_VERSION[key] for key in keys - sides if key in _WITHOUT_VERSION}
    if keys - sides - set(vague) or (choice and not vague):
        return False
    return all(any(side.startswith(prefix) for side in sides) for prefix in vague.values())


def family(key: str) -> str:
    return key.removesuffix("-only").removesuffix("-or-later")

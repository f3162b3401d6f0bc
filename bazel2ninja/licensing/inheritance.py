"""Terms that a file has without saying so: from a file that it points to, from its neighbours, from its directory."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from bazel2ninja.licensing import expressions
from bazel2ninja.licensing.tree import directory_of
from bazel2ninja.records import dataclass

_ENOUGH = 3  # neighbours that must say the same before a silent file is taken to mean it too
_CHOICES = 3  # licences between which a project lets one choose
_SHARE = 0.8  # of the neighbours that say anything


VENDORED = re.compile(
    r"(?:^|/)(?:(?:src|libs?)?[-_]?(?:third|3rd)[-_]?part(?:y|ies)(?:[-_]?(?:src|libs?|deps))?|(?:src|libs?)[-_]?3rd|externals?|"
    r"extern|vendor|vendored|deps|ext(?:ern(?:al)?)?[-_]?libs?|embedded|bundled(?:[-_]?(?:deps|libs?))?|subprojects|"
    r"extra_?libs)/([^/]+)(?=/|$)",
    re.IGNORECASE,
)


def is_vendored(directory: str) -> bool:
    """Whether a directory is, or is in, a copy of another project, told from its name: third_party/zlib."""
    return VENDORED.search(directory) is not None


@dataclass(frozen=True, slots=True)
class Terms:
    """`expression` as it was found in the file `source`.

    Of the licence files of a directory: `found`, the licences in `source`; `beside`, those in all of them; plain: the
    name of `source` says nothing about what it is for.
    """

    expression: str
    source: str
    found: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    plain: bool = False


def ancestors(directory: str) -> Iterator[str]:
    """`directory` and those above it up to the root, which is ""."""
    while directory:
        yield directory
        directory = directory_of(directory)
    yield ""


_MAIN = re.compile(r"(?:(?:un)?licen[cs]e|copying|copyright|legal)(?:\.(?:txt|md|rst|html|markdown))?$", re.IGNORECASE)
_FIRST = re.compile(r"(?:licen[cs]e|copying)", re.IGNORECASE)  # a COPYRIGHT beside them lists others' terms
_LESSER = re.compile(r"copying[-._]?(?:lib|lesser|lgpl)[\w.]*$", re.IGNORECASE)
# of what others have made, which is somewhere among the rest
_OF_OTHERS = re.compile(r"(?:third|3rd)[-_. ]?part(?:y|ies)|bundled|dependenc(?:y|ies)", re.IGNORECASE)
_DOCUMENTATION = frozenset({"doc", "docs", "documentation"})
# what a project adds to a copy, and to the documentation under other terms
BUILD_FILE = re.compile(
    r"(?:makefile|cmakelists\.txt|meson\.build|build|build\.bazel|build\.gn|sconscript|wscript|moz\.build)(?:\.\w+)?$|"
    r".*\.(?:mk|am|pri|pro|cmake|gyp|gypi)$|\.clang-format$",
    re.IGNORECASE,
)
_TEXTS_OF_OTHERS = re.compile(rf"(?:^|/)(?:{_OF_OTHERS.pattern})[-_. ]?(?:licen[cs]es?|notices?)$", re.IGNORECASE)
_LICENCE_FOLDERS = frozenset({"licenses", "licences", "license"})


def is_plain(path: str) -> bool:
    """Whether the name of a licence file tells nothing about what it is for; a text kept among others has its name."""
    kept = posixpath.basename(posixpath.dirname(path)).lower() in _LICENCE_FOLDERS
    name = posixpath.basename(path)
    return _MAIN.match(name) is not None and not (kept and name.lower().startswith("un"))


_PARTIAL = re.compile(
    r"(?P<before>.{3,}?)[-_.](?:un)?(?:licen[cs]e|copying)(?:\.(?:txt|md|rst))?$|"
    r"(?:licen[cs]e|copying)[-_.](?!\w*(?:gpl|fdl|bsd|mit|apache|mpl|lesser|less)|(?:html|markdown|adoc)$)(?P<after>docs?|[^-_.]\S{3,}?)(?:\.(?:txt|md|rst))?$",
    re.IGNORECASE,
)


_FOR = re.compile(r"^(?:for|of)_(?=..)")  # LICENSE-for-zed.txt


def names_a_part(path: str) -> bool:
    """Whether the name of a licence file tells what it is for."""
    return _PARTIAL.match(posixpath.basename(path)) is not None


def partial(licence_files: Iterable[str], paths: Iterable[str]) -> dict[str, list[str]]:
    """Licence file -> files for which it speaks: for `zed-LICENSE` and `LICENSE.zed` those beside it (or beside the
    directory `licenses` in which it is) whose names begin with `zed` or end in `.zed`, and those in a directory `zed`
    somewhere below.
    """
    licence_files = list(licence_files)
    with_one = frozenset(posixpath.dirname(path) for path in licence_files)
    stems: dict[str, list[tuple[str, str]]] = {}
    for path in licence_files:
        match = _PARTIAL.match(posixpath.basename(path))
        directory = posixpath.dirname(path)
        if match is None:
            continue
        stem = _FOR.sub("", _plain(match["before"] or match["after"]))
        if posixpath.basename(directory).lower() in _LICENCE_FOLDERS and not _OF_TERMS.match(stem):
            directory = posixpath.dirname(directory)
        if _unnumbered(stem) != _unnumbered(posixpath.basename(directory)):
            stems.setdefault(directory, []).append((stem, path))
    of_documentation = {path for each in stems.values() for stem, path in each if stem in _DOCUMENTATION}
    found: dict[str, list[str]] = {}
    around: dict[str, list[str]] = {}  # directory -> those that speak for a directory of this name, or around this one
    for path in paths if stems else ():
        name = _plain(posixpath.basename(path))
        directory = posixpath.dirname(path)
        for stem, licence_file in stems.get(directory, ()):
            if stem in _DOCUMENTATION:
                continue  # of the documentation's directory; "docker.c" is no part of it
            begins = name.startswith(stem) or name.replace("_", "").startswith(stem.replace("_", ""))
            if path != licence_file and (begins or name.endswith("." + stem)):
                found.setdefault(licence_file, []).append(path)
        if directory not in around:
            around[directory] = list(_named_as_around(directory, stems, with_one))
        for licence_file in around[directory]:
            if licence_file in of_documentation and BUILD_FILE.match(posixpath.basename(path)):
                continue
            found.setdefault(licence_file, []).append(path)
    return found


def _named_as_around(
    directory: str, stems: Mapping[str, list[tuple[str, str]]], with_one: frozenset[str]
) -> Iterator[str]:
    """Of the licence files further up those that have the name of a directory here; none above a directory with one."""
    while directory and directory not in with_one:
        above, _, name = directory.rpartition("/")
        for place in ancestors(above):
            yield from (licence_file for stem, licence_file in stems.get(place, ()) if _same(stem, _plain(name)))
        directory = above


def _same(stem: str, name: str) -> bool:
    return stem == name or (stem in _DOCUMENTATION and name in _DOCUMENTATION)


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")


def _unnumbered(name: str) -> str:
    """The name without the version at its end: "zed" of zed4 and zed-1.2."""
    return _plain(name).rstrip("0123456789._") or name


_TELLING = re.compile(
    r"[\d_.]+|[a-z]{1,2}(?:[_.][a-z]{1,2})*|.*(?:gpl|fdl|bsd|mit|apache|mpl|lesser|boost|bsl|zlib|isc|cc0|cc_?by|ofl|epl|cddl|"
    r"unlicense|artistic|x11|expat|unicode|gnu|orig|upstream|full|main|software|source|code|docs?|project|package|free).*"
)  # names a licence, a language, a version or nothing that could be a part

# the same among texts that are kept in a directory of their own, whose names have it at the beginning of a word
_OF_TERMS = re.compile(
    r"[\d_.]+$|[a-z]{1,2}$|(?:.*[_. \d])?"
    r"(?:[al]?gpl|lesser|g?fdl|bsd|mit|apache|mpl|boost|bsl|zlib|isc|cc0|cc_?by|ofl|epl|cddl|unlicen[cs]e|artistic|x11|expat|unicode|"
    r"gnu|orig|upstream|full|main|software|source|code|docs?|project|package|free|"
    r"licen[cs]e|copying|copyright|legal|notice|terms|eula|commons?|public|sil|psf|wtf|ruby|perl|index)"
)


def of_something_else(licence_files: Mapping[str, tuple[str, ...]], partial: Mapping[str, list[str]]) -> set[str]:
    """Licence files below the root that name what they are for (`Zed-LICENSE.txt`, `licenses/zed.txt`), which is not
    there, neither as a file or directory nor in the name of one above: they are about pieces of what is beside them.
    """
    found = set()
    for path, licences in licence_files.items():
        directory, name = posixpath.split(path)
        match = _PARTIAL.match(name)
        kept = match is None and posixpath.basename(directory).lower() in _LICENCE_FOLDERS
        if kept:
            directory = posixpath.dirname(directory)
        if (match is None and not kept) or not directory or partial.get(path):
            continue
        stem = _plain(match["before"] or match["after"] if match is not None else posixpath.splitext(name)[0])
        telling = _OF_TERMS.match(stem) if kept else _TELLING.fullmatch(stem)
        if kept and any(each.lower().startswith(stem[:4]) for each in licences):
            continue
        around = _plain(directory)
        words = [word for word in stem.split("_") if len(word) > 2]
        if not telling and sum(word in around for word in words) * 2 < max(1, len(words)):
            found.add(path)
    return found


_FONT_TERMS = re.compile(r"(?:OFL-|Bitstream-|Ubuntu-font-|GUST-Font|Arphic-|IPA$|mplus$)")
_FONT = re.compile(r"\.(?:[ot]t[fc]|woff2?|eot|sfd|glyphs|pf[abm]|afm|bdf|pcf(?:\.gz)?)$", re.IGNORECASE)
_FONTS_SHARE = 4  # a licence of fonts speaks for all that is around it where a quarter of that are fonts


def is_of_fonts(expression: str, path: str) -> bool:
    """Whether terms are those of fonts, and the file is none."""
    return _FONT_TERMS.match(expression) is not None and _FONT.search(path) is None


def of_fonts(licence_files: Mapping[str, tuple[str, ...]], paths: Iterable[str]) -> dict[str, list[str]]:
    """Licence file below the root with a licence of fonts, in a directory that has mostly other files -> its fonts."""
    with_one = {posixpath.dirname(path) for path, found in licence_files.items() if found}
    ours = {posixpath.dirname(path): path for path, found in licence_files.items() if found and "/" in path}
    ours = {d: path for d, path in ours.items() if all(_FONT_TERMS.match(each) for each in licence_files[path])}
    fonts: dict[str, list[str]] = {}
    others: Counter[str] = Counter()
    for path in paths if ours else ():
        directory = next((each for each in ancestors(posixpath.dirname(path)) if each in with_one), "")
        if directory in ours and _FONT.search(path):
            fonts.setdefault(directory, []).append(path)
        elif directory in ours:
            others[directory] += 1
    return {ours[d]: found for d, found in fonts.items() if others[d] >= _FONTS_SHARE * len(found)}


def governing(
    files: Mapping[str, tuple[str, ...]], partial: Mapping[str, list[str]] = MappingProxyType({})
) -> dict[str, Terms]:
    """directory -> the terms of its licence files: path -> licences found in it, the project's own first.

    partial: licence files that speak for some files of their directory only, with those files.

    A directory with several: COPYING.LESSER over COPYING, a plain name over others (LICENSE over LICENSE.third-party),
    else a choice of all (LICENSE-APACHE and LICENSE-MIT) when they are few.
    """
    by_directory: dict[str, list[str]] = {}
    aside = frozenset(each for each, named in partial.items() if named)
    for path in files:
        if path in aside or path.endswith((".texi", ".texinfo")):
            continue  # a text that manuals include
        if _OF_OTHERS.search(posixpath.basename(path)) or _TEXTS_OF_OTHERS.search(posixpath.dirname(path)):
            continue
        directory = posixpath.dirname(path)
        if posixpath.basename(directory).lower() in _LICENCE_FOLDERS:
            directory = posixpath.dirname(directory)
            if any(posixpath.dirname(other) == directory for other in files):
                continue  # texts of other terms than the project's own, kept aside
        by_directory.setdefault(directory, []).append(path)
    found: dict[str, Terms] = {}
    for directory, paths in by_directory.items():
        stating = sorted(path for path in paths if files[path])
        if not stating:
            continue
        beside = tuple(dict.fromkeys(each for path in stating for each in files[path]))
        lesser = [path for path in stating if _LESSER.match(posixpath.basename(path))]
        main = [path for path in stating if is_plain(path)]
        if lesser:
            found[directory] = Terms(files[lesser[0]][0], lesser[0], files[lesser[0]], beside)
        elif main:
            main.sort(key=lambda path: not _FIRST.match(posixpath.basename(path)))
            sides = tuple(dict.fromkeys(files[path][0] for path in main if len(files[path]) == 1))
            choice = (
                directory and len(main) == len(sides) == 2 and not any("GPL-" in each or " " in each for each in sides)
            )
            if choice and all(_FIRST.match(posixpath.basename(path)) for path in main):
                found[directory] = Terms(" OR ".join(sides), main[0], sides, beside, True)
            else:
                found[directory] = Terms(files[main[0]][0], main[0], files[main[0]], beside, True)
        else:
            names = list(dict.fromkeys(files[path][0] for path in stating))
            if len(names) > 1 and all(posixpath.basename(posixpath.dirname(path)) == "LICENSES" for path in stating):
                names = [name for name in names if not name.startswith(("CC0", "CC-BY"))]  # REUSE: those are of data
                if len(names) != 1:
                    continue
            if len(names) > _CHOICES:
                continue  # a collection of texts, not the terms of what is there
            found[directory] = Terms(
                " OR ".join(f"({n})" if " " in n and len(names) > 1 else n for n in names), stating[0], beside, beside
            )
    return found


def around_governed(governing: Iterable[str], paths: Iterable[str]) -> frozenset[str]:
    """Directories that hold one with licence files of its own; those without files also one level further up (HOST of
    HOST/OWNER/NAME).
    """
    above = {posixpath.dirname(each) for each in governing if each} - {""}
    further = {posixpath.dirname(each) for each in above}
    return frozenset(above | (further - {posixpath.dirname(path) for path in paths}))


def sizes(paths: Iterable[str]) -> Counter[str]:
    """Directory -> files in and below it."""
    found: Counter[str] = Counter()
    for directory, count in Counter(map(directory_of, paths)).items():
        for above in ancestors(directory):
            found[above] += count
    return found


class Neighbours:
    """How often each expression is stated in each directory and below it."""

    def __init__(self, own: Iterable[tuple[str, str]]):
        self._below: dict[str, Counter[str]] = {}
        beside = Counter((directory_of(path), expression) for path, expression in own)
        for (directory, expression), count in beside.items():
            for above in ancestors(directory):
                self._below.setdefault(above, Counter())[expression] += count
        self._inner: dict[str, list[str]] = {}
        for directory in self._below:
            if directory:
                self._inner.setdefault(posixpath.dirname(directory), []).append(directory)

    def speaking(self, directory: str, enough: int = _ENOUGH) -> bool:
        """Whether enough files in and below a directory say anything."""
        return directory in self._below and self._below[directory].total() >= enough

    def count(self, directory: str, expression: str) -> int:
        """How many files in and below a directory say this."""
        return self._below[directory][expression] if directory in self._below else 0

    def side(self, directory: str) -> str:
        """The one licence that everything stated in and below a directory is, or offers; "" if there is none."""
        counts = self._below.get(directory)
        stated = [expressions.keys(each) for each in counts if " AND " not in each] if counts else []
        common = frozenset.intersection(*stated) if len(stated) > 1 else frozenset()
        return next(iter(common)) if len(common) == 1 else ""

    def later(self, directory: str, text: str) -> str:
        """The terms that a text in a directory stands for: "X-or-later" where that is what files state that name X."""
        later = text.removesuffix("-only") + "-or-later"
        count = self.count(directory, later) if text.endswith("-only") and " " not in text else 0
        return later if count > 1 and count >= _SHARE * (count + self.count(directory, text)) else text

    def mostly(self, directory: str, expression: str) -> bool:
        """Whether more than half of the files in and below a directory that say anything say this, and enough do."""
        count = self.count(directory, expression)
        return count >= _ENOUGH and count * 2 > self._below[directory].total()

    def most(self, directory: str) -> str:
        """What more files in and below a directory say than anything else, "" when none says anything."""
        counts = self._below.get(directory)
        return counts.most_common(1)[0][0] if counts else ""

    def elsewhere(self, directory: str, expression: str) -> bool:
        """Whether most files that say anything outside a directory say this, too, and enough do."""
        total = self._below[""].total() - self._below[directory].total()
        count = self.count("", expression) - self.count(directory, expression)
        return count >= _ENOUGH and count * 2 > total

    def in_one(self, directory: str, expression: str) -> str:
        """The directory directly in this one in and below which all files are that say this; "" if there is none."""
        count = self.count(directory, expression)
        inner = self._inner.get(directory, ()) if count else ()
        return next((each for each in inner if self.count(each, expression) == count), "")

    def apart_from(self, directory: str, inner: str) -> str:
        """What most files in and below a directory say that are not in another one in it; "" when they do not agree."""
        counts = self._below[directory] - self._below[inner]
        expression, count = counts.most_common(1)[0] if counts else ("", 0)
        return expression if count >= _SHARE * counts.total() else ""

    def at(self, directory: str, enough: int = _ENOUGH) -> str:
        """What most files in and below a directory say; "" when fewer than `enough` do or they do not agree."""
        counts = self._below.get(directory)
        if counts:
            expression, count = counts.most_common(1)[0]
            if count >= enough and count >= _SHARE * counts.total():
                return expression
        return ""


_POINTER_NAMES = {"copying.libv2": "copying.lib", "copying.libv3": "copying.lib"}
DOCUMENTS = ("doc", "docs", "documentation")


def pointed_at(pointer: str, directory: str, by_directory: Mapping[str, list[str]], *, beyond: bool = False) -> str:
    """The licence file that "see LICENSE" means in a directory: the nearest one upwards whose name begins so, for a
    part of the tree also with that name among its documents, for a copy of another project within it,
    unless `beyond`; "" if none.
    """
    stem = _POINTER_NAMES.get(pointer, pointer).replace("licence", "license")
    copy = VENDORED.search(directory)
    for above in ancestors(directory):
        if copy is not None and len(above) < copy.end() and not beyond:
            break  # a copy of another project speaks of a file of its own
        names = by_directory.get(above, [])
        exact = [path for path in names if posixpath.basename(path).lower().replace("licence", "license") == stem]
        begun = [
            path
            for path in names
            if posixpath.basename(path).lower().replace("licence", "license").startswith(stem.split(".")[0])
        ]
        beside = (name for place in DOCUMENTS for name in by_directory.get(f"{above}/{place}", ()) if above)
        aside = (path for path in beside if posixpath.basename(path).lower().replace("licence", "license") == stem)
        for path in exact or sorted(begun) or aside:
            return path
    return ""

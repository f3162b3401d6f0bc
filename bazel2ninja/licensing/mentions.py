"""Files whose terms are told elsewhere: "testdata/x.jpeg is licensed under CC-BY-3.0" in a README or licence file."""

from __future__ import annotations

import fnmatch
import os
import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path

from bazel2ninja.licensing import content, default_terms, media_terms, tables
from bazel2ninja.licensing.cache import Cache
from bazel2ninja.licensing.classification import classify_texts
from bazel2ninja.licensing.inheritance import Terms, ancestors, is_plain
from bazel2ninja.licensing.own_terms import is_readme
from bazel2ninja.licensing.project_terms import VAGUE
from bazel2ninja.licensing.reading import SourceTree
from bazel2ninja.licensing.tree import directory_of, name_of
from bazel2ninja.licensing.words import digest, words

_NAME = re.compile(
    r"(?<![\w/:@.-])(?:(?:[\w+-][\w.+-]*/)*[\w+*-][\w.+*-]*(?:\.[A-Za-z0-9_*]{1,12}|/\*?)|"
    r"(?:[\w+-][\w.+-]*/)+[\w+-][\w.+-]*\*)(?![\w/@-])"
)
# a directory that is called one, without a slash
_FOLDER = re.compile(
    r"\b(?:files|code|everything|sources|contents) (?:in|of|under|from|within) the [`'\"]?"
    r"([\w+-][\w.+-]*(?:/[\w.+-]+){0,8})/?[`'\"]? (?:sub)?(?:folder|director(?:y|ies))\b",
    re.IGNORECASE,
)
# a notice in the middle of a document, as sources have it
_COMMENT = re.compile(r"^[ \t]*/\*", re.MULTILINE)
_DECORATION = re.compile(r"\n[ \t*]*(?:\n[ \t*]*)*")
# the head of an XML file, which names others for their definitions
_DECLARATION = re.compile(r"<!(?:DOCTYPE|ENTITY)\b[^<>\[]{0,400}[>\[]")
# "one.gif: from ...", "one.gif, two.gif: ..."
_OF_FILE = r"(?:[\w{*][^\s:]{0,80}\.[\w*]{1,6}, ){0,20}[\w{*][^\s:]{0,80}\.[\w*]{1,6}(?::|[ \t]+[-\u2013\u2014])[ \t]"
_ITEM = re.compile(rf"(?:^|\n)(?:[ \t]*\n|(?=[ \t]*[-*\u2022] )|(?=[ \t]*\d+[.)] )|(?={_OF_FILE}))")
# "one.gif: from the dots collection (GPL)"
_IN_BRACKETS = re.compile(r"\(([^()]{2,60})\)\.?$")
# "zlib/libpng license.", on a line of its own below the name
_ON_A_LINE = re.compile(r"\n[ \t]*((?:the )?(?:[\w./+-]{1,20} ){1,4}licen[cs]e)\.?[ \t\r]*(?=\n|$)", re.IGNORECASE)
# "on.png - CC0, (c) A. Body"
_FIELD = re.compile(r"[ \t]*[\w*][^\s:]{0,80}\.[\w*]{1,6}(?::|[ \t]+[-\u2013\u2014])[ \t]+(\w[^,;(\n]{1,60})[,;(]")
# tags of a page: the names in them lead from page to page
_TAG = re.compile(r"<[A-Za-z/][^<>]{0,1000}>")
# {red,blue}-ball.gif
_BRACES = re.compile(r"([\w.*/-]{0,60})\{([\w-]{1,40}(?:,[\w-]{1,40}){1,30})\}([\w.*/-]{0,60})")
# what tells of times gone by, or how to install, names files for other reasons than their terms
_OF_CHANGES = re.compile(
    r"(?:changes?|changelog|news|history|todo|release|install|faq|building|hacking)\b", re.IGNORECASE
)
# the head of a list, with terms for all that it names
_HEADING = re.compile(r"(?:licen[cs]|public domain|\bcc[-0 ]|gpl)[^\n]*:[ \t\r]*$", re.IGNORECASE)
# before a name: those are left out
_BUT = re.compile(
    r"\b(?:outside(?: of)?|except(?:ing)?(?: for| in)?|exception of|excluding|other than|apart from)"
    r"(?: the| those| files?| in| director(?:y|ies)| folders?){0,4}[\s`'\"(*]*$",
    re.IGNORECASE,
)
_AND = re.compile(r"[\s`'\"*,]*(?:and|or|&)?[\s`'\"*]*", re.IGNORECASE)
_POINT = re.compile(r"([ \t]*)[-*\u2022] ")
# before a name: what stands there is to be read, and nothing is said of its terms
_SEE = re.compile(
    r"\b(?:see|refer to|read|consult)(?: also)?(?: the)?(?: file)?[\s`'\"(\[]*(?:[\w .-]{1,40}\]\()?$", re.IGNORECASE
)
_BARE_POINT = re.compile(r"[ \t]*[-*\u2022] [`'\"]?(\w[\w-]{2,60})[`'\"]?\s*$")
# the name of a file, which may not be here
_A_FILE = re.compile(
    r"[\w*-]\.(?:c|h|cc|cpp|cxx|hpp|hh|py|pl|pm|el|js|rb|java|lua|sh|png|jpe?g|gif|svg|ico|wav|ogg|mp3|ttf|otf|lib|dll|exe|inp)$",
    re.IGNORECASE,
)
_LONGEST = 300_000  # characters of a README or licence file
# below a list: what it is about
_THESE = re.compile(r"^[ \t]*(?:all of )?(?:these|the above|those)\b", re.IGNORECASE | re.MULTILINE)
_SHORT = 400  # characters
_FEW_WORDS = 3
_MANY = 40  # names in one item; more is a list of something else
# terms before a list of what they are about
_FOLLOWING = re.compile(
    r"\bthe following (?:\w+ ){0,3}?(?:files|images|icons|pictures|photos|graphics|sounds|blobs|binaries|"
    r"fonts|sources|headers|modules|scripts|samples|examples|tests|data|directories|works|parts|components)\b"
)
_LISTED = 400  # names in such a list
_TEXT = 12  # items that a licence's text may have
_CARRIED = 3  # items after one that only names files, in which their terms may follow


def read(tree: SourceTree, cache: Cache, directory: Path) -> dict[str, Terms]:
    """path -> what another file says about it.  A name counts when it is a file, a directory or a pattern of files below
    the place of the file that speaks, or at the root.  A table of the project's counts more (tables.py).  The key ""
    is for all that is not named.
    """  # noqa: E501
    speaking = [
        path
        for path, scan in tree.scans.items()
        if scan.kind == "text"
        and scan.notices
        and scan.size <= _LONGEST
        and (scan.whole or (is_readme(path, scan.language) and not _OF_CHANGES.match(posixpath.basename(path))))
    ]
    names: dict[str, list[str]] = {}
    for each in tree.scans if speaking else ():
        names.setdefault(name_of(each), []).append(each)
    # the file that speaks, the files it names, digest of the words, digest of these with what follows
    candidates: list[tuple[str, list[str], str, str]] = []
    # the same for lists: digest of what announces one, digest of its own words
    lists: list[tuple[str, list[str], str, str]] = []
    # the file that speaks, kinds of files of which it speaks, digest of its words
    media: list[tuple[str, str, str]] = []
    texts: dict[str, tuple[str, bool]] = {}
    headings: set[str] = set()  # digests of those that only name what the text below is about

    def kept(text: str) -> str:
        said = words(text)
        key = digest(said)
        texts[key] = (" ".join(said), False)
        return key

    for path in speaking:
        items = list(_items(os.path.join(tree.root, path)))
        naming = [_files(item, posixpath.dirname(path), tree, names) for item in items]
        others = [[each for each in named if not tree.scans[each].whole] for named in naming]
        media += [(path, kinds, kept(text)) for kinds, text in media_terms.candidates(items, others)]
        lists += _lists(path, items, tree, names, kept)
        waiting: list[str] = []
        patience = 0
        point: re.Match[str] | None = None  # of the list in which the files are named
        heading = ""
        listed: list[str] = []  # in points that only name them, one after the other
        for number, (item, named) in enumerate(zip(items, naming, strict=True)):
            about, longer = named, ""
            these = _THESE.search(item) if listed else None
            alone = _POINT.match(item) and len(item[: these.start() if these else None].split()) <= _FEW_WORDS + len(
                named
            )
            listed = listed + named if alone else listed
            if these is not None and (alone or not named):
                candidates.append((path, listed, kept(item[these.start() :][:_SHORT]), ""))
            listed = listed if alone and these is None else []
            if not named and item.strip():
                heading = item if _HEADING.search(item.rstrip()[-300:]) else ""
            if named and heading and _POINT.match(item):
                candidates += [(path, named, kept(item), ""), (path, named, kept(heading), "")]
                patience = 0
                continue
            if named:
                # a directory is only meant when its terms follow at once
                waiting, patience = [each for each in named if _told_below(posixpath.basename(each), item)], _CARRIED
                point = _POINT.match(item)
                end = next((n for n in range(number + 1, len(items)) if naming[n]), len(items))
                longer = kept("\n".join(items[number : min(end, number + _TEXT)]))
                if item.rstrip(" \t\r\n-=_*#").endswith(":"):
                    headings.add(kept(item))
            elif patience == 0 or _announces(item) or _of_another(item, point):
                patience = 0
                continue
            else:
                about = waiting
            patience -= 1
            candidates.append((path, about, kept(item), longer))
            short = _IN_BRACKETS.search(item.rstrip()[-80:]) if named else None
            if short is not None:
                candidates.append((path, about, kept(short[1]), ""))
            field = _FIELD.match(item) if named else None
            if field is not None:
                candidates.append((path, about, kept(field[1]), ""))
            line = _ON_A_LINE.search(item) if named else None
            if line is not None:
                candidates.append((path, about, kept(line[1]), ""))
    known = classify_texts(texts, cache, directory)
    found: dict[str, Terms] = {}
    exact = _exact({(path, known[key].expression) for path, _, key, _ in candidates})
    answered: list[str] = []
    for path, named, before, own in lists:
        told = known[before].expression
        if told and " AND " not in told and not known[own].expression:
            for each in named:
                found.setdefault(each, Terms(told, path))
    for path, named, key, longer in candidates:
        told = known[key].expression
        below = told == "LicenseRef-BSD-unspecified" or (not told and key in headings)
        if longer and below and known[longer].basis in ("text", "notice"):
            told = known[longer].expression  # "a BSD style license:", and then it stands there
        if named is answered or not told or " AND " in told or told == "LicenseRef-freely-usable":
            continue
        answered = named
        told = exact.get((path, told), told)
        for each in named:
            if each != path:
                found.setdefault(each, Terms(told, path))
    own_directories = frozenset(posixpath.dirname(path) for path, scan in tree.scans.items() if scan.whole)
    for path, kinds, key in media:
        told = known[key].expression
        if told and " AND " not in told and told not in ("LicenseRef-freely-usable", "LicenseRef-BSD-unspecified"):
            for each in media_terms.meant(kinds, tree.scans, posixpath.dirname(path), own_directories.__contains__):
                found.setdefault(each, Terms(told, path))
    rest = default_terms.read(tree, cache, directory)
    return found | tables.read(tree, cache, directory) | ({"": rest} if rest is not None else {})


def _exact(told: Collection[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """(file that speaks, GNU licence without a version) -> the one version that it tells elsewhere."""
    of_path: dict[str, set[str]] = {}
    for path, expression in told:
        of_path.setdefault(path, set()).add(expression)
    found = {}
    for path, expression in told:
        family = VAGUE.get(expression)
        others = {each for each in of_path[path] if family and each.startswith(family)} - {expression}
        if len(others) == 1 and not any(" " in each for each in others):
            found[path, expression] = others.pop()
    return found


def _lists(
    path: str,
    items: list[str],
    tree: SourceTree,
    names: Mapping[str, list[str]],
    kept: Callable[[str], str],
) -> Iterator[tuple[str, list[str], str, str]]:
    """The lists of files, few items further, that an item announces: "the following icons are under the GPL"."""
    directory = posixpath.dirname(path)
    before, patience = "", 0
    beside: dict[str, list[str]] = {}  # name without extension -> files of the directory
    for item in items:
        if patience and not beside:
            for each in tree.scans:
                if directory_of(each) == directory:
                    beside.setdefault(name_of(each).partition(".")[0], []).append(each)
        if _announces(item):
            alone = item.rstrip().endswith(":") or not _files(item, directory, tree, names)
            before, patience = (kept(item), _CARRIED) if alone else ("", 0)
        elif patience:
            named = _files(item, directory, tree, names, _LISTED) or _called(item, beside)
            if len(item.split()) <= 4 * len(named):  # more is a text about them
                yield path, named, before, kept(item)
            patience -= not (named and _POINT.match(item))


def _called(item: str, beside: Mapping[str, list[str]]) -> list[str]:
    """The files whose name without extension is all that a point of a list says."""
    name = _BARE_POINT.match(item)
    return beside.get(name[1], []) if name is not None else []


def _told_below(name: str, item: str) -> bool:
    """Whether an item names a file so that its terms may follow: not one that is only to be read."""
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", item)
    return found is not None and not _SEE.search(item[max(0, found.start() - 80) : found.start()])


def _of_another(item: str, point: re.Match[str] | None) -> bool:
    """Whether an item is about something else than the one before that names files: it names others, which are not
    here, or is the next point of the same list.
    """
    here = _POINT.match(item)
    if point is not None and here is not None and len(here[1]) <= len(point[1]):
        return True
    return any(_A_FILE.search(name) for name in _candidates(item[:300]))


def _announces(item: str) -> bool:
    return "ollowing" in item and _FOLLOWING.search(" ".join(words(item))) is not None


def _items(path: str) -> Iterator[str]:
    """Paragraphs and points of a list."""
    try:
        with open(path, "rb") as file:
            text, _ = content.decode(file.read(_LONGEST))
    except OSError:
        return
    if "<!" in text:
        text = _DECLARATION.sub(" ", text)
    if path.lower().endswith((".html", ".htm")):
        text = _TAG.sub(" ", text)
    if "{" in text:
        text = _BRACES.sub(lambda found: ", ".join(found[1] + each + found[3] for each in found[2].split(",")), text)
    if "*/" in text:
        text = _with_comments_as_paragraphs(text)
    for item in _ITEM.split(text):
        if item.strip():
            yield item[:6000]


def _with_comments_as_paragraphs(text: str) -> str:
    """Each notice in a comment as one paragraph with the names that stand right above it."""
    parts, at = [], 0
    while (start := _COMMENT.search(text, at)) is not None and (end := text.find("*/", start.end())) >= 0:
        parts += [text[at : start.start()], _DECORATION.sub("\n", text[start.start() : end])]
        at = end
    return "".join([*parts, text[at:]])


def _without_copies(prefix: str, tree: SourceTree) -> list[str]:
    """The files below a directory, without those for which a licence file there speaks."""
    below = [each for each in tree.scans if each.startswith(prefix)]
    own = {
        posixpath.dirname(each)
        for each in below
        if tree.scans[each].whole and tree.scans[each].notices and is_plain(each)
    }
    licensed = {
        directory
        for directory in {posixpath.dirname(each) for each in below}
        if any(above in own for above in ancestors(directory) if len(above) >= len(prefix) - 1)
    }
    return [each for each in below if posixpath.dirname(each) not in licensed]


def _candidates(item: str) -> list[str]:
    """What looks like the name of a file, but for those that are left out: all files except these."""
    found: dict[str, None] = {}
    excepted = -1  # where the last name ends that is left out
    for match in _NAME.finditer(item):
        start = match.start()
        if _BUT.search(item[max(0, start - 60) : start]) or (
            excepted >= 0 and _AND.fullmatch(item[excepted:start][:20])
        ):
            excepted = match.end()
        else:
            found.setdefault(match[0])
    for match in _FOLDER.finditer(item):
        before = item[max(0, match.start() - 60) : match.start(1)]
        if not (_BUT.search(before) or _BUT.search(before[: match.start() - match.start(1)])):
            found.setdefault(match[1] + "/")
    return list(found)


def _files(item: str, directory: str, tree: SourceTree, names: Mapping[str, list[str]], many: int = _MANY) -> list[str]:
    """The existing files that an item names, sorted."""
    candidates = _candidates(item)
    if len(candidates) > many:
        return []
    found: set[str] = set()
    for name in candidates:
        name = name.removesuffix(".").removeprefix("./")
        if not name.strip("*/"):
            continue  # the end of a comment
        if name[0] in "-+" and name not in tree.scans and name not in names:
            name = name.lstrip("-+")  # the point of a list
        for base in dict.fromkeys((directory, "")):
            path = posixpath.normpath(posixpath.join(base, name)) if name else ""
            if path in tree.scans:
                found.add(path)
                break
            deeper = "/" in name and not name.endswith("/*")
            if "*" in name and (deeper or (not name.endswith("*") and posixpath.dirname(path) == directory)):
                place = posixpath.dirname(path)
                beside = [each for each in tree.scans if directory_of(each) == place]
                matching = fnmatch.filter(beside, path.replace("[", "[[]"))
                if matching:
                    found.update(matching)
                    break
            if name.endswith(("/", "/*")) and (base or not directory):  # "it uses code from src/" is no list
                prefix = path.rstrip("*/") + "/"
                below = _without_copies(prefix, tree)
                if below and len(prefix) > 2 and not f"{directory}/".startswith(prefix):
                    found.update(below)
                    break
        else:
            same = names.get(name, [])
            if "/" not in name and len(same) == 1 and same[0].startswith(directory + "/" if directory else ""):
                found.add(same[0])
    return sorted(found)

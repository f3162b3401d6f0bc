"""What a licence file or README says of all files of a kind, pictures, sounds, models, fonts, documentation,
translations or examples: "License of the textures", and under it the terms; or "All artwork is licensed under
CC-BY-SA-3.0".
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator

from bazel2ninja.licensing.inheritance import ancestors
from bazel2ninja.licensing.words import words

_PICTURES = frozenset(
    ("png", "jpg", "jpeg", "gif", "bmp", "tga", "webp", "ico", "icns", "svg", "svgz", "dds", "xcf", "psd", "ktx", "xpm")
)
_SOUNDS = frozenset(("ogg", "oga", "wav", "mp3", "flac", "opus", "mid", "midi", "mod", "xm", "s3m", "it", "aiff", "au"))
_MODELS = frozenset(
    ("obj", "b3d", "gltf", "glb", "x", "3ds", "blend", "fbx", "dae", "md2", "md3", "ms3d", "stl", "mtl")
)
_FONTS = frozenset(("ttf", "otf", "ttc", "woff", "woff2", "eot", "pfa", "pfb", "afm", "pfm", "sfd", "bdf", "pcf"))
_ALL = _PICTURES | _SOUNDS | _MODELS | {"ogv", "webm", "avi", "mp4"}
_MEANT = {
    "texture": _PICTURES,
    "image": _PICTURES,
    "picture": _PICTURES,
    "icon": _PICTURES,
    "sprite": _PICTURES,
    "graphic": _PICTURES,
    "sound": _SOUNDS,
    "music": _SOUNDS,
    "model": _MODELS,
    "mesh": _MODELS,
    "font": _FONTS,
}
_KIND = (
    r"(?:textures?|images?|pictures|icons?|sprites|graphics|sounds?|music|models|meshes|media|artworks?|art|assets|"
    r"fonts|documentation|docs|manuals?|translations?|localizations|languages?|examples?|samples?|demos)"
)
# kinds that are told by a directory: names of such directories, and extensions of files there ("" for all)
_DOCUMENTS = frozenset(
    (
        *("html", "htm", "md", "rst", "txt", "adoc", "asciidoc", "texi", "texinfo", "txi", "tex", "xml", "docbook"),
        *("dbk", "sgml", "odt", "pdf", "page", "dox", "lyx", "ps", "rtf", "doc", "odp", "eps", "fig", "dia", ""),
    )
)
_MESSAGES = frozenset(("po", "pot", "properties", "lang", "strings", "xlf", "xliff"))
_PLACES = {
    "documentation": (re.compile(r"(?:docs?|documentation|manuals?|handbook)$", re.IGNORECASE), _DOCUMENTS | _PICTURES),
    "translation": (
        re.compile(r"(?:po|lang|langs|languages?|locales?|translations?|i18n|l10n)$", re.IGNORECASE),
        frozenset(("ts", "json", "ini", "txt", "yml", "yaml", "xml", "qm", "mo")),
    ),
    "example": (re.compile(r"(?:examples?|samples?|demos?)$", re.IGNORECASE), None),
}
_PLACE_OF = {
    "doc": "documentation",
    "documentation": "documentation",
    "manual": "documentation",
    "translation": "translation",
    "localization": "translation",
    "language": "translation",
    "example": "example",
    "sample": "example",
    "demo": "example",
}
# names of files that are no documents, whatever their extensions are
_OF_BUILD = frozenset(("cmakelists.txt", "makefile", "sconscript", "requirements.txt", "jamfile", "build"))
_SPOKEN_OF = re.compile(rf"\b{_KIND}\b", re.IGNORECASE)
_KINDS = rf"{_KIND}(?: (?:and |or |files? )?{_KIND}){{0,5}}(?: files| code| programs| assets| data| resources)?"
_HEADING = re.compile(
    rf"(?:(?:licenses?|licensing|terms) (?:of|for) (?:\w+ ){{0,3}}?({_KINDS})|({_KINDS})(?: licenses?| licensing))$"
)
_SENTENCE = re.compile(
    rf"(?:and )?(?:all (?:\w+ )?|the (?:\w+ )?|unless otherwise \w+ (?:all )?)?({_KINDS})(?: and [a-z]+)? "
    r"(?:(?:(?:contained |included |used |found )?in this (?:\w+ ){1,2}|files )?)(?:is|are) (?:all )?"
    r"(?:licensed|released|available(?: \w+){0,3} under|distributed|published|placed|provided|under|copyrighted|"
    r"subject to|covered by|in the public domain)\b"
)
# in a sentence, after what it says of the program: ", and its documentation under CC-BY-4.0"
_CLAUSE = re.compile(
    rf",\s+(?:and\s+|while\s+)?(?:(?:its|the|all|their)\s+)?(?:\w+\s+){{0,2}}?({_KIND}(?:\s+and\s+{_KIND})?)\s+"
    r"(?:(?:is|are)\s+)?(?:(?:licen[cs]ed|released|available|distributed)\s+)?under\s+([^,;]{3,200})",
    re.IGNORECASE,
)
_BEFORE = re.compile(r"\b(?:licen[cs]ed|released|available|distributed|covered|is|are)\s+(?:under|by)\b", re.IGNORECASE)
# a title that names a licence and what has it: "CC BY 4.0 - Images"
_TITLED = re.compile(rf"\W*(\w[^\n]{{2,80}}?)\s+[-\u2013\u2014:]\s+({_KIND})\W*$", re.IGNORECASE)
_TITLE = 120  # characters
# of what all is in a directory with a README of a few lines that tells only that: "Icons from the Zed project"
_SEVERAL = re.compile(r"\b(?:textures|images|icons|sprites|graphics|sounds|models|meshes|fonts)\b", re.IGNORECASE)
_SHORT = 500  # characters
_A_NAME = re.compile(r"\w\.[a-z]\w{1,4}\b")
_GRANT_LINE = re.compile(r"\n[ \t]*(?:licensed|licen[cs]e:|released|available|distributed) ", re.IGNORECASE)
_JOINING = frozenset({"and", "or", "file", "files", "data", "resources", "code", "programs"})
_END = re.compile(r"(?<=[.;)>])\s+(?=[A-Z*\n ])")  # of a sentence
# in a sentence: what follows is about something else
_NEXT = re.compile(r"(\b(?:is|are)\b[^,]{1,200}),\s+(?:and|while|but)\s+(?=.{1,200}\b(?:is|are)\b)", re.DOTALL)
_LONGEST = 10  # words of a heading
_BELOW = 3  # items below a heading in which the terms are looked for


def candidates(items: list[str], naming: list[list[str]]) -> Iterator[tuple[str, str]]:
    """(kinds that are spoken of, text in which their terms may be told), for each statement about all of a kind.

    naming: the files that each item names; one that does tells about these.
    """
    title = items[0].strip().partition("\n")[0] if items else ""
    if (
        sum(map(len, items)) < _SHORT
        and _GRANT_LINE.search("\n".join(items))
        and not (any(naming) or _A_NAME.search(title))
    ):
        kinds = _SEVERAL.findall(title)
        yield from ((each.lower(), "\n".join(items)) for each in kinds[-1:])
    for number, item in enumerate(items):
        if naming[number] or not _SPOKEN_OF.search(item):
            continue
        said = " ".join(words(item[:400]))
        heading = _HEADING.match(said) if said.count(" ") < _LONGEST else None
        if heading is not None:
            for below in range(number + 1, min(number + 1 + _BELOW, len(items))):
                if naming[below]:
                    break
                yield heading[1] or heading[2], items[below]
            continue
        titled = _TITLED.match(item) if len(item) < _TITLE else None
        if titled is not None:
            yield titled[2].lower(), titled[1]
            continue
        before = _BEFORE.search(item) if "under" in item else None
        for clause in _CLAUSE.finditer(item, before.end()) if before is not None else ():
            yield " ".join(words(clause[1])), clause[0]
        for part in _END.split(item) if _END.search(item) else (item,):
            sentence = _SENTENCE.match(" ".join(words(part[:400]))) if _SPOKEN_OF.search(part, 0, 200) else None
            if sentence is not None:
                following = _NEXT.search(part)
                yield sentence[1], part[: following.end(1)] if following is not None else part


def meant(kinds: str, paths: Iterable[str], directory: str, with_terms: Callable[[str], bool]) -> Iterator[str]:
    """The files of these kinds below a directory, without those below a directory with a licence file of its own."""
    wanted: frozenset[str] = frozenset()
    places = set()
    for word in kinds.split():
        stem = word.removesuffix("s")
        if stem in _PLACE_OF:
            places.add(_PLACE_OF[stem])
        else:
            wanted |= _MEANT.get(stem, _MEANT.get(stem.removesuffix("e"), frozenset() if word in _JOINING else _ALL))
    if "translation" in places:
        wanted |= _MESSAGES
    prefix = directory + "/" if directory else ""
    own: dict[str, tuple[bool, frozenset[str]]] = {}
    for path in paths:
        if not path.startswith(prefix):
            continue
        here, name = posixpath.split(path)
        if here not in own:
            own[here] = (
                any(with_terms(above) for above in ancestors(here) if len(above) > len(directory)),
                frozenset(each for each in places if _is_for(each, here)),
            )
        with_own, kept = own[here]
        extension = posixpath.splitext(name)[1].lower().lstrip(".")
        if not with_own and (extension in wanted or any(_belongs(each, name.lower(), extension) for each in kept)):
            yield path


def _is_for(place: str, directory: str) -> bool:
    """Whether a directory, or one around it, is there for files of a kind."""
    return any(_PLACES[place][0].match(part) for part in directory.split("/"))


def _belongs(place: str, name: str, extension: str) -> bool:
    extensions = _PLACES[place][1]
    return extensions is None or (extension in extensions and name not in _OF_BUILD)

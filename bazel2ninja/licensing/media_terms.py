"""What a licence file or README says of all pictures, sounds and models: "License of the textures", and under
it the terms; or "All artwork is licensed under CC-BY-SA-3.0".
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
}
_KIND = r"(?:textures?|images?|pictures|icons?|sprites|graphics|sounds?|music|models|meshes|media|artworks?|art|assets)"
_SPOKEN_OF = re.compile(rf"\b{_KIND}\b", re.IGNORECASE)
_KINDS = rf"{_KIND}(?: (?:and |or |files? )?{_KIND}){{0,5}}(?: files| assets| data| resources)?"
_HEADING = re.compile(
    rf"(?:(?:licenses?|licensing|terms) (?:of|for) (?:\w+ ){{0,3}}?({_KINDS})|({_KINDS})(?: licenses?| licensing))$"
)
_SENTENCE = re.compile(
    rf"(?:all (?:\w+ )?|the (?:\w+ )?|unless otherwise \w+ (?:all )?)?({_KINDS}) (?:in this (?:\w+ ){{1,2}})?"
    r"(?:is|are) (?:all )?(?:licensed|released|available|distributed|published|placed|provided|under|copyrighted)\b"
)
_JOINING = frozenset({"and", "or", "file", "files", "data", "resources"})
_LONGEST = 10  # words of a heading
_BELOW = 3  # items below a heading in which the terms are looked for


def candidates(items: list[str], naming: list[list[str]]) -> Iterator[tuple[str, str]]:
    """(kinds that are spoken of, text in which their terms may be told), for each statement about all of a kind.

    naming: the files that each item names; one that does tells about these.
    """
    for number, item in enumerate(items):
        if naming[number] or not _SPOKEN_OF.search(item, 0, 200):
            continue
        said = " ".join(words(item[:400]))
        heading = _HEADING.match(said) if said.count(" ") < _LONGEST else None
        if heading is not None:
            for below in range(number + 1, min(number + 1 + _BELOW, len(items))):
                if naming[below]:
                    break
                yield heading[1] or heading[2], items[below]
        else:
            sentence = _SENTENCE.match(said)
            if sentence is not None:
                yield sentence[1], item


def meant(kinds: str, paths: Iterable[str], directory: str, with_terms: Callable[[str], bool]) -> Iterator[str]:
    """The files of these kinds below a directory, without those below a directory with a licence file of its own."""
    wanted: frozenset[str] = frozenset()
    for word in kinds.split():
        stem = word.removesuffix("s")
        wanted |= _MEANT.get(stem, _MEANT.get(stem.removesuffix("e"), frozenset() if word in _JOINING else _ALL))
    prefix = directory + "/" if directory else ""
    own: dict[str, bool] = {}
    for path in paths:
        if path.startswith(prefix) and path.rpartition(".")[2].lower() in wanted:
            here = posixpath.dirname(path)
            if here not in own:
                own[here] = any(with_terms(above) for above in ancestors(here) if len(above) > len(directory))
            if not own[here]:
                yield path

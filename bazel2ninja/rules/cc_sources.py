"""Which files C++ rules take for sources, headers, libraries and objects, by the ending of their names.

One table; https://bazel.build/reference/be/c-cpp#cc_library.srcs lists the same endings.
"""

from __future__ import annotations

import re
from enum import Enum


class FileKind(Enum):
    """What a C++ rule does with a file among its sources."""

    SOURCE = "source"
    HEADER = "header"
    ARCHIVE = "archive"
    ALWAYSLINK_ARCHIVE = "alwayslink archive"
    SHARED_LIBRARY = "shared library"
    INTERFACE_LIBRARY = "interface library"
    OBJECT = "object"
    LINKER_SCRIPT = "linker script"
    UNSUPPORTED = "unsupported source"
    OTHER = "other"


LANGUAGES = {
    ".c": "c",
    ".cc": "c++",
    ".cpp": "c++",
    ".cxx": "c++",
    ".c++": "c++",
    ".C": "c++",
    ".cu": "c++",
    ".S": "assembler-with-cpp",
    ".sx": "assembler-with-cpp",
    ".s": "assembler",
    ".asm": "assembler",
}
HEADERS = (".h", ".hh", ".hpp", ".ipp", ".hxx", ".h++", ".inc", ".inl", ".tlh", ".tli", ".H", ".tcc")
LINKER_SCRIPTS = (".ld", ".lds", ".ldscript")
_UNSUPPORTED = (".m", ".mm", ".cl", ".swift")

# longest ending first: "x.pic.lo" is no plain archive
_ENDINGS: tuple[tuple[str, FileKind], ...] = (
    (".pic.lo", FileKind.ALWAYSLINK_ARCHIVE),
    (".lo", FileKind.ALWAYSLINK_ARCHIVE),
    (".lo.lib", FileKind.ALWAYSLINK_ARCHIVE),
    (".a", FileKind.ARCHIVE),
    (".lib", FileKind.ARCHIVE),
    (".rlib", FileKind.ARCHIVE),
    (".so", FileKind.SHARED_LIBRARY),
    (".dylib", FileKind.SHARED_LIBRARY),
    (".dll", FileKind.SHARED_LIBRARY),
    (".ifso", FileKind.INTERFACE_LIBRARY),
    (".tbd", FileKind.INTERFACE_LIBRARY),
    (".o", FileKind.OBJECT),
    (".obj", FileKind.OBJECT),
    *((ending, FileKind.LINKER_SCRIPT) for ending in LINKER_SCRIPTS),
    *((ending, FileKind.HEADER) for ending in HEADERS),
    *((ending, FileKind.SOURCE) for ending in LANGUAGES),
    *((ending, FileKind.UNSUPPORTED) for ending in _UNSUPPORTED),
)
_BY_ENDING = dict(_ENDINGS)
_VERSIONED_SHARED_LIBRARY = re.compile(r".+\.(so|dylib)(\.\d\w*)+")

SOURCE_ENDINGS = (*LANGUAGES, *HEADERS, ".a", ".lib", ".lo", ".pic.lo", ".so", ".dylib", ".dll", ".o", ".obj")
"""What may be named directly in `srcs`, besides versioned shared libraries."""


def _ending(name: str) -> str:
    base = name.rpartition("/")[2]
    return base[base.rindex(".") :] if "." in base else ""


def file_kind(name: str) -> FileKind:
    """What the file with this name or path is to a C++ rule."""
    found = _BY_ENDING.get(_ending(name))
    if found is not None:
        return found
    return FileKind.SHARED_LIBRARY if _VERSIONED_SHARED_LIBRARY.fullmatch(name) else FileKind.OTHER


def language(name: str) -> str:
    """The language of a file whose kind is SOURCE."""
    return LANGUAGES[_ending(name)]


def stem(name: str) -> str:
    """The base name without its last ending: "a/b.pb.cc" gives "b.pb"."""
    base = name.rpartition("/")[2]
    dot = base.rfind(".")
    return base[:dot] if dot > 0 else base

"""What a font says of its copyright and licence: the strings of its table of names.

https://learn.microsoft.com/typography/opentype/spec/name ; in a WOFF file the table is compressed (WOFF2, which needs
brotli, is not read).
"""

from __future__ import annotations

import posixpath
import re
import struct
import zlib
from collections.abc import Iterable, Mapping

_FORMATS = frozenset({"ttf", "otf", "woff", "woff2", "eot", "svg", "pfb", "pfa", "afm", "pfm", "ttc"})
# a Type 1 font: in pieces with six bytes before each, or plain
_TYPE_1 = re.compile(rb"(?:\x80\x01.{4})?%!(?:PS-AdobeFont|FontType1)", re.DOTALL)
_CODE = re.compile(r"\beexec\b")  # where the outlines of a Type 1 font begin
_COMMENTS = re.compile(r"^[ \t]*%+[ \t]*(?:Copyright:(?=[ \t]))?(.*)$", re.MULTILINE)
_STRING = re.compile(r"/(?:Notice|Copyright)[ \t]*\(((?:[^()\\]|\\.){0,9000})\)", re.DOTALL)
_OCTAL = re.compile(r"\\([0-7]{3})")
# metrics and bitmaps in text: what a line says, up to the first glyph
_STATEMENT = re.compile(r"^(Comment|Notice|COMMENT|COPYRIGHT|NOTICE)(?:[ \t](.*))?$", re.MULTILINE)
_GLYPHS = re.compile(r"^(?:StartCharMetrics|STARTCHAR|CHARS)\b", re.MULTILINE)
IN_TEXT = (".afm", ".bdf")

_COPYRIGHT, _LICENCE, _ADDRESS = 0, 13, 14  # numbers of names
_UNICODE = (0, 3)  # platforms whose names are UTF-16
_TABLES = 64  # no font has more
_SEVERAL = 3  # fonts that have to say the same
_NAMES = 500
_LONGEST = 100_000  # bytes of a table of names


def is_font(data: bytes) -> bool:
    """Whether bytes begin as a TrueType, OpenType or WOFF font, a collection of such, or a Type 1 font."""
    return _TYPE_1.match(data) is not None or data[:4] in (b"\x00\x01\x00\x00", b"OTTO", b"true", b"ttcf", b"wOFF")


def statements(data: bytes) -> str:
    """The copyright statement and the licence as the font has them, each once; "" when it has none or is damaged."""
    if _TYPE_1.match(data) is not None:
        return _of_type_1(data)
    try:
        table = _names(data)
        said = _strings(table) if table else {}
    except (struct.error, zlib.error):
        return ""
    return "\n\n".join(dict.fromkeys(said[number] for number in (_COPYRIGHT, _LICENCE, _ADDRESS) if said.get(number)))


def _of_type_1(data: bytes) -> str:
    """The comments at the beginning, which often hold the terms, and the notice that programs show."""
    head = data[:_LONGEST].decode("latin-1")
    end = _CODE.search(head)
    head = head[: end.start()] if end is not None else head
    comments = "\n".join(match[1] for match in _COMMENTS.finditer(head))
    strings = [_OCTAL.sub(lambda code: chr(int(code[1], 8)), match[1]) for match in _STRING.finditer(head)]
    return "\n\n".join([comments, *strings])


def in_text(text: str) -> str:
    """What the comments and notices of metrics (.afm) or of bitmaps (.bdf) say."""
    glyphs = _GLYPHS.search(text)
    head = text[: glyphs.start()] if glyphs is not None else text
    said = []
    for keyword, words in _STATEMENT.findall(head[:_LONGEST]):
        text = words.strip(' \t\r"')
        text = text.removeprefix("(").removesuffix(")") if keyword == "Notice" else text
        said.append("\n" + text if keyword == "COPYRIGHT" else text)
    return "\n".join(said)


def is_named(path: str) -> bool:
    """Whether a file is a font by its name; fonts tell nothing of what else is beside them."""
    extension = posixpath.splitext(path)[1][1:].lower()
    return extension in _FORMATS and extension != "svg"


def beside(scans: Iterable[str], expressions: Mapping[str, str]) -> dict[str, str]:
    """Of fonts without terms -> the same font in another format, or another one of the family, that has some; or one
    of several that say the same.

    It stands beside them, or in a directory beside theirs where each is called after a format. expressions: what files
    say themselves.
    """
    fonts: dict[tuple[str, str], list[str]] = {}
    families: dict[tuple[str, str], list[str]] = {}
    silent = []
    for path in scans:
        stem, extension = posixpath.splitext(path)
        if extension[1:].lower() not in _FORMATS:
            continue
        directory, name = posixpath.split(stem)
        if posixpath.basename(directory).lower() in _FORMATS:
            directory = posixpath.dirname(directory)
        key = (directory, name.lower())
        family = (directory, re.split(r"[-_.]", name.lower(), maxsplit=1)[0])
        if path not in expressions:
            silent.append((path, key, family))
        elif extension.lower() != ".svg":
            fonts.setdefault(key, []).append(path)
            families.setdefault(family, []).append(path)
            families.setdefault((directory, ""), []).append(path)
    found = {}
    for path, key, family in silent:
        others = fonts.get(key, [])
        if not others and not path.lower().endswith(".svg"):
            of_all = families.get((key[0], ""), [])
            others = families.get(family) or (of_all if len(of_all) >= _SEVERAL else [])
        if others and len({expressions[each] for each in others}) == 1:
            found[path] = others[0]
    return found


def _names(data: bytes) -> bytes:
    at = struct.unpack_from(">I", data, 12)[0] if data[:4] == b"ttcf" else 0
    woff = data[:4] == b"wOFF"
    count = struct.unpack_from(">H", data, 12 if woff else at + 4)[0]
    for number in range(min(count, _TABLES)):
        if woff:
            tag, start, packed, size, _ = struct.unpack_from(">4s4I", data, 44 + 20 * number)
        else:
            tag, _, start, size = struct.unpack_from(">4s3I", data, at + 12 + 16 * number)
            packed = size
        if tag == b"name" and size <= _LONGEST:
            table = data[start : start + packed]
            return zlib.decompressobj().decompress(table, _LONGEST) if packed < size else table
    return b""


def _strings(table: bytes) -> dict[int, str]:
    """Number of a name -> its longest string."""
    found: dict[int, str] = {}
    _, count, strings = struct.unpack_from(">3H", table)
    for record in range(min(count, _NAMES)):
        platform, _, _, number, length, offset = struct.unpack_from(">6H", table, 6 + 12 * record)
        if number in (_COPYRIGHT, _LICENCE, _ADDRESS):
            data = table[strings + offset : strings + offset + length]
            text = data.decode("utf-16-be" if platform in _UNICODE else "mac-roman", "replace").strip()
            if len(text) > len(found.get(number, "")):
                found[number] = text
    return found

"""What a font says of its copyright and licence: the strings of its table of names.

https://learn.microsoft.com/typography/opentype/spec/name ; in a WOFF file the table is compressed (WOFF2, which needs
brotli, is not read).
"""

from __future__ import annotations

import struct
import zlib

_COPYRIGHT, _LICENCE, _ADDRESS = 0, 13, 14  # numbers of names
_UNICODE = (0, 3)  # platforms whose names are UTF-16
_TABLES = 64  # no font has more
_NAMES = 500
_LONGEST = 100_000  # bytes of a table of names


def is_font(data: bytes) -> bool:
    """Whether bytes begin as a TrueType, OpenType or WOFF font, or a collection of such."""
    return data[:4] in (b"\x00\x01\x00\x00", b"OTTO", b"true", b"ttcf", b"wOFF")


def statements(data: bytes) -> str:
    """The copyright statement and the licence as the font has them, each once; "" when it has none or is damaged."""
    try:
        table = _names(data)
        said = _strings(table) if table else {}
    except (struct.error, zlib.error):
        return ""
    return "\n\n".join(dict.fromkeys(said[number] for number in (_COPYRIGHT, _LICENCE, _ADDRESS) if said.get(number)))


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

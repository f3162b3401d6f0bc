"""What a colour profile says of its copyright and licence.

https://www.color.org/specification/ICC.1-2022-05.pdf , section 7: a table of tags, of which "cprt" is the copyright.
"""

from __future__ import annotations

import struct

_SIGNATURE = slice(36, 40)
_TAGS = 100  # no profile has more
_LONGEST = 10_000  # bytes of the statement


def is_profile(data: bytes) -> bool:
    """Whether bytes begin as an ICC profile."""
    return data[_SIGNATURE] == b"acsp"


def statement(data: bytes) -> str:
    """The copyright statement, which may go on with a licence; "" when there is none or the profile is damaged."""
    try:
        for number in range(min(struct.unpack_from(">I", data, 128)[0], _TAGS)):
            tag, start, size = struct.unpack_from(">4s2I", data, 132 + 12 * number)
            if tag == b"cprt":
                return _text(data[start : start + min(size, _LONGEST)]).strip("\0 \r\n\t")
    except struct.error:
        pass
    return ""


def _text(element: bytes) -> str:
    if element[:4] == b"text":
        return element[8:].decode("latin-1")
    if element[:4] == b"mluc":  # one for each language; the first counts
        length, start = struct.unpack_from(">2I", element, 20)
        return element[start : start + length].decode("utf-16-be", "replace")
    return ""

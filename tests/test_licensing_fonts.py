"""What fonts say of their licence, in their table of names."""

from __future__ import annotations

import random
import struct
import zlib
from pathlib import Path

import pytest
from licensing_support import MIT, concluded_of

from bazel2ninja.licensing import fonts, scan

OFL = "This Font Software is licensed under the SIL Open Font License, Version 1.1."


def names(strings: dict[int, str], platform: int = 3) -> bytes:
    """A table of names."""
    codec = "utf-16-be" if platform == 3 else "mac-roman"
    data, records = b"", b""
    for number, text in strings.items():
        packed = text.encode(codec)
        records += struct.pack(">6H", platform, 1, 0x409, number, len(packed), len(data))
        data += packed
    return struct.pack(">3H", 0, len(strings), 6 + len(records)) + records + data


def font(table: bytes, kind: bytes = b"\x00\x01\x00\x00") -> bytes:
    """A font with a table of names and nothing else."""
    if kind == b"wOFF":
        packed = zlib.compress(table)
        header = kind + struct.pack(">2I2H", 0, 0, 1, 0) + bytes(28)
        return header + struct.pack(">4s4I", b"name", 64, len(packed), len(table), 0) + packed
    begin = b""
    if kind == b"ttcf":
        begin, kind = struct.pack(">4s3I", b"ttcf", 0x10000, 1, 16), b"OTTO"
    directory = struct.pack(">4s4H4s3I", kind, 1, 0, 0, 0, b"name", 0, len(begin) + 28, len(table))
    return begin + directory + table


@pytest.mark.parametrize("kind", [b"\x00\x01\x00\x00", b"OTTO", b"true", b"ttcf", b"wOFF"])
@pytest.mark.parametrize("platform", [1, 3])
def test_the_licence_in_a_font(kind: bytes, platform: int) -> None:
    data = font(names({0: "Copyright 2010 Zed Type", 1: "Zed", 13: OFL}, platform), kind)
    assert fonts.statements(data) == f"Copyright 2010 Zed Type\n\n{OFL}"
    found = scan.scan_bytes("zed.ttf", data, "", "", len(data))
    assert found.kind == "font"
    assert found.copyrights == ("2010 Zed Type",)
    assert [notice.text for notice in found.notices] == [
        "this font software is licensed under the sil open font license version 1.1"
    ]


def test_a_font_that_says_nothing() -> None:
    data = font(names({1: "Zed"}))
    assert fonts.statements(data) == ""
    assert scan.scan_bytes("zed.otf", data, "", "", len(data)).notices == ()


def test_a_table_that_unpacks_to_too_much_is_cut() -> None:
    bomb = zlib.compress(bytes(50_000_000))
    header = b"wOFF" + struct.pack(">2I2H", 0, 0, 1, 0) + bytes(28)
    data = header + struct.pack(">4s4I", b"name", 64, len(bomb), 99_000, 0) + bomb
    assert fonts.statements(data) == ""


@pytest.mark.parametrize("kind", [b"\x00\x01\x00\x00", b"ttcf", b"wOFF"])
def test_damaged_fonts(kind: bytes) -> None:
    whole = font(names({0: "Copyright 2010 Zed Type", 13: OFL}), kind)
    chance = random.Random(41)
    for length in range(4, len(whole)):
        fonts.statements(whole[:length])
    for _ in range(500):
        damaged = bytearray(whole)
        for _ in range(3):
            damaged[chance.randrange(4, len(damaged))] = chance.randrange(256)
        fonts.statements(bytes(damaged))


TYPE_1 = b"""%!PS-AdobeFont-1.0: Zed10 003.002
%%Title: Zed10
%Copyright: Copyright (c) 1997 Zed Society, with Reserved Font Name Zed10.
% This Font Software is licensed under the SIL Open Font License, Version 1.1.
11 dict begin
/FontInfo 7 dict dup begin
 /Notice (Copyright \\050c\\051 1997 Zed Society) readonly def
end readonly def
currentfile eexec
""" + bytes(range(128, 256))


@pytest.mark.parametrize("before", [b"", b"\x80\x01\x10\x02\0\0"])
def test_the_comments_of_a_type_1_font(before: bytes) -> None:
    found = scan.scan_bytes("zed10.pfb", before + TYPE_1, "", "", len(TYPE_1))
    assert found.kind == "font"
    assert "1997 Zed Society" in found.copyrights[0]
    assert "this font software is licensed under the sil open font license version 1.1" in found.notices[0].text
    for length in range(len(TYPE_1)):
        fonts.statements(before + TYPE_1[:length])


def test_metrics_and_bitmaps_in_text(tmp_path: Path) -> None:
    metrics = """StartFontMetrics 2.0
Notice (Copyright (c) 2003 by Zed, Inc. All Rights Reserved.)
Comment This program is free software; you can redistribute it and/or modify
Comment it under the terms of the GNU General Public License as published by the
Comment Free Software Foundation; either version 2 of the License, or
Comment (at your option) any later version.
StartCharMetrics 1
C 0 ; WX 602 ; N .notdef ; B 50 -177 551 706 ;
"""
    changed = """StartFontMetrics 2.0
Notice (Copyright (c) 2003 by Bitstream, Inc. All Rights Reserved.)
Comment DejaVu changes are in public domain
StartCharMetrics 1
"""
    bitmap = 'STARTFONT 2.1\nCOMMENT "x"\nCOPYRIGHT "Public domain font. Share and enjoy."\nCHARS 1\nSTARTCHAR a\n'
    tree: dict[str, str | bytes] = {"LICENSE": MIT, "a.afm": metrics, "b.bdf": bitmap, "c.afm": changed}
    found = concluded_of(tmp_path, tree)
    assert found["a.afm"] == ("GPL-2.0-or-later", "notice")
    assert found["b.bdf"] == ("LicenseRef-public-domain", "notice")
    assert found["c.afm"] == ("Bitstream-Vera", "notice")


def test_the_same_font_in_other_formats(tmp_path: Path) -> None:
    said, silent = font(names({13: OFL})), b"wOF2\0\0\0\0\0\0\0\0"
    tree: dict[str, str | bytes] = {
        "LICENSE": MIT,
        "fonts/ttf/Zed-Bold.ttf": said,
        "fonts/woff2/Zed-Bold.woff2": silent,
    }
    tree |= {"web/zed.ttf": said, "web/zed.eot": silent, "web/zed.svg": "<svg/>\n", "web/zed-bold.eot": silent}
    tree |= {"web/other.woff2": silent, "web/zed-logo.svg": "<svg/>\n", "img/zed.svg": "<svg/>\n"}
    found = concluded_of(tmp_path, tree)
    for path in ("fonts/woff2/Zed-Bold.woff2", "web/zed.eot", "web/zed.svg", "web/zed-bold.eot"):
        assert found[path] == ("OFL-1.1", "pointer"), path
    assert {found[path][0] for path in ("web/other.woff2", "web/zed-logo.svg", "img/zed.svg")} == {"MIT"}


def test_fonts_tell_only_of_fonts(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {f"doc/fonts/{name}.ttf": font(names({13: OFL})) for name in "abcdefg"}
    tree |= {"LICENSE": MIT, "doc/fonts/Makefile.am": "a = b\n", "doc/fonts/zed.eot": b"\0\1"}
    tree |= {f"{n}.c": "/* SPDX-License-Identifier: MIT */\n" for n in range(20)}
    found = concluded_of(tmp_path, tree)
    assert found["doc/fonts/Makefile.am"][0] == "MIT"
    assert found["doc/fonts/zed.eot"] == ("OFL-1.1", "pointer")

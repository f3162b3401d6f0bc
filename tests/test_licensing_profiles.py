"""What colour profiles say of their licence."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from licensing_support import MIT, concluded_of

from bazel2ninja.licensing import profiles

SAID = "Copyright 2015, Ann. This ICC profile is licensed under a Creative Commons Attribution-ShareAlike 3.0 Unported License (https://creativecommons.org/licenses/by-sa/3.0/legalcode)."  # noqa: E501


def profile(element: bytes) -> bytes:
    tags = struct.pack(">I", 2) + b"desc" + struct.pack(">2I", 0, 4) + b"cprt" + struct.pack(">2I", 156, len(element))
    return (b"\0\0\1\0lcms" + bytes(28) + b"acsp").ljust(128, b"\0") + tags + element


def plain(text: str) -> bytes:
    return profile(b"text\0\0\0\0" + text.encode() + b"\0")


def localised(text: str) -> bytes:
    data = text.encode("utf-16-be")
    return profile(b"mluc\0\0\0\0" + struct.pack(">2I4s2I", 1, 12, b"enUS", len(data), 28) + data)


@pytest.mark.parametrize("kind", [plain, localised])
def test_a_profile_speaks_for_itself(tmp_path: Path, kind: object) -> None:
    assert callable(kind)
    data = kind(SAID)
    assert profiles.statement(data) == SAID
    found = concluded_of(tmp_path, {"LICENSE": MIT, "x.icc": data, "y.icc": kind("Copyright Ann")})
    assert found["x.icc"] == ("CC-BY-SA-3.0", "notice")
    assert found["y.icc"] == ("MIT", "directory")


@pytest.mark.parametrize("kind", [plain, localised])
def test_damaged_profiles(kind: object) -> None:
    assert callable(kind)
    whole = kind(SAID)
    for length in range(len(whole)):
        profiles.statement(whole[:length])
    assert profiles.statement(profile(b"curv" + bytes(20))) == ""

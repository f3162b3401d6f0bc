"""What scripts and style sheets for browsers tell in the line with which they begin."""

from __future__ import annotations

from pathlib import Path

import pytest
from licensing_support import BSD, concluded_of


@pytest.mark.parametrize(
    ("banner", "expected"),
    [
        ("/*! zedTree - v3.3.17 - 2024-09-03 - (MIT) */", "MIT"),
        ("/*! zed-cookie v3.0.5 | MIT */", "MIT"),
        ("/*! Zed 1.15.0 - MIT | git://git.example/zed.git */", "MIT"),
        ("/*! jQuery v3.7.1 | (c) OpenJS Foundation and other contributors | jquery.org/license */", "MIT"),
        ("/*!\n * Zed 2.0.1 (https://zed.example/)\n * Copyright (c) 2016, Ann Zed, BSD 2-Clause\n */", "BSD-2-Clause"),
        ("/**\n * zed - a parser\n * Copyright (c) 2011, Ann. (MIT Licensed)\n * https://zed.example\n */", "MIT"),
        ("/* -----\nlinks.css\n(c) 2010\nTiny v1.3 - MIT License - zed.example\n----- */", "MIT"),
        ("/*! Zed, made at MIT and (elsewhere) */", "BSD-3-Clause"),
        ("/*! Zed v1 */", "BSD-3-Clause"),
    ],
)
def test_the_licence_in_the_line_with_which_a_script_begins(tmp_path: Path, banner: str, expected: str) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": BSD, "zed.min.js": banner + "\n!function(){}();\n"}
    assert concluded_of(tmp_path, tree)["zed.min.js"][0] == expected


def test_such_a_line_in_other_languages_is_none(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": BSD, "zed.c": "/* zed, Ann Zed, MIT */\nint z;\n"}
    assert concluded_of(tmp_path, tree)["zed.c"][0] == "BSD-3-Clause"

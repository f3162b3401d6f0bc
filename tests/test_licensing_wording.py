"""What wordings mean that many projects carry, and what they mean beside other terms."""

from __future__ import annotations

from pathlib import Path

import pytest
from licensing_support import BSD, MIT, TEXTS, concluded_of

from bazel2ninja.licensing import references
from bazel2ninja.licensing.matching import Classification, classify
from bazel2ninja.licensing.references import References
from bazel2ninja.licensing.words import words


@pytest.fixture(scope="module")
def known() -> References:
    return references.load(references.directory())


def meaning(text: str, known: References, *, whole: bool = False) -> Classification:
    return classify(" ".join(words(text)), known, whole=whole)


def text_of(name: str) -> str:
    return (TEXTS / f"{name}.txt").read_text()


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("Originally released under the GNU LGPL v2.1, but rereleased by the author under the MIT license.", "MIT"),
        ("This code is released under the libpng license. " + text_of("libpng-2.0"), "libpng-2.0"),
        (
            "# Data-9.txt\n# Date: 2017\n# For terms of use, see http://www.unicode.org/terms_of_use.html",
            "Unicode-DFS-2016",
        ),
        ("Made from a file with this head: Data-9.txt. For terms of use, see unicode.org/terms_of_use.html", ""),
        ("@copyright 2007-2014 by Ann, see AUTHORS. :license: BSD, see LICENSE for details.", "BSD-2-Clause"),
        ("Not copyrighted. You are totally free to do everything you want with it.", "LicenseRef-freely-usable"),
        (
            (
                "Redistribution and use in source and binary forms, with or without modification, are permitted. "
                "There's ABSOLUTELY NO WARRANTY, express or implied."
            ),
            "LicenseRef-cut-down-bsd",
        ),
        (text_of("bcrypt-Solar-Designer"), "bcrypt-Solar-Designer"),
    ],
    ids=lambda text: text[:20],
)
def test_a_wording(text: str, expression: str, known: References) -> None:
    assert meaning(text, known).expression == expression


def test_the_end_of_a_word_is_no_preposition(known: References) -> None:
    assert meaning("Use of it without having obtained a proper license from Zed is a violation.", known).pointer == ""


def test_another_licence_of_examples_in_the_documentation_offers_no_choice(known: References) -> None:
    more = "Starting with 3.8, examples and other code in the documentation are dual licensed under the Zed and 0BSD."
    assert meaning(f"{MIT}\n{more}", known, whole=True).expression == "MIT"


def test_a_choice_below_what_a_file_incorporates(known: References) -> None:
    below = (
        "This file incorporates work covered by the following notice:\n\nUse it under one of the following licenses: "
    )
    below += "the GNU General Public License version 2, or the ISC license."
    assert meaning(f"{MIT}\n{below}", known).expression == "MIT AND (GPL-2.0-only OR ISC)"


HEAD = "/* Copyright (c) 2010 Ann Zed. All rights reserved. See COPYRIGHT file for details.\n{} */\n"
COPYRIGHT = "\n\n".join([BSD, MIT, text_of("ISC"), text_of("Zlib")])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            HEAD.format("") + "int a;\n/* Zed() is derived from code with this notice:\n" + MIT + "*/",
            "BSD-3-Clause AND MIT",
        ),
        (
            HEAD.format("\nThis is based on a macro. The original license is as follows:\n\n" + text_of("FSFAP")),
            "BSD-3-Clause AND FSFAP",
        ),
        (HEAD.format("") + "int a;\n", "BSD-3-Clause"),
        (HEAD.format("The Original Code is Zed.\nUse it under the ISC license."), "ISC"),
        ("/* License:\n * You are free to use and redistribute this program, subject to item 3. */\n", "NOASSERTION"),
    ],
)
def test_a_pointer_to_a_collection_above_terms_of_a_piece(tmp_path: Path, text: str, expected: str) -> None:
    tree: dict[str, str | bytes] = {"COPYRIGHT": COPYRIGHT, "a.c": text + "int b;\n"}
    assert concluded_of(tmp_path, tree)["a.c"][0] == expected


def test_pieces_of_a_file(tmp_path: Path) -> None:
    block = "\n\nint a;\n// This block is from https://zed.example/zed\n// license: MIT\nint b;\n"
    tree: dict[str, str | bytes] = {
        "LICENSE": BSD,
        "LICENSE.zed": MIT,
        "a.c": f"/*\n{text_of('ISC')}*/{block}",
        "b.py": "b = 1\n\n# Backport of zed.closing() from Zed 3.1\n# Copyright (C) Ann (see LICENSE.zed)\nc = 1\n",
        "c.h": f"/*\n{text_of('ISC')}*/\n\nint a;\n/* The hash functions are public domain (see lookup.c). */\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["a.c"][0] == "ISC AND MIT"
    assert found["b.py"][0] == "BSD-3-Clause AND MIT"
    assert found["c.h"][0] == "ISC"


def test_remarks_at_the_top_of_data(tmp_path: Path) -> None:
    head = "# Scripts-10.0.0.txt\n# Date: 2017\n# \u00a9 2017 Zed, Inc.\n# For terms of use, see"
    head += " http://www.unicode.org/terms_of_use.html\n\n"
    tree: dict[str, str | bytes] = {
        "LICENSE": BSD,
        "Scripts.txt": head + "0041 ; Letter # copyright of A\n" * 300,
        "table.h": "/* Made from a file with this head:\n\n" + head + "*/\nint a;\n",
        "notes.txt": "# Notes\n\n# More notes\n\nThis file is under the MIT license.\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["Scripts.txt"][0] == "Unicode-DFS-2016"
    assert found["notes.txt"][0] == "MIT"
    assert found["table.h"][0] == "BSD-3-Clause"

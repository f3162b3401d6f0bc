"""Words about licences that are not the file's own terms, or only part of them."""

from __future__ import annotations

from pathlib import Path

from licensing_support import BSD, MIT, TEXTS, concluded_of

from bazel2ninja.licensing import gnu
from bazel2ninja.licensing.words import words


def test_public_domain_beside_a_choice_that_has_a_dedication(tmp_path: Path) -> None:
    head = "/* zed - public domain image loader, no warranty implied */\nint a;\n"
    choice = f"/*\nThis software is available under 2 licenses -- choose whichever you prefer.\n\n{MIT}\n\n"
    choice += "ALTERNATIVE B - Public Domain (www.unlicense.org)\n\n" + (TEXTS / "Unlicense.txt").read_text() + "*/\n"
    found = concluded_of(tmp_path, {"COPYING": MIT, "zed.h": head + choice})
    assert found["zed.h"][0] == "MIT OR Unlicense"


def test_the_last_version_under_other_terms_is_a_mention() -> None:
    assert gnu.read("make 3.81 from 2006 the last one released under gpl 2") == []


def test_a_picture_that_links_to_one_of_two_licences_is_no_notice(tmp_path: Path) -> None:
    head = "//! # [![License: MIT](https://img.zed/badge/License-MIT-yellow.svg)](./LICENSE-MIT) zed\n//! Zed parses.\n"
    tree = {"LICENSE-MIT": MIT, "LICENSE-APACHE": (TEXTS / "Apache-2.0.txt").read_text(), "src/lib.rs": head}
    assert concluded_of(tmp_path, tree)["src/lib.rs"][1] == "directory"


def test_a_slash_between_licences_offers_both() -> None:
    assert words("dual GPL/BSD, LGPLv2.1+ / MPL 1.1") == [
        "dual",
        "gpl",
        "or",
        "bsd",
        "lgpl",
        "2.1",
        "or",
        "later",
        "or",
        "mpl",
        "1.1",
    ]
    assert words("MIT/X11 and/or") == ["mit", "x11", "and", "or"]


def test_the_next_point_of_a_list_is_no_version(tmp_path: Path) -> None:
    text = "1. One may use it under the terms of the\nGPL.\n\n2. One may use it under the terms of the MIT license.\n"
    assert "GPL-2" not in concluded_of(tmp_path, {"LICENSE": text, "a.c": "int a;\n"})["a.c"][0]


def test_terms_below_the_name_of_a_file_that_are_about_others(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "LICENSE": MIT,
        "README.md": "# Zed\n\nRefer to the [changelog](CHANGELOG.md) for what has changed.\n\n"
        "- Permissively licensed (0BSD) code.\n",
        "CHANGELOG.md": "Zed 1\n",
        "AUTHORS": "Ann: changed tutorial.eo\n\nBob: wrote emerge.el (public domain)\n",
        "tutorial.eo": "Saluton\n",
        "lib/README": "- tree.h, by Ann.\n\n- The resolver is licensed under the ISC license.\n",
        "lib/tree.h": "int t;\n",
        "models/README.md": "* Frog (`frog.gltf`):\n  * By Ann\n  * Licensed under CC-BY 4.0\n",
        "models/frog.gltf": "{}\n",
    }
    found = concluded_of(tmp_path, tree)
    assert {found[name] for name in ("CHANGELOG.md", "tutorial.eo", "lib/tree.h")} == {("MIT", "directory")}
    assert found["models/frog.gltf"] == ("CC-BY-4.0", "named")


def test_the_public_domain_that_a_file_was_made_from(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "LICENSE": MIT,
        "a.c": "/* Based on Ann Zed's adaptation of Bob's public domain code. */\nint a;\n",
        "b.c": "/* The following is based on ZedHash3, placed into the public domain by Ann. */\nint b;\n",
        "c.py": "# Work done for zed by ann@zed.example, the original program is in the public domain\nc = 1\n",
        "d.c": "/* Based on zed 1.0 by Ann : Public domain. This code is public domain, too. */\nint d;\n",
        "e.c": "/* Based on zed 1.0, but this file is in the public domain. */\nint e;\n",
        "f.c": "int f;\n" * 70 + "/* Made from the demo (the original code is licensed under the ISC license). */\n",
        "h.c": "/* The original code appears to be under the public domain.\n *\n" + BSD + "*/\nint h;\n",
        "i.c": "/* Please see the accompanying LICENSE file.\n * Authors: Ann (via the public domain) */\nint i;\n",
        "j.c": "/* Licensed under the ISC license. It is influenced by zed, which uses the MIT license. */\nint j;\n",
        "g.c": "/* According to a mail of Ann the algorithm is in the public domain. */\nint g;\n",
    }
    found = concluded_of(tmp_path, tree)
    assert {found[name] for name in ("a.c", "b.c", "c.py", "f.c", "g.c")} == {("MIT", "directory")}
    assert found["h.c"] == ("BSD-3-Clause", "notice")
    assert found["i.c"] == ("MIT", "pointer")
    assert found["j.c"] == ("ISC", "notice")
    assert found["d.c"] == found["e.c"] == ("LicenseRef-public-domain", "notice")


def test_a_remark_on_what_the_code_does_is_no_statement(tmp_path: Path) -> None:
    code = "int a;\n" * 70
    tree: dict[str, str | bytes] = {
        "LICENSE": MIT,
        "a.js": code + "// Force CC-BY-SA-4.0+ license by default\nset('CC-BY-SA-4.0');\n",
        "b.c": code + "/* License: GPLv2 */\n",
        "c.js": "/* zed-script\n * name: Name of it\n * license: license (BSD, GPL, LGPL, Artistic, etc)\n */\nx()\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["a.js"] == found["c.js"] == ("MIT", "directory")
    assert found["b.c"] == ("GPL-2.0-only", "notice")


def test_the_terms_of_a_piece_far_from_the_top_hold_beside_those_of_the_file(tmp_path: Path) -> None:
    code = "int a;\n" * 70
    tree: dict[str, str | bytes] = {
        "LICENSE": BSD,
        "a.c": code + "/* Regex based on https://zed.example/zed, which is licensed as MIT:\n *\n" + MIT + "*/\n",
        "b.c": code + "/* zed.c is licensed under the following:\n *\n" + MIT + "*/\nint b;\n",
        "c.c": "/* See LICENSE. */\n"
        + code
        + "/* This function is licensed under the Apache License, Version 2.0. */\n",
        "d.c": code + "/*\n" + MIT + "*/\n",
        "f.c": code + "/* The code is taken from zed. Licence at data/ZED_LICENSE */\n",
        "g.c": "/* Derived from zed. See the file LICENSE.txt for terms. */\nint g;\n",
        "LICENSE.txt": BSD,
        "data/ZED_LICENSE": MIT,
    }
    found = concluded_of(tmp_path, tree)
    assert found["g.c"] == ("BSD-3-Clause", "pointer")
    assert {found[name][0] for name in ("a.c", "b.c", "f.c")} == {"BSD-3-Clause AND MIT"}
    assert found["c.c"][0] == "Apache-2.0 AND BSD-3-Clause"
    assert found["d.c"][0] == "MIT"


def test_a_gnu_licence_in_full_far_below_another_notice_counts(tmp_path: Path) -> None:
    gnu = (
        "/* The Zed Library is free software; you can redistribute it and/or modify it under the terms of the GNU\n"
        " * Library General Public License as published by the Free Software Foundation; either version 2 of the\n"
        " * License, or (at your option) any later version. */\nint y;\n"
    )
    text = f"/* Copyright 1997 A. Body\n{MIT}*/\n" + "int x;\n" * 80 + gnu
    found = concluded_of(tmp_path, {"LICENSE": BSD, "regex.h": text})
    assert found["regex.h"] == ("LGPL-2.0-or-later AND MIT", "notice")


LESSER = """# This library is free software; you can redistribute it and/or modify it under the terms of the
# GNU Lesser General Public License as published by the Free Software Foundation; either version 2.1
# of the License, or (at your option) any later version.
"""


def test_a_recipe_speaks_of_what_it_builds(tmp_path: Path) -> None:
    head = "# Licensed under the GNU GPL, version 2 or later.\n\nall: zed\n\n"
    tree: dict[str, str | bytes] = {
        "Makefile.am": head + "# This is the library under the MIT license that people can use\nlib: x\n",
        "CMakeLists.txt": head + "# This file is also under the MIT license.\n",
        "Makefile.in": head + LESSER,
    }
    found = concluded_of(tmp_path, tree)
    assert found["Makefile.am"] == ("GPL-2.0-or-later", "notice")
    assert found["CMakeLists.txt"] == ("GPL-2.0-or-later AND MIT", "notice")
    assert found["Makefile.in"] == ("GPL-2.0-or-later AND LGPL-2.1-or-later", "notice")


def test_a_message_of_a_program_is_no_statement(tmp_path: Path) -> None:
    said = "This program contains free software under the MIT License and the GNU Lesser General Public License."
    tree: dict[str, str | bytes] = {
        "LICENSE": BSD,
        "tr/common.zpy": f'translate zed strings:\n\n    old "{said}"\n    new "{said.replace("This", "Zis")}"\n',
        "tr/plain.zpy": f"{said.replace('contains free software', 'is licensed')}\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["tr/common.zpy"] == ("BSD-3-Clause", "directory")
    assert "MIT" in found["tr/plain.zpy"][0]

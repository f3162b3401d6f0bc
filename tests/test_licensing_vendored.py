"""Vendored copies: manifests, tags and notices as they are written there."""

from __future__ import annotations

from pathlib import Path

import pytest
from licensing_support import BSD, MIT, TEXTS, concluded_of

APACHE = (TEXTS / "Apache-2.0.txt").read_text()


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */", "GPL-2.0-only WITH Linux-syscall-note OR MIT"),  # noqa: E501
        ("/* (SPDX-License-Identifier: Zlib) */", "Zlib"),
        ("# SPDX-License-Identifier: (MIT OR (ISC AND Zlib))", "MIT OR (ISC AND Zlib)"),
    ],
)  # fmt: skip
def test_a_tag_keeps_its_parentheses(tmp_path: Path, said: str, expected: str) -> None:
    name = "x.py" if said.startswith("#") else "x.c"
    assert concluded_of(tmp_path, {name: said + "\n"})[name] == (expected, "tag")


@pytest.mark.parametrize("said", ["(>=v2)", "(>= 2)", ">=2", "version >= 2.0"])
def test_at_least_a_version_is_or_later(tmp_path: Path, said: str) -> None:
    notice = f"/* This program is free software under the GNU General Public License {said}. */\nint x;\n"
    assert concluded_of(tmp_path, {"x.c": notice})["x.c"] == ("GPL-2.0-or-later", "notice")


def test_a_choice_at_ones_option_with_addresses(tmp_path: Path) -> None:
    notice = """// Licensed under the Apache License, Version 2.0 <LICENSE-APACHE or
// https://www.apache.org/licenses/LICENSE-2.0> or the MIT license
// <LICENSE-MIT or https://opensource.org/licenses/MIT>, at your
// option. This file may not be copied except according to those terms.
"""
    assert concluded_of(tmp_path, {"x.rs": notice})["x.rs"] == ("Apache-2.0 OR MIT", "notice")


def test_a_manifest_offers_the_choice_of_which_a_text_is_a_side(tmp_path: Path) -> None:
    crate = "[package]\nname = 'zed'\nlicense = 'BSD-3-Clause/MIT'\n"
    found = concluded_of(
        tmp_path,
        {
            "LICENSE": APACHE,
            "src/vendor/zed/Cargo.toml": crate,
            "src/vendor/zed/LICENSE": BSD,
            "src/vendor/zed/x.rs": "mod x;\n",
            "src/vendor/other/Cargo.toml": crate,
            "src/vendor/other/LICENSE": (TEXTS / "Zlib.txt").read_text(),
            "src/vendor/other/x.rs": "mod x;\n",
        },
    )
    assert found["src/vendor/zed/x.rs"] == ("BSD-3-Clause OR MIT", "declared")
    assert found["src/vendor/other/x.rs"] == ("Zlib", "directory")


def test_a_licence_file_for_something_that_is_not_there_is_about_pieces(tmp_path: Path) -> None:
    found = concluded_of(
        tmp_path,
        {
            "LICENSE": MIT,
            "doc/Zedlib-LICENSE.txt": BSD,
            "doc/guide.rst": "Guide\n",
            "tests/Zed-Suite-LICENSE.txt": BSD,
            "tests/zed-suite/deep/1.xml": "<x/>",
            "tests/2.xml": "<x/>",
            "zedlib-1/Zedlib-LICENSE.txt": BSD,
            "zedlib-1/x.c": "int x;\n",
            "other/BSD-LICENSE.txt": BSD,
            "other/x.c": "int x;\n",
        },
    )
    assert found["doc/guide.rst"] == ("MIT", "directory")
    assert found["tests/zed-suite/deep/1.xml"] == ("BSD-3-Clause", "named")
    assert found["tests/2.xml"] == ("MIT", "directory")
    assert found["doc/Zedlib-LICENSE.txt"] == ("BSD-3-Clause", "named")
    assert found["zedlib-1/x.c"][0] == found["other/x.c"][0] == "BSD-3-Clause"


def test_the_page_of_a_manual_about_licences(tmp_path: Path) -> None:
    found = concluded_of(
        tmp_path, {"LICENSE": MIT, "docs/licenses.rst": "Licenses\n\nzed\n\n" + BSD, "docs/a.rst": "A\n"}
    )
    assert found["docs/a.rst"] == ("MIT", "directory")


def test_a_licence_file_about_single_files_beside_it(tmp_path: Path) -> None:
    said = "From the library of pictures / public domain:\n\n- a.png\n- b.png\n"
    pictures: dict[str, str | bytes] = {f"icons/{name}.png": b"\x89PNG\r\n\x1a\n\0\0" for name in "abc"}
    found = concluded_of(tmp_path, {"LICENSE": MIT, **pictures, "icons/license.txt": said})
    assert found["icons/a.png"] == ("LicenseRef-public-domain", "named")
    assert found["icons/c.png"] == ("MIT", "directory")
    found = concluded_of(tmp_path, {"icons/license.txt": said + "\nAll others are released under the ISC license.\n"})
    assert found["icons/c.png"][0] != "MIT"


def test_a_part_of_a_copy_in_which_some_files_say_something_else(tmp_path: Path) -> None:
    test: dict[str, str | bytes] = {f"external/zed/test/{n}.c": "// SPDX-License-Identifier: ISC\n" for n in "abc"}
    silent: dict[str, str | bytes] = {f"external/zed/test/{n}.c": "int x;\n" for n in "vwxyz"}
    found = concluded_of(tmp_path, {"LICENSE": MIT, "external/zed/LICENSE": BSD, **test, **silent})
    assert found["external/zed/test/x.c"] == ("BSD-3-Clause", "directory")


def test_the_lesser_gpl_of_a_copy_that_names_its_licence_file(tmp_path: Path) -> None:
    said = "/* Licensed under the LGPL or a commercial license.\n * For LGPL see License.txt in the project root. */\n"
    lesser = (TEXTS / "LGPL-2.1-only.txt").read_text()
    found = concluded_of(tmp_path, {"LICENSE": MIT, "zed/License.txt": lesser, "zed/js/x.js": said + "x();\n"})
    assert found["zed/js/x.js"] == ("LGPL-2.1-only", "pointer")


def test_a_readme_about_the_contents_of_its_folder(tmp_path: Path) -> None:
    said = "Skin\n====\n\nThe contents of this folder are licensed under the CC-BY-SA-4.0 license.\n"
    found = concluded_of(
        tmp_path,
        {
            "LICENSE": MIT,
            "skins/zed/README.md": said,
            "skins/zed/x.css": "a { }\n",
            "skins/zed/y.js": "/* SPDX-License-Identifier: ISC */\n",
            "skins/other/x.css": "a { }\n",
        },
    )
    assert found["skins/zed/x.css"] == ("CC-BY-SA-4.0", "directory")
    assert found["skins/other/x.css"] == ("MIT", "directory")


def test_a_licence_file_has_the_terms_that_it_holds(tmp_path: Path) -> None:
    said = "// Licensed under the MIT license.\n"
    tree: dict[str, str | bytes] = {f"chemistry/{name}.c": said + f"int {name};\n" for name in "abcd"}
    found = concluded_of(tmp_path, {**tree, "LICENSE": MIT, "chemistry/COPYING": BSD})
    assert found["chemistry/COPYING"] == ("BSD-3-Clause", "directory")


def test_what_is_not_under_a_licence(tmp_path: Path) -> None:
    said = (
        "/* The code of the plugins is not necessarily licensed under the GPL, look there for what holds. */\nint x;\n"
    )
    assert concluded_of(tmp_path, {"LICENSE": MIT, "x.c": said})["x.c"] == ("MIT", "directory")


def test_a_readme_names_files_that_are_left_out(tmp_path: Path) -> None:
    said = "All code outside of third_party/ may be used under the ISC license.\n\n"
    said += "All files except a.dat and b.dat, but c.dat, are licensed under the Zlib license.\n"
    tree: dict[str, str | bytes] = dict.fromkeys(("third_party/x.c", "a.dat", "b.dat", "c.dat"), "int x;\n")
    found = concluded_of(tmp_path, {"LICENSE": MIT, "README": said, **tree})
    assert {name: found[name] for name in tree} == {
        "third_party/x.c": ("MIT", "directory"),
        "a.dat": ("MIT", "directory"),
        "b.dat": ("MIT", "directory"),
        "c.dat": ("Zlib", "named"),
    }


def test_a_part_of_a_copy_states_a_side_of_what_its_manifest_offers(tmp_path: Path) -> None:
    said = "// SPDX-License-Identifier: MIT\n"
    source: dict[str, str | bytes] = {f"vendor/zed/src/{name}.rs": said for name in "abcd"}
    crate = "[package]\nname = 'zed'\nlicense = 'ISC OR MIT'\n"
    found = concluded_of(
        tmp_path, {**source, "LICENSE": APACHE, "vendor/zed/Cargo.toml": crate, "vendor/zed/src/x.rs": "mod x;\n"}
    )
    assert found["vendor/zed/src/x.rs"] == ("ISC OR MIT", "declared")


def test_the_terms_of_all_pictures_and_sounds(tmp_path: Path) -> None:
    said = "License of Zed's textures and sounds\n------\n\nThis applies to what is in the distribution.\n\n"
    said += "Attribution-ShareAlike 3.0 Unported (CC BY-SA 3.0)\nhttp://creativecommons.org/licenses/by-sa/3.0/\n\n"
    said += "x/a.png is under the Apache 2 license.\n\n"
    said += "License of Zed's source code\n\n" + (TEXTS / "Zlib.txt").read_text()
    picture = b"\x89PNG\r\n\x1a\n\0\0"
    tree: dict[str, str | bytes] = dict.fromkeys(("x/a.png", "x/b.png", "x/c.ogg", "zed/d.png"), picture)
    found = concluded_of(tmp_path, {**tree, "LICENSE.txt": said, "zed/LICENSE": MIT, "x/e.c": "int e;\n"})
    assert found["x/a.png"] == ("Apache-2.0", "named")
    assert found["x/b.png"] == found["x/c.ogg"] == ("CC-BY-SA-3.0", "named")
    assert found["zed/d.png"] == ("MIT", "directory")
    assert found["x/e.c"][0] == "Zlib"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("All artwork is licensed under the CC-BY-4.0 license.", "CC-BY-4.0"),
        ("Icons and images are licensed under CC-BY-SA-4.0.", "CC-BY-SA-4.0"),
        ("Icons by Jo are licensed under the CC-BY-4.0 license.", "MIT"),
        ("The program shows images that are licensed under the CC-BY-4.0 license.", "MIT"),
        ("Music is licensed under the CC-BY-4.0 license.", "MIT"),
    ],
)
def test_a_sentence_about_all_pictures(tmp_path: Path, said: str, expected: str) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": MIT, "README": f"Zed\n\n{said}\n", "x.png": b"\x89PNG\r\n\x1a\n\0\0"}
    assert concluded_of(tmp_path, tree)["x.png"][0] == expected


def test_how_the_texts_beside_a_manifest_go_together(tmp_path: Path) -> None:
    isc = (TEXTS / "ISC.txt").read_text()
    choice = "/* SPDX-License-Identifier: MIT OR Apache-2.0 */\n"
    tree: dict[str, str | bytes] = {
        "LICENSE": APACHE,
        "vendor/zed/Cargo.toml": '[package]\nname = "zed"\nlicense = "(MIT OR Apache-2.0) AND ISC"\n',
        "vendor/zed/LICENSE-APACHE": APACHE,
        "vendor/zed/LICENSE-MIT": MIT,
        "vendor/zed/LICENSE-TABLES": isc,
        "vendor/zed/src/x.rs": "fn x() {}\n",
        # one file from elsewhere offers more than the manifest and the text say
        "vendor/spin/Cargo.toml": '[package]\nname = "spin"\nlicense = "MIT"\n',
        "vendor/spin/LICENSE": MIT,
        "vendor/spin/src/once.rs": choice,
        "vendor/spin/src/x.rs": "fn x() {}\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["vendor/zed/src/x.rs"] == ("ISC AND (Apache-2.0 OR MIT)", "declared")
    assert found["vendor/spin/src/x.rs"] == ("MIT", "directory")


def test_a_licences_text_that_is_named_for_a_choice(tmp_path: Path) -> None:
    said = "Zed is under the MIT license.\n\n* zed.c is under the GPL (COPYING.GPL) or the FB license (COPYING.FB)\n"
    tree: dict[str, str | bytes] = {"COPYING.md": said, "COPYING.FB": BSD, "zed.c": "int z;\n"}
    assert concluded_of(tmp_path, tree)["COPYING.FB"] == ("BSD-3-Clause", "directory")


def test_texts_kept_together_that_have_the_names_of_parts(tmp_path: Path) -> None:
    zlib = (TEXTS / "Zlib.txt").read_text()
    found = concluded_of(
        tmp_path,
        {
            "LICENSE": MIT,
            "res/licenses/discord-zed.txt": BSD,
            "res/licenses/threads.txt": zlib,
            "res/icon.png": b"\x89PNG\r\n\x1a\n\0\0",
            "fonts/licenses/BSD.txt": BSD,
            "fonts/a.bdf": "STARTFONT\n",
            "zlib-ng/licenses/zlib.txt": zlib,
            "zlib-ng/x.c": "int x;\n",
        },
    )
    assert found["res/icon.png"] == ("MIT", "directory")
    assert found["res/licenses/threads.txt"] == ("Zlib", "named")
    assert found["fonts/a.bdf"] == ("BSD-3-Clause", "directory")
    assert found["zlib-ng/x.c"] == ("Zlib", "directory")


def test_licence_files_collected_from_the_parts_below(tmp_path: Path) -> None:
    zlib, isc = (TEXTS / "Zlib.txt").read_text(), (TEXTS / "ISC.txt").read_text()
    tree: dict[str, str | bytes] = {
        "LICENSE": MIT,
        "patched/zed/COPYING": zlib,
        "patched/zed/LICENSE": BSD,
        "patched/zed/LICENSE.txt": isc,
        "patched/zed/z.py": "z = 1\n",
        "patched/zed/_copies/a/COPYING": zlib,
        "patched/zed/_copies/b/LICENSE": BSD,
        "patched/zed/_copies/b/b.py": "b = 1\n",
        "patched/zed/_copies/c/LICENSE.txt": isc,
    }
    found = concluded_of(tmp_path / "a", tree)
    assert found["patched/zed/z.py"] == ("MIT", "directory")
    assert found["patched/zed/COPYING"] == ("Zlib", "directory")
    assert found["patched/zed/_copies/b/b.py"] == ("BSD-3-Clause", "directory")
    every: dict[str, str | bytes] = {
        path.replace("zed/", "zed/part/"): text for path, text in tree.items() if path.count("/") == 2
    }
    found = concluded_of(tmp_path / "b", {**tree, **every})
    assert found["patched/zed/z.py"] == ("Zlib", "directory")

"""What READMEs below the root say of the directory in which they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from licensing_support import BSD, MIT, TEXTS, concluded_of

LESSER = """LICENSING INFORMATION

This library is free software; you can redistribute it and/or modify it under the terms of the GNU Lesser General Public
License as published by the Free Software Foundation; either version 2.1 of the License, or (at your option) any later
version.
"""
ZLIB = (TEXTS / "Zlib.txt").read_text()


@pytest.mark.parametrize(
    ("said", "expression"),
    [
        (f"These come from elsewhere. Here is the license information in the original files:\n\n{BSD}", "BSD-3-Clause"),
        (LESSER, "LGPL-2.1-or-later"),
        ("This code is written by Zed Zedson, and is in the public domain.\n", "LicenseRef-public-domain"),
        ("This documentation is under the Creative Commons Attribution 3.0 license.\n", "CC-BY-3.0"),
        ("This software is distributed under the Apache License, version 2.0.\n", "Apache-2.0"),
        ("This code needs zed, which is under the Apache License, version 2.0.\n", "MIT"),
    ],
)
def test_where_no_other_file_speaks(tmp_path: Path, said: str, expression: str) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": MIT, "lib/zed/README": said, "lib/zed/z.dat": "1\n", "lib/a.dat": "1\n"}
    found = concluded_of(tmp_path, tree)
    assert found["lib/zed/z.dat"][0] == found["lib/zed/README"][0] == expression
    assert found["lib/a.dat"][0] == "MIT"


def test_a_text_against_what_the_files_beside_it_say(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": MIT, "lib/zed/README": ZLIB, "lib/zed/z.dat": "1\n"}
    tree |= dict.fromkeys([f"lib/zed/{n}.c" for n in range(5)], "/* SPDX-License-Identifier: Zlib */\n")
    tree |= dict.fromkeys([f"lib/zed/contrib/{n}.c" for n in range(2)], "/* SPDX-License-Identifier: BSL-1.0 */\n")
    assert concluded_of(tmp_path / "a", tree)["lib/zed/z.dat"] == ("Zlib", "directory")
    tree |= dict.fromkeys([f"lib/zed/more/{n}.c" for n in range(6)], "/* SPDX-License-Identifier: BSL-1.0 */\n")
    assert concluded_of(tmp_path / "b", tree)["lib/zed/z.dat"][0] == "MIT"


def test_the_name_of_a_file_within_a_word_is_none(tmp_path: Path) -> None:
    said = "Zed's source consists of\n\n- lib/ a library, the source of which is here\n\n"
    said += "Zed was made from yed, that is covered by the GNU General Public License, version 2.\n"
    tree: dict[str, str | bytes] = {"LICENSE": MIT, "README": said, "lib/so": "words\n"}
    assert concluded_of(tmp_path, tree)["lib/so"][0] == "MIT"


@pytest.mark.parametrize(
    ("directory", "name", "said", "expression"),
    [
        ("Zed.ufo", "fontinfo.plist", "licensed under the SIL Open Font License, Version 1.1.", "OFL-1.1"),
        ("icons", "icondef.xml", "icons are made available under the terms of the LGPL-2.1 license", "LGPL-2.1-only"),
        ("icons", "other.xml", "icons are made available under the terms of the LGPL-2.1 license", "MIT"),
        ("fonts", "fontinfo.plist", "licensed under the SIL Open Font License, Version 1.1.", "MIT"),
    ],
)
def test_the_description_of_a_bundle(tmp_path: Path, directory: str, name: str, said: str, expression: str) -> None:
    described = f"<dict>\n<key>x</key>\n<string>{said}</string>\n</dict>\n"
    tree: dict[str, str | bytes] = {"LICENSE": MIT, f"lib/{directory}/{name}": described}
    tree |= {f"lib/{directory}/glyphs/a.glif": "<glyph/>\n", "lib/b.glif": "<glyph/>\n"}
    found = concluded_of(tmp_path, tree)
    assert found[f"lib/{directory}/glyphs/a.glif"][0] == expression
    assert found["lib/b.glif"][0] == "MIT"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (f"-----\nFor files in the `compat` folder:\n-----\n\n{BSD}", {"compat/a.dat"}),
        ("All files in the compat directory are under the BSD-3-Clause license.", {"compat/a.dat"}),
        ("All files except for code in the compat directory are of the BSD-3-Clause license.", set()),
        (f"Look at the files in the compat directory.\n\nZed has:\n\n{BSD}", set()),
    ],
)
def test_a_directory_without_a_slash(tmp_path: Path, said: str, expected: set[str]) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": MIT + "\n" + said, "compat/a.dat": "1\n", "b/a.dat": "1\n"}
    found = concluded_of(tmp_path, tree)
    assert {path for path in tree if found[path] == ("BSD-3-Clause", "named")} == expected


def test_a_licence_file_of_some_of_what_is_beside_it(tmp_path: Path) -> None:
    said = "The following blobs come from Zed and are licensed under the CC-BY-4.0 license:\n\n- one\n- three\n"
    said += "- four\n- five\n- six\n\n"
    rest = "The other blobs are under the same license as the rest of the project.\n"
    text = (TEXTS / "CC-BY-4.0.txt").read_text()
    tree: dict[str, str | bytes] = {"LICENSE": MIT, "t/data/LICENSE.CC-BY-4.0": text, "t/data/two.txt": "two\n"}
    tree |= {f"t/data/{name}.edid": b"\0" for name in ("one", "three", "four", "five", "six")}
    assert concluded_of(tmp_path / "a", {**tree, "t/data/README.md": said})["t/data/two.txt"][0] == "CC-BY-4.0"
    found = concluded_of(tmp_path / "b", {**tree, "t/data/README.md": said + rest})
    assert found["t/data/two.txt"][0] == "MIT"
    assert found["t/data/one.edid"] == found["t/data/six.edid"] == ("CC-BY-4.0", "named")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (
            "Code from elsewhere:\n\n-lib/zed/\n  ZED v6, licensed under the GPL v3+.\n\n-lib/b\n  Ours.\n",
            "GPL-3.0-or-later",
        ),
        ("Code from elsewhere:\n\n-lib/zed/a.h\n  From zed.\n  zlib/libpng license.\n\n-lib/b.h\n  Ours.\n", "Zlib"),
        ("Code from elsewhere:\n\n-lib/zed/a.h\n  From zed.\n  Needs no license.\n\n-lib/b.h\n  Ours.\n", "MIT"),
    ],
)
def test_points_of_a_list_without_a_blank(tmp_path: Path, said: str, expected: str) -> None:
    said += "\n-lib/c.h\n  Licensed under the GPL v3+.\n"
    tree: dict[str, str | bytes] = {
        "LICENSE": MIT,
        "CREDITS": said,
        "lib/c.h": "int c;\n",
        "lib/zed/a.h": "int a;\n",
        "lib/b.h": "int b;\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["lib/zed/a.h"][0] == expected
    assert found["lib/b.h"][0] == "MIT"


def test_names_in_the_tags_of_a_page(tmp_path: Path) -> None:
    page = '<html><head><link rel="next" href="a.txt"></head><body><p>This page is under the GPL version 2.</p></body>'
    tree: dict[str, str | bytes] = {"LICENSE": MIT, "html/LICENSE.html": page, "html/a.txt": "a\n", "html/b.txt": "b\n"}
    tree["html/COPYING"] = MIT
    found = concluded_of(tmp_path, tree)
    assert found["html/a.txt"][0] == found["html/b.txt"][0] == "MIT"


def test_a_directory_that_is_named_with_a_licence_file_of_something_in_it(tmp_path: Path) -> None:
    said = MIT + "\nDependencies:\n\n- lib/zed/ is under the BSD 3-Clause license\n"
    tree: dict[str, str | bytes] = {"LICENSE": said, "lib/zed/a.c": "int a;\n", "lib/zed/base/README": "Words.\n"}
    found = concluded_of(tmp_path, {**tree, "lib/zed/yed-license.txt": BSD, "lib/zed/base/LICENSE.txt": ZLIB})
    assert found["lib/zed/a.c"] == ("BSD-3-Clause", "named")
    assert found["lib/zed/base/README"] == ("Zlib", "directory")


def test_a_long_introduction_tells_nothing_of_the_files_beside_it(tmp_path: Path) -> None:
    said = "The zlib license allows usage of zlib in software. {}These images are drawn by hand.\n"
    for count, expected in ((1, "Zlib"), (60, "MIT")):
        said_here = said.format("It has many words.\n" * count)
        tree: dict[str, str | bytes] = {"LICENSE": MIT, "docs/README.zed": said_here, "docs/a.ps": "a\n"}
        assert concluded_of(tmp_path / str(count), tree)["docs/a.ps"][0] == expected


def test_of_several_readmes_one_is_about_what_its_name_tells(tmp_path: Path) -> None:
    said = "This is zed.\n\n" + ZLIB
    tree: dict[str, str | bytes] = {"LICENSE": MIT, "docs/README.zed": said, "docs/a.ps": "a\n"}
    assert concluded_of(tmp_path / "alone", tree)["docs/a.ps"][0] == "Zlib"
    found = concluded_of(tmp_path / "several", {**tree, "docs/README.yed": "This is yed.\n"})
    assert found["docs/a.ps"][0] == "MIT"
    tree["docs/README.txt"] = tree.pop("docs/README.zed")
    found = concluded_of(tmp_path / "plain", {**tree, "docs/README.yed": "This is yed.\n"})
    assert found["docs/a.ps"][0] == "Zlib"

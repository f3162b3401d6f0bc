"""Tables and lists that give files their terms: REUSE.toml, Debian's form where upstream has it, READMEs."""

from __future__ import annotations

from pathlib import Path

from licensing_support import BSD, MIT, concluded_of

HEAD = "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\n"


def annotation(path: str, expression: str) -> str:
    return f'[[annotations]]\npath = {path}\nprecedence = "closest"\nSPDX-License-Identifier = "{expression}"\n\n'


def test_reuse_toml_speaks_for_silent_files_and_the_last_match_counts(tmp_path: Path) -> None:
    table = (
        "version = 1\n\n"
        + annotation('"**.dat"', "CC0-1.0")
        + annotation('["data/*", "odd\\\\*name"]', "CC-BY-4.0")
        + annotation('"data/b.dat"', "Zlib")
    )
    tree: dict[str, str | bytes] = {
        "LICENSE": MIT,
        "REUSE.toml": table,
        "x/a.dat": "1\n",
        "data/a.dat": "1\n",
        "data/b.dat": "1\n",
        "data/in/c.txt": "1\n",
        "data/own.c": "// SPDX-License-Identifier: ISC\n",
        "odd*name": "1\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["x/a.dat"] == ("CC0-1.0", "named")
    assert found["data/a.dat"] == ("CC-BY-4.0", "named")
    assert found["data/b.dat"] == ("Zlib", "named")
    assert found["data/in/c.txt"] == ("MIT", "directory")  # one star stays in the directory
    assert found["data/own.c"] == ("ISC", "tag")
    assert found["odd*name"] == ("CC-BY-4.0", "named")


def test_a_licence_file_below_is_nearer_than_a_pattern_for_much(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "LICENSE": MIT,
        "REUSE.toml": annotation('["src/**", "src/3rdparty/two/*"]', "ISC"),
        "src/a.c": "int a;\n",
        **{
            f"src/3rdparty/{name}/{file}": said
            for name in ("one", "two")
            for file, said in (("COPYING", BSD), ("b.c", ""))
        },
    }
    found = concluded_of(tmp_path, tree)
    assert found["src/a.c"] == ("ISC", "named")
    assert found["src/3rdparty/one/b.c"] == ("BSD-3-Clause", "directory")
    assert found["src/3rdparty/two/b.c"] == ("ISC", "named")


def test_the_nearest_table_counts(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "LICENSE": MIT,
        "REUSE.toml": annotation('"lib/**"', "ISC"),
        "lib/zed/REUSE.toml": annotation('["**"]', "BSD-3-Clause"),
        "lib/zed/in/a.c": "int a;\n",
        "lib/b.c": "int b;\n",
        "lib/two/REUSE.toml": annotation('["**"]', "BSD-3-Clause") + annotation('"*.dat"', "CC0-1.0"),
        "lib/two/COPYING": BSD.replace("BSD", "Two"),
        "lib/two/a.c": "int a;\n",
        "lib/two/a.dat": "1\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["lib/zed/in/a.c"] == ("BSD-3-Clause", "named")
    assert found["lib/b.c"] == ("ISC", "named")
    assert found["lib/two/a.c"] == ("BSD-3-Clause", "directory")
    assert found["lib/two/a.dat"] == ("CC0-1.0", "named")


def test_what_a_table_says_of_everything_leaves_copies_their_own_terms(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "LICENSES/MIT.txt": MIT,
        "LICENSES/BSD-3-Clause.txt": BSD,
        "REUSE.toml": annotation('"**"', "MIT") + annotation('"**.dat"', "CC0-1.0"),
        "third_party/zed/LICENSE": BSD,
        "third_party/zed/z.c": "int z;\n",
        "a.c": "int a;\n",
        "b.dat": "1\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["a.c"] == ("MIT", "directory")
    assert found["b.dat"] == ("CC0-1.0", "named")
    assert found["third_party/zed/z.c"] == ("BSD-3-Clause", "directory")


def test_a_projects_own_licence_file_in_debians_form(tmp_path: Path) -> None:
    copying = (
        f"{HEAD}Files: *\nCopyright: A\nLicense: GPL-2+\n\nFiles: art/*\nCopyright: B\nLicense: CC-BY-SA-4.0\n\n"
        "Files: own/*\nCopyright: C\nLicense: zeds\n\nLicense: zeds\n"
        + "".join(f" {line or '.'}\n" for line in MIT.splitlines())
    )
    tree: dict[str, str | bytes] = {"art/a.png": b"\x89PNG\r\n\x1a\n\0", "own/a.dat": "1\n", "a.c": "int a;\n"}
    found = concluded_of(tmp_path, {**tree, "COPYING": copying})
    assert found["art/a.png"] == ("CC-BY-SA-4.0", "named")
    assert found["own/a.dat"] == ("MIT", "named")
    assert found["a.c"] == ("GPL-2.0-or-later", "directory")


def test_debians_copyright_file_is_not_the_projects(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": MIT, "art/a.dat": "1\n"}
    tree["debian/copyright"] = f"{HEAD}Files: art/*\nCopyright: B\nLicense: CC-BY-SA-4.0\n"
    assert concluded_of(tmp_path, tree)["art/a.dat"] == ("MIT", "directory")


def test_tables_of_reuse_in_the_older_form(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": MIT, "art/a.dat": "1\n", "b.dat": "1\n"}
    tree[".reuse/dep5"] = f"{HEAD}Files: art/*\nCopyright: B\nLicense: CC-BY-SA-4.0\n"
    found = concluded_of(tmp_path, tree)
    assert found["art/a.dat"] == ("CC-BY-SA-4.0", "named")
    assert found["b.dat"] == ("MIT", "directory")


def test_damaged_tables_say_nothing(tmp_path: Path) -> None:
    many = "[[annotations]]\npath = " + '"' + "*a" * 40 + '"\nSPDX-License-Identifier = "ISC"\n'
    for number, table in enumerate(["[[annotations", "annotations = 1\n", 'annotations = ["x"]\n', many, "\xff"]):
        tree: dict[str, str | bytes] = {"LICENSE": MIT, "REUSE.toml": table, "a" * 200: "1\n"}
        assert concluded_of(tmp_path / str(number), tree)["a" * 200] == ("MIT", "directory")
    tree = {"LICENSE": MIT, "COPYING": HEAD + "\n: \n\x00", "a.c": "1\n"}
    assert concluded_of(tmp_path / "dep5", tree)["a.c"] == ("MIT", "directory")


def test_terms_that_a_readme_tells_before_a_list_of_files(tmp_path: Path) -> None:
    readme = """Pictures

* The following icons are part of Zed and licensed under the GNU General Public License version 3 or later.

File: own.xpm

* The following icons are from elsewhere.  They are licensed under the GNU Library General Public License version 2
or later.  See there for more.

  a.xpm b.xpm
  c.xpm      from c.png

  d.xpm was made by somebody else whom we do not know, and who has never told us anything about it.

* Recipes

The following files have been converted.

  e.xpm
"""
    pictures = [f"art/{name}.xpm" for name in ("own", "a", "b", "c", "d", "e")]
    tree: dict[str, str | bytes] = {"LICENSE": MIT, "art/README": readme, **dict.fromkeys(pictures, "! XPM2\n")}
    found = concluded_of(tmp_path, tree)
    assert found["art/own.xpm"] == ("GPL-3.0-or-later", "named")
    assert [found[f"art/{name}.xpm"] for name in "abc"] == [("LGPL-2.0-or-later", "named")] * 3
    assert [found[f"art/{name}.xpm"] for name in "de"] == [("MIT", "directory")] * 2


def test_patterns_of_files_above_a_notice_in_a_licence_file(tmp_path: Path) -> None:
    lgpl = (
        "/*\n * Zed\n * Copyright (C) 2007 A. Body\n *\n * This library is free software; you can redistribute it\n"
        " * and/or modify it under the terms of the GNU Library General Public License as published by the\n"
        " * Free Software Foundation; either version 2 of the License, or (at your option) any later version.\n */\n"
    )
    bsd = "/****\n" + "".join(f"* {line:70} *\n" for line in BSD.splitlines()) + "****/\n"
    copying = (
        f"Of the tests this is the usual one:\n\n/*\n{MIT}*/\n\nSome other licences apply to some portions:\n\n"
        f"tests/glsl/zed-*\n{lgpl}\ntests/glsl/other-*\ntests/some/one.frag\n{lgpl.replace('Library', 'Lesser')}\n"
        f"tests/shaders/*\n{bsd}"
    )
    names = ("zed-1.frag", "zed-2.frag", "other-3.frag", "plain.frag")
    tree = {"COPYING": copying, **{f"tests/glsl/{name}": "void main() {}\n" for name in names}}
    tree |= {"tests/some/one.frag": "void main() {}\n", "tests/shaders/a/b.vert": "void main() {}\n"}
    found = concluded_of(tmp_path, tree)
    assert found["tests/glsl/zed-2.frag"] == ("LGPL-2.0-or-later", "named")
    assert found["tests/glsl/other-3.frag"] == found["tests/some/one.frag"] == ("LGPL-2.0-or-later", "named")
    assert found["tests/shaders/a/b.vert"] == ("BSD-3-Clause", "named")
    assert found["tests/glsl/plain.frag"] == ("MIT", "directory")


def test_a_readme_with_a_line_for_each_file(tmp_path: Path) -> None:
    readme = (
        "These GIFs were collected from various GPL- and public-domain archives. All of these files can be freely\n"
        "distributed.\n\narrow.gif: From the dots collection. (MIT)\nbkg-*.gif: From elsewhere. (Public domain)\n"
        "{red,blue}-ack.gif, extra.gif: From the altset. (CC-BY-3.0)\nzoom.gif: From Zed 0.8\n"
    )
    names = ("arrow", "bkg-1", "red-ack", "extra", "zoom", "other")
    tree: dict[str, str | bytes] = {f"gifs/{name}.gif": b"GIF89a\0" for name in names}
    found = concluded_of(tmp_path, tree | {"LICENSE": BSD, "gifs/README": readme})
    assert [found[f"gifs/{name}.gif"][0] for name in names] == [
        *("MIT", "LicenseRef-public-domain", "CC-BY-3.0", "CC-BY-3.0", "BSD-3-Clause", "BSD-3-Clause")
    ]


def test_what_a_table_says_of_others_is_not_about_itself(tmp_path: Path) -> None:
    inner = "version = 1\n\n" + annotation('"*.xml"', "MIT")
    tree: dict[str, str | bytes] = {"REUSE.toml": "version = 1\n\n" + annotation('"**.toml"', "CC0-1.0")}
    found = concluded_of(tmp_path, tree | {"LICENSE": BSD, "p/REUSE.toml": inner, "p/a.xml": "<a/>\n"})
    assert found["p/a.xml"] == ("MIT", "named")
    assert found["p/REUSE.toml"][0] == "CC0-1.0"

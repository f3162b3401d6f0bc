"""Terms of what belongs to a file that speaks."""

from __future__ import annotations

from pathlib import Path

from licensing_support import BSD, TEXTS, concluded_of

TAGGED = "/* SPDX-License-Identifier: {} */\nint z;\n"


def test_the_library_of_a_script(tmp_path: Path) -> None:
    script = "#!/usr/bin/env python3\n# Licensed under the MIT license.\nimport zedlib\n"
    tree: dict[str, str | bytes] = {"LICENSE": BSD, "zed": script, "zedlib/Build.py": "b = 1\n", "ylib/y.py": "y = 1\n"}
    found = concluded_of(tmp_path, tree)
    assert found["zedlib/Build.py"] == ("MIT", "directory")
    assert found["ylib/y.py"] == ("BSD-3-Clause", "directory")
    found = concluded_of(tmp_path, {"zedlib/x.py": "# SPDX-License-Identifier: ISC\n"})
    assert found["zedlib/Build.py"] == ("BSD-3-Clause", "directory")


def test_a_licence_file_among_the_documents_of_a_part_whose_files_say_the_same(tmp_path: Path) -> None:
    lgpl = (TEXTS / "LGPL-2.1-only.txt").read_text()
    tree: dict[str, str | bytes] = {"LICENSE": BSD}
    for part, stated in (("ldl", "LGPL-2.1-or-later"), ("other", "Zlib")):
        tree |= {f"{part}/Doc/License.txt": lgpl, f"{part}/src/a.c": TAGGED.format(stated), f"{part}/m/b.m": "b\n"}
    found = concluded_of(tmp_path, tree)
    assert found["ldl/m/b.m"] == ("LGPL-2.1-or-later", "directory")
    assert found["other/m/b.m"] == ("BSD-3-Clause", "directory")


def test_the_readme_of_the_jpeg_library_has_fewer_paragraphs(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": BSD, "jpeg/README": (TEXTS / "IJG-short.txt").read_text()}
    tree |= {f"jpeg/{name}.c": TAGGED.format("IJG") for name in "abcdef"} | {"jpeg/jconfig.vc": "#define J\n"}
    assert concluded_of(tmp_path, tree)["jpeg/jconfig.vc"] == ("IJG", "directory")


def test_neighbours_under_a_licence_of_fonts_speak_for_fonts(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": BSD, **{f"src/{name}.c": "int x;\n" for name in "abcdefghijklm"}}
    tree |= {f"fonts/{name}.glyphs": TAGGED.format("OFL-1.1") for name in "abcde"}
    tree |= {"fonts/bake.sh": "true\n", "fonts/z.glyphs": "{}\n"}
    found = concluded_of(tmp_path, tree)
    assert found["fonts/z.glyphs"] == ("OFL-1.1", "neighbours")
    assert found["fonts/bake.sh"] == ("BSD-3-Clause", "directory")


def test_the_rest_of_a_module_that_speaks(tmp_path: Path) -> None:
    perl = "\n=head1 LICENSE\n\nYou can redistribute it under the same terms as Perl itself.\n\n=cut\n"
    tree: dict[str, str | bytes] = {"COPYING": BSD, "contrib/Zed.pm": "package Zed;\n1;\n" + perl}
    tree |= {"contrib/Zed/Part.pm": "1;\n", "contrib/other/a.pm": "1;\n", "contrib/Zed.txt": "words\n"}
    tree |= {"bind/perl/Makefile.PL": "1;\n", "bind/perl/lib/A.pm": "package A;\n" + perl, "bind/perl/t/1.t": "1;\n"}
    tree |= {"bind/x/Makefile.PL": "1;\n", "bind/x/lib/A.pm": "# SPDX-License-Identifier: ISC\n", "bind/x/1.t": "1;\n"}
    tree |= {"lib/b.rb": "# SPDX-License-Identifier: ISC\n", "lib/b/c.rb": "# SPDX-License-Identifier: MIT\n"}
    tree |= {
        "lib/b/d.rb": "d\n",
        "ext/COPYING": BSD,
        "ext/lib/Zed.pm": "package Zed;\n" + perl,
        "ext/lib/Zed/Y.pm": "1;\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["contrib/Zed/Part.pm"] == ("Artistic-1.0-Perl OR GPL-1.0-or-later", "directory")
    assert found["bind/perl/t/1.t"] == ("Artistic-1.0-Perl OR GPL-1.0-or-later", "directory")
    for path in ("contrib/other/a.pm", "contrib/Zed.txt", "bind/x/1.t", "lib/b/d.rb", "ext/lib/Zed/Y.pm"):
        assert found[path] == ("BSD-3-Clause", "directory"), path


def test_the_metrics_that_a_text_accompanies(tmp_path: Path) -> None:
    text = (TEXTS / "APAFML.txt").read_text()
    tree: dict[str, str | bytes] = {"LICENSE": BSD, "a/License-Zed.txt": text, "b/MustRead.html": f"<p>{text}</p>\n"}
    tree |= {f"{place}/{name}": "x\n" for place in "abc" for name in ("courier.afm", "list.txt")}
    found = concluded_of(tmp_path, tree)
    assert found["a/courier.afm"] == found["b/courier.afm"] == ("APAFML", "named")
    for path in ("a/list.txt", "b/list.txt", "c/courier.afm"):
        assert found[path] == ("BSD-3-Clause", "directory"), path


def test_a_directory_with_the_name_of_a_library_in_it(tmp_path: Path) -> None:
    banner = "/*! {} 3.1 | (c) A. Body | MIT */\nvar a;\n"
    tree: dict[str, str | bytes] = {"LICENSE": TEXTS.joinpath("GPL-3.0-only.txt").read_text(), "src/a.js": "var b;\n"}
    tree |= {
        "web/jquery.slides-3.1/jquery.slides.min.js": banner.format("slides"),
        "web/jquery.slides-3.1/img/o.gif": b"GIF8",
    }
    tree |= {"web/ui/slides.js": banner.format("slides"), "web/ui/o.gif": b"GIF8"}
    tree |= {
        "web/tree/tree.js": banner.format("tree"),
        "web/tree/x.js": "// SPDX-License-Identifier: ISC\n",
        "web/tree/o.gif": b"GIF8",
    }
    found = concluded_of(tmp_path, tree)
    assert found["web/jquery.slides-3.1/img/o.gif"] == ("MIT", "directory")
    assert found["web/ui/o.gif"] == found["web/tree/o.gif"] == ("GPL-3.0-only", "directory")


def test_pictures_that_a_style_sheet_shows(tmp_path: Path) -> None:
    css = '/*! Zed UI - v1.12 | (c) A. Body | MIT */\n.a { background: url("images/a.png") }\n'
    css += ".b { background: url(own.png) }\n"
    png = b"\x89PNG\r\n\x1a\n\0\0"
    tree: dict[str, str | bytes] = {
        "LICENSE": BSD,
        "t/jq/zed-ui.css": css,
        "t/jq/own.css": ".c { background: url(c.png) }\n",
    }
    tree |= dict.fromkeys(("t/jq/images/a.png", "t/jq/images/not.png", "t/jq/c.png", "t/jq/own.png"), png)
    tree["t/jq/isc.css"] = "/* SPDX-License-Identifier: ISC */\n.b { background: url('own.png') }\n"
    found = concluded_of(tmp_path, tree)
    assert found["t/jq/images/a.png"] == ("MIT", "named")
    others = ("t/jq/images/not.png", "t/jq/c.png", "t/jq/own.png")  # the last one is shown by two that do not agree
    assert {found[path][0] for path in others} == {"BSD-3-Clause"}

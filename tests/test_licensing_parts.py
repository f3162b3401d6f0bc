"""Parts of a project with other terms than the rest, and what tells the project's own."""

from __future__ import annotations

from pathlib import Path

from licensing_support import BSD, MIT, TEXTS, concluded_of

GPL = (TEXTS / "GPL-3.0-only.txt").read_text()
LGPL = (TEXTS / "LGPL-2.1-only.txt").read_text()


def tagged(expression: str, *names: str) -> dict[str, str | bytes]:
    return dict.fromkeys(names, f"/* SPDX-License-Identifier: {expression} */\nint x;\n")


def numbered(directory: str, count: int) -> list[str]:
    return [f"{directory}/{number}.c" for number in range(count)]


def test_a_directory_that_looks_like_a_copy_has_its_own_terms(tmp_path: Path) -> None:
    tree = {
        "LICENSE": GPL,
        **tagged("GPL-3.0-or-later", *numbered("src", 12)),
        **tagged("MPL-2.0", *numbered("src/lib/matrix", 4)),
        "src/lib/matrix/Dense": "#include <vector>\n",
        "src/silent.c": "int s;\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["src/lib/matrix/Dense"] == ("MPL-2.0", "neighbours")
    assert found["src/silent.c"][0].startswith("GPL-3.0")
    # one file of the project's among them, or many more that say nothing
    found = concluded_of(tmp_path, tagged("GPL-3.0-or-later", "src/lib/matrix/ours.c"))
    assert found["src/lib/matrix/Dense"][0].startswith("GPL-3.0")


def test_a_directory_around_one_that_looks_like_a_copy_is_the_projects(tmp_path: Path) -> None:
    tree = {
        "LICENSE": GPL,
        **tagged("GPL-3.0-or-later", *numbered("src", 30)),
        **tagged("BSD-3-Clause", *numbered("resources/maps", 8)),
        "resources/maps/silent": "1\n",
        "resources/icc/gray.icc": "1\n",
        **tagged("MPL-2.0", *numbered("zed/src", 8)),
        "zed/NEWS": "Zed 1\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["resources/maps/silent"] == ("BSD-3-Clause", "neighbours")
    assert found["resources/icc/gray.icc"] == ("GPL-3.0-or-later", "directory")
    assert found["zed/NEWS"] == ("MPL-2.0", "neighbours")


def test_a_readme_beside_data_that_speaks_of_all_of_it(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": MIT}
    tree |= {
        "sq/README.txt": "This dictionary is released under GPL license version 2.0 or later.\n",
        "sq/sq.dic": "1\n",
    }
    tree |= {"da/README.txt": "This dictionary is released under the MPL 1.1 or the LGPL 2.1.\n", "da/da.dic": "1\n"}
    tree |= {"sl/README.txt": "This dictionary is released under the MPL 1.1.\n", "sl/sl.dic": "1\n"}
    tree |= {"sl/README_hyph.txt": "This hyphenation dictionary is released under the LPPL.\n"}
    found = concluded_of(tmp_path, tree)
    assert found["sq/sq.dic"] == ("GPL-2.0-or-later", "directory")
    assert found["da/da.dic"] == ("LGPL-2.1-only OR MPL-1.1", "directory")
    assert found["sl/sl.dic"] == ("MIT", "directory")


def test_a_page_about_licences_in_a_manual_is_not_the_terms_of_the_manual(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": MIT, "docs/index.rst": "Zed\n===\n", "docs/licenses.rst": BSD}
    assert concluded_of(tmp_path / "a", tree)["docs/index.rst"] == ("MIT", "directory")
    tree = {"LICENSE": MIT, "docs/index.rst": "Zed\n===\n", "docs/LICENSE": BSD}
    assert concluded_of(tmp_path / "b", tree)["docs/index.rst"] == ("BSD-3-Clause", "directory")


def test_how_to_install_tells_nothing_about_the_files_that_it_names(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": BSD, "doc/zed.conf": "a = b\n"}
    tree["doc/INSTALL"] = "zed.conf is distributed under the MIT license, says the server.\n"
    assert concluded_of(tmp_path, tree)["doc/zed.conf"] == ("BSD-3-Clause", "directory")


def test_a_licence_without_a_version_and_the_file_that_has_it(tmp_path: Path) -> None:
    said = "/* Licensed under the LGPL or a commercial license.\n * For LGPL see License.txt in the project root. */\n"
    tree: dict[str, str | bytes] = {"LICENSE": GPL, "editor/LICENSE.TXT": LGPL, "editor/js/a.js": said}
    assert concluded_of(tmp_path, tree)["editor/js/a.js"] == ("LGPL-2.1-only", "pointer")


def test_a_few_files_that_speak_among_silent_ones_make_no_copy(tmp_path: Path) -> None:
    tree = {
        "LICENSE": MIT,
        **tagged("MIT", *numbered("src", 20)),
        **tagged("Apache-2.0", *numbered("test", 4)),
        **dict.fromkeys(numbered("test/data", 6), "int s;\n"),
    }
    assert concluded_of(tmp_path, tree)["test/data/1.c"] == ("MIT", "directory")


def test_what_a_large_copy_offers_besides_is_not_the_projects(tmp_path: Path) -> None:
    apache = (TEXTS / "Apache-2.0.txt").read_text()
    tree = {
        "LICENSE": apache,
        **tagged("Apache-2.0", *numbered("src", 6)),
        **tagged("Apache-2.0 OR GPL-2.0-or-later", *numbered("others/tls", 30)),
        "silent.c": "int s;\n",
    }
    assert concluded_of(tmp_path, tree)["silent.c"] == ("Apache-2.0", "directory")


def test_a_licence_file_about_third_parties_speaks_for_nothing_beside_it(tmp_path: Path) -> None:
    tree = {"COPYING": GPL, "src/ui/LICENSE-3RD-PARTY.txt": BSD, "src/ui/window.c": "int w;\n"}
    assert concluded_of(tmp_path, tree)["src/ui/window.c"] == ("GPL-3.0-only", "directory")


def test_the_bsd_license_of_all_files_is_the_one_in_the_readme(tmp_path: Path) -> None:
    said = "/* This software may be distributed under the terms of the BSD license. See README for more details. */\n"
    tree: dict[str, str | bytes] = dict.fromkeys(numbered("src", 6), said)
    tree["COPYING"] = "See the README file for the current license terms.\n"
    tree["README"] = f"Zed\n\nLicense\n\n{BSD}\n"
    tree["src/choice.c"] = "/* Licensed under either the GPL version 2 or the BSD license. */\n"
    tree["src/silent.c"] = "int s;\n"
    found = concluded_of(tmp_path, tree)
    assert found["src/1.c"][0] == "BSD-3-Clause"
    assert found["src/silent.c"][0] == "BSD-3-Clause"
    assert found["src/choice.c"][0] == "GPL-2.0-only OR BSD-3-Clause"


def test_an_earlier_version_or_later_that_files_state_beside_a_later_text(tmp_path: Path) -> None:
    tree = {**tagged("GPL-2.0-or-later", *numbered("src", 6)), "COPYING": GPL, "silent.c": "int s;\n"}
    assert concluded_of(tmp_path, tree)["silent.c"] == ("GPL-2.0-or-later", "directory")


def test_version_2_of_the_lgpl_beside_the_text_of_its_successor(tmp_path: Path) -> None:
    said = (
        "/* This library is free software; you can redistribute it and/or modify it under the terms of the GNU Lesser\n"
        " * General Public License as published by the Free Software Foundation; either version 2 of the License, or\n"
        " * (at your option) any later version. */\n"
    )
    tree: dict[str, str | bytes] = dict.fromkeys(numbered("src", 6), said)
    tree |= {"COPYING": LGPL, "silent.c": "int s;\n"}
    found = concluded_of(tmp_path, tree)
    assert found["src/1.c"][0] == "LGPL-2.0-or-later"
    assert found["silent.c"] == ("LGPL-2.1-or-later", "directory")


def test_a_readme_that_says_or_later_counts_where_no_file_says_anything(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"COPYING": GPL, "silent.c": "int s;\n"}
    assert concluded_of(tmp_path, tree)["silent.c"] == ("GPL-3.0-only", "directory")
    readme = "Zed is licensed under the GNU General Public License, version 3 or later.\n"
    assert concluded_of(tmp_path, {"README": readme})["silent.c"] == ("GPL-3.0-or-later", "directory")


def test_catalogues_of_messages_speak_in_their_first_comment_only(tmp_path: Path) -> None:
    catalogue = """# Licensed under the MIT license.
msgid ""
msgstr "Language: fa\\n"

# GNU General Public License Version 2
msgid "GPL v2"
msgstr ""
"""
    assert concluded_of(tmp_path, {"LICENSE": BSD, "fa.po": catalogue})["fa.po"] == ("MIT", "notice")


def test_a_comment_of_a_catalogue_goes_on_after_its_empty_lines(tmp_path: Path) -> None:
    comment = "".join(f"# {line}\n" if line else "#\n" for line in MIT.splitlines())
    catalogue = f'{comment}#, fuzzy\nmsgid ""\nmsgstr "Language: fr\\n"\n\nmsgid "a"\nmsgstr ""\n'
    assert concluded_of(tmp_path, {"LICENSE": BSD, "fr.po": catalogue})["fr.po"] == ("MIT", "notice")


def test_conditions_of_which_every_line_begins_with_copyright(tmp_path: Path) -> None:
    lines = ("Copyright 2001-2012 Zed Inc.\nAll rights reserved.\n\n" + BSD).splitlines()
    resource = "%!PS-Adobe-3.0 Resource-CMap\n" + "".join(f"%%Copyright: {line}\n" for line in lines) + "/a def\n"
    found = concluded_of(tmp_path, {"LICENSE": MIT, "zed-H": resource, "zed.ps": resource})
    assert found["zed-H"] == found["zed.ps"] == ("BSD-3-Clause", "notice")


def test_a_changelog_says_nothing_of_the_files_that_it_names(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": BSD, "zed.conf": "a = b\n"}
    tree["ChangeLog"] = "2020: zed.conf is distributed under the MIT license\n"
    assert concluded_of(tmp_path, tree)["zed.conf"] == ("BSD-3-Clause", "directory")
    tree["README"] = "zed.conf is distributed under the MIT license\n"
    assert concluded_of(tmp_path, tree)["zed.conf"] == ("MIT", "named")


def test_the_first_lines_of_a_document_tell_its_licence(tmp_path: Path) -> None:
    head = "# API\n\n[![License: CC BY 4.0](https://example.org/a.png)](https://creativecommons.org/licenses/by/4.0/)\n"
    far = "# Storage\n" + "word\n" * 80 + "\nThe image of paper files is used under a Creative Commons License.\n"
    found = concluded_of(tmp_path, {"LICENSE": MIT, "docs/api.md": head, "docs/storage.rst": far})
    assert found["docs/api.md"] == ("CC-BY-4.0", "notice")
    assert found["docs/storage.rst"] == ("MIT", "directory")


def test_sides_of_a_choice_that_are_named_once_more_without_a_version(tmp_path: Path) -> None:
    text = (
        "/* Dual licensed under the MIT or GPL Version 2 licenses. */\nint a;\n\n"
        "/* Sizzle: released under the MIT and GPL Licenses. */\nint b;\n\n"
        "/* Plugin: dual licensed under the MIT and GPL licenses. */\n"
    )
    assert concluded_of(tmp_path, {"x.js": text})["x.js"][0] == "GPL-2.0-only OR MIT"


def test_a_licence_file_has_what_its_directory_has_though_a_readme_names_it(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": MIT, "README": "Licensed under the GPL version 2, see LICENSE.txt.\n"}
    tree["sub/LICENSE.txt"] = BSD
    tree["sub/README"] = "LICENSE.txt: this is distributed under the MIT license\n"
    assert concluded_of(tmp_path, tree)["sub/LICENSE.txt"] == ("BSD-3-Clause", "directory")


def test_a_licence_file_with_a_suffix_speaks_for_what_has_it(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"COPYING": GPL, "src/LICENSE.getopt": MIT, "src/LICENSE.lib": BSD}
    tree |= dict.fromkeys(("src/getopt.c", "src/ChangeLog.getopt", "src/other.c"), "int g;\n")
    found = concluded_of(tmp_path, {**tree, "src/LICENSE.lib": ""})
    assert found["src/getopt.c"] == found["src/ChangeLog.getopt"] == ("MIT", "named")
    assert found["src/LICENSE.getopt"] == ("MIT", "named")
    assert found["src/other.c"] == ("GPL-3.0-only", "directory")
    # but where the directory has the name, it is that project's
    ruby: dict[str, str | bytes] = {"ruby/LICENSE.ruby": BSD, "ruby/ruby.py": "a = 1\n", "ruby/__init__.py": "b = 1\n"}
    found = concluded_of(tmp_path, ruby)
    assert {found[path][0] for path in ruby} == {"BSD-3-Clause"}


def test_modules_of_a_build_system_make_no_copy(tmp_path: Path) -> None:
    tree = {
        "COPYING": GPL,
        **tagged("GPL-3.0-or-later", *numbered("src", 12)),
        **tagged("BSD-3-Clause", *numbered("cmake", 5)),
        "cmake/config.h.in": "#define X\n",
    }
    assert concluded_of(tmp_path, tree)["cmake/config.h.in"][0].startswith("GPL-3.0")


def test_a_gnu_licence_stated_in_full_beside_a_tag(tmp_path: Path) -> None:
    said = """/* SPDX-License-Identifier: {} */
int a;
/* Based on Zed.
 * This program is free software: you can redistribute it and/or modify
 * it under the terms of the GNU General Public License as published by
 * the Free Software Foundation, either version 3 of the License, or any later version. */
"""
    tree: dict[str, str | bytes] = {
        "a.c": said.format("LGPL-2.0-or-later"),
        "b.c": said.format("MIT OR GPL-2.0-or-later"),
    }
    found = concluded_of(tmp_path, tree)
    assert found["a.c"][0] == "GPL-3.0-or-later AND LGPL-2.0-or-later"
    assert found["b.c"] == ("GPL-2.0-or-later OR MIT", "tag")


def test_the_legal_notice_of_a_docbook_counts_for_the_files_beside_it(tmp_path: Path) -> None:
    book = """<book><legalnotice><para>Permission is granted to copy, distribute and/or modify this document under
the terms of the GNU Free Documentation License, Version 1.2 or any later version published by the Free Software
Foundation; with no Invariant Sections, no Front-Cover Texts, and no Back-Cover Texts.</para></legalnotice></book>
"""
    tree: dict[str, str | bytes] = {"COPYING": GPL, "doc/book.xml": book, "doc/basic.xxml": "<chapter/>\n"}
    tree["doc/fdl.xml"] = (TEXTS / "GFDL-1.2-only.txt").read_text()
    tree["doc/make.sh"] = "true\n"
    found = concluded_of(tmp_path, tree)
    assert found["doc/basic.xxml"][0].startswith("GFDL-1.2") and found["doc/basic.xxml"][0].endswith("or-later")
    assert found["doc/make.sh"] == ("GPL-3.0-only", "directory")


def test_a_readme_that_tells_the_terms_of_this_work(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": MIT}
    for number, said in enumerate(
        [
            "This work and the derived files are under the Creative Commons CC0 license.\n",
            "# Zed\n\nThis plugin is released under the [GNU General Public License Version 3+][gpl].\n",
            "This plugin uses zed, which is released under the GNU General Public License Version 3.\n",
        ]
    ):
        tree |= {f"{number}/README.md": said, f"{number}/x.dat": "1\n"}
    found = concluded_of(tmp_path, tree)
    assert [found[f"{number}/x.dat"][0] for number in range(3)] == ["CC0-1.0", "GPL-3.0-or-later", "MIT"]


def test_a_licence_file_among_the_documents_of_a_part(tmp_path: Path) -> None:
    said = "# This software is licensed as described in the file LICENSE.\n"
    tree: dict[str, str | bytes] = {
        "LICENSE": MIT,
        "tools/zed/doc/LICENSE": BSD,
        "tools/zed/lib/z.tcl": said + "set z 1\n",
        "src/doc/LICENSE.txt": BSD,
        "src/s.tcl": said + "set s 1\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["tools/zed/lib/z.tcl"] == ("BSD-3-Clause", "pointer")
    assert found["src/s.tcl"] == ("MIT", "pointer")


def test_a_manifest_says_or_later_where_few_files_say_anything(tmp_path: Path) -> None:
    setup = 'setup(name="zed", license="GPLv2+", classifiers=["Zed"])\n'
    text = (TEXTS / "GPL-2.0-only.txt").read_text()
    tree: dict[str, str | bytes] = {"LICENSE": text, "silent.py": "s = 1\n", "setup.py": setup}
    tree |= tagged("GPL-2.0-or-later", "a.c", "b.c") | tagged("GPL-2.0-only", "c.c")
    assert concluded_of(tmp_path, tree)["silent.py"] == ("GPL-2.0-or-later", "directory")
    assert concluded_of(tmp_path, {"setup.py": ""})["silent.py"] == ("GPL-2.0-only", "directory")


def test_the_lgpl_without_a_version_beside_its_text_is_no_version_two(tmp_path: Path) -> None:
    said = "/* This is free software under the GNU Library General Public License, version 2 or later. */\nint x;\n"
    tree: dict[str, str | bytes] = {"COPYING": LGPL, "LICENSE": "Zed is released under the LGPL.\n", "silent.c": "1\n"}
    tree |= dict.fromkeys(numbered("src", 6), said)
    found = concluded_of(tmp_path, tree)
    assert found["src/1.c"][0] == "LGPL-2.0-or-later"
    assert found["silent.c"] == ("LGPL-2.1-or-later", "directory")


def test_the_gpl_without_a_version_is_the_one_that_the_licence_file_states(tmp_path: Path) -> None:
    said = "/* This is free software under the terms of the GNU General Public License. */\nint x;\n"
    tree: dict[str, str | bytes] = {"src/a.c": said, "LICENSE": "Zed is under the GNU GPL v3 or later.\n"}
    assert concluded_of(tmp_path, tree)["src/a.c"] == ("GPL-3.0-or-later", "pointer")
    # the text alone leaves all versions
    assert concluded_of(tmp_path, {"LICENSE": GPL})["src/a.c"] == ("GPL-1.0-or-later", "notice")


def test_a_licence_file_of_the_documentation(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"COPYING.DOC": (TEXTS / "GFDL-1.2-only.txt").read_text(), "silent.c": "int s;\n"}
    tree |= tagged("GPL-2.0-or-later", *numbered("src", 6))
    tree |= {"doc/index.docbook": "<book/>\n", "doc/en/a.png": b"\x89PNG\r\n\x1a\n\0\0", "docker.c": "int d;\n"}
    found = concluded_of(tmp_path, tree)
    assert found["silent.c"][0] == found["docker.c"][0] == "GPL-2.0-or-later"
    assert found["doc/index.docbook"][0] == found["doc/en/a.png"][0] == "GFDL-1.2-only"


def test_the_version_for_which_a_text_of_the_documentation_stands(tmp_path: Path) -> None:
    gfdl = (TEXTS / "GFDL-1.2-only.txt").read_text()
    tree: dict[str, str | bytes] = {
        "COPYING.DOC": gfdl,
        "doc/zed/a.docbook": "<book/>\n",
        "doc/CMakeLists.txt": "z()\n",
    }
    tree |= tagged("GPL-2.0-or-later", *numbered("src", 6))
    stated = tagged("GFDL-1.2-or-later", *numbered("doc/stating", 4))
    found = concluded_of(tmp_path / "stated", tree | stated)
    assert found["doc/zed/a.docbook"] == ("GFDL-1.2-or-later", "named")
    assert found["doc/CMakeLists.txt"][0] == "GPL-2.0-or-later"
    found = concluded_of(tmp_path / "kept", tree | {"LICENSES/GFDL-1.2-or-later.txt": gfdl})
    assert found["doc/zed/a.docbook"] == ("GFDL-1.2-or-later", "named")
    both = {"LICENSES/GFDL-1.2-or-later.txt": gfdl, "LICENSES/GFDL-1.2-only.txt": gfdl}
    assert concluded_of(tmp_path / "both", tree | both)["doc/zed/a.docbook"] == ("GFDL-1.2-only", "named")

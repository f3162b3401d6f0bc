"""What files without terms of their own get: from licence files, neighbours, manifests and READMEs."""

from __future__ import annotations

from pathlib import Path

import pytest
from licensing_support import BSD, MIT, TEXTS, concluded_of, write

from bazel2ninja.licensing import audit as audits
from bazel2ninja.licensing.cache import Cache
from bazel2ninja.licensing.own_terms import UNKNOWN


def test_a_licence_file_with_a_prefix_speaks_for_what_has_it(tmp_path: Path) -> None:
    found = concluded_of(
        tmp_path,
        {"LICENSE": MIT, "misc/noise-LICENSE": BSD, "misc/noise.c": "int n;\n", "misc/other.c": "int o;\n"},
    )
    assert found["misc/noise.c"] == ("BSD-3-Clause", "named")
    assert found["misc/other.c"] == ("MIT", "directory")


def test_a_licence_file_with_the_name_of_a_directory_below_speaks_for_that(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "LICENSE": MIT,
        "gui/COPYING_WIDGETS": BSD,
        "gui/a.dat": "1\n",
        "gui/views/widgets/in/b.dat": "1\n",
        "gui/views/widgets/other/LICENSE": (TEXTS / "Zlib.txt").read_text(),
        "gui/views/widgets/other/c.dat": "1\n",
        "doc/LICENSE.html": BSD,
        "doc/page.html": "<p>x</p>\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["gui/views/widgets/in/b.dat"] == ("BSD-3-Clause", "named")
    assert found["gui/views/widgets/other/c.dat"] == ("Zlib", "directory")
    assert found["gui/a.dat"] == ("MIT", "directory")
    assert found["doc/page.html"][1] != "named"


def test_a_licence_file_that_the_files_around_contradict_is_about_some_of_them(tmp_path: Path) -> None:
    said = "// Licensed under the MIT license.\n"
    tree: dict[str, str | bytes] = {f"chemistry/{name}.c": said + f"int {name};\n" for name in "abcd"}
    found = concluded_of(tmp_path, {**tree, "LICENSE": MIT, "chemistry/COPYING": BSD, "chemistry/silent.c": "int s;\n"})
    assert found["chemistry/silent.c"] == ("MIT", "directory")


def test_the_directory_around_a_copy_with_its_own_licence_file_is_the_projects(tmp_path: Path) -> None:
    said = "// SPDX-License-Identifier: Zlib\n"
    tree: dict[str, str | bytes] = {f"third_party/zed/zed-1/{name}.c": said for name in "abcd"}
    found = concluded_of(tmp_path, {**tree, "LICENSE": MIT, "third_party/zed/update.sh": "true\n"})
    assert found["third_party/zed/update.sh"] == ("Zlib", "neighbours")
    found = concluded_of(tmp_path, {"third_party/zed/zed-1/LICENSE": "zed, all rights of the Zlib license\n"})
    assert found["third_party/zed/update.sh"] == ("MIT", "directory")


def test_texts_of_many_licences_are_no_choice(tmp_path: Path) -> None:
    texts = {
        f"release/license/{name}.txt": (TEXTS / f"{name}.txt").read_text() for name in ("MIT", "ISC", "Zlib", "X11")
    }
    found = concluded_of(tmp_path, {**texts, "LICENSE": BSD, "release/icon.dat": "x\n"})
    assert found["release/icon.dat"] == ("BSD-3-Clause", "directory")


def test_of_several_licences_of_the_project_the_one_that_most_files_state(tmp_path: Path) -> None:
    gnu = {
        name: (TEXTS / f"{text}.txt").read_text()
        for name, text in (("COPYING", "GPL-2.0-only"), ("COPYING.LIB", "LGPL-2.1-only"))
    }
    said = "// This file is licensed under the GNU GPL, version 2 or later.\n"
    tree: dict[str, str | bytes] = {f"hw/{number}.c": said for number in range(6)}
    others: dict[str, str | bytes] = {f"roms/{number}.c": "// SPDX-License-Identifier: Zlib\n" for number in range(20)}
    found = concluded_of(tmp_path, {**gnu, **tree, **others, "silent.c": "int s;\n"})
    assert found["silent.c"] == ("GPL-2.0-or-later", "directory")


def test_or_later_counts_for_silent_files_when_nearly_all_say_so(tmp_path: Path) -> None:
    text = (TEXTS / "GPL-2.0-only.txt").read_text()
    later = "/* SPDX-License-Identifier: GPL-2.0-or-later */\n"
    only = "/* SPDX-License-Identifier: GPL-2.0-only */\n"
    for share, expected in ((6, "GPL-2.0-only"), (9, "GPL-2.0-or-later")):
        place = tmp_path / str(share)
        files = {f"{n}.c": later if n < share else only for n in range(10)}
        write(place, {"COPYING": text, "silent.c": "int s;\n", **files})
        assert audits.make(str(place), Cache(None)).concluded.files["silent.c"].expression == expected


def test_a_choice_between_numbered_licence_files(tmp_path: Path) -> None:
    names = {"COPYING.LESSERv3": "LGPL-3.0-only", "COPYINGv2": "GPL-2.0-only", "COPYINGv3": "GPL-3.0-only"}
    stated = "/* SPDX-License-Identifier: LGPL-3.0-or-later OR GPL-2.0-or-later */\n"
    tree = {name: (TEXTS / f"{text}.txt").read_text() for name, text in names.items()}
    put_away = (
        "C a.asm\nifelse(`\n   Copyright (C) 2015 A\n   This is licensed under the Apache License, Version 2.0.\n')\n"
    )
    write(tmp_path, {**tree, **{f"{n}.c": stated for n in range(8)}, "silent.c": "int s;\n", "a.asm": put_away})
    found = audits.make(str(tmp_path), Cache(None)).concluded.files
    assert found["silent.c"].expression == "GPL-2.0-or-later OR LGPL-3.0-or-later"
    assert found["a.asm"].expression == "Apache-2.0"


def test_a_manifest_does_not_contradict_the_projects_licence_file(tmp_path: Path) -> None:
    found = concluded_of(
        tmp_path,
        {
            "LICENSE": MIT,
            "port/package.json": '{"license": "ISC"}',
            "port/x.js": "1\n",
            "third_party/p/package.json": '{"license": "ISC"}',
            "third_party/p/x.js": "2\n",
        },
    )
    assert found["port/x.js"] == ("MIT", "directory")
    assert found["third_party/p/x.js"] == ("ISC", "declared")


def test_a_gnu_licence_without_a_version_is_the_one_in_the_file_that_is_named(tmp_path: Path) -> None:
    lesser = (TEXTS / "LGPL-2.1-only.txt").read_text()
    stated = "/* This library is free software; you can redistribute it and/or modify it under the terms of the GNU Lesser General Public License as published by the Free Software Foundation; either version 2.1 of the License, or (at your option) any later version. */\n"  # noqa: E501
    tree = {"COPYING": lesser, **{f"{n}.c": stated for n in range(8)}}
    tree |= {"Makefile.am": "# Licensed under LGPL. See file COPYING.\n", "b.c": "/* Licensed under LGPL. */\n"}
    write(tmp_path, tree)
    found = audits.make(str(tmp_path), Cache(None)).concluded.files
    assert found["Makefile.am"].expression == "LGPL-2.1-or-later"
    assert found["Makefile.am"].source == "COPYING"
    assert found["b.c"].expression == "LGPL-2.0-or-later"


def test_a_licence_file_in_words_that_nobody_knows_is_asked_about(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "COPYING": "You may freely use and redistribute this program provided that you send the author a postcard, "
            "and may not sell copies of it to anybody who has not sent one before.\n",
            "a.c": "int a;\n",
            **{f"z{n}.c": "/* SPDX-License-Identifier: Zlib */\n" for n in range(9)},
        },
    )
    found = audits.make(str(tmp_path), Cache(None)).concluded
    assert found.main == "NOASSERTION"
    assert found.files["a.c"].expression == "NOASSERTION"


def test_a_readme_tells_the_terms_of_files_by_pattern(tmp_path: Path) -> None:
    said = "The *.dat files in this directory come from elsewhere.\nThat is licensed under a BSD style license.\n\n"
    write(tmp_path, {"LICENSE": MIT, "data/README": said + BSD, "data/x.dat": "1\n", "data/y.txt": "2\n"})
    found = audits.make(str(tmp_path), Cache(None)).concluded.files
    assert found["data/x.dat"].expression == "BSD-3-Clause"
    assert found["data/y.txt"].expression == "MIT"


def tagged(expression: str, *names: str) -> dict[str, str | bytes]:
    return dict.fromkeys(names, f"/* SPDX-License-Identifier: {expression} */\nint x;\n")


def text(name: str) -> str:
    return (TEXTS / f"{name}.txt").read_text()


def test_a_plainly_named_licence_is_the_projects_beside_those_for_parts(tmp_path: Path) -> None:
    old = tagged("BSD-3-Clause", *(f"lib/{n}.c" for n in range(9)))
    found = concluded_of(tmp_path, {"LICENSE.md": MIT, "LICENSE-BSD.md": BSD, **old, "lib/silent.c": "int s;\n"})
    assert found["lib/silent.c"] == ("MIT", "directory")


def test_of_a_choice_one_side_of_which_is_the_plainly_named_text(tmp_path: Path) -> None:
    files = tagged("MIT OR Apache-2.0", *(f"src/{n}.rs" for n in range(9)))
    found = concluded_of(tmp_path, {"LICENSE": MIT, "LICENSE-APACHE": text("Apache-2.0"), **files, "x.dat": "1\n"})
    assert found["x.dat"][0] in ("MIT OR Apache-2.0", "Apache-2.0 OR MIT")


def test_in_a_project_of_several_licences_silent_files_have_the_terms_of_their_part(tmp_path: Path) -> None:
    found = concluded_of(
        tmp_path,
        {
            "COPYING": text("GPL-3.0-only"),
            "COPYING.LESSER": text("LGPL-3.0-only"),
            **tagged("LGPL-3.0-or-later", *(f"lib/{n}.c" for n in range(9))),
            **tagged("GPL-3.0-or-later", *(f"tests/{n}.c" for n in range(5))),
            **tagged("MIT", *(f"m4/{n}.m4" for n in range(5))),
            "tests/data/core.bz2": b"BZh9\0\0",
            "m4/silent.m4": "dnl\n",
            "AUTHORS": "many\n",
        },
    )
    assert found["AUTHORS"] == ("LGPL-3.0-or-later", "directory")
    assert found["tests/data/core.bz2"] == ("GPL-3.0-or-later", "neighbours")
    assert found["m4/silent.m4"] == ("LGPL-3.0-or-later", "directory")  # nothing at the root speaks of MIT


def test_a_librarys_programs_may_be_under_the_gpl(tmp_path: Path) -> None:
    library = tagged("LGPL-2.1-or-later", *(f"src/{n}.c" for n in range(9)))
    programs = tagged("GPL-2.0-or-later", *(f"programs/{n}.c" for n in range(4)))
    tree = {"COPYING": text("LGPL-2.1-only"), **library, **programs, "programs/run.in": "true\n"}
    assert concluded_of(tmp_path, tree)["programs/run.in"] == ("GPL-2.0-or-later", "neighbours")


def test_without_a_majority_the_terms_that_most_files_state(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"COPYING": text("GPL-3.0-only"), "COPYING.LIB": text("LGPL-3.0-only")}
    tree |= tagged("LGPL-3.0-or-later OR GPL-2.0-or-later", *(f"lib/{n}.c" for n in range(9)))
    tree |= tagged("GPL-3.0-or-later", *(f"tests/{n}.c" for n in range(8))) | tagged("LGPL-3.0-or-later", "a.c", "b.c")
    assert concluded_of(tmp_path, {**tree, "silent.c": "int s;\n"})["silent.c"] == (
        "GPL-2.0-or-later OR LGPL-3.0-or-later",
        "directory",
    )


def test_what_the_files_beside_a_licence_file_make_of_it(tmp_path: Path) -> None:
    found = concluded_of(
        tmp_path,
        {
            "LICENSE": MIT,
            "crypto/hash/LICENSE": text("Apache-2.0"),
            **tagged("CC0-1.0 OR Apache-2.0", "crypto/hash/a.c", "crypto/hash/b.c"),
            "crypto/hash/silent.h": "int s;\n",
            "getopt/COPYING": text("LGPL-2.1-only"),
            **tagged("LGPL-2.1-or-later", "getopt/getopt.c"),
            "getopt/silent.h": "int s;\n",
        },
    )
    assert found["crypto/hash/silent.h"] == ("Apache-2.0 OR CC0-1.0", "directory")
    assert found["getopt/silent.h"] == ("LGPL-2.1-or-later", "directory")


def test_the_text_of_the_projects_gnu_licence_again(tmp_path: Path) -> None:
    tree = {"COPYING": text("GPL-3.0-only"), **tagged("GPL-3.0-or-later", *(f"{n}.c" for n in range(9)))}
    tree |= {"examples/LICENSE": text("GPL-3.0-only"), "examples/silent.sh": "true\n"}
    tree |= {"doc/gpl.texi": text("GPL-2.0-only"), "doc/manual.texi": "words\n"}
    found = concluded_of(tmp_path, tree)
    assert found["examples/silent.sh"] == ("GPL-3.0-or-later", "directory")
    assert found["doc/manual.texi"] == ("GPL-3.0-or-later", "directory")  # the manual includes that text


def test_a_licence_file_about_parts_of_what_is_there(tmp_path: Path) -> None:
    tree = {"LICENSE": text("MPL-2.0"), "site/LICENSE.md": "Parts of this site are based on zed.\n" + MIT}
    assert concluded_of(tmp_path, {**tree, "site/post.txt": "words\n"})["site/post.txt"] == ("MPL-2.0", "directory")
    said = (
        "EXTERNAL COMPONENTS\n\nZed includes a number of components with separate copyright notices and license terms."
    )
    tree |= {"META-INF/LICENSE": f"{said}\n\n{MIT}", "META-INF/NOTICE": "Zed\nCopyright 2020 Zed Zedson\n"}
    assert concluded_of(tmp_path, tree)["META-INF/NOTICE"] == ("MPL-2.0", "directory")


def test_a_copy_whose_readme_holds_its_licence(tmp_path: Path) -> None:
    tree = {"LICENSE": MIT, "src/xml/readme.txt": "Xml, a parser.\n\nLicense:\n\n" + text("Zlib")}
    tree |= {"src/xml/silent.cpp": "int s;\n", "src/other/readme.txt": text("Zlib"), "src/other/silent.cpp": "int o;\n"}
    # the build system's files do not count
    found = concluded_of(tmp_path, tree | tagged("Zlib", "src/xml/a.cpp") | tagged("FSFULLRWD", "src/xml/Makefile.in"))
    assert found["src/xml/silent.cpp"] == ("Zlib", "directory")
    assert found["src/other/silent.cpp"] == ("Zlib", "directory")  # nothing there says otherwise
    found = concluded_of(tmp_path, tagged("ISC", "src/other/b.cpp"))
    assert found["src/other/silent.cpp"] == ("MIT", "directory")


def test_a_licence_file_that_tells_of_several_terms_leaves_the_choice_to_the_files(tmp_path: Path) -> None:
    said = (
        "Most of this is under the terms below. The file date.c may be used under either: it is in the public domain.\n"
    )
    tree = {"COPYING": said + text("BSD-2-Clause"), "silent.c": "int s;\n"}
    found = concluded_of(tmp_path, tree | tagged("BSD-2-Clause", *(f"{n}.c" for n in range(9))))
    assert found["silent.c"] == ("BSD-2-Clause", "directory")


def test_of_the_texts_in_one_licence_file_the_first_leads_without_a_majority(tmp_path: Path) -> None:
    both = (
        "Under the GPL, version 2; lib is under the LGPL, version 2.\n" + text("GPL-2.0-only") + text("LGPL-2.0-only")
    )
    tree: dict[str, str | bytes] = {"NOTICE": both, "tests/run.dat": "1\n", **tagged("MIT", "a.c")}
    tree |= tagged("LGPL-2.0-only", *(f"lib/{n}.c" for n in range(9)))
    tree |= {f"tools/{n}.c": "// May be redistributed under the terms of the GNU Public License.\n" for n in range(10)}
    assert concluded_of(tmp_path, tree)["tests/run.dat"] == ("GPL-2.0-only", "directory")


@pytest.mark.slow
def test_copies_of_other_projects_say_nothing_about_the_directory_around_them(tmp_path: Path) -> None:
    tree = {"LICENSE": text("Apache-2.0") + BSD + MIT, **tagged("Apache-2.0", *(f"src/{n}.c" for n in range(9)))}
    tree |= {"third_party/zed/LICENSE": BSD, **tagged("BSD-3-Clause", *(f"third_party/zed/{n}.c" for n in range(9)))}
    assert concluded_of(tmp_path, {**tree, "third_party/README": "copies\n"})["third_party/README"][0] == "Apache-2.0"


def test_the_library_gpl_version_2_or_later_has_a_version(tmp_path: Path) -> None:
    stated = tagged("LGPL-2.0-or-later", *(f"{n}.c" for n in range(9)))
    tree = {"COPYING": text("LGPL-2.0-only"), **stated, "silent.c": "int s;\n"}
    assert concluded_of(tmp_path, tree)["silent.c"] == ("LGPL-2.0-or-later", "directory")


def test_the_end_of_a_comment_in_a_licence_file_names_no_files(tmp_path: Path) -> None:
    other = "/* The software developed by Zed is licensed under\n * the BSD license. */\n"
    found = concluded_of(tmp_path, {"LICENSE": MIT, "data/LICENSE": text("Zlib") + "\n\n" + other, "data/x.dat": "1\n"})
    assert found["data/x.dat"] == ("Zlib", "directory")


def test_a_licence_file_that_says_that_no_later_version_counts(tmp_path: Path) -> None:
    said = {f"{n}.c": "/* This file is licensed under the GNU GPL, version 2 or later. */\n" for n in range(9)}
    only = "Note that the only valid version of the GPL here is this one, v2, not v2.2 or v3.x.\n\n"
    text = (TEXTS / "GPL-2.0-only.txt").read_text()
    assert (
        concluded_of(tmp_path / "a", {"COPYING": only + text, "silent": "x\n", **said})["silent"][0] == "GPL-2.0-only"
    )
    assert concluded_of(tmp_path / "b", {"COPYING": text, "silent": "x\n", **said})["silent"][0] == "GPL-2.0-or-later"


@pytest.mark.parametrize(("named", "expected"), [("2.1", "LGPL-2.1-or-later"), ("2", "LGPL-2.0-or-later")])
def test_version_2_of_the_lgpl_beside_the_text_of_2_1(tmp_path: Path, named: str, expected: str) -> None:
    """It is only another name for 2.1, unless a licence file names version 2, too."""
    head = "// This is free software under the GNU Library General Public License, version 2 or any later version.\n"
    tree: dict[str, str | bytes] = {
        "COPYING": (TEXTS / "LGPL-2.1-only.txt").read_text(),
        "LICENSE": f"The whole is under version {named} of the GNU Lesser General Public License.\n",
        "silent.dat": "1\n",
        **{f"src/{number}.c": head + f"int i{number};\n" for number in range(8)},
    }
    assert concluded_of(tmp_path, tree)["silent.dat"][0] == expected


def test_what_is_granted_beside_the_text_that_files_point_at(tmp_path: Path) -> None:
    """A copyright file says "or any later version", which the text in the other one does not."""
    grant = (
        "This program is free software; you can redistribute it and/or modify it under the terms of the GNU General\n"
    )
    grant += "Public License as published by the Free Software Foundation; either version 2, or any later version.\n"
    head = '// See the file "License.txt" for information on usage and redistribution of this file.\n'
    tree: dict[str, str | bytes] = {
        "Copyright.txt": "Copyright (c) 1995 Zed\n\n" + grant,
        "License.txt": (TEXTS / "GPL-2.0-only.txt").read_text(),
        "silent.dat": "1\n",
        **{f"src/{number}.c": head + f"int i{number};\n" for number in range(8)},
    }
    found = concluded_of(tmp_path, tree)
    assert found["silent.dat"][0] == found["src/1.c"][0] == "GPL-2.0-or-later"


def test_a_readme_about_all_that_is_beside_it(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "LICENSE": MIT,
        "pictures/README": "Pictures\n\nAll these images have been put into the public domain.\n",
        "pictures/a.svg": "<svg/>\n",
        "pictures/more/b.svg": "<svg/>\n",
        "parts/README": "Parts, copyright 1999 Zed\n\nYou are free to distribute this library as long as this\n"
        "copyright notice is included.\n",
        "parts/a.fig": "1\n",
        "code/README": "These files are under the Apache License 2.0.\n",
        "code/a.c": "/* This file is licensed under the GNU GPL, version 2. */\n",
        "code/b.c": "int b;\n",
        "other/README": "Zed wrote the images and has put his own into the public domain.\n",
        "other/c.svg": "<svg/>\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["pictures/a.svg"] == found["pictures/more/b.svg"] == ("LicenseRef-public-domain", "directory")
    assert found["code/b.c"][0] == found["other/c.svg"][0] == "MIT"
    assert found["parts/a.fig"] == (UNKNOWN, "directory")  # a grant in words that nobody knows


def test_a_licence_file_that_names_the_one_beside_it(tmp_path: Path) -> None:
    head = (
        "# This file is dual licensed under the terms of the Apache License, Version 2.0, and the BSD License. See the"
    )
    tree: dict[str, str | bytes] = {
        "LICENSE": "This is under the terms of either of the licenses found in LICENSE.APACHE or LICENSE.BSD.\n",
        "LICENSE.APACHE": (TEXTS / "Apache-2.0.txt").read_text(),
        "LICENSE.BSD": BSD,
        "a.py": f"{head}\n# LICENSE file in the root of this repository for complete details.\na = 1\n",
    }
    assert concluded_of(tmp_path, tree)["a.py"][0] == "Apache-2.0 OR BSD-3-Clause"


def test_the_legal_notice_of_a_manual(tmp_path: Path) -> None:
    notice = '<p>This work is licensed under a <a href="x">Creative Commons Attribution-ShareAlike 3.0</a> license.</p>'
    tree: dict[str, str | bytes] = {
        "COPYING": MIT,
        "help/C/legal.xml": notice,
        "help/C/index.page": "<page/>\n",
        "docs/Legal_Notice.xml": '<!DOCTYPE p [<!ENTITY % B SYSTEM "Names.ent">]><p>Licensed under CC-BY-SA-3.0.</p>',
        "docs/Names.ent": "<!ENTITY YEAR 2001>\n",
        "docs/Book.xml": "<book/>\n",
        "src/legal.c": "int l;\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["help/C/index.page"] == found["docs/Book.xml"] == ("CC-BY-SA-3.0", "directory")
    assert found["src/legal.c"][0] == "MIT"


def test_the_pages_of_a_manual(tmp_path: Path) -> None:
    first = """<html><p>Copyright 2000 Zed</p><div class="legalnotice"><p>Permission is granted to copy, distribute
and/or modify this document under the terms of the GNU Free Documentation License, Version 1.2
or any later version.</p></div>
"""
    tree: dict[str, str | bytes] = {f"doc/{n}.html": "<html><p>Words.</p></html>\n" for n in range(6)}
    tree |= {
        "COPYING": MIT,
        "doc/license.gpl.html": f"<html><pre>{(TEXTS / 'GPL-2.0-only.txt').read_text()}</pre></html>",
        "doc/a.png": b"\x89PNG\r\n\x1a\n\0\0",
    }
    assert concluded_of(tmp_path / "a", tree)["doc/1.html"][0] == "MIT"
    found = concluded_of(tmp_path / "b", {**tree, "doc/index.html": first})
    assert found["doc/1.html"] == ("GFDL-1.2-or-later", "named")
    assert found["doc/a.png"][0] == "MIT"


def test_a_gnu_licence_without_a_version_is_that_of_the_librarys_licence_file(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "COPYING": (TEXTS / "GPL-2.0-only.txt").read_text(),
        "lib/COPYING": "This library is free software; you can redistribute it under the terms of the GNU Lesser "
        "General Public License as published by the FSF; either version 2.1, or any later one.\n",
        "lib/a.c": "/* This file may be redistributed under the terms of the GNU Lesser General Public License. */\n",
        "b.c": "/* This file may be redistributed under the terms of the GNU Lesser General Public License. */\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["lib/a.c"] == ("LGPL-2.1-or-later", "pointer")
    assert found["b.c"][0] == "LGPL-2.0-or-later"


def test_the_bsd_style_license_of_a_file_that_is_not_there(tmp_path: Path) -> None:
    said = (
        "// Copyright 2009 The Zed Authors.\n// Use of this source code is governed by a BSD-style\n"
        "// license that can be found in the LICENSE file.\n"
    )
    apache = (TEXTS / "Apache-2.0.txt").read_text()
    assert concluded_of(tmp_path / "a", {"LICENSE": apache, "a.go": said})["a.go"][0] == "BSD-3-Clause"
    bsd2 = (TEXTS / "BSD-2-Clause.txt").read_text()
    assert concluded_of(tmp_path / "b", {"LICENSE": bsd2, "a.go": said})["a.go"][0] == "BSD-2-Clause"


def test_what_is_told_of_everything_else_is_what_the_project_has(tmp_path: Path) -> None:
    told = "Everything in zed/ is under the MIT license.\n\nEverything else is LGPLv2.1 (see COPYING.LGPL) unless\n"
    told += "otherwise mentioned.\n"
    lesser = (TEXTS / "LGPL-2.1-only.txt").read_text()
    tree = {"COPYING": told, "COPYING.LGPL": lesser, "COPYING.MIT": MIT, "zed/a.c": "int a;\n", "b.c": "int b;\n"}
    tree |= {f"zed/{n}.c": "/* Licensed under the MIT license. */\n" for n in range(6)}
    found = concluded_of(tmp_path, tree)
    assert found["zed/a.c"] == ("MIT", "named")
    assert found["b.c"] == ("LGPL-2.1-only", "directory")
    both = "Zed is licensed under the terms of the Apache 2.0 license, except for parts that were contributed under\n"
    both += "the MIT license (see below).\n\n" + (TEXTS / "Apache-2.0.txt").read_text() + "\n====\n\n" + MIT
    tree = {f"{n}.c": "/* Licensed under the MIT license. */\n" for n in range(6)}
    assert concluded_of(tmp_path / "2", {"LICENSE": both, "b.c": "int b;\n", **tree})["b.c"][0] == "Apache-2.0"
    assert concluded_of(tmp_path / "3", {"COPYING": lesser, "b.c": "int b;\n"})["b.c"][0] == "LGPL-2.1-only"


_SILENT: dict[str, str | bytes] = {"src/a.c": "int a;\n", "notes.txt": "hello\n"}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("README", "Zed does it.\n\nLicense\n=======\n\nThis project is released under the MIT license.\n", "MIT"),
        ("README.md", "# Zed\n\nZed does it.\n\n## License\n\n" + MIT, "MIT"),
        ("README.md", "# Zed\n\nIt uses the yed library, which is under the zlib license.\n", "NOASSERTION"),
        ("meson.build", "project('z', 'c', license: 'LGPLv2.1+')\n", "LGPL-2.1-or-later"),
        ("setup.py", "setup(name='z', license='GPLv2+')\n", "GPL-2.0-or-later"),
        ("DESCRIPTION", "Package: z\nVersion: 1\nLicense: GPL (>= 2)\n", "GPL-2.0-or-later"),
        ("Cargo.toml", '[package]\nname="z"\nlicense = "MIT/Apache-2.0"\n', "Apache-2.0 OR MIT"),
        ("docs/LICENSE.md", BSD, "BSD-3-Clause"),
    ],
)
def test_without_licence_file_at_the_root_a_readme_or_manifest_says_it(
    tmp_path: Path, name: str, text: str, expected: str
) -> None:
    found = concluded_of(tmp_path, {**_SILENT, name: text})
    assert {found[path][0] for path in _SILENT} == {expected}


def test_a_readme_that_says_it_goes_before_a_few_files_and_after_many(tmp_path: Path) -> None:
    readme = "Zed is free.\n\nThis project is released under the MIT license.\n"
    few: dict[str, str | bytes] = {f"x/{number}.c": "// SPDX-License-Identifier: Zlib\n" for number in range(2)}
    found = concluded_of(tmp_path, {**_SILENT, **few, "README": readme})
    assert found["notes.txt"][0] == "MIT"
    many: dict[str, str | bytes] = {f"y/{number}.c": "// SPDX-License-Identifier: Zlib\n" for number in range(9)}
    assert concluded_of(tmp_path, many)["notes.txt"][0] == "Zlib"


def test_a_readme_without_version_leaves_it_to_the_files(tmp_path: Path) -> None:
    readme = "Zed is free.\n\nThis program is released under the GNU General Public License.\n"
    said: dict[str, str | bytes] = {"x/1.c": "// SPDX-License-Identifier: GPL-2.0-or-later\n"}
    assert concluded_of(tmp_path, {**_SILENT, **said, "README": readme})["notes.txt"][0] == "GPL-2.0-or-later"


_LATER = """This program is free software; you can redistribute it and/or modify
it under the terms of the GNU {}General Public License as published by
the Free Software Foundation; either version {} of the License, or
(at your option) any later version.

"""


def test_or_later_before_the_text_in_a_licence_file_counts(tmp_path: Path) -> None:
    text = (TEXTS / "GPL-2.0-only.txt").read_text()
    found = concluded_of(tmp_path, {**_SILENT, "COPYING": "Zed, a tool\n\n" + _LATER.format("", 2) + text})
    assert found["src/a.c"][0] == "GPL-2.0-or-later"
    assert concluded_of(tmp_path, {"COPYING": "Zed, a tool\n\n" + text})["src/a.c"][0] == "GPL-2.0-only"


def test_a_licence_file_without_text_chooses_among_those_beside_it(tmp_path: Path) -> None:
    gnu: dict[str, str | bytes] = {
        "COPYING": (TEXTS / "GPL-2.0-only.txt").read_text(),
        "COPYING.LIB": (TEXTS / "LGPL-2.1-only.txt").read_text(),
    }
    found = concluded_of(tmp_path / "l", {**_SILENT, **gnu, "LICENSE": "Zed.\n\n" + _LATER.format("Lesser ", "2.1")})
    assert found["src/a.c"][0] == "LGPL-2.1-or-later"
    found = concluded_of(tmp_path / "r", {**_SILENT, **gnu, "README": "Zed.\n\n" + _LATER.format("", 2)})
    assert found["src/a.c"][0] == "GPL-2.0-or-later"


def test_texts_kept_as_reuse_wants_it_are_no_choice(tmp_path: Path) -> None:
    texts: dict[str, str | bytes] = {
        f"LICENSES/{name}.txt": (TEXTS / f"{text}.txt").read_text()
        for name, text in (("LGPL-2.1-or-later", "LGPL-2.1-only"), ("CC0-1.0", "CC0-1.0"))
    }
    assert concluded_of(tmp_path, {**_SILENT, **texts})["notes.txt"][0] == "LGPL-2.1-or-later"
    texts["LICENSES/MIT.txt"] = MIT
    said: dict[str, str | bytes] = {f"src/{n}.c": "// SPDX-License-Identifier: MIT\n" for n in range(3)}
    found = concluded_of(tmp_path, {**texts, **said})
    assert found["notes.txt"][0] == "MIT"


def test_a_licence_file_whose_name_is_put_first(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"_LICENSE.txt": MIT, "a.dat": "1\n"}
    assert concluded_of(tmp_path, tree)["a.dat"][0] == "MIT"


def test_many_files_say_what_a_licence_file_only_tells_in_its_own_words(tmp_path: Path) -> None:
    copying = f"Zed comes from Yed.\n\nA part of it has this notice:\n\n{MIT}\nAnother part has this one:\n\n{BSD}"
    own = ";;;; This software is in the public domain and is provided with absolutely no warranty.\n(a)\n"
    files: dict[str, str | bytes] = {f"src/{number}.lisp": own for number in range(60)}
    found = concluded_of(tmp_path / "a", {**files, "COPYING": copying, "Makefile": "a:\n"})
    assert found["Makefile"] == ("LicenseRef-public-domain", "directory")
    few = dict(list(files.items())[:9])
    assert concluded_of(tmp_path / "b", {**few, "COPYING": copying, "Makefile": "a:\n"})["Makefile"][0] == "MIT"

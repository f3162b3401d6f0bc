"""What a project says in its own words beside the texts of licences, and texts that stand beside each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from licensing_support import BSD, MIT, TEXTS, concluded_of

from bazel2ninja.licensing import references
from bazel2ninja.licensing.matching import classify
from bazel2ninja.licensing.words import words

GPL = (TEXTS / "GPL-2.0-only.txt").read_text()
LESSER = (TEXTS / "LGPL-2.1-only.txt").read_text()
APACHE = (TEXTS / "Apache-2.0.txt").read_text()
FREELY = "/* Can be freely distributed and used under the terms of the GNU GPL. */\nint f;\n"
LATER = """This program is free software; you can redistribute it and/or modify it under the terms of the GNU General
Public License as published by the Free Software Foundation; either version 2 of the License, or (at your option)
any later version.
"""
ORACLE = """The contents of this file are subject to the terms of either the GNU General Public License Version 2 only
("GPL") or the Common Development and Distribution License("CDDL") (collectively, the "License"). You may not use this
file except in compliance with the License. You can obtain a copy of the License at
http://glassfish.java.net/public/CDDL+GPL_1_1.html or packager/legal/LICENSE.txt. See the License for the specific
language governing permissions and limitations under the License.

When distributing the software, include this License Header Notice in each file and include the License file at
packager/legal/LICENSE.txt.

GPL Classpath Exception: Oracle designates this particular file as subject to the "Classpath" exception as provided by
Oracle in the GPL Version 2 section of the License file that accompanied this code.

If you wish your version of this file to be governed by only the CDDL or only the GPL Version 2, indicate your decision.
"""


def said(text: str) -> str:
    return classify(" ".join(words(text)), references.load(references.directory()), whole=True).expression


def test_texts_that_share_a_part_are_each_found() -> None:
    holder = "Neither the name of 3Zlabs Inc. Ltd. nor the names of its contributors"
    first = BSD.replace("Neither the name of the copyright holder nor the names of its contributors", holder)
    second = (TEXTS / "BSD-2-Clause.txt").read_text()
    said_of = classify(
        " ".join(words(f"3-Clause BSD License\n\n{first}\n\n2-Clause BSD License\n\n{second}\n\nMIT\n\n{MIT}")),
        references.load(references.directory()),
        whole=True,
    )
    assert said_of.alone == ("BSD-3-Clause", "BSD-2-Clause", "MIT")


def test_the_header_of_a_choice_that_another_header_resembles() -> None:
    assert said(ORACLE) == "GPL-2.0-only WITH Classpath-exception-2.0 OR CDDL-1.1"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            f"Zed is licensed under DUAL licensing terms. Choose and use the license of your needs.\n\n{MIT}\n{BSD}",
            "OR",
        ),
        ("It can be distributed under the GNU GPL version 2. This file may also be distributed under the MIT license.",
         "GPL-2.0-only OR MIT"),
        ("Available under either the GNU General Public License or the Artistic License, version 2.0.",
         "GPL-1.0-or-later OR Artistic-2.0"),
        ("Available under the GNU Lesser General Public License and the Apache License, Version 2.0",
         "LGPL-2.0-or-later AND Apache-2.0"),
        ("As the GPL does not require acceptance, it is not shown.", ""),
        ("Licensed like jQuery, see http://docs.zed.example/License.", "MIT"),
        ("This file is under CC0. You may also consider this file to be covered by the WTFPL.", "CC0-1.0 OR WTFPL"),
    ],
)  # fmt: skip
def test_words_of_a_choice(text: str, expected: str) -> None:
    assert expected in said(text) if expected else not said(text)


def test_a_version_that_only_the_readme_tells(tmp_path: Path) -> None:
    readme = f"Zed\n\nZed is distributed under the GNU General Public License.\n\nLicense\n=======\n\n{LATER}"
    tree: dict[str, str | bytes] = {f"src/{number}.c": FREELY for number in range(6)}
    found = concluded_of(tmp_path / "none", {**tree, "README": readme, "Makefile": "a:\n"})
    assert {found["src/1.c"][0], found["Makefile"][0]} == {"GPL-2.0-or-later"}
    found = concluded_of(tmp_path / "text", {**tree, "README": readme, "COPYING": GPL, "Makefile": "a:\n"})
    assert {found["src/1.c"][0], found["Makefile"][0]} == {"GPL-2.0-or-later"}
    found = concluded_of(tmp_path / "alone", {**tree, "COPYING": GPL, "Makefile": "a:\n"})
    assert found["Makefile"][0] == "GPL-2.0-only"


def test_a_version_that_a_readme_tells_further_down(tmp_path: Path) -> None:
    license_ = "License: GNU Lesser General Public License, version 2.1\n"
    readme = f"zed.svg was released under the LGPL (included below).\n\n{license_}"
    found = concluded_of(tmp_path, {"LICENSE": BSD, "logo/README": readme, "logo/zed.svg": "<svg/>"})
    assert found["logo/zed.svg"][0] == "LGPL-2.1-only"


def test_the_bsd_license_of_a_file_that_a_list_names(tmp_path: Path) -> None:
    listed = "js/zed.js is under the BSD-3-Clause license.\n"
    tree: dict[str, str | bytes] = {"LICENSE": MIT, "js/zed.js": "/* Distributed under the BSD License. */\nvar a;\n"}
    assert concluded_of(tmp_path / "a", {**tree, "README": listed})["js/zed.js"][0] == "BSD-3-Clause"
    assert concluded_of(tmp_path / "b", tree)["js/zed.js"][0] == "LicenseRef-BSD-unspecified"


def test_a_text_far_below_is_the_files_when_it_is_alone(tmp_path: Path) -> None:
    help_ = "# what it does\n" * 80
    text = "".join(f"# {line}\n" for line in BSD.splitlines())
    found = concluded_of(tmp_path, {"LICENSE": MIT, "cmake/Deploy.cmake": help_ + "\nset(a b)\n\n" + text})
    assert found["cmake/Deploy.cmake"] == ("BSD-3-Clause", "notice")


def test_a_text_beside_a_tag_whose_licence_is_told_in_a_notice(tmp_path: Path) -> None:
    mozilla = (
        "/*\n * SPDX-License-Identifier: MPL-2.0\n *\n * This Source Code Form is subject to the terms of the Mozilla"
        " Public\n * License, v. 2.0. If a copy of the MPL was not distributed with this\n * file, you can obtain one"
        " at https://mozilla.org/MPL/2.0/.\n */\n\n"
    )
    isc = "/*\n * Portions of it: Copyright (c) 1996 A. Body\n *\n" + "".join(
        f" * {line}\n" for line in (TEXTS / "ISC.txt").read_text().splitlines()
    )
    found = concluded_of(tmp_path, {"LICENSE": MIT, "random.c": mozilla + isc + " */\nint r;\n"})
    assert found["random.c"] == ("ISC AND MPL-2.0", "tag")


def test_what_a_table_says_of_itself(tmp_path: Path) -> None:
    entry = '[[annotations]]\npath = "a.png"\nSPDX-License-Identifier = "MIT"\n'
    table = f"# SPDX-License-Identifier: CC0-1.0\nversion = 1\n\n{entry}"
    found = concluded_of(tmp_path, {"LICENSE": BSD, "REUSE.toml": table, "a.png": b"\x89PNG\r\n\x1a\n\0\0"})
    assert found["REUSE.toml"] == ("CC0-1.0", "tag")
    assert found["a.png"] == ("MIT", "named")


def test_version_2_of_the_lesser_gpl_beside_the_text_of_its_successor(tmp_path: Path) -> None:
    tag = "// SPDX-License-Identifier: LGPL-2.0-or-later\n"
    tree: dict[str, str | bytes] = {f"gui/notifier/{number}.cpp": tag for number in range(4)}
    found = concluded_of(
        tmp_path, {"LICENSE": APACHE, **tree, "gui/notifier/COPYING.LIB": LESSER, "gui/notifier/d.h": "int d;\n"}
    )
    assert found["gui/notifier/d.h"] == ("LGPL-2.0-or-later", "directory")


def _tagged(expression: str, directory: str, count: int) -> dict[str, str | bytes]:
    return {f"{directory}/{number}.c": f"// SPDX-License-Identifier: {expression}\n" for number in range(count)}


def test_a_few_of_many_files_do_not_speak_for_a_part(tmp_path: Path) -> None:
    texts = f"Zed\n\n{BSD}\n\nParts of it:\n\n{APACHE}"
    tree = {"LICENSE": texts, **_tagged("BSD-3-Clause", "src", 9), **_tagged("Apache-2.0", "test", 5)}
    silent: dict[str, str | bytes] = {f"test/results/{number}.out": "1\n" for number in range(60)}
    assert concluded_of(tmp_path / "a", {**tree, **silent})["test/results/1.out"] == ("BSD-3-Clause", "directory")
    some = dict(list(silent.items())[:9])
    assert concluded_of(tmp_path / "b", {**tree, **some})["test/results/1.out"] == ("Apache-2.0", "neighbours")


def test_what_most_files_of_all_directories_say_is_no_copys(tmp_path: Path) -> None:
    text = (TEXTS / "Intel.txt").read_text()
    tree = {"LICENSE": text, **{k: v for part in "abcd" for k, v in _tagged("BSD-3-Clause", part, 6).items()}}
    assert concluded_of(tmp_path, {**tree, "a/notes": "1\n"})["a/notes"] == ("Intel", "directory")


def test_a_copy_with_a_few_files_of_the_projects(tmp_path: Path) -> None:
    tree = {"LICENSE": MIT, **_tagged("MIT", "src", 30), **_tagged("LGPL-2.0-or-later", "libs/judy", 20)}
    own = {"libs/judy/_tables.c": "// SPDX-License-Identifier: MIT\n", "libs/judy/next.c": "int n;\n"}
    assert concluded_of(tmp_path, {**tree, **own})["libs/judy/next.c"] == ("LGPL-2.0-or-later", "neighbours")


def test_a_copy_where_the_root_has_no_licence_file(tmp_path: Path) -> None:
    tree = {**_tagged("GPL-3.0-or-later", "src", 20), **_tagged("MIT", "web/boots", 4), "web/boots/npm.map": "{}\n"}
    assert concluded_of(tmp_path, tree)["web/boots/npm.map"] == ("MIT", "neighbours")


def test_a_part_whose_files_speak_further_up(tmp_path: Path) -> None:
    tree = {"COPYING": APACHE, **_tagged("Apache-2.0", "src", 40), **_tagged("MIT", "driver/programs/tail/events", 5)}
    tree |= _tagged("MIT", "driver/core", 5) | {"driver/programs/tail/README.md": "Tail.\n"}
    assert concluded_of(tmp_path, tree)["driver/programs/tail/README.md"] == ("MIT", "neighbours")


def test_a_licence_file_in_a_directory_that_a_list_names(tmp_path: Path) -> None:
    listed = "third/sdk/ is licensed under the GPL version 3.\n"
    tree = {"LICENSE": MIT, "LICENSES.md": listed, "third/sdk/base/LICENSE": BSD, "third/sdk/base/README": "Base.\n"}
    found = concluded_of(tmp_path, {**tree, "third/sdk/plug.c": "int p;\n"})
    assert found["third/sdk/plug.c"] == ("GPL-3.0-only", "named")
    assert found["third/sdk/base/README"] == ("BSD-3-Clause", "directory")


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("Zed is licensed under the GNU General Public License version 2.", "GPL-2.0-only"),
        (
            "All the files in this distribution are covered under the Artistic License 2.0, but for some.",
            "Artistic-2.0",
        ),
        ("Zed is a tool that reads what the GNU General Public License version 2 has.", "BSD-3-Clause"),
    ],
)
def test_what_a_licence_file_says_before_the_texts_of_parts(tmp_path: Path, head: str, expected: str) -> None:
    texts = f"Zed\n\n{head}\n\nIt contains a library:\n\n{BSD}\n\nAnd another one:\n\n{MIT}"
    assert concluded_of(tmp_path, {"COPYING": texts, "src/a.c": "int a;\n"})["src/a.c"] == (expected, "directory")


def test_terms_below_a_list_of_files(tmp_path: Path) -> None:
    names = [f"tools/icon{number}.svg" for number in range(9)]
    said = "These icons are covered by the CC-BY 4.0, as follows:\n\n" + (TEXTS / "CC-BY-4.0.txt").read_text()
    listed = "Some icons come from elsewhere:\n" + "".join(f"- {name}\n" for name in [*names, "gone.svg"])
    for between in ("", "\n"):
        text = f"Zed is under the MIT license.\n\n{listed}{between}{said}"
        tree: dict[str, str | bytes] = {"LICENSE": MIT, "src/LICENSE.txt": text}
        tree |= dict.fromkeys((f"src/{name}" for name in [*names, "own.svg"]), "<svg/>")
        found = concluded_of(tmp_path / f"x{between}x", tree)
        assert {found[f"src/{name}"][0] for name in names} == {"CC-BY-4.0"}
        assert found["src/own.svg"][0] == "MIT"


def test_a_part_of_which_few_files_speak_belongs_to_the_one_around_it(tmp_path: Path) -> None:
    tree = {"LICENSE": f"Zed\n\n{BSD}\n\nIts tests:\n\n{APACHE}", **_tagged("BSD-3-Clause", "src", 30)}
    tree |= {**_tagged("Apache-2.0", "test/auto", 10), **_tagged("Apache-2.0", "test/auto/data", 3)}
    tree |= {f"test/auto/data/icons/{number}.png": b"\x89PNG\r\n\x1a\n\0\0" for number in range(40)}
    found = concluded_of(tmp_path, tree)
    assert found["test/auto/data/icons/1.png"] == ("Apache-2.0", "neighbours")


def test_what_many_files_of_a_copy_say_is_not_the_projects(tmp_path: Path) -> None:
    choice = "/* Zed is available under both the MIT and GPL version 2.0 licenses. */\nvar z;\n"
    tree: dict[str, str | bytes] = {"LICENSE": GPL, **{f"js/vendor/zed/{n}.js": choice for n in range(11)}}
    assert concluded_of(tmp_path, {**tree, "po/id.po": 'msgid ""\n'})["po/id.po"] == ("GPL-2.0-only", "directory")


def test_a_change_of_terms_that_is_not_done(tmp_path: Path) -> None:
    grant = LATER.replace("either version 2 of the License, or (at your option)\nany later version", "version 2")
    readme = f"Zed\n\nLicense\n-------\n\n{grant}\nZed is currently transitioning older code to GPLv2-or-later.\n"
    assert concluded_of(tmp_path, {"LICENSE": GPL, "README": readme, "a.c": "int a;\n"})["a.c"][0] == "GPL-2.0-only"


def test_a_readme_further_down_that_speaks_of_a_directory_at_the_root(tmp_path: Path) -> None:
    readme = "Although it was meant to be under the LGPL version 2.1, it uses code from src/ that is not.\n"
    found = concluded_of(tmp_path, {"COPYING": BSD, "lib/vfs/README": readme, "src/a.c": "int a;\n"})
    assert found["src/a.c"] == ("BSD-3-Clause", "directory")


def test_the_side_that_all_files_of_a_copy_offer(tmp_path: Path) -> None:
    both = "// Licensed under either of Apache License 2.0 or MIT license at your option.\nint b;\n"
    tree: dict[str, str | bytes] = {"LICENSE": BSD, "external/zed/a.h": both, "external/zed/b.h": both}
    tree |= {"external/zed/c.h": "// Licensed under the MIT license.\n", "external/zed/silent.h": "int s;\n"}
    assert concluded_of(tmp_path, tree)["external/zed/silent.h"] == ("MIT", "neighbours")


def test_what_composer_has_installed(tmp_path: Path) -> None:
    listed = """{"packages": [
      {"name": "zed/feed", "license": ["LGPL-2.1-or-later"], "install-path": "../zed/feed"},
      {"name": "zed/choice", "license": ["MIT", "GPL-2.0+"]}, {"name": "zed/none"}, {"license": ["MIT"]}, 3]}"""
    tree: dict[str, str | bytes] = {"LICENSE": BSD, "vendor/composer/installed.json": listed}
    tree |= {
        "vendor/zed/feed/LICENSE": LESSER,
        "vendor/zed/feed/F.php": "<?php\n",
        "vendor/zed/choice/C.php": "<?php\n",
    }
    found = concluded_of(tmp_path, tree | {"vendor/zed/none/N.php": "<?php\n"})
    assert found["vendor/zed/feed/F.php"] == ("LGPL-2.1-or-later", "declared")
    assert found["vendor/zed/choice/C.php"] == ("GPL-2.0-or-later OR MIT", "declared")
    assert found["vendor/zed/none/N.php"] == ("BSD-3-Clause", "directory")


def test_one_document_does_not_tell_the_version_of_a_text(tmp_path: Path) -> None:
    text = (TEXTS / "GFDL-1.2-only.txt").read_text()
    later = "This document is under the GNU Free Documentation License, version 1.2 or any later version.\n"
    tree: dict[str, str | bytes] = {"LICENSE": BSD, "doc/COPYING": text, "doc/a.txt": later, "doc/b.html": "<p>B</p>\n"}
    tree["doc/zed.js"] = "// SPDX-License-Identifier: MIT\n"
    assert concluded_of(tmp_path / "a", tree)["doc/b.html"][0] == "GFDL-1.2-only"
    assert (
        concluded_of(tmp_path / "b", {**tree, **{f"doc/{x}.txt": later for x in "cdef"}})["doc/b.html"][0]
        == "GFDL-1.2-or-later"
    )


def test_a_readme_of_a_title_and_a_grant(tmp_path: Path) -> None:
    said = "SVG Icons from the Zed (Zedmoji) project\n\nCopyright 2019 Zed, Inc\nLicensed under CC-BY 4.0: https://zed.example\n"
    tree: dict[str, str | bytes] = {
        "COPYING": GPL,
        "smile/README": said,
        "smile/a.svg": "<svg/>",
        "smile/i.php": "<?php\n",
    }
    found = concluded_of(tmp_path / "a", tree)
    assert (found["smile/a.svg"], found["smile/i.php"][0]) == (("CC-BY-4.0", "named"), "GPL-2.0-only")
    lines = "on.png - CC0, (c) A. Body\noff.png - public domain, (c) B. Body\n"
    named: dict[str, str | bytes] = {f"i/{name}.png": b"\x89PNG\r\n\x1a\n\0\0" for name in ("on", "off")}
    found = concluded_of(tmp_path / "b", {"COPYING": GPL, "i/license.txt": lines, **named})
    assert (found["i/on.png"][0], found["i/off.png"][0]) == ("CC0-1.0", "LicenseRef-public-domain")


def test_a_recipe_is_the_projects_whatever_is_beside_it(tmp_path: Path) -> None:
    tree = {"LICENSE": MIT, **_tagged("MIT", "src", 30), **_tagged("GPL-2.0-only", "extras/ocf", 5)}
    found = concluded_of(tmp_path, {**tree, "extras/ocf/Makefile.am": "a = b\n", "extras/ocf/conf": "a\n"})
    assert found["extras/ocf/Makefile.am"] == ("MIT", "directory")
    assert found["extras/ocf/conf"] == ("GPL-2.0-only", "neighbours")


def test_a_licence_file_that_is_about_one_that_is_gone(tmp_path: Path) -> None:
    said = "Icons for:  tools.png\nIcon set:   Zed\nLicense:    Creative Commons Attribution License 3.0\n"
    tree: dict[str, str | bytes] = {"COPYING": GPL, "img/license.txt": said, "img/own.png": b"\x89PNG\r\n\x1a\n\0\0"}
    assert concluded_of(tmp_path, tree)["img/own.png"] == ("GPL-2.0-only", "directory")


def test_a_copy_in_a_copy_speaks_for_itself(tmp_path: Path) -> None:
    tree = {"COPYING": GPL, **_tagged("BSD-2-Clause", "3rdparty/mach/libdis", 9), **_tagged("MIT", "3rdparty/mach", 2)}
    tree |= {
        "3rdparty/mach/Rakefile": "a\n",
        "3rdparty/toy/license.md": MIT,
        "3rdparty/toy/Source/maths.cpp": "int m;\n",
    }
    found = concluded_of(tmp_path, {**tree, **_tagged("Zlib", "3rdparty/toy/Source/enki", 6)})
    assert found["3rdparty/mach/Rakefile"] == ("MIT", "neighbours")
    assert found["3rdparty/toy/Source/maths.cpp"] == ("MIT", "directory")


def test_words_about_some_of_a_file_and_about_programs(tmp_path: Path) -> None:
    some = "// Some code in this file is based on work by A. Body, released under the Simplified BSD License.\nint p;\n"
    shells = "enum shell {\n  KSH, /* Public Domain Korn shell (pdksh) and variants */\n};\n"
    found = concluded_of(tmp_path, {"COPYING": GPL, "plotter.h": some, "shell.h": shells})
    assert found["plotter.h"][0] == "BSD-2-Clause AND GPL-2.0-only"
    assert found["shell.h"][0] == "GPL-2.0-only"
    assert not said("Use the GNU Lesser General Public License instead of this License.")


def test_the_text_of_the_gpl_beside_many_files_under_the_lesser_one(tmp_path: Path) -> None:
    tree = {"COPYING": GPL, **_tagged("LGPL-2.0-or-later", "src", 60), **_tagged("GPL-2.0-or-later", "tools", 4)}
    assert concluded_of(tmp_path / "a", {**tree, "doc/a.html": "A\n"})["doc/a.html"][0] == "LGPL-2.0-or-later"
    more = {**tree, **_tagged("GPL-2.0-or-later", "tools", 40)}
    assert concluded_of(tmp_path / "b", {**more, "doc/a.html": "A\n"})["doc/a.html"][0] == "GPL-2.0-or-later"


def test_a_readme_that_says_or_later_beside_a_text_further_down(tmp_path: Path) -> None:
    readme = LATER.replace("This program is", "Zed fonts is")
    tree: dict[str, str | bytes] = {"LICENSE": MIT, "fonts/zed/COPYING": GPL, "fonts/zed/README": f"Zed\n\n{readme}"}
    assert concluded_of(tmp_path, {**tree, "fonts/zed/USAGE": "Use.\n"})["fonts/zed/USAGE"][0] == "GPL-2.0-or-later"


def test_another_version_of_a_file_under_other_terms() -> None:
    text = "This version is released under the CPL (Common Public License) with Zed."
    assert said(f"{text} A version is also available under the LGPL as part of Yed.") == "CPL-1.0"

"""Licence files of directories: of which files they speak, by their names and places."""

from __future__ import annotations

from pathlib import Path

import pytest
from licensing_support import BSD, MIT, TEXTS, concluded_of

APACHE = (TEXTS / "Apache-2.0.txt").read_text()
UNLICENSE = (TEXTS / "Unlicense.txt").read_text()


def test_the_unlicense_among_texts_kept_together(tmp_path: Path) -> None:
    zlib, isc = (TEXTS / "Zlib.txt").read_text(), (TEXTS / "ISC.txt").read_text()
    kept: dict[str, str | bytes] = {"Unlicense": UNLICENSE, "MIT": MIT, "BSD-3-Clause": BSD, "Zlib": zlib, "ISC": isc}
    tree: dict[str, str | bytes] = {f"doc/licenses/{name}": text for name, text in kept.items()}
    tree |= {"LICENSE": APACHE, "doc/guide.rst": "Guide\n", "zed/UNLICENSE": UNLICENSE, "zed/z.c": "int z;\n"}
    found = concluded_of(tmp_path, tree)
    assert found["doc/guide.rst"] == ("Apache-2.0", "directory")
    assert found["zed/z.c"] == ("Unlicense", "directory")


def test_a_licence_file_with_the_name_of_its_numbered_directory(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": APACHE, "zeta4/LICENSE-zeta.txt": BSD, "zeta4/a.java": "class A { }\n"}
    found = concluded_of(tmp_path, {**tree, "zeta4/src/org/zeta/b.java": "class B { }\n"})
    assert found["zeta4/a.java"] == found["zeta4/src/org/zeta/b.java"] == ("BSD-3-Clause", "directory")


def test_a_licence_file_for_something_of_which_one_word_is_in_a_directorys_name(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "LICENSE": APACHE,
        "zed/LICENSE.md": MIT,
        "zed/platform-reporting/LICENSE-open-test-reporting.md": BSD,
        "zed/platform-reporting/a.java": "class A { }\n",
        "zed/platform-reporting/b/LICENSE-reporting.md": BSD,
        "zed/platform-reporting/b/b.java": "class B { }\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["zed/platform-reporting/a.java"] == ("MIT", "directory")
    assert found["zed/platform-reporting/b/b.java"] == ("BSD-3-Clause", "directory")


def test_a_text_in_a_directory_of_texts_that_is_named_for_files_beside_that(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "LICENSE": APACHE,
        "themes/licenses/modus_zed.LICENSE": BSD,
        "themes/licenses/rose.license": MIT,
        **dict.fromkeys(("themes/modus_zed.toml", "themes/rose.toml", "themes/other.toml"), "a = 1\n"),
    }
    found = concluded_of(tmp_path, tree)
    assert found["themes/modus_zed.toml"] == ("BSD-3-Clause", "named")
    assert found["themes/rose.toml"] == ("MIT", "named")
    assert found["themes/other.toml"] == ("Apache-2.0", "directory")


def test_a_licence_of_fonts_among_other_files(tmp_path: Path) -> None:
    ofl = (TEXTS / "OFL-1.1.txt").read_text()
    pictures = {f"theme/{number}.png": b"\x89PNG\r\n\x1a\n\0\0" for number in range(9)}
    tree: dict[str, str | bytes] = {"LICENSE": MIT, **pictures, "theme/OFL.txt": ofl, "theme/a.ttf": b"\0\1\0\0\0\0"}
    tree |= {"fonts/OFL.txt": ofl, "fonts/OFL-FAQ.txt": MIT, "fonts/a.woff2": b"wOF2\0\0", "fonts/fonts.css": "a { }\n"}
    found = concluded_of(tmp_path, tree)
    assert found["theme/a.ttf"] == found["theme/OFL.txt"] == ("OFL-1.1", "named")
    assert found["theme/1.png"] == ("MIT", "directory")
    assert found["fonts/a.woff2"] == found["fonts/fonts.css"] == ("OFL-1.1", "directory")


def test_a_page_about_a_licence_in_a_manual(tmp_path: Path) -> None:
    pages: dict[str, str | bytes] = {f"doc/{name}.rst": f"{name}\n" for name in "abc"}
    found = concluded_of(tmp_path, {"LICENSE": MIT, **pages, "doc/OFL-Zed.rst": (TEXTS / "OFL-1.1.txt").read_text()})
    assert found["doc/a.rst"] == ("MIT", "directory")
    found = concluded_of(tmp_path, {"doc/OFL-Zed.rst": "", "doc/COPYING.rst": BSD})
    assert found["doc/a.rst"] == ("BSD-3-Clause", "directory")


def test_a_text_beside_the_licence_file_of_its_directory_is_its_own(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": MIT, "zed/LICENSE": BSD, "zed/z.c": "int z;\n"}
    tree["zed/LICENSE-GPL3.txt"] = (TEXTS / "GPL-3.0-only.txt").read_text()
    found = concluded_of(tmp_path, tree)
    assert found["zed/LICENSE-GPL3.txt"] == ("GPL-3.0-only", "directory")
    assert found["zed/z.c"] == ("BSD-3-Clause", "directory")


@pytest.mark.parametrize("place", ["vendor", "src_3rd", "bundled_deps", "third_party_libs"])
def test_a_copy_in_which_few_files_speak(tmp_path: Path, place: str) -> None:
    tagged = "/* SPDX-License-Identifier: {} */\nint z;\n"
    tree: dict[str, str | bytes] = {
        "LICENSE": MIT,
        f"{place}/zed/z.c": tagged.format("Zlib"),
        f"{place}/zed/Makefile": "all:\n",
        f"{place}/bundle/b.js": tagged.format("ISC AND Zlib"),
        f"{place}/bundle/INFO": "1\n",
        f"{place}/whole/LICENSE": APACHE,
        f"{place}/whole/part/p.c": tagged.format("Zlib"),
        f"{place}/whole/part/q.c": "int q;\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found[f"{place}/zed/Makefile"] == ("Zlib", "neighbours")
    assert found[f"{place}/bundle/INFO"] == ("MIT", "directory")
    assert found[f"{place}/whole/part/q.c"] == ("Apache-2.0", "directory")


def test_copies_by_host_and_owner(tmp_path: Path) -> None:
    gpl = (TEXTS / "GPL-3.0-only.txt").read_text()
    host = "vendor/example.org"
    tagged = "/* SPDX-License-Identifier: Zlib */\nint z;\n"
    tree: dict[str, str | bytes] = {f"{host}/jo/zed/{name}.c": tagged for name in "abcd"}
    tree |= {"LICENSE": gpl, "COPYING.md": "Zed is under the GPL version 3 or later.\n", "x.c": "int x;\n"}
    tree |= {f"{host}/jo/zed/LICENSE": MIT, f"{host}/bo/other/LICENSE": gpl, f"{host}/bo/other/o.go": "package o\n"}
    tree |= {f"vendor/whole/{name}.c": tagged for name in "abcd"}
    tree |= {
        "vendor/whole/w.in": "w\n",
        "vendor/whole/lib/inner/LICENSE": MIT,
        "vendor/whole/lib/inner/i.c": "int i;\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["x.c"] == ("GPL-3.0-or-later", "directory")
    assert found["vendor/whole/w.in"] == ("Zlib", "neighbours")
    assert found[f"{host}/bo/other/o.go"] == ("GPL-3.0-only", "directory")


def test_or_later_where_the_files_below_a_text_name_other_licences_too(tmp_path: Path) -> None:
    tagged = "/* SPDX-License-Identifier: {} */\nint z;\n"
    tree: dict[str, str | bytes] = {
        "LICENSE": MIT,
        "cards/COPYING": (TEXTS / "LGPL-2.1-only.txt").read_text(),
        "cards/a.ics": "BEGIN:VCARD\n",
        **dict.fromkeys(("cards/a.c", "cards/b.c", "cards/c.c"), tagged.format("LGPL-2.1-or-later")),
        **dict.fromkeys(("cards/d.c", "cards/e.c"), tagged.format("Zlib")),
    }
    assert concluded_of(tmp_path, tree)["cards/a.ics"] == ("LGPL-2.1-or-later", "directory")
    found = concluded_of(tmp_path, {"cards/b.c": tagged.format("LGPL-2.1-only")})
    assert found["cards/a.ics"] == ("LGPL-2.1-only", "directory")


def test_a_manifest_below_the_root_says_or_later(tmp_path: Path) -> None:
    def manifest(licence: str) -> str:
        return f'{{"name": "zed/plugin", "license": "{licence}"}}\n'

    gpl, lgpl = ((TEXTS / f"{each}-only.txt").read_text() for each in ("GPL-3.0", "LGPL-2.1"))
    tagged = "/* SPDX-License-Identifier: Zlib */\n"
    tree: dict[str, str | bytes] = {
        "LICENSE": gpl,
        "composer.json": manifest("GPL-3.0-only"),
        "plugins/a/composer.json": manifest("GPL-3.0-or-later"),
        "plugins/b/composer.json": manifest("LGPL-2.1-or-later"),
        "plugins/b/COPYING": lgpl,
        "plugins/c/composer.json": manifest("Zlib"),
        **{f"plugins/c/{name}.js": tagged for name in "abc"},
        "plugins/d/composer.json": manifest("Zlib"),
        **{f"plugins/{name}/style.css": "a { }\n" for name in "abcd"},
    }
    found = concluded_of(tmp_path, tree)
    assert found["plugins/a/style.css"] == ("GPL-3.0-or-later", "declared")
    assert found["plugins/b/style.css"] == ("LGPL-2.1-or-later", "declared")
    assert found["plugins/c/style.css"] == ("Zlib", "declared")
    assert found["plugins/d/style.css"] == ("GPL-3.0-only", "directory")


def test_what_files_of_a_part_say_that_tells_nothing_about_the_silent_ones(tmp_path: Path) -> None:
    gpl, lgpl = ((TEXTS / f"{each}-only.txt").read_text() for each in ("GPL-3.0", "LGPL-2.1"))
    vague = "/* This program is free software under the GNU General Public License. */\nint z;\n"
    tagged = "/* SPDX-License-Identifier: GPL-3.0-or-later */\nint z;\n"
    part: dict[str, str | bytes] = {f"core/{name}.c": vague for name in "abcd"}
    found = concluded_of(tmp_path / "a", {"LICENSE": gpl, **part, "core/silent.c": "int s;\n"})
    assert found["core/silent.c"] == ("GPL-3.0-only", "directory")
    tests: dict[str, str | bytes] = {f"test/{name}.c": tagged for name in "abc"}
    silent: dict[str, str | bytes] = {f"test/{name}.c": "int s;\n" for name in "tuvwxyz"}
    found = concluded_of(tmp_path / "b", {"COPYING": lgpl, **tests, **silent})
    assert found["test/x.c"] == ("LGPL-2.1-only", "directory")


def test_a_text_in_the_licences_of_reuse_is_what_its_name_tells(tmp_path: Path) -> None:
    accepted = "Under the GNU GPL version 3 or any later version that is accepted by the board of Zed.\n"
    tree: dict[str, str | bytes] = {"LICENSES/LicenseRef-Zed-Accepted-GPL.txt": accepted, "LICENSES/MIT.txt": MIT}
    found = concluded_of(tmp_path, {**tree, "zed.c": "// SPDX-License-Identifier: MIT\nint z;\n"})
    assert found["LICENSES/LicenseRef-Zed-Accepted-GPL.txt"][0] == "LicenseRef-Zed-Accepted-GPL"


def test_a_later_version_before_a_text(tmp_path: Path) -> None:
    before = "Zed is licensed under GNU General Public License version 2, or (at your option) a later version.\n\n"
    text = before + (TEXTS / "GPL-2.0-only.txt").read_text()
    assert concluded_of(tmp_path, {"COPYING": text, "z.c": "int z;\n"})["z.c"][0] == "GPL-2.0-or-later"


def test_two_plainly_named_texts_of_a_copy_are_a_choice(tmp_path: Path) -> None:
    cc0 = (TEXTS / "CC0-1.0.txt").read_text()
    tree: dict[str, str | bytes] = {
        "LICENSE": MIT,
        "zed/LICENSE.txt": BSD,
        "zed/COPYING.txt": cc0,
        "zed/x.c": "int x;\n",
    }
    assert concluded_of(tmp_path, tree)["zed/x.c"] == ("CC0-1.0 OR BSD-3-Clause", "directory")
    found = concluded_of(tmp_path, {"zed/COPYING.txt": (TEXTS / "GPL-3.0-only.txt").read_text()})
    assert found["zed/x.c"][0] == "GPL-3.0-only"


def test_a_collection_of_others_texts(tmp_path: Path) -> None:
    isc, zlib = ((TEXTS / f"{each}.txt").read_text() for each in ("ISC", "Zlib"))
    tree: dict[str, str | bytes] = {"LICENSE": MIT, "THIRD_PARTY_LICENSES/Bo-LICENSE": isc}
    tree |= {"THIRD_PARTY_LICENSES/Jo-LICENSE": zlib, "THIRD_PARTY_LICENSES/README": "Others' texts.\n"}
    found = concluded_of(tmp_path, tree)
    assert found["THIRD_PARTY_LICENSES/Bo-LICENSE"][0] == "ISC"
    assert found["THIRD_PARTY_LICENSES/README"] == ("MIT", "directory")


def test_the_projects_build_file_in_a_copy(tmp_path: Path) -> None:
    tagged = "/* SPDX-License-Identifier: Zlib */\nint z;\n"
    tree: dict[str, str | bytes] = {f"emulator/zed/{name}.c": tagged for name in "abcd"}
    own = {f"src/{name}.c": tagged.replace("Zlib", "Apache-2.0") for name in "abcdefgh"}
    tree |= {"LICENSE": APACHE, **own, "emulator/zed/table.h": "int t;\n"}
    tree["emulator/zed/zed.mk"] = "# SPDX-License-Identifier: Apache-2.0\n"
    assert concluded_of(tmp_path, tree)["emulator/zed/table.h"] == ("Zlib", "neighbours")


def test_a_licence_file_against_more_than_half_of_the_files_around_is_about_some(tmp_path: Path) -> None:
    tagged = "/* SPDX-License-Identifier: {} */\nint z;\n"
    tree: dict[str, str | bytes] = {f"ui/{name}.c": tagged.format("GPL-3.0-or-later") for name in "abcde"}
    tree |= {f"ui/{name}.c": tagged.format("LGPL-2.1-or-later") for name in "xyz"}
    tree |= {f"src/{name}.c": tagged.format("GPL-3.0-or-later") for name in "abcdefgh"}
    tree |= {"COPYING": (TEXTS / "GPL-3.0-only.txt").read_text(), "ui/a.strings": "a = b\n"}
    tree["ui/COPYING"] = (TEXTS / "LGPL-2.1-only.txt").read_text()
    assert concluded_of(tmp_path, tree)["ui/a.strings"] == ("GPL-3.0-or-later", "directory")


def test_a_file_with_its_licence_beside_it(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": BSD, "sRGB.icc": b"\0\1\2\3", "a.png": b"\x89PNG\r\n\x1a\n\0\0"}
    tree |= {"sRGB.icc.LICENSE-MIT": MIT, "a.png.license": "SPDX-License-Identifier: CC0-1.0\n"}
    tree |= {"b.png": b"\x89PNG\r\n\x1a\n\0\0"}
    found = concluded_of(tmp_path, tree)
    assert found["sRGB.icc"] == ("MIT", "sidecar")
    assert [found[name][0] for name in ("a.png", "b.png")] == ["CC0-1.0", "BSD-3-Clause"]


def test_a_licence_file_for_something_in_its_name(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": MIT, "a/LICENSE-for-zedlib.txt": BSD, "a/zed-lib.jar": b"PK\3\4\0"}
    found = concluded_of(tmp_path, {**tree, "a/other.txt": "1\n"})
    assert found["a/zed-lib.jar"] == ("BSD-3-Clause", "named")
    assert found["a/other.txt"] == ("MIT", "directory")

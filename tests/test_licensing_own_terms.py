"""What a file says of itself: several notices, exceptions, documents, metadata."""

from __future__ import annotations

from pathlib import Path

from licensing_support import BSD, MIT, TEXTS, concluded_of, write

from bazel2ninja.licensing import audit as audits
from bazel2ninja.licensing.cache import Cache


def test_a_side_of_a_choice_named_alone_does_not_end_the_choice(tmp_path: Path) -> None:
    text = "/* Dual licensed under the MIT or the GPL version 2 license. */\nint a;\n\n/* MIT license */\n"
    assert concluded_of(tmp_path, {"x.c": text})["x.c"][0] == "GPL-2.0-only OR MIT"


def test_a_grant_that_nobody_knows_does_not_inherit(tmp_path: Path) -> None:
    text = "/* Copyright 1990 Zed\n * You may use and redistribute this on odd days, provided that it is raining. */\n"
    found = concluded_of(tmp_path, {"LICENSE": MIT, "zed.c": text, "silent.c": "int s;\n"})
    assert found["zed.c"] == ("NOASSERTION", "notice")
    assert found["silent.c"] == ("MIT", "directory")


def test_an_exception_in_a_comment_of_its_own_belongs_to_the_licence_before(tmp_path: Path) -> None:
    exception = (TEXTS / "Bison-exception-2.2.txt").read_text()
    text = f"/* Licensed under the GNU GPL, version 3 or later. */\n\n/* {exception} */\n\nint a;\n/* {MIT} */\n"
    found = concluded_of(tmp_path, {"parser.c": text})
    assert found["parser.c"][0] == "GPL-3.0-or-later WITH Bison-exception-2.2 AND MIT"


def test_scripts_with_a_name_like_a_readme_speak_for_themselves(tmp_path: Path) -> None:
    tree = {
        "LICENSE": MIT,
        "install-sh": "#!/bin/sh\n#\n" + "".join(f"# {line}\n" for line in BSD.splitlines()),
        "news.py": "# SPDX-License-Identifier: MIT\n# This program is licensed under the Apache License 2.0.\n",
        "release.c": "/* This file is licensed under the Apache License, Version 2.0. */\n",
        "INSTALL": "This program is licensed under the Apache License, Version 2.0.\n",
    }
    write(tmp_path, tree)
    found = audits.make(str(tmp_path), Cache(None)).concluded.files
    assert found["install-sh"].expression == "BSD-3-Clause"
    assert found["release.c"].expression == "Apache-2.0"
    assert found["INSTALL"].expression == "MIT"


def test_the_licence_that_a_pictures_metadata_name(tmp_path: Path) -> None:
    picture = """<svg xmlns:cc="http://creativecommons.org/ns#"><metadata><rdf:RDF><cc:Work rdf:about="">
<cc:license rdf:resource="http://creativecommons.org/licenses/by-sa/4.0/"/></cc:Work></rdf:RDF></metadata></svg>
"""
    write(
        tmp_path,
        {
            "LICENSE": MIT,
            "a.svg": picture,
            "b.svg": picture.replace("http://creativecommons.org/licenses/by-sa/4.0/", ""),
        },
    )
    found = audits.make(str(tmp_path), Cache(None)).concluded.files
    assert found["a.svg"].expression == "CC-BY-SA-4.0"
    assert found["b.svg"].expression == "MIT"


def test_the_version_of_a_licence_that_a_page_links_to(tmp_path: Path) -> None:
    page = """<html><head><title>States</title></head><body><p>States and such.</p>
<p>Text of this page is available under the <a rel="license" href="//example.org/wiki/Text_of_the_License">Creative
Commons Attribution-ShareAlike License</a><a rel="license" href="//creativecommons.org/licenses/by-sa/3.0/"></a>.</p>
</body></html>
"""
    link = '<a href="http://creativecommons.org/licenses/by/2.5/">'
    one = f"<p>This page is licensed under a {link}Creative Commons License</a>."
    write(tmp_path, {"LICENSE": MIT, "a.html": page, "b.html": page.replace("//creativecommons", "//"), "c.html": one})
    found = audits.make(str(tmp_path), Cache(None)).concluded.files
    assert found["a.html"].expression == "CC-BY-SA-3.0"
    assert found["b.html"].expression == "LicenseRef-CC-unspecified"
    assert found["c.html"].expression == "CC-BY-2.5"


def test_the_text_that_a_notice_points_to_tells_which_bsd_licence_it_names(tmp_path: Path) -> None:
    named = "/* Distributed under the terms of the BSD Simplified License.{0} */\nint a;\n"
    held = "\n\nThe full license is in the LICENSE file, distributed with this software."
    write(
        tmp_path,
        {
            "one/LICENSE": BSD,
            "one/a.c": named.format(held),
            "one/b.c": named.format(""),
            "one/c.c": named.format(" You may obtain a copy of the License at http://example.org/"),
            "one/vendored/zed/a.c": named.format(held),
            "two/LICENSE": MIT,
            "two/a.c": named.format(held),
        },
    )
    found = audits.make(str(tmp_path), Cache(None)).concluded.files
    assert found["one/a.c"].expression == found["one/vendored/zed/a.c"].expression == "BSD-3-Clause"
    assert {found[path].expression for path in ("one/b.c", "one/c.c", "two/a.c")} == {"BSD-2-Clause"}


def test_a_copy_without_the_text_that_its_notices_have_in_common(tmp_path: Path) -> None:
    notice = "licensed under the BSD-style license found in the LICENSE file in the root directory of"
    choice = "You may select either version 2 of the GNU General Public License (GPL) or BSD license (BSD)."
    said = f"This source code is {notice} this source tree. This program is dual-licensed. {choice}"
    write(tmp_path, {"a.h": f"/* {said} */\n"})
    found = audits.make(str(tmp_path), Cache(None)).concluded.files
    assert found["a.h"].expression in ("BSD-3-Clause OR GPL-2.0-only", "GPL-2.0-only OR BSD-3-Clause")


def test_long_lines_of_a_document_are_read_to_their_end(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"LICENSE.html": "<html><body>" + "<i></i>" * 20 + "x " * 2000 + MIT.replace("\n", " "), "a.c": "int a;\n"},
    )
    assert audits.make(str(tmp_path), Cache(None)).concluded.files["a.c"].expression == "MIT"


def test_a_manual_page_that_begins_with_empty_lines(tmp_path: Path) -> None:
    page = '\n\n.\\" Licensed under the Apache License, Version 2.0.\n.TH A 1\n.SH NAME\n' + "words\n" * 200
    write(tmp_path, {"LICENSE": MIT, "a.1": page})
    assert audits.make(str(tmp_path), Cache(None)).concluded.files["a.1"].expression == "Apache-2.0"


def test_what_configure_writes_into_other_files_is_not_about_configure(tmp_path: Path) -> None:
    script = "#! /bin/sh\n# This configure script is free software; the Free Software Foundation\n# gives unlimited permission to copy, distribute and modify it.\ncat <<EOF\n"  # noqa: E501
    written = "# This is free software; you can redistribute it under the GNU GPL, version 2 or later.\nEOF\n"
    assert concluded_of(tmp_path, {"configure": script + written})["configure"] == ("FSFUL", "notice")


def test_a_document_that_calls_itself_something_longer(tmp_path: Path) -> None:
    said = "# This test code was written by a program and is licensed under the Apache License, Version 2.0.\n\nwords\n"
    assert concluded_of(tmp_path, {"LICENSE": MIT, "a.txt": said})["a.txt"][0] == "Apache-2.0"


GFDL = """Permission is granted to copy, distribute and/or modify this document
under the terms of the GNU Free Documentation License, Version 1.3 or any later version published by the Free
Software Foundation; with no Invariant Sections.
"""


def test_a_document_that_grants_itself_speaks_of_other_licences_later(tmp_path: Path) -> None:
    manual = "@c x\nCopyright 1999 Zed\n\n" + GFDL + "\nThis manual is about copyright and licences.\n" * 60
    manual += "A chapter.\n\n" * 60 + "Write in your program: this program is licensed under the MIT license.\n"
    assert concluded_of(tmp_path, {"x.texi": manual})["x.texi"][0] == "GFDL-1.3-or-later"


def test_the_terms_of_a_readme_itself(tmp_path: Path) -> None:
    own = (
        "Copying and distribution of this file, with or without modification, are permitted in any medium without "
        "royalty provided the copyright notice and this notice are preserved.\n"
    )
    found = concluded_of(tmp_path, {"LICENSE": MIT, "INSTALL": "How\n\n" + own, "README": "Zed is free.\n"})
    assert found["INSTALL"][0] == "FSFAP"
    assert found["README"][0] == "MIT"


def test_where_a_piece_came_from_is_no_term_of_a_file_that_has_its_own(tmp_path: Path) -> None:
    head = "/* This file is licensed under the GNU GPL, version 2 or later. */\n"
    tree = {
        "a.c": head + "int a;\n/* lifted from zed (BSD license) */\n",
        "b.c": head + "int b;\n" * 70 + "/* Public domain DES implementation by Zed. */\n",
        "c.c": head + "int c;\n/* Taken from Zed. This file is licensed under the MIT license, too. */\n",
    }
    tree["e.c"] = head + "int e;\n/* We use the library zed, which is distributed under the MIT license. */\n"
    tree["f.c"] = head + "int f;\n/* Modelled after the one of Zed, which is licensed under the MIT license. */\n"
    tree["d.c"] = "int d;\n" * 70 + "/* Public domain DES implementation by Zed. */\n"
    found = concluded_of(tmp_path, {**tree, "COPYING": MIT})
    assert found["d.c"] == ("MIT", "directory")
    assert found["a.c"][0] == found["b.c"][0] == found["e.c"][0] == found["f.c"][0] == "GPL-2.0-or-later"
    assert found["c.c"][0] == "GPL-2.0-or-later AND MIT"


def test_the_bsd_license_is_the_one_that_the_project_has(tmp_path: Path) -> None:
    tree = {"LICENSE": BSD, "a.tcl": "# Released under the BSD license like Zed itself\nset a\n"}
    assert concluded_of(tmp_path, tree)["a.tcl"] == ("BSD-3-Clause", "pointer")
    tree = {"LICENSE": MIT, "a.tcl": "# Released under the BSD license like Zed itself\nset a\n"}
    assert concluded_of(tmp_path / "2", tree)["a.tcl"] == ("LicenseRef-BSD-unspecified", "notice")


def test_a_word_like_freely_deep_in_code_is_no_grant(tmp_path: Path) -> None:
    text = "int a;\n" * 70 + "/* Both lists can be used freely to match keys. */\n"
    assert concluded_of(tmp_path, {"LICENSE": MIT, "a.c": text})["a.c"] == ("MIT", "directory")
    head = "/* Copyright 2000 Zed\n * Rights are granted to use this software in any way so long as\n"
    head += " * this notice is not removed. */\n"
    assert concluded_of(tmp_path / "2", {"LICENSE": MIT, "a.c": head})["a.c"][0] == "LicenseRef-freely-usable"


def test_the_bsd_license_of_a_choice_is_the_text_beside_it(tmp_path: Path) -> None:
    head = (
        "/* At the discretion of the user, this may be licensed under the GNU GPL, version 3, or a BSD-style license\n"
    )
    head += " * as outlined in LICENSE.txt. */\n"
    offer = "Zed can be used under one of two licenses:\n\nThe GNU GPL, version 3, or a BSD-style license.\n"
    found = concluded_of(
        tmp_path, {"LICENSE.txt": offer, "LICENSE-bsd.txt": BSD, "zed.c": head, "silent.c": "int s;\n"}
    )
    assert found["zed.c"][0] == found["silent.c"][0] == "GPL-3.0-only OR BSD-3-Clause"


def test_what_a_document_tells_of_free_software_is_not_about_itself(tmp_path: Path) -> None:
    about = "Zed on machines\n\nCopyright (C) 1990 A. Zed\n\nWhat was missing had to be freely redistributable.\n\n"
    own = (
        about
        + "x\n\n" * 90
        + "This file is free software; you can redistribute it and/or modify it under the terms of\n"
        + "the GNU General Public License as published by the Free Software Foundation; either version 3\n"
        + "of the License, or (at your option) any later version.\n"
    )
    found = concluded_of(tmp_path, {"LICENSE": MIT, "MACHINES": own, "SYSTEMS": about})
    assert found["MACHINES"] == ("GPL-3.0-or-later", "notice")
    assert found["SYSTEMS"] == ("MIT", "directory")


def test_a_licence_without_version_beside_another_is_the_one_stated_below(tmp_path: Path) -> None:
    first = "/* Released under the MIT license and the GNU General Public License. */\nint z;\n"
    later = "/* Licensed under the GNU GPL, version 2 or any later version. */\n"
    assert concluded_of(tmp_path, {"z.c": first + later})["z.c"][0] == "GPL-2.0-or-later AND MIT"


def test_the_use_of_an_option_is_no_grant(tmp_path: Path) -> None:
    said = (
        '"""\nBy default zed asks for permission to access the clipboard.  You can use wildcards to name a type.\n"""\n'
    )
    assert concluded_of(tmp_path, {"LICENSE": MIT, "zed.py": said})["zed.py"] == ("MIT", "directory")


def test_the_schema_of_a_manual(tmp_path: Path) -> None:
    said = (
        "# Copyright (C) 1992-2002 Zed\n#\n# Permission to use, copy, modify and distribute the DocBook DTD and\n"
        "# its accompanying documentation for any purpose and without fee is\n"
        "# hereby granted in perpetuity, provided that the above copyright\n"
        "# notice and this paragraph appear in all copies.  The copyright\n"
        "# holders make no representation about the suitability of the DTD for\n"
        '# any purpose.  It is provided "as is" without expressed or implied\n# warranty.\n\nstart = book\n'
    )
    assert concluded_of(tmp_path, {"LICENSE": MIT, "book.rnc": said})["book.rnc"] == ("DocBook-DTD", "notice")


def test_a_tag_that_states_nothing_leaves_the_words_below_it(tmp_path: Path) -> None:
    said = "/* SPDX-License-Identifier: {0}\n *\n * This file has been placed in the public domain. */\nint a;\n"
    tree = {"LICENSE": MIT, "a.c": said.format("NONE"), "b.c": said.format("NOASSERTION")}
    tree["c.c"] = "// SPDX-License-Identifier: NONE\nint c;\n"
    found = concluded_of(tmp_path, dict(tree))
    assert found["a.c"] == found["b.c"] == ("LicenseRef-public-domain", "notice")
    assert found["c.c"] == ("MIT", "directory")


def test_the_text_of_a_side_of_a_choice_does_not_end_the_choice(tmp_path: Path) -> None:
    said = GFDL + "\nYou can also (at your option) distribute this manual under the GNU General Public License:\n\n"
    said += "Permission is granted to copy, distribute and/or modify this document under the terms of the GNU General\n"
    said += "Public License; either version 2 of the License, or (at your option) any later version.\n"
    text = "\n\nWords.\n" * 40 + (TEXTS / "GPL-2.0-only.txt").read_text()
    found = concluded_of(tmp_path, {"zed.info": said + text})["zed.info"][0]
    assert found == "GFDL-1.3-or-later OR GPL-2.0-or-later"


def test_the_licence_that_a_script_tells_the_program_that_runs_it(tmp_path: Path) -> None:
    script = 'var script = {\n    "name": "x",\n    "license": "LGPL-2.1+",\n};\n'
    deep = "\n" * 20 + script
    found = concluded_of(tmp_path, {"LICENSE": MIT, "a.js": script, "b.js": deep, "c.py": script})
    assert found["a.js"] == ("LGPL-2.1-or-later", "notice")
    assert found["b.js"] == found["c.py"] == ("MIT", "directory")


def test_what_may_be_used_without_limitation(tmp_path: Path) -> None:
    said = "/****\n** Copyright (C) 1992 Zed.  All rights reserved.\n**\n"
    said += "** This file is part of an example program for Zed.  This example\n"
    said += "** program may be used, distributed and modified without limitation.\n**\n****/\nint a;\n"
    assert concluded_of(tmp_path, {"LICENSE": MIT, "a.cpp": said})["a.cpp"] == ("LicenseRef-freely-usable", "notice")


def test_what_the_words_in_which_a_document_grants_itself_tell_of_others(tmp_path: Path) -> None:
    font = "\nThe fonts used in this guide are licensed under the SIL Open Font License, Version 1.1.\n"
    about = "Zed is distributed under GPLv2, with development like that of others.\n\n"
    code = "\nThe examples in it are licensed under the Apache License, Version 2.0.\n"
    found = concluded_of(tmp_path, {"a.adoc": GFDL + font, "b.rst": about + GFDL, "c.rst": GFDL + code})
    assert found["a.adoc"] == found["b.rst"] == ("GFDL-1.3-or-later", "notice")
    assert found["c.rst"] == ("Apache-2.0 AND GFDL-1.3-or-later", "notice")


def test_free_software_whose_terms_are_in_a_file_that_is_not_here(tmp_path: Path) -> None:
    said = "/* This program is free but copyrighted software; see the file COPYING for details. */\nint a;\n"
    assert concluded_of(tmp_path, {"LICENSE": MIT, "a.c": said, "b.c": "int b;\n"})["a.c"] == ("MIT", "directory")
    assert concluded_of(tmp_path / "2", {"COPYING": BSD, "a.c": said})["a.c"] == ("BSD-3-Clause", "pointer")

"""The licence auditor: what notices mean."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest

from bazel2ninja.licensing import copyrights, expressions, gnu, references
from bazel2ninja.licensing.dep5 import agree
from bazel2ninja.licensing.matching import Classification, classify
from bazel2ninja.licensing.policy import Policy
from bazel2ninja.licensing.references import References
from bazel2ninja.licensing.words import words


@pytest.fixture(scope="module")
def known() -> References:
    return references.load(references.directory())


WX = "LGPL-2.0-or-later WITH WxWindows-exception-3.1"


def meaning(text: str, known: References, *, whole: bool = False) -> Classification:
    return classify(" ".join(words(text)), known, whole=whole)


def test_each_reference_is_recognised_as_itself(known: References) -> None:
    chosen = random.Random(6).sample([r for r in known.references if len(r.words) < 900], 45)
    wrong = {}
    for reference in chosen:
        found = classify(" ".join(reference.words), known, whole=True)
        if found.alone != (reference.expression,) and found.expression != reference.expression:
            wrong[reference.expression] = found.expression
    assert wrong == {}


def text_of(name: str) -> str:
    return (references.directory() / "texts" / f"{name}.txt").read_text()


@pytest.mark.parametrize(
    "name", ["BSD-2-Clause", "BSD-3-Clause", "BSD-4-Clause", "MIT", "ISC", "Zlib", "X11", "JSON", "MIT-0"]
)
def test_close_relatives_are_told_apart(name: str, known: References) -> None:
    assert meaning("Copyright lines are not part of it.\n" + text_of(name), known).expression == name


def test_another_name_for_the_holder_changes_nothing(known: References) -> None:
    text = text_of("BSD-3-Clause").replace("ORGANIZATION", "Frobnication Institute of the University of Nowhere")
    found = meaning(text, known)
    assert (found.expression, found.unexplained) == ("BSD-3-Clause", "")


def test_the_text_of_postgresql_of_another_holder(known: References) -> None:
    text = text_of("PostgreSQL")
    text = text[text.index("Permission to use") :]
    for name in ("UNIVERSITY OF CALIFORNIA", "REGENTS", "Zed"):
        assert meaning(text.replace("THE UNIVERSITY OF CALIFORNIA", name), known).expression == "PostgreSQL"
    assert meaning(text_of("Cornell-Lossless-JPEG"), known).expression == "Cornell-Lossless-JPEG"


def test_a_clause_that_nobody_knows_is_asked_about(known: References) -> None:
    text = (
        text_of("MIT") + "\nThe Software may not be redistributed on Tuesdays without payment of a fee of one herring."
    )
    found = meaning(text, known)
    assert found.expression == "MIT"
    assert "herring" in found.unexplained or "tuesdays" in found.unexplained
    assert "non-free" in found.flags


def test_two_texts_in_one_file(known: References) -> None:
    found = meaning(text_of("MIT") + "\n\nThe parser is under:\n\n" + text_of("BSD-2-Clause"), known, whole=True)
    assert found.alone == ("MIT", "BSD-2-Clause")


def test_a_licence_that_is_described_by_another(known: References) -> None:
    assert meaning("Redistributed under the Apache 2.0 (BSD-like) license.", known).expression == "Apache-2.0"
    favour = "You may distribute it under the Apache 2 license. I do not favor BSD over other free licenses."
    assert meaning(favour, known).expression == "Apache-2.0"
    assert meaning("Licensed under a BSD-like license.", known).expression == "LicenseRef-BSD-unspecified"


def test_what_a_licence_file_grants_before_it_gives_a_text(known: References) -> None:
    grant = GPL.format("General Public License", "version 3.", "General Public License", "License")
    others = "The following applies to all files that begin with x.\n"
    text = f"The following applies to all of it unless otherwise stated.\n\n{grant}\n\n{others}"
    assert meaning(text + text_of("MIT"), known, whole=True).alone == ("GPL-3.0-only", "MIT")
    later = grant.replace("version 3.", "either version 2 of the License, or (at your option) any later version.")
    assert meaning(later + text_of("GPL-2.0-only"), known, whole=True).alone == ("GPL-2.0-or-later",)
    assert meaning(text_of("MIT") + later, known, whole=True).alone == ("MIT",)


GPL = (
    "This program is free software; you can redistribute it and/or modify it under the terms of the GNU {} "
    "as published by the Free Software Foundation; {}\nThis program is distributed in the hope that it will be useful, but "  # noqa: E501
    "WITHOUT ANY WARRANTY; see the GNU {} for more details. You should have received a copy of the GNU {} along with it."  # noqa: E501
)


@pytest.mark.parametrize(
    ("name", "version", "expected"),
    [
        ("General Public License", "either version 2 of the License, or (at your option) any later version.", "GPL-2.0-or-later"),  # noqa: E501
        ("General Public License", "version 2 of the License.", "GPL-2.0-only"),
        ("General Public License", "either version 3, or any later version.", "GPL-3.0-or-later"),
        ("Lesser General Public License", "either version 2.1 of the License, or (at your option) any later version.", "LGPL-2.1-or-later"),  # noqa: E501
        ("Lessor General Public License", "version 2.1 of the License.", "LGPL-2.1-only"),
        ("Library General Public License", "either version 2 of the License, or any later version.", "LGPL-2.0-or-later"),  # noqa: E501
        ("Affero General Public License", "version 3.", "AGPL-3.0-only"),
    ],
)  # fmt: skip
def test_gnu_notices(name: str, version: str, expected: str, known: References) -> None:
    found = meaning(GPL.format(name, version, name, name), known)
    assert (found.expression, found.unexplained) == (expected, "")


def test_the_short_name_between_a_licence_and_its_version(known: References) -> None:
    text = "this documentation is dual licensed under the gnu free documentation license gfdl 1.3 or later or the"
    found = classify(f"{text} cc attribution sharealike 4 international license spdx cc by sa 4", known)
    assert found.expression == "GFDL-1.3-or-later OR CC-BY-SA-4.0"


def test_the_address_of_a_text_is_no_second_licence(known: References) -> None:
    text = (
        "this file is dual licensed under the terms of the mit license opensource org license mit and gpl version 3 or "
        "later gnu org licenses gpl 2 html you must apply one of these licenses"
    )
    assert classify(text, known).expression == "GPL-3.0-or-later OR MIT"
    assert classify("license gnu org licenses gpl 3 html", known).expression == "GPL-3.0-only"


def test_multiple_licences_are_a_choice(known: References) -> None:
    line = "Copyright 2004-2023 Zed Group. Multiple-Licensed under the MPL 2.0, and the EPL 1.0 (https://zed.example)."
    statement = copyrights.split(line)
    assert statement is not None and statement[0] == "Copyright 2004-2023 Zed Group. "
    text = statement[1]
    assert meaning(text, known).expression == "MPL-2.0 OR EPL-1.0"


def test_the_terms_of_the_work_that_a_file_was_made_from(known: References) -> None:
    text = GPL.format(
        "General Public License", "either version 3, or any later version.", "General Public License", "x"
    )
    text += (
        " The Zed library itself is published under the LGPL; however I decided to publish this under the plain GPL."
    )
    assert meaning(text, known).expression == "GPL-3.0-or-later"


@pytest.mark.parametrize(
    ("address", "expected"),
    [("zed.example/public/CDDL+GPL_1_1.html", "CDDL-1.1"), ("zed.example/public/CDDL+GPL.html", "CDDL-1.0")],
)
def test_the_version_of_a_licence_in_an_address(address: str, expected: str, known: References) -> None:
    text = (
        "The contents of this file are subject to the terms of either the GNU General Public License Version 2 only "
        '("GPL") or the Common Development and Distribution License("CDDL") (collectively, the "License"). You may not '
        "use this file except in compliance with the License. You can obtain a copy of the License at "
        f"http://{address} or packager/legal/LICENSE.txt."
    )
    assert agree(meaning(text, known).expression, f"{expected} OR GPL-2.0-only")


def test_the_gpl_that_another_licence_forbids(known: References) -> None:
    assert meaning(text_of("SSLeay-standalone"), known).alone == ("SSLeay-standalone",)


def test_the_names_of_three_licences_above_the_choice_between_them(known: References) -> None:
    text = """***** BEGIN LICENSE BLOCK ***** Version: MPL 1.1/GPL 2.0/LGPL 2.1
    The contents of this file are subject to the Mozilla Public License Version 1.1 (the "License"); you may not use
    this file except in compliance with the License. You may obtain a copy of the License at https://www.mozilla.org/MPL/
    Software distributed under the License is distributed on an "AS IS" basis, WITHOUT WARRANTY OF ANY KIND, either
    express or implied. See the License for the specific language governing rights and limitations under the License.
    Alternatively, the contents of this file may be used under the terms of either the GNU General Public License
    Version 2 or later (the "GPL"), or the GNU Lesser General Public License Version 2.1 or later (the "LGPL"), in which
    case the provisions of the GPL or the LGPL are applicable instead of those above. If you wish to allow use of your
    version of this file only under the terms of either the GPL or the LGPL, and not to allow others to use your version
    of this file under the terms of the MPL, indicate your decision by deleting the provisions above and replace them
    with the notice and other provisions required by the GPL or the LGPL. If you do not delete the provisions above, a
    recipient may use your version of this file under the terms of any one of the MPL, the GPL or the LGPL."""
    assert agree(meaning(text, known).expression, "MPL-1.1 OR GPL-2.0-or-later OR LGPL-2.1-or-later")


def test_licensed_and_a_name_at_the_end_of_a_banner(known: References) -> None:
    banner = (
        "Zed UI - v1.11.4 - 2015-04-26 http://zedui.example Includes: core.css, sortable.css, theme.css; Licensed {}"
    )
    theme = banner.replace("; L", " To view this theme, visit http://zed.example/?a=1px&bg=" + "opacity%20" * 30 + " L")
    for text in (banner, theme):
        assert meaning(text.format("MIT"), known).expression == "MIT"
        assert meaning(text.format("MIT code is what Zed may contain"), known).expression == ""


def test_one_of_two_that_exclude_each_other(known: References) -> None:
    text = (
        "Zed is distributed under two mutually exclusive open-source licenses. You must choose one of the two licenses "
        "below. The FreeType License, which is compatible to the GNU General Public License version 3, but not version "
        "2. The GNU General Public License version 2 (any later version can be used also)."
    )
    assert meaning(text, known, whole=True).expression == "GPL-2.0-or-later OR FTL"


def test_the_mozilla_public_license_as_one_of_three(known: References) -> None:
    text = (
        "you can redistribute it under the terms of the gnu lesser general public license either version 2.1 or any "
        "later version alternatively the contents of this file may be used under the terms of the mozilla public "
        "license mozilla org mpl or the gnu general public license as published by the free software foundation "
        "either version 2 of the license or at your option any later version"
    )
    assert agree(classify(text, known).expression, "LGPL-2.1-or-later OR GPL-2.0-or-later OR MPL-1.1")


def test_a_number_that_is_no_version_of_a_licence(known: References) -> None:
    found = classify("distributed under gnu gpl or the vim license at your choice version 0.2", known)
    assert "0.2" not in found.expression


@pytest.mark.parametrize("terms", ["terms as the perl 5 programming language system itself", "terms as perl"])
def test_the_same_terms_as_perl_before_the_texts(terms: str, known: References) -> None:
    texts = references.directory() / "texts"
    both = " ".join(words((texts / "GPL-1.0-only.txt").read_text() + (texts / "Artistic-1.0.txt").read_text()))
    found = classify(f"you can redistribute it under the same {terms} {both}", known, whole=True)
    assert found.expression == "Artistic-1.0-Perl OR GPL-1.0-or-later"


def test_the_artistic_license_without_a_version(known: References) -> None:
    either = "you may distribute under the terms of either the gnu general public license or the artistic license"
    assert classify(either, known).expression == "GPL-1.0-or-later OR Artistic-1.0-Perl"
    or_ = (
        "you can redistribute it and or modify it under the terms of the perl artistic license or the gnu general "
        "public license as published by the free software foundation either version 2 or any later version"
    )
    assert classify(or_, known).expression == "GPL-2.0-or-later OR Artistic-1.0-Perl"


def test_a_disclaimer_without_the_grant_before_it_is_another_licence(known: References) -> None:
    text = (references.directory() / "texts" / "BSD-1-Clause.txt").read_text()
    disclaimer = text[text.index("THIS SOFTWARE IS PROVIDED") :]
    found = classify(" ".join(words("Redistribution and use are permitted on odd days. " + disclaimer)), known)
    assert found.expression == ""
    assert "odd days" in found.unexplained


def test_gnu_mentions_are_no_grants() -> None:
    assert gnu.read("incompatible with the gnu general public license version 2") == []
    assert gnu.read("see the gnu general public license for more details") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Licensed under the MIT license.", "MIT"),
        ("Released under the Apache License, Version 2.0", "Apache-2.0"),
        ("This file is distributed under the Boost Software License, Version 1.0.", "BSL-1.0"),
        ("This code is in the public domain.", "LicenseRef-public-domain"),
        ("zed-1.1 - public domain ABC/DEF reader", "LicenseRef-public-domain"),
        ("License: Apache", "Apache-2.0"),
        ("License: AGPL", "AGPL-3.0-or-later"),
        ("License: LGPL v2.1+ / MPL 1.1", "LGPL-2.1-or-later OR MPL-1.1"),
        ("Placed under the same license as PostgreSQL.", "PostgreSQL"),
        (
            "X files are free software; the FSF gives unlimited permission to use, copy, distribute, and modify them.",
            "FSFUL",
        ),
        (
            "The modified BSD style license (GPL and LGPL compatible) applies to this file.",
            "LicenseRef-BSD-unspecified",
        ),
        ("To comply with the above MIT license, the authors are named here.", ""),
        ("Licensed under the GNU Affero General Public License.", "AGPL-3.0-or-later"),
        (
            "license http://opensource.org/licenses/gpl-2.0.php GNU General Public License, v2 or any later version",
            "GPL-2.0-or-later",
        ),
        ("This is distributed under the W3C's Software Intellectual Property License.", "W3C"),
        ("It was released by Zed/Team into the public domain.", "LicenseRef-public-domain"),
        ("Available under the GPLv2+", "GPL-2.0-or-later"),
        ("Dual licensed under the MIT and GPL version 2 licenses", "GPL-2.0-only OR MIT"),
        ("licensed under CC-BY-SA 4.0", "CC-BY-SA-4.0"),
        ("License: ISC", "ISC"),
        ("Remaining components of the software are provided under a standard 2-term BSD licence", "BSD-2-Clause"),
        ("You can use this free for any purpose. It's in the public domain.", "LicenseRef-public-domain"),
        ("Released under the terms of the GPLv2/BSD licenses", "GPL-2.0-only OR LicenseRef-BSD-unspecified"),
        ("All code here is derived from zed and licensed MIT or Apache-2.0, at your option.", "MIT OR Apache-2.0"),
        ("This work is licensed under http://web.resource.org/cc/PublicDomain", "LicenseRef-public-domain"),
        ("You may redistribute this under the same terms as Vim itself", "Vim"),
        ("Licensed under the OpenIB.org BSD license (FreeBSD Variant) - See COPYING.md", "BSD-2-Clause"),
        ("Licensed under BSD (MIT variant) or GPLv2. See COPYING.", "GPL-2.0-only OR Linux-OpenIB"),
        (
            (
                "Redistribution and use is allowed according to the terms of the BSD license.\n"
                "For details see the accompanying COPYING-CMAKE-SCRIPTS file."
            ),
            "BSD-3-Clause",
        ),
        (
            "This file is distributed under the BSD License. See http://snowball.tartarus.org/license.php",
            "BSD-3-Clause",
        ),
        (
            (
                "The contents are subject to the Creative Commons Attribution-ShareAlike License. You may copy it.\n"
                "See http://creativecommons.org/licenses/by-sa/3.0/ for details."
            ),
            "CC-BY-SA-3.0",
        ),
        ("This file is distributed under the same license as Perl itself.", "Artistic-1.0-Perl OR GPL-1.0-or-later"),
        ("Licensed under the Apache License, version 1.1", "Apache-1.1"),
        ("Licensed under a Creative Commons Attribution-NonCommercial-NoDerivs 3.0 License", "CC-BY-NC-ND-3.0"),
        ("Dual-licensed under the Universal Permissive License (UPL) 1.0 and MIT.", "UPL-1.0 OR MIT"),
        ("You can use this file under the terms of the GPL or the LGPL.", "GPL-1.0-or-later OR LGPL-2.0-or-later"),
        ("GNU Lesser General Public License 2.1 or GNU General Public License 3", "LGPL-2.1-only OR GPL-3.0-only"),
        ("Licensed under the GNU GPL, version 2, or (at your option) version 3.", "GPL-2.0-only OR GPL-3.0-only"),
        (
            "At the discretion of the user this may be licensed under the GNU GPL v3, the MIT license, or the BSL 1.0",
            "GPL-3.0-only OR MIT",
        ),
        (
            "Licensed under the GNU General Public License v.2, or (at your option) any later version",
            "GPL-2.0-or-later",
        ),
        ("This is not related to any license at all.", ""),
        ("the MIT was founded in 1861", ""),
        ("Not in the public domain under this license", ""),
    ],
)
def test_phrases(text: str, expected: str, known: References) -> None:
    assert meaning(text, known).expression == expected


def test_a_pointer_names_the_file(known: References) -> None:
    text = "Use of this source code is governed by a BSD-style license that can be found in the LICENSE file."
    found = meaning(text, known)
    assert (found.expression, found.pointer) == ("LicenseRef-BSD-unspecified", "license")


@pytest.mark.parametrize(
    ("text", "flag"),
    [
        ("permission is granted for unrestricted non-commercial use", "non-free"),
        ("This code is proprietary and confidential.", "non-free"),
        ("This method is protected by US patents", "patent"),
        ("not designed or intended for use in nuclear facilities", "field-of-use"),
    ],
)
def test_doubtful_words_are_flagged(text: str, flag: str, known: References) -> None:
    assert flag in meaning(text, known).flags


@pytest.mark.slow
def test_a_long_text_takes_linear_time(known: References) -> None:
    started = time.process_time()
    classify("permission to use copy modify and distribute this software " * 4000, known)
    classify("licensed under the " * 10_000, known)
    assert time.process_time() - started < 20


def test_additions_do_not_count_in_comparisons() -> None:
    assert agree("GPL-2.0-only WITH Linux-syscall-note", "GPL-2.0-only")
    assert not agree("GPL-2.0-only WITH Linux-syscall-note", "GPL-2.0-or-later")


def test_debian_names_there_and_back() -> None:
    names = expressions.DebianNames()
    for debian, spdx in {
        "Expat": "MIT",
        "GPL-2+": "GPL-2.0-or-later",
        "LGPL-2.1": "LGPL-2.1-only",
        "BSD-3-clause": "BSD-3-Clause",
        "public-domain": "LicenseRef-public-domain",
        "Apache-2.0 with LLVM exception": "Apache-2.0 WITH LLVM-exception",
        "LGPL-2+ with WxWindows exception": WX,
    }.items():
        assert (names.to_spdx(debian), names.to_debian(spdx)) == (spdx, debian)
    assert names.to_spdx("GPL-2+ or Expat, and Zlib") == "(GPL-2.0-or-later OR MIT) AND Zlib" or (
        expressions.keys(names.to_spdx("GPL-2+ or Expat, and Zlib")) == {"GPL-2.0-or-later", "MIT", "Zlib"}
    )
    for name in (
        "wxWindows",
        "wxWindows-3.1",
        "LGPL-2+ with wxWidgets exception",
        "LGPL-2+ with WxWindows-exception-3.1",
    ):
        assert names.to_spdx(name) == WX
    assert names.to_spdx("GPL-2+ with OpenSSL exception") == "GPL-2.0-or-later WITH OpenSSL-exception"
    assert names.to_spdx("Frob license") == "LicenseRef-Frob-license"


def test_expressions_are_normal() -> None:
    assert expressions.normal("GPL-2.0+") == "GPL-2.0-or-later"
    assert expressions.normal("LGPL-2.1 OR MIT. See LICENSE.") == "LGPL-2.1-only OR MIT"
    assert expressions.normal("wxWindows") == WX
    assert expressions.normal("BSD-2-Clause-FreeBSD OR MIT") == "BSD-2-Clause OR MIT"
    assert expressions.normal("GPL-2.0-with-classpath-exception") == "GPL-2.0-only WITH Classpath-exception-2.0"
    assert agree(expressions.normal("MIT OR wxWindows") or "", "MIT OR LGPL-2.0-or-later")
    assert expressions.normal("BSD-3-clause and mit") == "BSD-3-Clause AND MIT"
    assert expressions.normal("gpl-2.0+") == "GPL-2.0-or-later"
    assert expressions.normal("BSD 3-Clause") == "BSD-3-Clause"
    assert expressions.normal("Apache 2.0 License") == "Apache-2.0"
    assert expressions.normal("BSD style") is None
    assert expressions.normal("LicenseRef-Zed, see LICENSE") == "LicenseRef-Zed"
    assert expressions.normal("((") is None
    assert expressions.normal("") is None


def test_policy() -> None:
    policy = Policy(references.directory())
    assert policy.verdict_of("MIT") == "free"
    assert policy.verdict_of("CC-BY-NC-4.0 AND MIT") == "non-free"
    assert policy.verdict_of("CC-BY-NC-4.0 OR MIT") == "free"
    assert policy.verdict_of("LicenseRef-whatever") == "unclear"
    assert [pair[:2] for pair in policy.conflicts(["GPL-2.0-only", "Apache-2.0", "MIT"])] == [
        ("GPL-2.0-only", "Apache-2.0")
    ]
    assert policy.obligations(["LGPL-2.1-or-later"])["relinking"] == ["LGPL-2.1-or-later"]


def test_a_clause_within_a_known_text_is_asked_about(known: References) -> None:
    text = text_of("BSD-3-Clause").replace(
        "THIS SOFTWARE IS",
        "The software may not be used for the breeding of herrings on Tuesdays or other days.\n\nTHIS SOFTWARE IS",
    )
    found = meaning(text, known)
    assert found.expression == "BSD-3-Clause"
    assert "herrings" in found.unexplained


EDK = (
    "are licensed and made available under the terms and conditions of the BSD License which accompanies this "
    "distribution. The full text of the license may be found at http://opensource.org/licenses/bsd-license.php. "
    "THE PROGRAM IS DISTRIBUTED UNDER THE BSD LICENSE ON AN AS IS BASIS"
)


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        (
            "Released under terms of the BSD Simplified license. " + text_of("BSD-3-Clause").partition("THIS")[0],
            "BSD-3-Clause",
        ),
        (text_of("BSD-2-Clause").partition("THIS")[0], "BSD-2-Clause"),
        (text_of("MIT") + "\nThe MIT license is compatible with both the GPL and commercial software.", "MIT"),
        ("The paper is licensed under the CC-BY license.", "LicenseRef-CC-unspecified"),
        ("The paper is licensed under the CC-BY 3.0 license.", "CC-BY-3.0"),
        ("This file is licensed under the wxWidgets license, see License.txt", WX),
        (EDK, "BSD-2-Clause"),
        ("@license http://opensource.org/licenses/bsd-license.php", "LicenseRef-BSD-unspecified"),
        ("@author A Body @version 1 @license http://opensource.org/licenses/BSL-1.0 and what is below it", "BSL-1.0"),
        (text_of("libpng-1.6.35") + "\nThis code is released under the libpng license.", "Libpng"),
        ("GPL only", ""),
        ("MIT", "MIT"),
        ("GPL v2", "GPL-2.0-only"),
    ],
    ids=lambda text: text[:20],
)
def test_what_was_mistaken_once(text: str, expression: str, known: References) -> None:
    assert meaning(text, known).expression == expression


STATEMENTS = json.loads((Path(__file__).parent / "data/licensing/statements.json").read_text())


@pytest.mark.parametrize("row", STATEMENTS, ids=lambda row: row["expected"] or "nothing")
def test_statements_of_real_files(row: dict[str, str], known: References) -> None:
    assert classify(" ".join(words(row["text"])), known).expression == row["expected"]


def test_a_licence_file_that_offers_a_choice_before_one_of_the_texts(known: References) -> None:
    offered = (
        "You may use this work under the terms of CC0 1.0 License/Waiver or the Apache License 2.0, at your option. "
    )
    text = offered + (references.directory() / "texts/CC0-1.0.txt").read_text()
    assert classify(" ".join(words(text)), known, whole=True).expression == "CC0-1.0 OR Apache-2.0"


@pytest.mark.parametrize("name", ["Apache-2.0", "GPL-2.0-only"])
def test_a_text_without_its_appendix(name: str, known: References) -> None:
    """Pixar's is the Apache License without the appendix, but for a section; AGPL-1.0 is close to the GPL."""
    assert meaning(text_of(name).partition("END OF TERMS")[0], known, whole=True).expression == name


@pytest.mark.parametrize("name", ["LGPL-2.0-only", "LGPL-2.1-only", "GPL-3.0-only"])
def test_a_text_without_its_preamble(name: str, known: References) -> None:
    text = text_of(name)
    start = text.find("TERMS AND CONDITIONS FOR") if name != "GPL-3.0-only" else text.index("0. Definitions")
    assert meaning("GNU LICENSE\n" + text[start : text.index("END OF TERMS")], known, whole=True).expression == name


def test_the_library_licence_of_wxwindows_in_full_is_the_lgpl_with_its_exception(known: References) -> None:
    notice = (
        "wxWindows Library Licence, Version 3.1\n\nThis library is free software; you can redistribute it and/or "
        "modify it under the terms of the GNU Library General Public Licence as published by the Free Software "
        "Foundation; either version 2 of the Licence, or (at your option) any later version.\n\n"
    )
    assert meaning(notice + text_of("WxWindows-exception-3.1"), known, whole=True).expression == WX

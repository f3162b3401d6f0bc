"""Manuals: what one of their files grants for "this document", and which silent files belong to them."""

from __future__ import annotations

from pathlib import Path

import pytest
from licensing_support import MIT, TEXTS, concluded_of

from bazel2ninja.licensing.scan import scan_bytes

PICTURE = b"\x89PNG\r\n\x1a\n\0\0"
VERBATIM = """Permission is granted to make and distribute verbatim copies of this
manual provided the copyright notice and this permission notice are preserved on all copies.

Permission is granted to copy and distribute modified versions of this manual under the conditions for verbatim copying,
provided that the entire resulting derived work is distributed under the terms of a permission notice identical to this
one.

Permission is granted to copy and distribute translations of this manual into another language, under the above
conditions for modified versions, except that this permission notice may be stated in a translation approved by the
Free Software Foundation.
"""
FREE = """Permission is granted to copy, distribute and/or modify this document under the terms of the GNU Free
Documentation License, Version 1.2 or any later version published by the Free Software Foundation.
"""


@pytest.mark.parametrize(
    ("said", "expression"),
    [
        ("<legalnotice>&FDLNotice;</legalnotice>", "GFDL-1.2-or-later"),
        ("<legalnotice\n>&FDLNotice;</legalnotice>\n&underFDL;\n&underGPL;", "GFDL-1.2-or-later"),
        ("<chapter>&underFDL; &underGPL;</chapter>", "GFDL-1.2-or-later"),
        ("<legalnotice>&CCBYSA4Notice;</legalnotice>", "CC-BY-SA-4.0"),
        ("<legalnotice>&GPLNotice;</legalnotice>", "GPL-2.0-or-later"),
        ("<para>&FDLISTitles; &underGPL;</para>", "MIT"),
    ],
)
def test_the_entities_of_kdes_handbooks(tmp_path: Path, said: str, expression: str) -> None:
    book = f"<book><bookinfo><title>The &zed; Handbook</title>\n{said}\n</bookinfo></book>\n"
    tree: dict[str, str | bytes] = {"COPYING": MIT, "doc/index.docbook": book, "doc/CMakeLists.txt": "a()\n"}
    tree |= {"doc/more.docbook": "<chapter/>\n", "doc/window.png": PICTURE, "doc/images/a.png": PICTURE}
    found = concluded_of(tmp_path, tree)
    for path in ("doc/index.docbook", "doc/more.docbook", "doc/window.png", "doc/images/a.png"):
        assert found[path][0] == expression, path
    assert found["doc/CMakeLists.txt"][0] == "MIT"


def test_an_entity_elsewhere_is_none_of_kdes() -> None:
    assert scan_bytes("a.txt", b"write &FDLNotice; there\n", "", "", 30).notices == ()


@pytest.mark.parametrize(
    ("first", "said", "expression", "pages"),
    [
        ("doc/index.rst", f"Zed is distributed under GPLv2.\n\n{VERBATIM}", "Latex2e-translated-notice", ["doc/a.rst"]),
        ("doc/index.adoc", FREE, "GFDL-1.2-or-later", ["doc/a.adoc"]),
        ("doc/includes/docinfo.asciidoc", FREE, "GFDL-1.2-or-later", ["doc/a.asciidoc"]),
        ("doc/zed.texi", f"@copying\n{FREE}@end copying\n", "GFDL-1.2-or-later", ["doc/a.texi", "doc/b.texinfo"]),
    ],
)
def test_what_the_first_page_of_a_manual_grants(
    tmp_path: Path, first: str, said: str, expression: str, pages: list[str]
) -> None:
    tree: dict[str, str | bytes] = {"COPYING": MIT, first: said, "doc/a.png": PICTURE, "doc/figures/b.svg": "<svg/>\n"}
    tree |= dict.fromkeys(pages, "Words.\n") | {"doc/conf.py": "a = 1\n", "src/a.png": PICTURE}
    found = concluded_of(tmp_path, tree)
    for path in (*pages, "doc/a.png", "doc/figures/b.svg"):
        assert found[path] == (expression, "named"), path
    assert found["doc/conf.py"][0] == found["src/a.png"][0] == "MIT"


def test_manuals_that_say_different_things_and_texts_grant_nothing_to_others(tmp_path: Path) -> None:
    text = (TEXTS / "GFDL-1.3-only.txt").read_text()
    tree: dict[str, str | bytes] = {
        "COPYING": MIT,
        "doc/a.texi": FREE,
        "doc/b.texi": VERBATIM,
        "doc/c.texi": "Words.\n",
    }
    tree |= {"lib/fdl.texi": text, "lib/d.texi": "Words.\n", "index.rst": VERBATIM, "e.rst": "Words.\n"}
    tree |= {"man/zed.texi": FREE, "man/gpl.texi": (TEXTS / "GPL-3.0-only.txt").read_text()}
    found = concluded_of(tmp_path, tree)
    assert found["man/gpl.texi"][0] == "GPL-3.0-only"
    assert found["doc/c.texi"][0] == found["lib/d.texi"][0] == found["e.rst"][0] == "MIT"

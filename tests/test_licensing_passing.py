"""Words about licences that are not the file's own terms, or only part of them."""

from __future__ import annotations

from pathlib import Path

from licensing_support import MIT, TEXTS, concluded_of

from bazel2ninja.licensing import gnu


def test_public_domain_beside_a_choice_that_has_a_dedication(tmp_path: Path) -> None:
    head = "/* zed - public domain image loader, no warranty implied */\nint a;\n"
    choice = f"/*\nThis software is available under 2 licenses -- choose whichever you prefer.\n\n{MIT}\n\n"
    choice += "ALTERNATIVE B - Public Domain (www.unlicense.org)\n\n" + (TEXTS / "Unlicense.txt").read_text() + "*/\n"
    found = concluded_of(tmp_path, {"COPYING": MIT, "zed.h": head + choice})
    assert found["zed.h"][0] == "MIT OR Unlicense"


def test_the_last_version_under_other_terms_is_a_mention() -> None:
    assert gnu.read("make 3.81 from 2006 the last one released under gpl 2") == []

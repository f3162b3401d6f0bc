"""Licence files of directories: of which files they speak, by their names and places."""

from __future__ import annotations

from pathlib import Path

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

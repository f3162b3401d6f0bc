"""What a README or licence file says of all files of a kind: documentation, translations, examples, fonts."""

from __future__ import annotations

from pathlib import Path

import pytest
from licensing_support import BSD, MIT, TEXTS, concluded_of

TREE: dict[str, str | bytes] = {
    "LICENSE": MIT,
    "doc/guide.md": "Words.\n",
    "doc/a/b.png": b"\x89PNG\r\n\x1a\n\0\0",
    "doc/conf.py": "a = 1\n",
    "doc/CMakeLists.txt": "a()\n",
    "src/guide.md": "Words.\n",
    "zed/properties/colours_af.properties": "a=1\n",
    "zed/lang/de.json": "{}\n",
    "examples/hello.c": "int x;\n",
    "fonts/zed.woff2": b"wOF2\0\0\0\0\0\0\0\0",
}
DOCUMENTS = {"doc/guide.md", "doc/a/b.png"}
ONE_LIST = """The code for all
programs is licensed under version 2 or later of the GNU GPL, its headers, libraries, and
native language translations under the LGPLv2.1+, its documentation under version 4.0
or later of the Creative Commons Attribution-ShareAlike International Public License
(CC-BY-SA v4.0+), and its init scripts under the MIT license."""


@pytest.mark.parametrize(
    ("said", "expression", "expected"),
    [
        ("The documentation is licensed under the CC BY 4.0 license.", "CC-BY-4.0", DOCUMENTS),
        ("The source is under the MIT license. The documentation\nis under CC-BY-SA-3.0.", "CC-BY-SA-3.0", DOCUMENTS),
        ("The manual is under CC-BY-3.0, and other files are under the MIT license.", "CC-BY-3.0", DOCUMENTS),
        ("(see LICENSE). The documentation is licensed under CC-BY-4.0 (see LICENSE).", "CC-BY-4.0", DOCUMENTS),
        (
            "All Zed language files, documentation files, and installers are subject to the CC-BY-SA-4.0 license.",
            "CC-BY-SA-4.0",
            DOCUMENTS | {"zed/properties/colours_af.properties", "zed/lang/de.json"},
        ),
        (ONE_LIST, "CC-BY-SA-4.0", DOCUMENTS),
        ("The code is released under the MIT license, and the documentation under CC-BY v4.0.", "CC-BY-4.0", DOCUMENTS),
        ("The code is released under the MIT license, and documentation under doc is built.", "MIT", set(TREE)),
        ("Documentation contained in this project is licensed under the CC-BY-4.0 license.", "CC-BY-4.0", DOCUMENTS),
        ("The example code is in the public domain.", "LicenseRef-public-domain", {"examples/hello.c"}),
        ("The fonts are licensed under the OFL-1.1 license.", "OFL-1.1", {"fonts/zed.woff2"}),
        ("The documentation is available at https://zed.example.", "MIT", set(TREE)),
        ("The documentation of Zed is licensed under the CC BY 4.0 license and not here.", "MIT", set(TREE)),
    ],
)  # fmt: skip
def test_files_of_a_kind(tmp_path: Path, said: str, expression: str, expected: set[str]) -> None:
    found = concluded_of(tmp_path, {**TREE, "README": f"Zed\n\n{said}\n"})
    assert {path for path in TREE if found[path][0] == expression} == expected


def test_a_readme_among_the_documents(tmp_path: Path) -> None:
    said = "The Zed documentation is released under a [CC BY-SA 4.0 International License](https://creativecommons.org/).\n"
    found = concluded_of(tmp_path, {**TREE, "doc/README.md": said})
    assert found["doc/guide.md"] == ("CC-BY-SA-4.0", "named")


def test_a_title_that_names_a_licence_and_what_has_it(tmp_path: Path) -> None:
    text = (TEXTS / "CC-BY-4.0.txt").read_text()
    said = f"# License\n\n## The MIT License (MIT) - Code\n\n{MIT}\n\n"
    said += f"## Creative Commons Attribution International 4.0 - Images\n\n{text}"
    png = b"\x89PNG\r\n\x1a\n\0\0"
    tree: dict[str, str | bytes] = {
        "LICENSE": BSD,
        "style/LICENSE.md": said,
        "style/rc/a.png": png,
        "style/a.qss": "a {}\n",
    }
    found = concluded_of(tmp_path, {**tree, "b.png": png})
    assert found["style/rc/a.png"] == ("CC-BY-4.0", "named")
    assert (found["style/a.qss"][0], found["b.png"][0]) == ("MIT", "BSD-3-Clause")

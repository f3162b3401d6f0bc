"""What the markup of a file tells of its terms, and what a document only shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from licensing_support import BSD, MIT, concluded_of

from bazel2ninja.licensing import markup


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("red.profile.xml", '<?xml version="1.0"?>\n<profile>\n <license>CC0</license>\n</profile>\n', "CC0-1.0"),
        ("red.theme", '<?xml version="1.0"?>\n<theme>\n <license>GPLv3+</license>\n</theme>\n', "GPL-3.0-or-later"),
        ("zed.xml", '<!DOCTYPE language>\n<language name="Zed" version="1"\n license="BSD-2-Clause">', "BSD-2-Clause"),
        ("pom.xml", "<project>\n <license>Apache 2.0</license>\n</project>\n", "MIT"),
        ("zed.xml", "<a>\n <license>see below</license>\n</a>\n", "MIT"),
        ("zed.doap", '<Project>\n <license rdf:resource="http://www.gnu.org/licenses/gpl-2.0.txt" />\n', "MIT"),
    ],
)
def test_an_element_or_attribute_of_a_licence(tmp_path: Path, name: str, text: str, expected: str) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": MIT, name: text}
    assert concluded_of(tmp_path, tree)[name][0] == expected


def test_the_licence_of_a_picture_beside_the_description_of_another(tmp_path: Path) -> None:
    picture = """<svg><metadata><rdf:RDF><cc:Work rdf:about="">
<cc:license
   rdf:resource="http://creativecommons.org/licenses/by-sa/4.0/"/></cc:Work>
<cc:License
   rdf:about="http://creativecommons.org/licenses/LGPL/2.1/"></cc:License></rdf:RDF></metadata></svg>
"""
    assert concluded_of(tmp_path, {"LICENSE": MIT, "a.svg": picture})["a.svg"][0] == "CC-BY-SA-4.0"


STYLE = "Every file begins with a short notice of its license:\n\n"
GNU = "This program is licensed under the GNU General Public License version 2."
PAGE = (
    "<html><head><script>\n/* Feel free to use this script. License: GPL */\n</script></head><body>{}</body></html>\n"
)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("doc/style.rst", STYLE + f".. code-block:: c\n\n   /*\n    * {GNU}\n    */\n\nMore.\n", "MIT"),
        ("doc/style.rst", f"In each file::\n\n   # {GNU}\n", "MIT"),
        ("doc/style.rst", f"License\n=======\n\n::\n\n   {GNU}\n", "GPL-2.0-only"),
        ("doc/style.rst", f".. note:: {GNU}\n", "GPL-2.0-only"),
        ("doc/style.md", STYLE + f"```c\n// {GNU}\n```\n", "MIT"),
        ("doc/style.md", f"# License\n\n```\n{GNU}\n```\n", "GPL-2.0-only"),
        ("doc/page.html", PAGE.format("<p>Words about zed.</p>\n" * 200), "MIT"),
        ("doc/page.html", PAGE.format(f"<p>{GNU}</p>\n\n" + "<p>Words about zed.</p>\n" * 200), "GPL-2.0-only"),
    ],
)
def test_terms_that_a_document_only_shows(tmp_path: Path, name: str, text: str, expected: str) -> None:
    tree: dict[str, str | bytes] = {"LICENSE": MIT, name: text}
    assert concluded_of(tmp_path, tree)[name][0] == expected


def test_lines_keep_their_numbers() -> None:
    text = "a\n\n.. code:: c\n\n   int a;\n\n   int b;\nb\n"
    assert markup.without_shown("doc/a.rst", text) == "a\n\n.. code:: c\n\n\n\n\nb\n"
    page = "<script>\na\nb\n</script>" + "<p>Words about zed.</p>\n" * 200
    assert markup.without_shown("a.html", page).count("\n") == page.count("\n")


def test_a_string_that_a_script_prints_is_not_its_terms(tmp_path: Path) -> None:
    version = '"""zed comes with no warranty.\nIt is licensed under the GNU General Public License version 2.\n"""\n'
    tree: dict[str, str | bytes] = {
        "LICENSE": BSD,
        "a.py": f"VERSION = {version}",
        "b.py": f"print({version})",
        "c.py": version,
        "d.py": f"__license__ = {version}",
    }
    found = concluded_of(tmp_path, tree)
    assert [found[name][0] for name in ("a.py", "b.py", "c.py", "d.py")] == ["BSD-3-Clause"] * 2 + ["GPL-2.0-only"] * 2

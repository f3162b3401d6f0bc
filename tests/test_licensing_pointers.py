"""Files that a notice names in full, to be read for its terms."""

from __future__ import annotations

from pathlib import Path

import pytest
from licensing_support import BSD, MIT, concluded_of

from bazel2ninja.licensing.pointers import source_named


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ("For the license information refer to format.h.", "format.h"),
        ("For conditions of distribution and use, see\n copyright notice in zed.h", "zed.h"),
        ("See license in zed/zed.cpp", "zed/zed.cpp"),
        ("See zed.lua for full copyright notice.", "zed.lua"),
        ("For copying and distribution information, please see the file <zed-copyright.h>.", "zed-copyright.h"),
        ("See zed.c for the list of colours.", ""),
        ("The license is checked in zed.c", ""),
        ("See the license in the file LICENSE.txt", ""),
    ],
)
def test_a_source_file_to_be_read_for_the_terms(said: str, named: str) -> None:
    assert source_named(said) == named


def test_the_terms_of_the_source_file_that_a_notice_names(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "COPYING": BSD,
        "zed/format.h": "/* " + MIT + " */\nint f;\n",
        "zed/core.h": "// For the license information refer to format.h.\nint c;\n",
        "zed/other.c": "/* See copyright notice in gone.h */\nint o;\n",
        "zed/own.h": "// Licensed under the Apache License, Version 2.0.\n\n// See license in format.h\nint w;\n",
        "src/puff.cpp": "/* For conditions of distribution and use, see copyright notice in puff.h */\nint p;\n",
        "include/puff.hpp": "/* " + MIT + " */\nint p();\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["zed/core.h"] == found["src/puff.cpp"] == ("MIT", "pointer")
    assert found["zed/other.c"] == ("BSD-3-Clause", "directory")
    assert found["zed/own.h"] == ("Apache-2.0", "notice")


def test_a_licence_file_with_a_name_of_its_own(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "LICENSE": MIT,
        "data/LICENSE-ZED": BSD,
        "data/big.txt": "Generated from indexes.json; see LICENSE-ZED.\n\n1 2 3\n",
        "data/in/small.c": "/* See the file LICENSE-ZED for details. */\nint s;\n",
        "data/other.c": "/* See the file LICENSE for details. */\nint o;\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["data/big.txt"] == found["data/in/small.c"] == ("BSD-3-Clause", "pointer")


def test_what_was_made_smaller_has_the_terms_of_what_it_was_made_from(tmp_path: Path) -> None:
    tree: dict[str, str | bytes] = {
        "LICENSE": MIT,
        "js/zed.js": "/* Licensed under the Apache License, Version 2.0. */\nx()\n",
        "js/zed.min.js": "x()\n",
        "js/other.min.js": "y()\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["js/zed.min.js"] == ("Apache-2.0", "pointer")
    assert found["js/other.min.js"] == ("MIT", "directory")


def test_a_copy_of_another_project_does_not_point_out_of_itself(tmp_path: Path) -> None:
    said = "// Licensed under the Apache License, Version 2.0.\nx();\n// See LICENSE file for terms of use.\n"
    tree: dict[str, str | bytes] = {
        "LICENSE": MIT,
        "static/vendor/zed/zed.js": said,
        "static/own.js": said,
        "vendor/frog/COPYING": BSD,
        "vendor/frog/src/frog.c": "/* See the file COPYING for its license. */\nint f;\n",
    }
    found = concluded_of(tmp_path, tree)
    assert found["static/vendor/zed/zed.js"][0] == "Apache-2.0"
    assert found["static/own.js"][0] == "Apache-2.0 AND MIT"
    assert found["vendor/frog/src/frog.c"] == ("BSD-3-Clause", "pointer")

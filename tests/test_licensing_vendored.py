"""Vendored copies: manifests, tags and notices as they are written there."""

from __future__ import annotations

from pathlib import Path

import pytest
from licensing_support import TEXTS, concluded_of

APACHE = (TEXTS / "Apache-2.0.txt").read_text()


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */", "GPL-2.0-only WITH Linux-syscall-note OR MIT"),  # noqa: E501
        ("/* (SPDX-License-Identifier: Zlib) */", "Zlib"),
        ("# SPDX-License-Identifier: (MIT OR (ISC AND Zlib))", "MIT OR (ISC AND Zlib)"),
    ],
)  # fmt: skip
def test_a_tag_keeps_its_parentheses(tmp_path: Path, said: str, expected: str) -> None:
    name = "x.py" if said.startswith("#") else "x.c"
    assert concluded_of(tmp_path, {name: said + "\n"})[name] == (expected, "tag")


@pytest.mark.parametrize("said", ["(>=v2)", "(>= 2)", ">=2", "version >= 2.0"])
def test_at_least_a_version_is_or_later(tmp_path: Path, said: str) -> None:
    notice = f"/* This program is free software under the GNU General Public License {said}. */\nint x;\n"
    assert concluded_of(tmp_path, {"x.c": notice})["x.c"] == ("GPL-2.0-or-later", "notice")


def test_a_choice_at_ones_option_with_addresses(tmp_path: Path) -> None:
    notice = """// Licensed under the Apache License, Version 2.0 <LICENSE-APACHE or
// https://www.apache.org/licenses/LICENSE-2.0> or the MIT license
// <LICENSE-MIT or https://opensource.org/licenses/MIT>, at your
// option. This file may not be copied except according to those terms.
"""
    assert concluded_of(tmp_path, {"x.rs": notice})["x.rs"] == ("Apache-2.0 OR MIT", "notice")

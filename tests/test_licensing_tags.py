"""SPDX tags, in a file's own words and in those about others."""

from __future__ import annotations

from pathlib import Path

from licensing_support import BSD, TEXTS, concluded_of

from bazel2ninja.licensing import scan


def test_a_tag_that_a_document_shows_or_that_is_about_another_file() -> None:
    def tags(path: str, text: str) -> tuple[str, ...]:
        return scan.scan_bytes(path, text.encode(), "x", "y", len(text)).spdx

    tag = "SPDX-License-Identifier:"
    listed = (
        f"Words.\n\n// {tag} ISC\n\nMark files as follows:\n\n----------\n/*\n * {tag} MIT\n */\n----------\n\nWords.\n"
    )
    assert tags("a.adoc", listed) == ("ISC",)
    assert tags("a.adoc", f"Words\n-----\n\n{tag} ISC\n\nMore\n----\n") == ("ISC",)
    assert tags("a.md", f'All files have "{tag} MIT" in a head like:\n\n```c\n/*\n * {tag} MIT\n */\n```\n') == ()
    assert tags("a.rst", f"Begin a file with::\n\n    // a file\n\n    // {tag} MIT\n\nand so on.\n{tag} ISC\n") == (
        "ISC",
    )
    assert tags("a.theme", f'{{"metadata": {{\n    "license": "{tag} MIT",\n}} }}\n') == ("MIT",)
    table = f"// zed/parts:   {tag} MIT\n\n// zed/a.h       {tag} ISC\n// zed/b.h       {tag} MIT\nint a;\n"
    assert tags("zed/a.h", table) == ("ISC",)
    assert tags("run.log", f"ZED License: {tag} GPL-2.0+\nresult 1\n") == ()
    assert tags("a.c", f"/* License: {tag} MIT */\n") == ("MIT",)


def test_a_text_of_other_terms_after_the_one_of_the_tag(tmp_path: Path) -> None:
    text = (TEXTS / "ISC.txt").read_text()
    head = f"/*\n * SPDX-License-Identifier: ISC\n *\n * Copyright 2000 Ann\n *\n * {text}\n */\n\n"
    other = f"/*\n * Copyright 2001 Bob\n *\n * {BSD}\n */\nint a;\n"
    like = other.replace(BSD, (TEXTS / "BSD-2-Clause.txt").read_text())
    tree: dict[str, str | bytes] = {"a.c": head + other, "b.c": "// SPDX-License-Identifier: ISC\n" + other}
    found = concluded_of(tmp_path, {**tree, "c.c": "// SPDX-License-Identifier: BSD-3-Clause\n" + like})
    assert found["a.c"] == found["b.c"] == ("BSD-3-Clause AND ISC", "tag")
    assert found["c.c"] == ("BSD-3-Clause", "tag")

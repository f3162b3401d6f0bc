"""debian/copyright: read, compared and written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from licensing_support import audit_of, example

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.licensing import dep5, dep5_writing, globs, references
from bazel2ninja.licensing.expressions import DebianNames


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return example(tmp_path)


STANZAS = """Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: 2020 The Authors
License: Expat

Files: src/*
Copyright: 2020 The Authors
License: GPL-2+

Files: src/a.c src/p*.c src/silent.c
Copyright: 2020 The Authors
License: Expat

Files: gone/*
Copyright: nobody
License: Zlib
"""


def test_the_last_stanza_that_matches_counts(source: Path, tmp_path: Path) -> None:
    (tmp_path / "copyright").write_text(STANZAS)
    document = dep5.parse(str(tmp_path / "copyright"), DebianNames())
    assert document.stanza_of(["x", "src/b.c", "src/a.c", "src/deep/p/x.c"]) == {
        "x": 0,
        "src/b.c": 1,
        "src/a.c": 2,
        "src/deep/p/x.c": 1,
    }
    concluded = {path: c.expression for path, c in audit_of(source).concluded.files.items()}
    differences = dep5.compare(document, concluded)
    assert ("wrong", "GPL-2.0-or-later", "Apache-2.0", ("src/apache.c",)) in {
        (d.kind, d.said, d.found, d.files) for d in differences
    }
    assert [d.files for d in differences if d.kind == "unused-stanza"] == [("gone/*",)]


_NAME = st.text("ab.*?\\\\/[", min_size=1, max_size=6)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(_NAME, min_size=1, max_size=3), max_size=4), st.lists(_NAME, max_size=8))
def test_each_glob_is_tried_as_if_it_were_alone(globs: list[list[str]], paths: list[str]) -> None:
    stanzas = tuple(dep5.Stanza(tuple(each), "", "", "", "MIT") for each in globs)
    found = dep5.DebianCopyright(stanzas, {}).stanza_of(paths)
    for path in paths:
        matching = [i for i, each in enumerate(globs) if any(dep5.glob_pattern(glob).fullmatch(path) for glob in each)]
        assert found.get(path) == (matching[-1] if matching else None)


@pytest.mark.parametrize(
    ("glob", "stale"),
    [
        ("src/a.c", False),
        ("src", False),
        ("src/", False),
        ("sr", True),
        ("/", True),
        ("src/link", False),
        ("s?c/*.c", False),
        ("s?c/*.h", True),
        ("src/*/x", True),
    ],
)
def test_a_glob_is_stale_when_it_names_no_path_and_no_directory(glob: str, stale: bool) -> None:
    stanzas = (dep5.Stanza(("*",), "", "", "", "MIT"), dep5.Stanza((glob, "*"), "", "", "", "MIT"))
    differences = dep5.compare(dep5.DebianCopyright(stanzas, {}), {"src/a.c": "MIT"}, ["src/link"])
    assert [d.files for d in differences if d.kind == "stale-glob"] == ([(glob,)] if stale else [])


def test_a_copyright_file_that_is_not_machine_readable(tmp_path: Path) -> None:
    (tmp_path / "copyright").write_text("This was packaged by me.\n")
    with pytest.raises(WorkspaceError, match="not a machine-readable"):
        dep5.parse(str(tmp_path / "copyright"), DebianNames())


def test_a_field_that_python_debian_cannot_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "copyright").write_text(STANZAS + "\nLicense: Odd\n first\n\tcontinued with a tab\n")
    with pytest.raises(WorkspaceError, match="not a machine-readable"):
        dep5.parse(str(tmp_path / "copyright"), DebianNames())


@settings(max_examples=80, deadline=None)
@given(
    st.dictionaries(
        st.lists(st.sampled_from(["a", "b", "c d", "e*", "f?"]), min_size=1, max_size=4).map("/".join),
        st.sampled_from(["MIT", "ISC", "Zlib"]),
        min_size=1,
        max_size=25,
    )
)
def test_written_patterns_give_each_file_its_terms(values: dict[str, str]) -> None:
    files = {path: value for path, value in values.items() if not any(other.startswith(path + "/") for other in values)}
    chosen = globs.fewest(files)
    patterns = [(dep5.glob_pattern(pattern), value) for _, pattern, value in chosen]
    for path, value in files.items():
        if "?" in "".join(p for _, p, _ in chosen if " " in path):
            continue  # a blank can only be written as `?`, which may match a neighbour
        assert next(v for p, v in reversed(patterns) if p.fullmatch(path)) == value
    assert len(chosen) <= len(files) + 1


def test_a_written_copyright_file_covers_everything(source: Path) -> None:
    audit = audit_of(source)
    text = dep5_writing.write(audit, references.directory(), "thing")
    values = {path: c.expression for path, c in audit.concluded.files.items()}
    assert dep5_writing.covered(text, values, references.directory()) == []
    assert dep5_writing.covered(text.replace("Files: *", "Files: x"), values, references.directory()) != []
    assert "Upstream-Name: thing" in text
    assert "2020 The Authors" in text

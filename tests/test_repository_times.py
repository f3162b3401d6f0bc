"""A repository that its rule makes again: files that stay as they were keep their times, so ninja rebuilds nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from repositories_support import write_tree

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.pipeline.session import Request, Session

# makes the files that wish.txt names, one in a line: "NAME CONTENT"
RULE = """
def _impl(ctx):
    ctx.file("BUILD", "")
    for line in ctx.read(Label("//:wish.txt")).splitlines():
        name, content = line.split(" ")
        if name == "fail":
            fail("as wished")
        ctx.file(name, content, executable = content == "program")
    ctx.symlink("kept.h", "link.h")

lib = repository_rule(implementation = _impl)
"""
WISH = "kept.h kept\ndeep/changed.h one\ndeep/gone.h gone\ndeep/kept.h kept\ntool program\n"
LONG_AGO = 10**18


def make(place: Path, wish: str) -> Path:
    workspace = 'load("//:lib.bzl", "lib")\nlib(name = "lib")\n'
    write_tree(place / "src", {"WORKSPACE": workspace, "BUILD": "", "lib.bzl": RULE, "wish.txt": wish})
    words = ("--allow-unsandboxed",)
    request = Request(source=str(place / "src"), output_root=str(place / "out"), words=words)
    return Path(Session(request).workspace.repository("lib").directory)


def age(repository: Path) -> None:
    for path in repository.rglob("*"):
        if path.is_file():
            os.utime(path, ns=(LONG_AGO, LONG_AGO))


def old(repository: Path) -> set[str]:
    """The files that kept their times."""
    files = [path for path in repository.rglob("*") if path.is_file() and not path.is_symlink()]
    return {str(path.relative_to(repository)) for path in files if path.stat().st_mtime_ns == LONG_AGO}


def test_files_that_stay_keep_their_times(tmp_path: Path) -> None:
    made = make(tmp_path, WISH)
    age(made)
    wish = WISH.replace("one", "two").replace("deep/gone.h", "deep/new.h")
    assert make(tmp_path, wish) == made
    assert not (made / "deep/gone.h").exists()
    assert (made / "deep/changed.h").read_text() == "two"
    assert old(made) == {"BUILD", "kept.h", "deep/kept.h", "tool"}


def test_what_was_a_file_and_is_a_directory(tmp_path: Path) -> None:
    made = make(tmp_path, WISH)
    age(made)
    make(tmp_path, WISH.replace("tool program", "tool/deep program").replace("deep/kept.h", "other"))
    assert old(made) == {"BUILD", "kept.h", "deep/changed.h", "deep/gone.h"}


def test_a_program_that_is_none_any_more(tmp_path: Path) -> None:
    made = make(tmp_path, WISH)
    (made / "tool").chmod(0o644)
    age(made)
    make(tmp_path, WISH + "more x\n")
    assert "tool" not in old(made) and "kept.h" in old(made)
    assert os.access(made / "tool", os.X_OK)


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    made = make(tmp_path, WISH)
    before = sorted(path.name for path in made.parent.parent.iterdir())
    with pytest.raises(WorkspaceError, match="as wished"):
        make(tmp_path, WISH + "fail now\n")
    assert not made.exists()
    make(tmp_path, WISH + "more x\n")
    assert (make(tmp_path, WISH + "more y\n") / "more").read_text() == "y"
    assert sorted(path.name for path in made.parent.parent.iterdir()) == before

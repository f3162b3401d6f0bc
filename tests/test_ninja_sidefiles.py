"""Files beside the manifest: written when they change, removed when nothing needs them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bazel2ninja.diagnostics import InternalError, WorkspaceError
from bazel2ninja.ninja.sidefiles import SideFiles, write_atomically


def test_only_what_changed_is_written(tmp_path: Path) -> None:
    files = SideFiles()
    path = tmp_path / files.add("write", "a/b", "text \udcff")
    assert files.write(str(tmp_path)) == 1
    assert path.read_bytes() == b"text \xff"
    os.utime(path, ns=(1, 1))
    assert files.write(str(tmp_path)) == 0
    assert path.stat().st_mtime_ns == 1
    changed = SideFiles()
    changed.add("write", "a/b", "other")
    assert changed.write(str(tmp_path)) == 1
    assert path.read_text() == "other"


def test_what_is_no_longer_needed_gives_way(tmp_path: Path) -> None:
    first, second = SideFiles(), SideFiles()
    first.add("write", "a", "a file")
    first.add("params", "x/y", "")
    first.write(str(tmp_path))
    path = second.add("write", "a/b", "in a directory")
    second.write(str(tmp_path))
    assert (tmp_path / path).read_text() == "in a directory"
    assert sorted(os.listdir(tmp_path / ".bazel2ninja")) == ["write"]


def test_one_name_has_one_content(tmp_path: Path) -> None:
    files = SideFiles()
    assert files.add("", "run.sh", "x") == files.add("", "run.sh", "x") == ".bazel2ninja/run.sh"
    with pytest.raises(InternalError):
        files.add("", "run.sh", "y")


def test_a_disk_that_refuses_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(WorkspaceError, match="cannot write the file"):
        write_atomically(str(tmp_path / "file/x"), b"")
    assert os.listdir(tmp_path) == ["file"]

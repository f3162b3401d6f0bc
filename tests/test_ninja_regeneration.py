"""The edge that makes the manifest again: when it runs, and when it then has something to do."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from ninja_workspace import Workspace

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.filesystem import Disk
from bazel2ninja.ninja import regeneration
from bazel2ninja.ninja.manifest import Regeneration

# what the command line's subcommand does, in short: compare, and write the manifest only if something has changed
SCRIPT = """
import os, pathlib, sys
sys.path.insert(0, sys.argv[1])
from bazel2ninja.ninja import regeneration
with open(".bazel2ninja/runs", "a") as log: log.write("run\\n")
state = regeneration.load(".")
changes = state.changes(".")
if changes:
    with open(".bazel2ninja/runs", "a") as log: log.write(f"changed {changes}\\n")
    path = pathlib.Path("build.ninja")
    path.write_text(path.read_text() + "# again\\n")
    state = regeneration.record(".", {p: k for p, k in READS.items()}, state.command, state.environment)
    regeneration.save(".", state)
regeneration.write_depfile(".", "build.ninja", state)
"""


def prepare(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace.file("a/BUILD", "x")
    workspace.file("a/with blank", "x")
    workspace.file("a/it's", "x")
    monkeypatch.chdir(workspace.output)
    disk = Disk()
    for name in ("a/BUILD", "a/with blank", "a/it's"):
        disk.read(f"../src/{name}")
    disk.entries("../src/a")
    disk.is_file("../src/b/c/BUILD")
    disk.entries(".")
    script = workspace.output.parent / "again.py"
    script.write_text(f"READS = {disk.reads!r}\n" + SCRIPT)
    written = workspace.write("//a:w", "a/w", "text")
    again = Regeneration(
        command=(sys.executable, "-B", "../again.py", str(Path(__file__).resolve().parent.parent)),
        depfile=regeneration.DEPFILE,
    )
    workspace.manifest([written], regeneration=again)
    state = regeneration.record(".", disk.reads, ("generate", "../src"), {"CC": None, "CFLAGS": "-O2"})
    regeneration.save(".", state)
    regeneration.write_depfile(".", "build.ninja", state)


def runs(workspace: Workspace) -> list[str]:
    path = workspace.output / ".bazel2ninja/runs"
    found = path.read_text().splitlines() if path.exists() else []
    path.unlink(missing_ok=True)
    return found


def test_it_runs_when_something_it_read_has_changed(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(workspace, monkeypatch)
    workspace.ninja()
    workspace.ninja()  # the first build made bazel-out in a directory that was listed
    runs(workspace)
    assert "no work to do" in workspace.ninja()
    assert runs(workspace) == []
    changes = {
        "../src/a/BUILD": lambda: workspace.file("a/BUILD", "yy"),
        "../src/a/with blank": lambda: workspace.file("a/with blank", "yy"),
        "../src/a": lambda: workspace.file("a/new", ""),
        "../src/b/c/BUILD": lambda: workspace.file("b/c/BUILD", ""),
    }
    for name, change in changes.items():
        change()
        workspace.ninja()
        assert runs(workspace) == ["run", f"changed ['{name}']"]
        assert "no work to do" in workspace.ninja()
        assert runs(workspace) == []


def test_a_file_that_was_only_touched_leaves_the_manifest_alone(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(workspace, monkeypatch)
    workspace.ninja()
    runs(workspace)
    before = (workspace.output / "build.ninja").stat().st_mtime_ns
    os.utime(workspace.source / "a/BUILD")
    workspace.ninja()
    assert runs(workspace) == ["run"]
    assert (workspace.output / "build.ninja").stat().st_mtime_ns == before
    assert "no work to do" in workspace.ninja()
    assert runs(workspace) == []


def test_the_record_says_what_was_asked(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    prepare(workspace, monkeypatch)
    state = regeneration.load(str(workspace.output))
    assert state.command == ("generate", "../src")
    assert state.environment == {"CC": None, "CFLAGS": "-O2"}
    assert state.directory == "."
    assert list(state.files) == ["../src/a/BUILD", "../src/a/it's", "../src/a/with blank"]
    assert state.absent == ("../src/b/c/BUILD",)
    assert state.changes(str(workspace.output)) == []
    (workspace.source / "a/BUILD").unlink()
    assert state.changes(str(workspace.output)) == ["../src/a", "../src/a/BUILD"]
    (workspace.output / regeneration.DEPFILE).unlink()
    assert regeneration.DEPFILE in state.changes(str(workspace.output))


def test_a_damaged_record_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="cannot tell how the manifest was made"):
        regeneration.load(str(tmp_path))
    (tmp_path / ".bazel2ninja").mkdir()
    (tmp_path / regeneration.STATE).write_text('{"version": 1}')
    with pytest.raises(WorkspaceError, match="cannot tell how the manifest was made"):
        regeneration.load(str(tmp_path))


def test_paths_are_kept_relative_to_the_output_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "build").mkdir()
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path)
    root = os.path.realpath("build")
    assert regeneration.relative("src/a/BUILD", root) == "../src/a/BUILD"
    assert regeneration.relative(str(tmp_path / "build/x"), root) == "x"
    assert regeneration.relative("/usr/include/x.h", root) == "/usr/include/x.h"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "# first\nx = 1  # why\n\n\n# more\ny = 'a # b'\n",
        "x = 1\n  # \"quoted\ny = 'a # b'  # it's",
        "x = 1\ny = 'a # b'\n\n",
    ],
)
def test_comments_and_empty_lines_are_no_statements(text: str) -> None:
    plain = regeneration.statements(b"x = 1\ny = 'a # b'\n")
    assert regeneration.statements(text.encode()).rstrip() == plain.rstrip()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = 'a # b'\n", "x = 'a # c'\n"),
        ('x = """\n# a\n"""\n', 'x = """\n# b\n"""\n'),
        ('x = """\n\n"""\n', 'x = """\n"""\n'),
        ("x = '\\'# a'\n", "x = '\\'# b'\n"),
        ("x = r'\\'# a'\n", "x = r'\\'# b'\n"),
        ("x = 1 + \\\n\n", "x = 1 + \\\n"),
        ("x = 1 + \\ # a\n2\n", "x = 1 + \\\n2\n"),
        ("# a\rx = 1\n", "# a\rx = 2\n"),
        ("if x:\n    y()\n", "if x:\n  y()\n"),
        ("x = 1 # a\ny = 2\n", "x = 1 y = 2\n"),
    ],
)
def test_what_may_mean_something_else_differs(one: str, other: str) -> None:
    assert regeneration.statements(one.encode()) != regeneration.statements(other.encode())


def test_a_comment_in_a_program_changes_nothing_but_one_in_data_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("BUILD", "both.bzl", "list.txt"):
        Path(name).write_text("x = 1\n")
    disk = Disk()
    disk.read_program("BUILD")
    disk.read("list.txt")
    disk.read("both.bzl")
    disk.read_program("both.bzl")
    Path(".bazel2ninja").mkdir()
    state = regeneration.record(".", disk.reads, (), {})
    regeneration.write_depfile(".", "build.ninja", state)
    for name in ("BUILD", "both.bzl", "list.txt"):
        Path(name).write_text("# a comment\nx = 1\n")
    assert state.changes(".") == ["both.bzl", "list.txt"]
    Path("BUILD").write_text("# a comment\nx = 2\n")
    assert state.changes(".") == ["BUILD", "both.bzl", "list.txt"]

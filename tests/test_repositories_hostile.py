"""Nothing that a repository rule, an archive or a patch does may end outside of the repository's directory."""

from __future__ import annotations

import os
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest
from repositories_support import failure, made, make_tar, open_workspace, rule_workspace, tar_link, write_tree

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.repositories.archive import ArchiveError, unpack


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    """A file beside the repositories that must survive."""
    path = tmp_path / "precious.txt"
    path.write_text("precious")
    return path


@pytest.mark.parametrize(
    "statement",
    [
        'ctx.file("../x", "evil")',
        'ctx.file("a/../../x", "evil")',
        'ctx.file("{precious}", "evil")',
        'ctx.template("../x", Label("//:BUILD"))',
        'ctx.symlink("BUILD", "../x")',
        'ctx.symlink("/usr", "{precious}.link")',
        'ctx.delete("../../../precious.txt")',
        'ctx.delete("{precious}")',
        'ctx.delete(".")',
        'ctx.rename("../../../precious.txt", "mine")',
        'ctx.file("mine")\nctx.rename("mine", "../x")',
        'ctx.symlink("{outside}", "out")\nctx.file("out/precious.txt", "evil")',
        'ctx.symlink("{outside}", "out")\nctx.delete("out/precious.txt")',
        'ctx.symlink("{outside}", "out")\nctx.symlink("/usr", "out/x")',
        'ctx.extract("{archive}", "..")',
        'ctx.extract("{archive}", "{outside}")',
        'ctx.symlink("{outside}", "out")\nctx.extract("{archive}", "out")',
        'ctx.symlink("{outside}", "")\nctx.file("precious.txt", "evil")',
        'ctx.symlink("{outside}", "")\nctx.extract("{archive}")',
        'ctx.symlink("{outside}", "")\nctx.delete("precious.txt")',
        'ctx.download("http://x/fine.tar.gz", "../x")',
        'ctx.download_and_extract("http://x/fine.tar.gz", "../x")',
        (
            'ctx.file("p", "--- a/../../../precious.txt\\n+++ b/../../../precious.txt\\n"\n'
            '+ "@@ -1 +1 @@\\n-precious\\n+x\\n")\n'
            'ctx.patch("p", 1)'
        ),
        'ctx.file("p", "--- {precious}\\n+++ {precious}\\n@@ -1 +1 @@\\n-precious\\n+x\\n")\nctx.patch("p")',
        (
            'ctx.symlink("{outside}", "out")\nctx.file("p", "--- out/precious.txt\\n+++ out/precious.txt\\n'
            '@@ -1 +1 @@\\n-precious\\n\\\\ No newline at end of file\\n+x\\n")\nctx.patch("p")'
        ),
        'ctx.file("p", "--- /dev/null\\n+++ ../../../new.txt\\n@@ -0,0 +1 @@\\n+x\\n")\nctx.patch("p")',
    ],
)
def test_escapes_are_refused(tmp_path: Path, precious: Path, statement: str) -> None:
    archive = make_tar(tmp_path / "fine.tar.gz", [("precious.txt", "evil")])
    body = statement.replace("{precious}", str(precious)).replace("{outside}", str(tmp_path))
    workspace = rule_workspace(tmp_path, body.replace("{archive}", str(archive)), vendor=[str(tmp_path)])
    before = sorted(os.listdir(tmp_path))
    with pytest.raises(WorkspaceError):
        workspace.repository("r")
    assert precious.read_text() == "precious"
    assert sorted({*os.listdir(tmp_path)} - {"side"}) == [name for name in before if name != "side"]
    assert not (tmp_path / "side/external/x").exists()
    assert not (tmp_path / "side/external/r").exists()


def test_a_link_to_a_file_is_replaced_not_written_through(tmp_path: Path, precious: Path) -> None:
    directory = made(tmp_path, f'ctx.symlink("{precious}", "x")\nctx.file("x", "mine")')
    assert (directory / "x").read_text() == "mine"
    assert precious.read_text() == "precious"


def test_a_patch_replaces_a_link(tmp_path: Path, precious: Path) -> None:
    body = f"""
ctx.symlink("{precious}", "x")
ctx.file("p", "--- x\\n+++ x\\n@@ -1 +1 @@\\n-precious\\n\\\\ No newline at end of file\\n+mine\\n")
ctx.patch("p")
"""
    assert (made(tmp_path, body) / "x").read_text() == "mine\n"
    assert precious.read_text() == "precious"


def test_deleting_a_link_leaves_what_it_leads_to(tmp_path: Path, precious: Path) -> None:
    write_tree(tmp_path / "kept", {"a": "1"})
    made(tmp_path, f'ctx.symlink("{tmp_path}/kept", "x")\nctx.delete("x")')
    assert (tmp_path / "kept/a").read_text() == "1"


def test_a_repository_that_became_a_link_is_removed_as_a_link(tmp_path: Path) -> None:
    files = {"WORKSPACE": 'local_repository(name = "r", path = "../kept")'}
    write_tree(tmp_path / "kept", {"a": "1"})
    open_workspace(tmp_path, files).repository("r")
    made(tmp_path, 'ctx.file("BUILD")')
    assert (tmp_path / "kept/a").read_text() == "1"


@pytest.mark.parametrize(
    "members",
    [
        [("../evil", "x")],
        [("a/../../evil", "x")],
        [("/evil", "x")],
        [tar_link("l", "/etc/passwd")],
        [tar_link("l", "../../x")],
        [tar_link("d/l", "../../evil")],
        [tar_link("d", ".."), ("d/evil", "x")],
        [tar_link("a", "b"), tar_link("b", "../.."), ("a/evil", "x")],
        [tar_link("h", "../precious.txt", tarfile.LNKTYPE)],
        [tar_link("h", "/etc/passwd", tarfile.LNKTYPE)],
        [tar_link("fifo", "", tarfile.FIFOTYPE)],
        [tar_link("device", "", tarfile.CHRTYPE)],
    ],
)
def test_hostile_archives(tmp_path: Path, precious: Path, members: list[object]) -> None:
    archive = make_tar(tmp_path / "evil.tar.gz", members)  # type: ignore[arg-type]
    target = tmp_path / "deep/target"
    target.mkdir(parents=True)
    with pytest.raises(ArchiveError):
        unpack(str(archive), str(target))
    assert sorted(os.listdir(tmp_path)) == ["deep", "evil.tar.gz", "precious.txt"]
    assert os.listdir(tmp_path / "deep") == ["target"]
    assert precious.read_text() == "precious"


def test_a_link_in_a_zip(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    info = zipfile.ZipInfo("link")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(info, "../../etc/passwd")
    (tmp_path / "t").mkdir()
    with pytest.raises(ArchiveError, match="symbolic link out of the directory"):
        unpack(str(path), str(tmp_path / "t"))


def test_a_link_that_stands_in_the_way_is_not_written_through(tmp_path: Path, precious: Path) -> None:
    target = tmp_path / "t"
    target.mkdir()
    (target / "f").symlink_to(precious)
    unpack(str(make_tar(tmp_path / "x.tar.gz", [("f", "new")])), str(target))
    assert precious.read_text() == "precious" and (target / "f").read_text() == "new"


def test_renamed_members_are_checked_too(tmp_path: Path) -> None:
    archive = make_tar(tmp_path / "x.tar.gz", [("f", "new")])
    (tmp_path / "t").mkdir()
    with pytest.raises(ArchiveError, match=r"leaves the directory with '\.\.'"):
        unpack(str(archive), str(tmp_path / "t"), rename={"f": "../f"})


@pytest.mark.parametrize("name", ["..", "a/b", "/etc", "", "a\\b", "."])
def test_repository_names_are_no_paths(tmp_path: Path, name: str) -> None:
    text = f'local_repository(name = {name!r}, path = ".")'
    with pytest.raises(WorkspaceError, match="invalid repository name"):
        open_workspace(tmp_path, {"WORKSPACE": text}).mapping  # noqa: B018


def test_a_prefix_cannot_climb_out_of_a_vendored_tree(tmp_path: Path, precious: Path) -> None:
    write_tree(tmp_path / "vendor/r", {"a": ""})
    body = 'ctx.download_and_extract("http://x/y.zip", stripPrefix = "../..")'
    workspace = rule_workspace(tmp_path, body, 'urls = ["x"]', vendor=[str(tmp_path / "vendor")])
    assert "leads out of the vendored directory" in failure(workspace)


def test_a_label_cannot_climb(tmp_path: Path) -> None:
    workspace = rule_workspace(tmp_path, 'print(ctx.read(Label("//:../precious.txt")))')
    assert "up-level references" in failure(workspace)

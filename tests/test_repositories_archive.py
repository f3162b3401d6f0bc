"""Archives and patches that are well-meant."""

from __future__ import annotations

import os
import tarfile
import zipfile
from pathlib import Path

import pytest
from repositories_support import make_tar, tar_link

from bazel2ninja.repositories.archive import ArchiveError, unpack
from bazel2ninja.repositories.patch import PatchError, apply_patch


def unpacked(tmp_path: Path, archive: Path, **options: object) -> list[str]:
    target = tmp_path / "target"
    target.mkdir()
    unpack(str(archive), str(target), **options)  # type: ignore[arg-type]
    return sorted(str(path.relative_to(target)) for path in target.rglob("*") if not path.is_dir())


def test_tar_with_a_prefix_links_and_modes(tmp_path: Path) -> None:
    script = tarfile.TarInfo("p-1/run")
    script.mode = 0o755
    members = [
        ("p-1/a/x.h", "x"),
        script,
        tar_link("p-1/link", "a/x.h"),
        tar_link("p-1/hard", "p-1/a/x.h", tarfile.LNKTYPE),
        ("other", "o"),
    ]
    assert unpacked(tmp_path, make_tar(tmp_path / "p.tgz", members), strip_prefix="p-1") == [
        "a/x.h",
        "hard",
        "link",
        "run",
    ]
    assert os.access(tmp_path / "target/run", os.X_OK)
    assert (tmp_path / "target/link").read_text() == "x" and (tmp_path / "target/hard").read_text() == "x"


def test_zip_and_type_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "download"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("d/", "")
        archive.writestr("d/f", "x")
    assert unpacked(tmp_path, path, type="zip") == ["d/f"]


def test_ar(tmp_path: Path) -> None:
    header = b"data.txt/".ljust(16) + b"0".ljust(12) + b"0".ljust(6) + b"0".ljust(6) + b"644".ljust(8) + b"3".ljust(10)
    (tmp_path / "x.deb").write_bytes(b"!<arch>\n" + header + b"`\n" + b"abc\n")
    assert unpacked(tmp_path, tmp_path / "x.deb") == ["data.txt"]


def test_rename(tmp_path: Path) -> None:
    archive = make_tar(tmp_path / "x.tar.gz", [("a/b", "1")])
    assert unpacked(tmp_path, archive, rename={"a/b": "c/d"}) == ["c/d"]


@pytest.mark.parametrize(("name", "content"), [("x.tar.gz", b"no archive"), ("x.zip", b"PK"), ("x.ar", b"no")])
def test_broken_archives(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ArchiveError, match="cannot unpack the archive"):
        unpacked(tmp_path, tmp_path / name)


def test_unknown_type(tmp_path: Path) -> None:
    (tmp_path / "x.rar").write_bytes(b"")
    with pytest.raises(ArchiveError, match=r"unsupported type: 'x\.rar'"):
        unpacked(tmp_path, tmp_path / "x.rar")


class Tree:
    def __init__(self, **files: str):
        self.files = {name.replace("__", "/").replace("_DOT_", "."): text.encode() for name, text in files.items()}
        self.executable: dict[str, bool | None] = {}

    def content(self, path: str) -> bytes | None:
        return self.files.get(path)

    def replace(self, path: str, content: bytes, executable: bool | None) -> None:
        self.files[path] = content
        self.executable[path] = executable

    def remove(self, path: str) -> None:
        del self.files[path]


def patched(patch: str, strip: int = 0, **files: str) -> dict[str, bytes]:
    tree = Tree(**files)
    apply_patch(patch.encode(), "x.patch", tree, strip)
    return tree.files


LINES = "".join(f"{n}\n" for n in range(1, 21))


def test_several_hunks_that_have_moved() -> None:
    patch = "--- f\n+++ f\n@@ -2,2 +2,3 @@\n 2\n+new\n 3\n@@ -15,2 +16,1 @@\n-15\n 16\n"
    wanted = LINES.replace("2\n3\n", "2\nnew\n3\n", 1).replace("15\n", "")
    assert patched(patch, f=LINES)["f"].decode() == wanted
    assert patched(patch, f="0\n0\n0\n" + LINES)["f"].decode() == "0\n0\n0\n" + wanted


def test_creation_and_deletion() -> None:
    patch = "--- /dev/null\n+++ b/new\n@@ -0,0 +1,2 @@\n+a\n+b\n--- a/old\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    assert patched(patch, 1, old="x\n") == {"new": b"a\nb\n"}


def test_git_renames_and_modes() -> None:
    tree = Tree(old="x\n", run="r\n", copied="c\n")
    patch = (
        "diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n"
        "diff --git a/run b/run\nold mode 100644\nnew mode 100755\n"
        "diff --git a/copied b/twice\ncopy from copied\ncopy to twice\n"
        "diff --git a/empty b/empty\nnew file mode 100644\nindex 000..e69\n"
    )
    apply_patch(patch.encode(), "x.patch", tree, 1)
    assert tree.files == {"new": b"x\n", "run": b"r\n", "copied": b"c\n", "twice": b"c\n", "empty": b""}
    assert tree.executable["run"] is True


def test_text_around_the_patch_and_timestamps() -> None:
    header = "From: someone\nSubject: fix\n---\n f | 2 +-\n\n"
    patch = header + "--- a/f\t2020-01-01\n+++ b/f\t2020-01-02\n@@ -1 +1 @@ def\n-1\n+2\n-- \n2.30\n"
    assert patched(patch, 1, f="1\n") == {"f": b"2\n"}


def test_no_newline_at_the_end() -> None:
    patch = "--- f\n+++ f\n@@ -1 +1 @@\n-1\n\\ No newline at end of file\n+2\n\\ No newline at end of file\n"
    assert patched(patch, f="1") == {"f": b"2"}


def test_carriage_returns_are_kept() -> None:
    assert patched("--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n", f="a\r\nb\r\n") == {"f": b"a\r\nc\r\n"}


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        ("--- f\n+++ f\n@@ -1 +1 @@\n-other\n+2\n", "does not apply to 'f'"),
        ("--- g\n+++ g\n@@ -1 +1 @@\n-1\n+2\n", "no file 'g' to patch"),
        ("--- /dev/null\n+++ f\n@@ -0,0 +1 @@\n+2\n", "the file 'f' that the patch would add exists"),
        ("--- f\n+++ f\n@@ -1,3 +1,3 @@\n 1\n", "ends in the middle of a hunk"),
        ("--- f\n+++ f\n@@ nonsense @@\n", "malformed header"),
        ("--- f\n+++ f\n@@ -1 +1 @@\n*1\n", "starts with none of"),
        ("diff --git a/f b/f\nGIT binary patch\n", "binary patch is not supported"),
        ("--- f\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n", "which holds more"),
    ],
)
def test_patches_that_do_not_apply(patch: str, message: str) -> None:
    with pytest.raises(PatchError) as caught:
        patched(patch, f="1\n2\n")
    assert message in caught.value.diagnostic.message
    assert caught.value.diagnostic.location is not None and caught.value.diagnostic.location.path == "x.patch"


def test_strip_too_much() -> None:
    with pytest.raises(PatchError, match="cannot strip 3 leading parts"):
        patched("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-1\n+2\n", 3, f="1\n")

"""tools/sources where it stands in for dpkg-source and where it shields the system's apt; no network."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from types import ModuleType

import pytest

TOOL = Path(__file__).resolve().parent.parent / "tools/sources"


@pytest.fixture(scope="module")
def sources() -> ModuleType:
    loader = importlib.machinery.SourceFileLoader("tools_sources", str(TOOL))
    specification = importlib.util.spec_from_loader(loader.name, loader)
    assert specification is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[loader.name] = module
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = before
    return module


def tarball(path: Path, files: dict[str, str], scratch: Path) -> None:
    """A tarball of some text files."""
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            file = scratch / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            archive.add(file, arcname=name)


PATCH = """\
Description: say it otherwise
--- a/README
+++ b/README
@@ -1 +1 @@
-hello
+good day
"""


def package(sources: ModuleType, folder: Path, patch: str = PATCH) -> list[object]:
    downloads = folder / "downloads"
    downloads.mkdir()
    scratch = folder / "scratch"
    upstream = {"thing-1/README": "hello\n", "thing-1/debian/rules": "upstream's own\n"}
    tarball(downloads / "thing_1.orig.tar.gz", upstream, scratch)
    tarball(downloads / "thing_1.orig-extra.tar.gz", {"extra-7/data": "more\n"}, scratch)
    packaging = {
        "debian/control": "Source: thing\n",
        "debian/patches/p.patch": patch,
        "debian/patches/series": "p.patch\n",
    }
    tarball(downloads / "thing_1-1.debian.tar.gz", packaging, scratch)
    return [sources.File(path.name, "") for path in sorted(downloads.iterdir())]


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs patch(1)")
def test_tarballs_become_a_patched_tree(sources: ModuleType, tmp_path: Path) -> None:
    files = package(sources, tmp_path)
    tree = tmp_path / "tree"
    sources.unpack_tarballs(tmp_path / "downloads", files, tree)
    assert (tree / "README").read_text() == "good day\n"
    assert (tree / "extra/data").read_text() == "more\n"
    assert not (tree / "debian/rules").exists(), "the packaging replaces upstream's debian/"
    assert sources.prepare(tree) == ()


@pytest.mark.skipif(shutil.which("patch") is None, reason="needs patch(1)")
def test_patch_that_does_not_apply_is_an_error(sources: ModuleType, tmp_path: Path) -> None:
    files = package(sources, tmp_path, PATCH.replace("-hello", "-farewell"))
    with pytest.raises(sources.SourceError, match="patch"):
        sources.unpack_tarballs(tmp_path / "downloads", files, tmp_path / "tree")


@pytest.mark.skipif(shutil.which("apt-config") is None, reason="needs apt")
def test_private_apt_shields_the_system(sources: ModuleType, tmp_path: Path) -> None:
    environment = sources.private_apt(tmp_path / "apt", "bookworm", "https://mirror.invalid/debian")
    settings = subprocess.run(
        ["apt-config", "dump"], env={"PATH": "/usr/bin:/bin", **environment}, capture_output=True, text=True, check=True
    ).stdout
    assert f'Dir::Etc::sourcelist "{tmp_path}/apt/sources.list";' in settings
    assert f'Dir::State::lists "{tmp_path}/apt/lists";' in settings
    assert "Post-Invoke" not in settings
    assert (tmp_path / "apt/sources.list").read_text() == "deb-src https://mirror.invalid/debian bookworm main\n"


def test_link_leaves_a_folder_alone(sources: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "thing-1").mkdir()
    (tmp_path / "thing-2").mkdir()
    sources.link(tmp_path / "thing", tmp_path / "thing-1")
    sources.link(tmp_path / "thing", tmp_path / "thing-2")
    assert (tmp_path / "thing").readlink() == Path("thing-2")
    with pytest.raises(sources.SourceError, match="no symbolic link"):
        sources.link(tmp_path / "thing-1", tmp_path / "thing-2")

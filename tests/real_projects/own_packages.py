"""This repository's own packages, built and installed in a chroot, and what is asked of packages in one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import debian_chroot
from archive import ROOT

TOOLS = [
    "build-essential", "debhelper", "dh-python", "fakeroot", "lintian", "ninja-build", "pkg-config",
    "pybuild-plugin-pyproject", "python3-all-dev", "python3-debian", "python3-hypothesis", "python3-license-expression",
    "python3-markdown", "python3-networkx", "python3-pyparsing", "python3-pytest", "python3-setuptools",
]  # fmt: skip


def run(root: Path, *words: str, at: str, **environment: str) -> str:
    """The output of a command in the chroot; it must not fail."""
    done = debian_chroot.run(root, {}, words, at, **environment)
    assert done.returncode == 0, f"{' '.join(words)[:500]}\n{done.stdout[-5000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def install(root: Path, place: str) -> None:
    """Builds the packages in the directory `place` of the chroot, without their tests, and installs them."""
    tree = root / place / "bazel2ninja"
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, path, follow_symlinks=False)
    # the tests have been passed already where this runs
    run(root, "dpkg-buildpackage", "-us", "-uc", at=f"/{place}/bazel2ninja", DEB_BUILD_OPTIONS="nocheck")
    run(root, "sh", "-c", "dpkg -i *.deb", at=f"/{place}")


def complaints(root: Path, changes: str) -> list[str]:
    """What lintian calls an error or a warning in the packages of a .changes file."""
    text = run(root, "sh", "-c", f"lintian --allow-root --fail-on none -EvI {changes}", at="/")
    return [line for line in text.splitlines() if line.startswith(("E:", "W:"))]

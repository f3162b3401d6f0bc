"""abseil's graph, written on this machine for arm64, beside the one that an arm64 Debian writes for itself.

That one is a tree of bookworm's packages, whose programs qemu-user runs.  It stays beside the source packages.
"""

from __future__ import annotations

import difflib
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import debian_chroot
import foreign
import pytest
from archive import ROOT, Project, directory, fetch

pytestmark = [pytest.mark.real_project, pytest.mark.minutes(8)]

PROJECT = Project(
    name="abseil",
    source="abseil",
    suite="bookworm",
    externals={"com_google_googletest": "googletest", "com_github_google_benchmark": "benchmark"},
)
# The programs, which have other names where they are a machine's own.
_PROGRAMS = re.compile(r"^(cc|cxx|link|ar|\w+_for_build) =.*\n", re.MULTILINE)
_PYTHON = re.compile(r"env PYTHONPATH=\S+ \S+")


@pytest.mark.skipif(platform.machine() != "x86_64", reason="NOT TESTED: a cross graph, since this machine is no amd64")
def test_the_graph_is_that_of_an_arm64_machine(tmp_path: Path) -> None:
    reason = debian_chroot.missing() or foreign.missing()
    if reason:
        pytest.skip(f"NOT TESTED: no graph of an arm64 Debian: {reason}")
    place = directory() / "chroots/bookworm-unpacked-arm64"
    place.parent.mkdir(parents=True, exist_ok=True)
    root = foreign.unpacked("bookworm", "arm64", [*foreign.BASE, "g++", "python3", "pkg-config"], place)
    tree = fetch(PROJECT).resolve()
    sources = {name: (directory() / package).resolve() for name, package in PROJECT.externals.items()}
    (root / "build").mkdir(exist_ok=True)

    words = ["-m", "bazel2ninja", "generate", "--memory=none", "-o", "build.ninja"]
    there = [f"--override_repository={name}=/{name}" for name in sources]
    binds = {ROOT: "bazel2ninja", tree: "source", **{path: name for name, path in sources.items()}}
    done = foreign.run(
        root, binds, ["python3", *words, *there, "/source"], "/build", PYTHONPATH="/bazel2ninja", DEB_HOST_ARCH="arm64"
    )
    assert done.returncode == 0, done.stderr[-3000:]
    native = (root / "build/build.ninja").read_text()

    # beside the build, as there: paths are parts of names in the manifest
    shutil.copytree(tree, tmp_path / "source", symlinks=True)
    (tmp_path / "build").mkdir()
    here = [f"--override_repository={name}={path}" for name, path in sources.items()]
    environment = {key: text for key, text in os.environ.items() if key not in ("CC", "CXX", "AR", "DEB_BUILD_ARCH")}
    subprocess.run(
        [sys.executable, *words, *here, "../source"],
        cwd=tmp_path / "build",
        env={**environment, "PYTHONPATH": str(ROOT), "DEB_HOST_ARCH": "arm64"},
        check=True,
    )
    cross = (tmp_path / "build/build.ninja").read_text()
    assert "cxx = aarch64-linux-gnu-g++\n" in cross and "cxx = g++\n" in native
    assert native.count("\nbuild ") > 1000
    one, two = (_PYTHON.sub("python3", _PROGRAMS.sub("", text)).splitlines() for text in (native, cross))
    assert list(difflib.unified_diff(one, two, lineterm="", n=0)) == []

"""Graphs for other architectures than amd64, with the libraries that Debian sid has for them.

The packages are unpacked, and everything that is looked up (dpkg's list, .pc files, headers, libraries) is looked up
among their files.  The trees stay beside the source packages.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import debian_chroot
import foreign
import pytest
from archive import ROOT, Project, directory, fetch

from bazel2ninja.filesystem import Disk
from bazel2ninja.system_libraries.library import SystemLibraryTable
from bazel2ninja.system_libraries.machine import Installed, Machine, Purpose

pytestmark = [pytest.mark.real_project, pytest.mark.minutes(0.4)]  # each of 24, which share what is fetched

PACKAGES = [
    "flatbuffers-compiler", "libabsl-dev", "libbenchmark-dev", "libcpuinfo-dev", "libeigen3-dev", "libfarmhash-dev",
    "libfft2d-dev", "libflatbuffers-dev", "libfp16-dev", "libgemmlowp-dev", "libgmock-dev", "libgtest-dev",
    "libpthreadpool-dev", "libre2-dev", "libruy-dev",
]  # fmt: skip
LIBRARIES = {
    "abseil", "benchmark", "cpuinfo", "eigen", "farmhash", "fft2d", "flatbuffers", "fp16", "gemmlowp", "googletest",
    "pthreadpool", "re2", "ruy",
}  # fmt: skip
# name -> (project, options, targets, at least so many compiles)
CASES = {
    "abseil": (
        Project(name="abseil", source="abseil", suite="bookworm"),
        ["--system-libraries=googletest,benchmark"],
        ["//..."],
        350,
    ),
    "re2": (
        Project(name="re2", source="re2", suite="bookworm", prepare=True),
        ["--system-libraries=googletest"],
        ["//..."],
        30,
    ),
    "tensorflow-lite": (
        Project(name="tensorflow", source="tensorflow", suite="sid"),
        ["-c", "opt", "--define=tflite_with_xnnpack=false", "--define=tflite_with_ruy=true"],
        ["//tensorflow/lite:libtensorflowlite.so", "//tensorflow/lite/c:libtensorflowlite_c.so"],
        190,
    ),
}


@pytest.fixture(params=foreign.TRIPLETS)
def architecture(request: pytest.FixtureRequest) -> str:
    reason = debian_chroot.missing()
    if reason:
        pytest.skip(f"NOT TESTED: no packages of {request.param} are unpacked: {reason}")
    return str(request.param)


@pytest.fixture
def tree(architecture: str) -> Path:
    place = directory() / f"chroots/sid-unpacked-{architecture}"
    place.parent.mkdir(parents=True, exist_ok=True)
    return foreign.unpacked("sid", architecture, PACKAGES, place)


@pytest.fixture
def environment(tree: Path, architecture: str, tmp_path: Path) -> Mapping[str, str]:
    # dpkg says of flatc's package that it serves every architecture; the program itself would be this machine's
    (tmp_path / "flatc").write_text("#!/bin/sh\n")
    (tmp_path / "flatc").chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    return {**os.environ, **foreign.environment(tree, architecture), "PATH": path, "PYTHONPATH": str(ROOT)}


def test_overlays_are_served_by_the_packages_of_the_architecture(
    architecture: str, environment: Mapping[str, str], tmp_path: Path
) -> None:
    machine = Machine(Disk(), environment)
    triplet = foreign.TRIPLETS[architecture]
    machine.serve(Purpose(architecture, crosses=True, prefix=f"{triplet}-", multiarch=triplet))
    found = {each.name: machine.check(each) for each in SystemLibraryTable.read().libraries.values()}
    assert {name for name, checked in found.items() if isinstance(checked, Installed)} >= LIBRARIES
    another = next(each for each in foreign.TRIPLETS if each != architecture)
    machine.serve(Purpose(another, crosses=True, prefix=f"{foreign.TRIPLETS[another]}-"))
    checked = machine.check(SystemLibraryTable.read().libraries["farmhash"])
    assert not isinstance(checked, Installed)
    assert f"package 'libfarmhash-dev' is not installed for {another}" in checked.problems


@pytest.mark.parametrize("name", CASES)
def test_a_graph(name: str, architecture: str, environment: Mapping[str, str], tmp_path: Path) -> None:
    project, options, targets, compiles = CASES[name]
    source = fetch(project).resolve()
    words = ["generate", "-o", "build.ninja", *options, str(source), *targets]
    done = subprocess.run(
        [sys.executable, "-m", "bazel2ninja", *words],
        cwd=tmp_path,
        env=dict(environment),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    # re2 of that time has tests without googletest, and needs nothing
    assert name == "re2" or "libraries of the system stand for repositories: " in done.stderr
    manifest = (tmp_path / "build.ninja").read_text()
    edges = [line for line in manifest.splitlines() if line.startswith("build ") and ".o: c" in line]
    assert len(edges) >= compiles
    assert "-msse" not in manifest or architecture == "i386"  # what an x86 would be told
    assert f"clang++ --target={foreign.TRIPLETS[architecture]}" in manifest

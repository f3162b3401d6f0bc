"""Building for another machine than the one that builds: two compilers, each for its own configurations."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from robust_support import ROOT, run, spawn

from bazel2ninja.configuration.platforms import cpu_constraint, gnu_type, os_constraint, target_cpu

PROJECT = ROOT / "tests/projects/cross"
TOOLS = ("aarch64-linux-gnu-g++", "qemu-aarch64")

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64", reason="paths name the processor")


def edges(manifest: str) -> dict[str, dict[str, str]]:
    """First output of each edge -> its variables, with "rule"."""
    found: dict[str, dict[str, str]] = {}
    for match in re.finditer(r"^build ([^ :]+)[^:]*: (\w+).*\n((?:  .*\n)*)", manifest, re.MULTILINE):
        lines = (line.strip().partition(" = ") for line in match[3].splitlines())
        found[match[1]] = {"rule": match[2], **{name: text for name, _, text in lines}}
    return found


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    for name in ("CC", "CXX", "AR", "DEB_HOST_ARCH", "DEB_BUILD_ARCH"):
        monkeypatch.delenv(name, raising=False)

    def made(*words: str, **environment: str) -> str:
        for name, text in environment.items():
            monkeypatch.setenv(name, text)
        result = run("generate", "--memory=none", str(PROJECT), *words)
        assert result.status == 0, result.err
        return result.out

    return made


def test_nothing_crosses(generated) -> None:
    text = generated(CC_FOR_BUILD="nope")
    assert "_for_build" not in text
    assert [name for name in edges(text) if name.endswith("common.pic.o")] == [
        "bazel-out/k8-fastbuild/bin/_objs/common/common.pic.o"
    ]


@pytest.mark.parametrize(
    ("words", "environment"),
    [
        (["--platforms=//:arm64"], {}),
        (["--cpu=aarch64"], {}),
        ([], {"CC": "aarch64-linux-gnu-gcc"}),
        ([], {"CC": "ccache aarch64-linux-gnu-gcc-12"}),
        ([], {"DEB_HOST_ARCH": "arm64", "DEB_BUILD_ARCH": "amd64"}),
        ([], {"DEB_HOST_ARCH": "arm64"}),
    ],
)
def test_tools_have_a_compiler_of_their_own(words: list[str], environment: dict[str, str], generated) -> None:
    flags = {"CXX_FOR_BUILD": "ccache g++-12", "CXXFLAGS_FOR_BUILD": "-O1", "CXXFLAGS": "-O3"}
    text = generated(*words, **flags, **environment)
    assert f"\ncc = {environment.get('CC', 'aarch64-linux-gnu-gcc')}\n" in text
    assert "\ncxx = aarch64-linux-gnu-g++\n" in text
    assert "\nar = aarch64-linux-gnu-gcc-ar\n" in text
    assert "\ncxxflags = -O3\n" in text
    assert "\ncxx_for_build = ccache g++-12\ncxx" not in text
    assert "\ncxx_for_build = ccache g++-12\n" in text
    assert "\ncxxflags_for_build = -O1\n" in text
    assert "\nar_for_build = gcc-ar\n" in text
    found = edges(text)
    tools = {name for name in found if "-exec" in name}
    assert {name.rpartition("/")[2] for name in tools} == {
        *("common.pic.o", "libcommon.a", "generator.pic.o", "generator", "MANIFEST"),
    }
    for name, edge in found.items():
        own = {key: value for key, value in edge.items() if value.endswith("_for_build")}
        if edge["rule"] == "cxx" and name in tools:
            assert own == {key: f"${key}_for_build" for key in ("cxx", "cppflags", "cxxflags")}
        elif edge["rule"] in ("link", "archive") and name in tools:
            assert "link" in own or own == {"ar": "$ar_for_build"}
        else:
            assert not own


def test_a_third_machine(generated) -> None:
    assert gnu_type((cpu_constraint("riscv64"), os_constraint("linux"))) == "riscv64-linux-gnu"
    assert gnu_type((cpu_constraint("aarch64"), os_constraint("macos"))) is None
    assert target_cpu({"CC": "clang"}) is None
    assert target_cpu({"DEB_HOST_ARCH": "amd64", "DEB_BUILD_ARCH": "amd64"}) is None
    assert target_cpu({"CXX": "/opt/bin/s390x-linux-gnu-g++"}) == "s390x"


def test_the_label_of_a_program_to_run_tests_under(generated, tmp_path: Path) -> None:
    result = run("generate", str(PROJECT), "--run_under=//:generator")
    assert result.status == 1
    assert "--run_under=//:generator: the label of a program is not supported" in result.err
    assert "--run_under=a --run_under=b\\ c" in generated("--run_under=a 'b c'").replace(
        "'--run_under=b c'", r"--run_under=b\ c"
    )


@pytest.mark.skipif(not all(map(shutil.which, TOOLS)), reason="no cross compiler, or nothing that runs its programs")
def test_a_generator_and_a_program(tmp_path: Path) -> None:
    shutil.copytree(PROJECT, tmp_path / "src")
    words = ["--platforms=//:arm64", "--run_under=qemu-aarch64 -L /usr/aarch64-linux-gnu"]
    made = spawn("generate", "-o", "build.ninja", "src", *words, cwd=tmp_path)
    assert made.status == 0, made.err
    for target in ("all", "test"):
        done = subprocess.run(["ninja", target], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    log = tmp_path / "bazel-out/aarch64-fastbuild/testlogs/program/test.log"
    assert log.read_text() == "aarch64 for arm64 by x86_64\n"
    assert (tmp_path / "bazel-out/aarch64-fastbuild/bin/machine.txt").read_text() == "aarch64-linux-gnu\n"

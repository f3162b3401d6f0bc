"""Libraries for processors above the baseline: what is built again, what is shared, which copy the loader takes."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path

import pytest
from packaging_support import enter

from bazel2ninja.cli import main

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="builds for levels of x86-64")

BUILD = """
package(default_visibility = ["//visibility:public"])
genrule(name = "table", outs = ["table.h"], cmd = "echo '#define BASE 100' > $@")
cc_library(name = "level", srcs = ["level.cc", "table.h"], hdrs = ["level.h"])
cc_library(name = "kernel", srcs = ["kernel.cc"], copts = ["-mavx512f"])
cc_library(name = "fixed", srcs = ["fixed.cc"], copts = ["-march=core2"])
cc_library(name = "sums", srcs = ["sums.cc"], hdrs = ["sums.h"], deps = [":level", ":kernel", ":fixed"])
cc_binary(name = "show", srcs = ["show.cc"], deps = [":sums"])
"""
SOURCES = {
    "WORKSPACE": "",
    "p/BUILD": BUILD,
    "p/level.h": "int level();\n",
    "p/level.cc": """
#include "p/table.h"
int level() {
#if defined __AVX2__
  return BASE + 3;
#elif defined __SSE4_2__
  return BASE + 2;
#else
  return BASE + 1;
#endif
}
""",
    "p/sums.h": "int sums();\n",
    "p/sums.cc": '#include "p/level.h"\nint sums() { return level(); }\n',
    "p/kernel.cc": "float k(float *p, int n) { float s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }\n",
    "p/fixed.cc": "#ifdef __AVX2__\n#error\n#endif\nint fixed() { return 1; }\n",
    "p/show.cc": '#include <stdio.h>\n#include "p/sums.h"\nint main() { printf("%d\\n", sums()); }\n',
}
SETTINGS = """
isa = ["x86-64-v2", "x86-64-v3"]
[[library]]
name = "sums"
targets = ["//p:sums"]
soname = "libsums.so.2"
version = "2.1"
[[library]]
name = "level"
targets = ["//p:level"]
soname = "liblevel.so.1"
[[program]]
target = "//p:show"
"""
LEVELS = ("x86-64-v2", "x86-64-v3")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return enter(tmp_path, SOURCES, monkeypatch)


def generate(*words: str, settings: str = SETTINGS) -> int:
    Path("b2n.toml").write_text(settings)
    prefix = ("--prefix=/usr", "--libdir=lib/m", "--packaging=b2n.toml")
    return main(["generate", "-o", "obj/build.ninja", *prefix, ".", *words])


def output(*words: str | Path) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
def test_libraries_for_levels(tree: Path) -> None:
    assert generate(*(f"--isa={level}" for level in LEVELS)) == 0
    subprocess.run(
        ["ninja", "-C", "obj", "-j2", "install"], check=True, env={**os.environ, "DESTDIR": str(tree / "root")}
    )
    libraries = tree / "root/usr/lib/m"
    for level in LEVELS:
        place = libraries / "glibc-hwcaps" / level
        assert sorted(os.listdir(place)) == ["liblevel.so.1", "libsums.so.2", "libsums.so.2.1"]
        assert os.readlink(place / "libsums.so.2") == "libsums.so.2.1"
        for name in ("libsums.so.2.1", "liblevel.so.1"):
            assert f"x86 ISA needed: {level}" in output("readelf", "-n", place / name)
            assert "RUNPATH" not in output("readelf", "-d", place / name)
        assert "[liblevel.so.1]" in output("readelf", "-d", place / "libsums.so.2.1")
    assert "ISA needed" not in output("readelf", "-n", libraries / "liblevel.so.1")

    commands = output("ninja", "-C", "obj", "-t", "commands", "install").splitlines()
    compiled = {name: sum(f"/{name}.cc" in each for each in commands) for name in ("level", "kernel", "sums", "fixed")}
    assert compiled == {"level": 3, "kernel": 3, "sums": 3, "fixed": 1}  # one with -march of its own is shared
    assert sum("table.h" in each and "echo" in each for each in commands) == 1  # no generator runs twice
    kernels = [each for each in commands if "/kernel.cc" in each]
    assert all("-mavx512f" in each for each in kernels)

    programs = {"qemu64": "101\n", "Nehalem": "102\n", "Haswell": "103\n"}
    qemu = shutil.which("qemu-x86_64")
    if qemu is None:
        pytest.skip("which copy the loader takes was not looked at: no qemu-x86_64 (apt install qemu-user)")
    for processor, expected in programs.items():
        words = [qemu, "-cpu", processor, "-E", f"LD_LIBRARY_PATH={libraries}", tree / "root/usr/bin/show"]
        assert output(*words) == expected
    wrong = [qemu, "-cpu", "Nehalem", "-E", f"LD_LIBRARY_PATH={libraries}/glibc-hwcaps/x86-64-v3"]
    refused = subprocess.run([*wrong, tree / "root/usr/bin/show"], capture_output=True, text=True)
    assert refused.returncode != 0 and "CPU ISA level is lower than required" in refused.stderr


def test_one_manifest_without_levels_is_the_plain_one(tree: Path) -> None:
    assert generate() == 0
    assert "glibc-hwcaps" not in Path("obj/.bazel2ninja/install.sh").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--isa=x86-64-v5",), "no processor level 'x86-64-v5'"),
        (("--copt=-march=native",), "an option of the command line or of .bazelrc asks for '-march=native'"),
        (("--linkopt=-mcpu=native",), "asks for '-mcpu=native'"),
    ],
)
def test_what_is_refused(tree: Path, words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert generate(*words) != 0
    assert message in capsys.readouterr().err


def test_flags_of_this_machine_are_refused_with_their_line(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    build = BUILD.replace('copts = ["-mavx512f"]', 'copts = [\n    "-O3",\n    "-march=native",\n]')
    Path("p/BUILD").write_text(build)
    assert generate() == 1
    line = build.splitlines().index('    "-march=native",') + 1
    error = capsys.readouterr().err
    assert f"p/BUILD:{line}:6: error: '//p:kernel' asks for '-march=native'" in error
    assert 'dropped_flags = ["-march=native"] in b2n.toml' in error
    assert generate(settings='dropped_flags = ["-march=native"]\n' + SETTINGS) == 0
    assert f"p/BUILD:{5}:" in (note := capsys.readouterr().err) and "dropped '-march=native'" in note


def test_a_packager_who_fixes_the_processor(
    tree: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXXFLAGS", "-O2 -march=core2")
    assert generate() == 0
    assert generate("--isa=x86-64-v3") == 2
    assert "would undo every processor level" in capsys.readouterr().err

"""Reading pkg-config's files as pkg-config does."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Mapping

import pytest

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.filesystem import Disk, MemoryFileSystem
from bazel2ninja.system_libraries.pkg_config import PkgConfig, joined, last_of_equal

A = """\
prefix=/opt/a   # where it was put
libdir=${prefix}/lib
flags = -DNAME=\\"a\\ b\\"
Name: a
Version: 1.2.3
Requires: b >= 2, c
Requires.private: d = 1, absent
Cflags: -I${prefix}/include ${flags} \\
  -DMORE
Libs: -L${libdir} -la
"""
FILES = {
    "pc/a.pc": A,
    "pc/b.pc": "Name: b\nVersion: 2\nRequires: c\nLibs: -lb\n",
    "pc/c.pc": "Name: c\nVersion: 3\nCflags: -I /opt/c\nLibs: -lc1 -lc2\n",
    "pc/d.pc": "Name: d\nVersion: 4\nCflags: -DD\nLibs: -ld\n",
}


def reader(files: Mapping[str, str] = FILES, **environment: str) -> PkgConfig:
    return PkgConfig(MemoryFileSystem(files), {"PKG_CONFIG_LIBDIR": "pc", **environment}, lambda words: None)


def failure(files: Mapping[str, str], name: str = "x") -> str:
    with pytest.raises(WorkspaceError) as caught:
        reader(files).cflags([name])
    first = caught.value.diagnostic
    return f"{first.location}: {first.message}"


def test_a_modules_own_words() -> None:
    module = reader().module("a")
    assert module is not None
    assert module.version == "1.2.3"
    assert module.cflags == ("-I/opt/a/include", '-DNAME="a b"', "-DMORE")
    assert module.libs == ("-L/opt/a/lib", "-la")
    assert (module.requires, module.private_requires) == (("b", "c"), ("d", "absent"))
    assert reader().module("zz") is None


def test_private_requirements_count_for_headers_only() -> None:
    assert set(reader().cflags(["a"])) == {"-I/opt/a/include", '-DNAME="a b"', "-DMORE", "-I/opt/c", "-DD"}
    assert reader().libs(["a"]) == ["-L/opt/a/lib", "-la", "-lb", "-lc1", "-lc2"]


def test_the_environment_decides_where_to_look() -> None:
    files = {**FILES, "mine/c.pc": "Version: 9\n"}
    assert reader(files, PKG_CONFIG_PATH="mine").module("c").version == "9"  # type: ignore[union-attr]
    asked: list[list[str]] = []

    def run(words: object) -> str | None:
        asked.append(list(words))  # type: ignore[call-overload]
        return "pc:elsewhere\n"

    other = PkgConfig(MemoryFileSystem(files), {"PKG_CONFIG": "cross-pkg-config --static"}, run)
    assert other.directories == ("pc", "elsewhere")
    assert asked == [["cross-pkg-config", "--static", "--variable", "pc_path", "pkg-config"]]
    sysroot = reader(FILES, PKG_CONFIG_SYSROOT_DIR="/root")
    assert sysroot.libs(["a"])[0] == "-L/root/opt/a/lib"


def test_without_pkg_config_the_error_says_what_to_install() -> None:
    with pytest.raises(WorkspaceError) as caught:
        PkgConfig(MemoryFileSystem({}), {}, lambda words: None).module("a")
    assert "install the Debian package pkg-config" in (caught.value.diagnostic.help or "")


def test_what_was_read_is_remembered() -> None:
    files = MemoryFileSystem(FILES)
    PkgConfig(files, {"PKG_CONFIG_LIBDIR": "pc"}, lambda words: None).libs(["b"])
    assert files.reads == {"pc/b.pc": "file", "pc/c.pc": "file"}


def test_bad_files() -> None:
    assert failure({"pc/x.pc": "Requires: y\n"}) == "pc/x.pc: pkg-config knows no module 'y'"
    assert failure({"pc/x.pc": "a=${b}\nb=${a}\n"}) == "pc/x.pc:1: variable 'b' is not defined"
    assert failure({"pc/x.pc": "Name: x\nLibs: ${nowhere}\n"}) == "pc/x.pc:2: variable 'nowhere' is not defined"
    assert failure({"pc/x.pc": "Cflags: '-I\n"}) == "pc/x.pc: bad quotes: no closing quotation"


def test_modules_that_require_each_other_end() -> None:
    files = {"pc/x.pc": "Requires: y\nLibs: -lx\n", "pc/y.pc": "Requires: x\nLibs: -ly\n"}
    assert reader(files).libs(["x"]) == ["-lx", "-ly"]


def test_words() -> None:
    assert joined(["-I", "a", "-lb", "-L", "c", "-pthread"]) == ["-Ia", "-lb", "-Lc", "-pthread"]
    assert last_of_equal(["-la", "-lb", "-la", "-lc"]) == ["-lb", "-la", "-lc"]


@pytest.mark.skipif(shutil.which("pkg-config") is None, reason="needs pkg-config")
def test_every_module_of_this_machine_reads_as_pkg_config_says() -> None:
    ours = PkgConfig(Disk(), os.environ)
    names = [
        name.removesuffix(".pc")
        for directory in ours.directories
        if os.path.isdir(directory)
        for name in os.listdir(directory)
        if name.endswith(".pc")
    ]
    compared = 0
    step = len(names) // 12 + 1  # all of them take too long
    for name in sorted(names)[::step]:
        done = [
            subprocess.run(
                ["pkg-config", "--keep-system-cflags", "--keep-system-libs", option, name],
                capture_output=True,
                text=True,
            )
            for option in ("--cflags", "--libs")
        ]
        if any(each.returncode for each in done):
            continue  # a module that it cannot find for want of another
        cflags, libs = (set(joined(shlex.split(each.stdout))) for each in done)
        assert (name, set(ours.cflags([name]))) == (name, cflags)
        assert (name, set(ours.libs([name]))) == (name, libs)
        compared += 1
    assert compared > 0

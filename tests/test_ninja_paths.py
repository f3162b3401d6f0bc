"""Bazel's paths in ninja's spelling, and in the words of copts and linkopts."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from bazel2ninja.ninja import execroot
from bazel2ninja.ninja.paths import PathMapper


@pytest.mark.parametrize(
    ("exec_path", "ninja_path"),
    [
        ("a/b.cc", "../src/a/b.cc"),
        (".", "../src"),
        ("external/r/x.h", ".bazel2ninja/external/r/x.h"),
        ("externally/x.h", "../src/externally/x.h"),
        ("bazel-out/k8-opt/bin/a.o", "bazel-out/k8-opt/bin/a.o"),
        ("/usr/include", "/usr/include"),
    ],
)
def test_paths(exec_path: str, ninja_path: str) -> None:
    assert PathMapper("../src").path(exec_path) == ninja_path
    inside = PathMapper("./").path(exec_path)
    assert inside == (ninja_path.removeprefix("../src/") if ninja_path != "../src" else ".")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("-Wl,--version-script a/x.lds -Wl,-soname,x.so b.o", "-Wl,--version-script S/a/x.lds -Wl,-soname,x.so S/b.o"),
        ("-Wl,-soname x.so b.o", "-Wl,-soname x.so S/b.o"),
        ("-Ia/b -I. -I/usr/include", "-IS/a/b -IS -I/usr/include"),
        (
            "-I a -isystem external/r -iquotebazel-out/k8/bin",
            "-I S/a -isystem .bazel2ninja/external/r -iquotebazel-out/k8/bin",
        ),
        ("-include a/b.h -DX=a/b -D a/b -O2", "-include a/b.h -DX=a/b -D a/b -O2"),
        (
            "-include external/r/b.h -includeexternal/x",
            "-include .bazel2ninja/external/r/b.h -include.bazel2ninja/external/x",
        ),
        ("-specs=nosys.specs -specs=a/b", "-specs=nosys.specs -specs=S/a/b"),
        ("-x c++ -z now -Xclang a/b -u sym -lfoo", "-x c++ -z now -Xclang a/b -u sym -lfoo"),
        ("--sysroot=a -fprofile-use=a/x.gcda -fuse-ld=gold", "--sysroot=S/a -fprofile-use=S/a/x.gcda -fuse-ld=gold"),
        ("-Wl,--version-script=a/x.lds -Wl,-soname,libx.so", "-Wl,--version-script=S/a/x.lds -Wl,-soname,libx.so"),
        ("-Wl,--version-script,a/x.lds,-z,defs", "-Wl,--version-script,S/a/x.lds,-z,defs"),
        ("-Wl,--version-script -Wl,a/x.lds", "-Wl,--version-script -Wl,S/a/x.lds"),
        (
            "-Xlinker -soname -Xlinker libx.so.1 -Xlinker -T -Xlinker a/x",
            "-Xlinker -soname -Xlinker libx.so.1 -Xlinker -T -Xlinker S/a/x",
        ),
        (
            "-Wl,-rpath,lib/x -Wl,-rpath,$ORIGIN/x -Wl,-rpath-link,a",
            "-Wl,-rpath,lib/x -Wl,-rpath,$ORIGIN/x -Wl,-rpath-link,S/a",
        ),
        ("-Wl,--exclude-libs,libx.a -Wl,--exclude-libs=ALL", "-Wl,--exclude-libs,libx.a -Wl,--exclude-libs=ALL"),
        ("-Wl,--whole-archive,a/libx.a,--no-whole-archive", "-Wl,--whole-archive,S/a/libx.a,--no-whole-archive"),
        ("-Wl,-Bsymbolic -Bstatic -B/usr/bin -Ba/b", "-Wl,-Bsymbolic -Bstatic -B/usr/bin -BS/a/b"),
        ("a/x.o @a/x.params -La -Wl,-La/b", "S/a/x.o @S/a/x.params -LS/a -Wl,-LS/a/b"),
        ("-Tdata=0x0 -T a/x.ld -Ta/x.ld", "-Tdata=0x0 -T S/a/x.ld -TS/a/x.ld"),
    ],
)
def test_words_of_options(words: str, expected: str) -> None:
    assert PathMapper("S").words(words.split()) == expected.split()


def test_the_distance_is_measured_without_symbolic_links(tmp_path: Path) -> None:
    (tmp_path / "deep/er/src").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    os.symlink("deep/er/src", tmp_path / "src")
    assert PathMapper.between(str(tmp_path / "out"), str(tmp_path / "src")).source == "../deep/er/src"


def test_the_execution_root_follows_the_source_tree(tmp_path: Path) -> None:
    for name in ("a", "b", "bazel-bin", "external", "out"):
        (tmp_path / name).mkdir()
    (tmp_path / "WORKSPACE").write_text("")
    output = tmp_path / "out"
    mapper = PathMapper("..")
    execroot.lay(str(output), mapper)
    forest = output / ".bazel2ninja/execroot"
    assert sorted(os.listdir(forest)) == ["WORKSPACE", "a", "b", "bazel-out", "external"]
    assert os.path.samefile(forest / "a", tmp_path / "a")
    assert os.path.samefile(forest / "external", output / ".bazel2ninja/external")
    (tmp_path / "a").rmdir()
    (tmp_path / "c").mkdir()
    execroot.lay(str(output), mapper)
    assert sorted(os.listdir(forest)) == ["WORKSPACE", "b", "bazel-out", "c", "external"]

"""Names of files and targets that shells and ninja treat specially: built end to end, or refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from robust_support import ROOT, build, lay, ninja, run

NAMES = [
    "with blank.txt", "dollar$.txt", "$(echo x).txt", "it's.txt", 'quote".txt', "a&b;c.txt", "star*.txt", "pipe|.txt",
    "#.txt", "-dash.txt", "~tilde.txt", "grüße.txt", "日本.txt", "%41.txt", "a=b.txt", "[x].txt", "@at.txt", "`x`.txt",
    "emoji😀.txt", "a,b.txt", "{x}.txt", "!.txt", "(x).txt", "<x>.txt", "x..txt", "$$.txt", "^.txt",
]  # fmt: skip
REFUSED = ["colon:.txt", "back\\slash.txt", "line\nbreak.txt", "tab\t.txt"]


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def test_globs_find_odd_names_and_ninja_builds_with_them(tmp_path: Path) -> None:
    lay(
        tmp_path / "src",
        build(
            'load(":d.bzl", "copy")\n[copy(name = "copy-" + f.strip(":"), src = f, out = "out/" + f.strip(":"))'
            ' for f in glob(["*.txt"])]\n'
            'filegroup(name = "every", srcs = glob(["*.txt"]))\n',
            a__d_bzl="def _i(ctx):\n    ctx.actions.run_shell(inputs = [ctx.file.src], outputs = [ctx.outputs.out],\n"
            '        command = "cp -- \\"$1\\" \\"$2\\"", arguments = [ctx.file.src.path, ctx.outputs.out.path])\n\n'
            "copy = rule(implementation = _i, attrs = {\n"
            '    "src": attr.label(allow_single_file = True), "out": attr.output()})\n',
        ),
    )
    for name in NAMES:
        (tmp_path / "src/a" / name).write_text(name)
    result = run("generate", "-o", "build.ninja", "src")
    assert result.status == 0, result.err
    ninja(tmp_path, "-j2")
    found = {path.name: path.read_text() for path in next(tmp_path.glob("bazel-out/*/bin/a/out")).iterdir()}
    assert found == {name: name for name in NAMES}
    assert "no work to do" in ninja(tmp_path)
    (tmp_path / "src/a/with blank.txt").write_text("new")
    assert "out/with blank.txt" in ninja(tmp_path, "-n", "-v")
    labels = run("query", "src", "labels(srcs, //a:every)").out.splitlines()
    assert sorted(labels) == sorted(f"//a:{name}" for name in NAMES)


@pytest.mark.slow
def test_odd_names_of_compiled_files(tmp_path: Path) -> None:
    # every stage of the C++ rules: compile with a depfile, archive, link, runfiles, test
    for directory in ("with blank", "dollar$", "grüße", "a+b@c=d"):
        source = tmp_path / directory / "src"
        lay(
            source,
            {
                "a/BUILD": f'cc_library(name = "l", srcs = ["{directory}.cc"], hdrs = ["{directory}.h"])\n'
                f'cc_test(name = "{directory}", srcs = ["t.cc"], deps = [":l"], data = ["{directory}.h"])\n',
                f"a/{directory}.h": "int one();\n",
                f"a/{directory}.cc": f'#include "a/{directory}.h"\nint one() {{ return 1; }}\n',
                "a/t.cc": f'#include "a/{directory}.h"\nint main() {{ return one() - 1; }}\n',
            },
        )
    place = tmp_path / "with blank"
    for other in ("dollar$", "grüße", "a+b@c=d"):
        os.rename(tmp_path / other / "src/a", place / "src" / other)
        text = (place / "src" / other / "BUILD").read_text()
        (place / "src" / other / "BUILD").write_text(text)
        for name in (f"{other}.cc", "t.cc"):
            path = place / "src" / other / name
            path.write_text(path.read_text().replace('"a/', f'"{other}/'))
    os.chdir(place)
    result = run("generate", "-o", "out dir/build.ninja", "src")
    assert result.status == 0, result.err
    output = place / "out dir"
    ninja(output, "-j2", "all", "test")
    assert "no work to do" in ninja(output)
    (place / "src/dollar$/dollar$.h").write_text("int one();  // changed\n")
    # both compiles of that package, and what follows; nothing of the others
    again = ninja(output, "-n", "-d", "explain")
    assert "grüße" not in again
    assert "_objs/l/" in again


@pytest.mark.parametrize("name", ["it's", 'quo"te', "a&b", "star*", "semi;colon"])
def test_ninja_reads_no_such_names_in_depfiles(name: str, tmp_path: Path) -> None:
    lay(tmp_path / "src", {"a/BUILD": f"x = 1\ncc_library(name = 'l', srcs = [{name + '.c'!r}])\n", f"a/{name}.c": ""})
    result = run("generate", "-o", "build.ninja", "src")
    assert result.status == 1
    assert f"error: ninja cannot read the name {f'src/a/{name}.c'!r} in a depfile" in result.err
    assert "//a:l" in result.err


@pytest.mark.parametrize("name", REFUSED)
def test_names_that_labels_cannot_have(name: str, tmp_path: Path) -> None:
    lay(tmp_path / "src", build('filegroup(name = "x", srcs = glob(["*.txt"]))', **{"a__fine.txt": ""}))
    (tmp_path / "src/a" / name).write_text("")
    result = run("generate", "-o", "build.ninja", "src")
    assert "internal error" not in result.err
    if result.status == 0:  # such a file is no target, and not in the way of others
        assert run("query", "src", "labels(srcs, //a:x)").out == "//a:fine.txt\n"
        ninja(tmp_path)
    else:
        assert "src/a/BUILD:1:" in result.err
        assert repr(name)[1:-1] in result.err


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    lay(
        tmp_path / "src",
        build('filegroup(name = "x", srcs = glob(["*.txt"]))\ncc_library(name = "l", hdrs = glob(["*.txt"]))'),
    )
    path = os.path.join(os.fsencode(tmp_path), b"src/a/\xff.txt")
    try:
        with open(path, "w"):
            pass
    except OSError:
        pytest.skip("the file system wants names in UTF-8")
    result = run("generate", "-o", "build.ninja", "src")
    assert result.status == 0, result.err
    ninja(tmp_path)
    assert "\udcff.txt" in run("query", "src", "labels(srcs, //a:x)").out


def test_options_with_special_characters(tmp_path: Path) -> None:
    text = 'a b"c\\d#e&f|g`h;i*j~k%l!m<n>o'
    lay(tmp_path / "src", build('genrule(name = "x", outs = ["o"], cmd = "printf %s \'$(T)\' > $@")\n'))
    result = run("generate", "-o", "build.ninja", f"--define=T={text}", "src")
    assert result.status == 0, result.err
    ninja(tmp_path)
    assert next(tmp_path.glob("bazel-out/*/bin/a/o")).read_text() == text
    # a copt is split into words as a shell would do it
    lay(tmp_path / "src", build('cc_library(name = "x", srcs = ["x.c"], copts = ["-DT=\\"a b#c&d|e\\""])'))
    (tmp_path / "src/a/x.c").write_text("#define S_(x) #x\n#define S(x) S_(x)\nconst char *text = S(T);\n")
    result = run("generate", "-o", "build.ninja", "src")
    assert result.status == 0, result.err
    ninja(tmp_path)
    assert b"a b#c&d|e" in next(tmp_path.glob("bazel-out/*/bin/a/_objs/x/*.o")).read_bytes()

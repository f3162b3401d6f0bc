"""Files that are hostile as texts or as files: bytes, sizes, depths, links, pipes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from robust_support import ROOT, Broken, build, check, lay, ninja, run

BROKEN = {
    "bytes outside of a string": Broken(
        {"a/BUILD": b"x = 1\n\xff\xfe\n"}, "name '.*' is not defined", "src/a/BUILD:2:1"
    ),
    "NUL": Broken({"a/BUILD": b'x = 1\ny = "a\0b"\n'}, "invalid character: U.0000", "src/a/BUILD:2:7"),
    "control character": Broken({"a/BUILD": b"x = 1\ny = \x01\n"}, "invalid character", "src/a/BUILD:2:5"),
    "carriage returns": Broken({"a/BUILD": b"x = 1\r\ny = z\r\n"}, "name 'z' is not defined", "src/a/BUILD:2:5"),
    "byte order mark": Broken({"a/BUILD": "\ufeffx = 1\ny = z\n"}, "'z' is not defined", "src/a/BUILD:2:5"),
    "line of 10 MB": Broken(
        {"a/BUILD": 'x = "' + "y" * (10 << 20) + '"\nz = q\n'}, "name 'q' is not defined", "src/a/BUILD:2:5"
    ),
    "sum of 20,000": Broken({"a/BUILD": "x = " + "1 + " * 20000 + "1\nz = q\n"}, "'q'", "src/a/BUILD:2:5"),
    "10,000 brackets": Broken(
        {"a/BUILD": "x = " + "[" * 10000 + "]" * 10000 + "\n"}, "nested too deeply", "src/a/BUILD:1:205"
    ),
    "10,000 brackets that stay open": Broken(
        {"a/BUILD": "x = " + "(" * 10000}, "nested too deeply", "src/a/BUILD:1:205"
    ),
    "10,000 signs": Broken({"a/BUILD": "x = " + "-" * 10000 + "1\n"}, "nested too deeply", "src/a/BUILD"),
    "10,000 fields": Broken({"a/BUILD": "x = a" + ".b" * 10000 + "\n"}, "'a' is not defined", "src/a/BUILD:1:5"),
    "number of 10,000 digits": Broken(
        {"a/BUILD": "x = " + "9" * 10000 + "\nz = q"}, "integer literal is too long", "src/a/BUILD:1:1"
    ),
    "list in itself": Broken(
        build(
            'load(":d.bzl", "x")\nfilegroup(name = "x", srcs = x)',
            a__d_bzl="def f():\n    x = []\n    x.append(x)\n    return x\n\nx = f()\n",
        ),
        r"type 'label' for element 0 of attribute 'srcs'.*got \[\.\.\.\]",
        "src/a/BUILD:2:1",
    ),
    "dictionary in itself": Broken(
        build(
            'load(":d.bzl", "x")\nconfig_setting(name = "x", values = x)',
            a__d_bzl='def f():\n    x = {}\n    x["a"] = x\n    return x\n\nx = f()\n',
        ),
        "dict value element of attribute 'values'",
        "src/a/BUILD:2:1",
    ),
    "loop of links": Broken(
        build('filegroup(name = "x", srcs = ["//b:y"])'), "no such package '//b'", "src/a/BUILD:1:1", links={"b": "b"}
    ),
    "BUILD that leads nowhere": Broken(
        build('filegroup(name = "x", srcs = ["//b:y"])'),
        "no such package '//b'",
        "src/a/BUILD:1:1",
        links={"b/BUILD": "nope"},
    ),
    "package below a file": Broken(
        build('filegroup(name = "x", srcs = ["//b/c:y"])', b=""), "no such package '//b/c'", "src/a/BUILD:1:1"
    ),
    "very long label": Broken(build(""), "no such package|file name too long", words=[f"//{'x' * 5000}:y"]),
    "rc file of bytes": Broken(
        {".bazelrc": b"build --copt=\xff -c \xfe\n", "a/BUILD": ""}, "--compilation_mode=", "src/.bazelrc:1:16"
    ),
}


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", BROKEN)
def test_hostile_texts(name: str, tmp_path: Path) -> None:
    broken = BROKEN[name]
    lay(tmp_path / "src", broken.files, broken.links)
    check(tmp_path, broken, run("generate", "-o", "build.ninja", "src", *broken.words))
    assert not (tmp_path / "build.ninja").exists()


@pytest.mark.parametrize("path", ["a/BUILD", "a/d.bzl", ".bazelrc", "WORKSPACE", "a/f.txt", ".bazelignore"])
def test_named_pipes_do_not_block(path: str, tmp_path: Path) -> None:
    lay(tmp_path / "src", build('load(":d.bzl", "x")\nfilegroup(name = "x", srcs = glob(["**"]))', a__d_bzl="x = 1\n"))
    (tmp_path / "src" / path).unlink(missing_ok=True)
    os.mkfifo(tmp_path / "src" / path)
    result = run("generate", "-o", "build.ninja", "src", "//a:x")
    # what is no file is not there: an error where it is needed, and no member of a glob
    assert result.status == (1 if path in ("a/BUILD", "a/d.bzl", "WORKSPACE") else 0), result.err
    assert "internal error" not in result.err
    assert result.status == 0 or "error: " in result.err


def test_a_dump_from_a_pipe_of_the_source_tree(tmp_path: Path) -> None:
    lay(tmp_path / "src", build(""))
    os.mkfifo(tmp_path / "dump")
    result = run("crosscheck", "src", "--against", "dump")
    assert result.status == 1
    assert "dump: error: cannot read the file: it is a named pipe" in result.err


@pytest.mark.slow
def test_a_chain_of_5000_targets(tmp_path: Path) -> None:
    chain = "".join(f'filegroup(name = "t{i}", srcs = [":t{i + 1}"])\n' for i in range(5000))
    lay(tmp_path / "src", build(chain + 'filegroup(name = "t5000", srcs = ["x.txt"])\n', **{"a__x.txt": ""}))
    result = run("generate", "-o", "build.ninja", "src", "//a:t0")
    assert result.status == 0, result.err
    assert "no work to do" in ninja(tmp_path, "//a:t0")
    assert len(run("query", "src", "deps(//a:t0)").out.splitlines()) == 5002
    (tmp_path / "src/a/BUILD").write_text(chain + 'filegroup(name = "t5000", srcs = [":t0"])\n')
    result = run("generate", "-o", "build.ninja", "src", "//a:t0")
    assert result.status == 1
    assert "src/a/BUILD:1:1: error: cycle in the dependency graph: //a:t0" in result.err
    assert len(result.err.splitlines()) < 50


def test_deep_values(tmp_path: Path) -> None:
    deep = "def f():\n    x = []\n    for i in range(3000):\n        x = [x]\n    return x\n\nx = f()\ny = f() == f()\n"
    lay(tmp_path / "src", build('load(":d.bzl", "x")\ny = len(str(x)) + 1\nz = y + q', a__d_bzl=deep))
    assert "src/a/BUILD:3:9: error: name 'q' is not defined" in run("generate", "src").err


def test_a_comment_in_another_encoding_is_harmless(tmp_path: Path) -> None:
    lay(tmp_path / "src", {"a/BUILD": b'# J\xfcrgen\ngenrule(name = "x", outs = ["o"], cmd = "echo x > $@")\n'})
    result = run("generate", "-o", "build.ninja", "src")
    assert result.status == 0, result.err
    ninja(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"# nothing\n", b"\r\n", b"pass\n"])
def test_files_with_nothing_in_them(content: bytes, tmp_path: Path) -> None:
    lay(
        tmp_path / "src",
        {"a/BUILD": content, ".bazelrc": content if content != b"pass\n" else b"", ".bazelversion": b""},
    )
    result = run("generate", "-o", "build.ninja", "src")
    assert result.status == 0, result.err
    assert "no work to do" in ninja(tmp_path)


def test_an_output_directory_that_cannot_be_written(tmp_path: Path) -> None:
    lay(tmp_path / "src", build(""))
    (tmp_path / "file").write_text("")
    for output in ("file/build.ninja", "src/a", "/proc/build.ninja"):
        result = run("generate", "-o", output, "src")
        assert result.status == 1, result.err
        assert len(result.err.splitlines()) == 1
        assert "error: " in result.err


def test_a_full_disk(tmp_path: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    lay(tmp_path / "src", build(""))
    buffered = {name: text for name, text in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with open("/dev/full", "w") as full:
        made = subprocess.run(
            [sys.executable, "-m", "bazel2ninja", "generate", "src"],
            cwd=tmp_path,
            env={**buffered, "PYTHONPATH": str(ROOT)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert made.returncode == 1, made.stderr
    assert "no space left on device" in made.stderr
    assert "Traceback" not in made.stderr

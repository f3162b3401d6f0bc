"""Small projects, read, built and tested; what is expected is what Bazel 4.2.3 and 7.7.1 made of them."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BIN = Path("bazel-out/k8-fastbuild/bin")
LOGS = Path("bazel-out/k8-fastbuild/testlogs")

pytestmark = pytest.mark.skipif(os.uname().machine != "x86_64", reason="paths name the processor")


def build(project: str, directory: Path) -> Path:
    """Generates, builds everything and runs all tests; the output root."""
    shutil.copytree(ROOT / "tests/projects" / project, directory / "src")
    output = directory / "out"
    output.mkdir()
    command = [sys.executable, "-m", "bazel2ninja", "generate", "-o", "build.ninja", "../src"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": str(directory)}
    for words in (command, ["ninja"], ["ninja", "test"]):
        done = subprocess.run(words, cwd=output, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    return output


def passed(output: Path) -> set[str]:
    records = [json.loads(path.read_text()) for path in (output / LOGS).rglob("test.json")]
    return {record["label"] for record in records if record["status"] == "passed"}


@pytest.mark.slow
def test_linking(tmp_path: Path) -> None:
    output = build("linking", tmp_path)
    assert passed(output) == {"//headers:headers_test", "//plugin:plugin_test", "//registry:registered_test"}
    assert (output / LOGS / "registry/registered_test/test.log").read_text() == "1 ./data.txt one word ./data.txt\n"
    assert (output / LOGS / "headers/headers_test/test.log").read_text() == (
        "a b c o fastbuild\nheaders/headers_test.cc 7\n"
    )
    assert (output / BIN / "plugin/symbols.txt").read_text() == "used_part\n"


@pytest.mark.slow
def test_runfiles(tmp_path: Path) -> None:
    output = build("runfiles", tmp_path)
    assert passed(output) == {
        "//:cc_data_test",
        "//:cc_runfiles_test",
        "//:python_test",
        "//:script_test",
        "//:shell_test",
    }
    assert (output / BIN / "paths.txt").read_text() == (
        "./top.txt ./top.txt top.txt external/other/greeting.txt external/other/greeting.txt other/greeting.txt\n"
    )
    assert (output / BIN / "tool_output.txt").read_text() == "hello\n"
    assert (output / BIN / "script_output.txt").read_text() == "from a script\n"
    assert (output / LOGS / "script_test/test.log").read_text() == "from a script\n"
    assert (output / LOGS / "python_test/test.log").read_text() == "hello\n"
    found = "'' hello top RUNFILES_MANIFEST_FILE RUNFILES_DIR JAVA_RUNFILES\n"
    assert (output / LOGS / "cc_runfiles_test/test.log").read_text() == found
    assert (output / BIN / "cc_runfiles_output.txt").read_text() == found
    assert (output / LOGS / "shell_test/test.log").read_text().splitlines() == [
        *("hello", "top", "hello", "hello", "other:", "greeting.txt", "", "runfiles_example:", "_solib_k8", "external"),
        *("liblibrary.a", "liblibrary.so", "shell_test", "shell_test.sh", "top.txt"),
    ]


def test_rules(tmp_path: Path) -> None:
    output = build("rules", tmp_path)
    texts = {path.name: path.read_text() for path in (output / BIN).glob("*.txt")}
    assert (
        texts["plain.txt"]
        == """\
level 1
<input file target //:a.txt> files ["a.txt"] default [] data [] groups False
<output file target //:made.txt> files ["made.txt"] default [] data [] groups False
<target //:made> files ["made.txt"] default [] data ["made.txt"] groups True
<target //:sources> files ["a.txt"] default ["b.txt"] data ["a.txt", "b.txt"] groups True
"""
    )
    assert texts["words.txt"] == "[x y] a b\n'it'\\''s'\n'a=b'\n'two words'\nplain\n"
    assert texts["existing.txt"] == "tuple False\n"
    assert texts["greeting.txt"] == "linux\n"
    (raised,) = (output / "bazel-out").glob("*/bin/once.txt")
    assert raised.read_text() == "level 7\n"


@pytest.mark.slow
def test_directories(tmp_path: Path) -> None:
    output = build("directories", tmp_path)
    assert passed(output) == {"//:one_test", "//:shared_test", "//:static_test"}
    assert (output / LOGS / "static_test/test.log").read_text() == "1 2 3 4 5\n"
    names = ["B.txt", "a.txt", "sub.txt", "sub/m.txt", "sub/q r.txt", "z.txt"]
    files = [*(f"{BIN}/files.dir/{name}" for name in names), "BUILD"]
    words = [
        *("--one", *(f"x={file}" for file in files), "--end"),
        *(word for file in files for word in ("-I", file)),
        *("--joined", f"<{':'.join(f'[{file}]' for file in files)}>"),
        *(f"{BIN}/files.dir", "BUILD", "--none", "--none", ""),
    ]
    path = f"{BIN}/listing_multiline.txt"
    assert (output / BIN / "listing__.txt").read_text().splitlines() == words
    assert (output / BIN / "listing_multiline.txt").read_text().splitlines() == [path, *words]
    shell = (output / BIN / "listing_shell.txt").read_text()
    assert shlex.split(shell) == [path.replace("multiline", "shell"), *words]
    assert f"\n'x={files[0]}'\n" in shell
    assert f"\n{files[0]}\n" in shell
    for name in ("_", "multiline", "shell"):
        assert (output / BIN / f"listing_{name}.written").read_text().splitlines() == [f"w={file}" for file in files]
    members = subprocess.run(["ar", "t", BIN / "liblibrary.a"], cwd=output, capture_output=True, text=True).stdout
    assert members.split() == ["four.pic.o", "one.pic.o", "two.pic.o", "three.pic.o", "other.pic.o"]
    # what the sources in a directory include is watched
    assert "no work to do" in ninja(output)
    (tmp_path / "src/local.h").write_text("#define LOCAL (LOCAL_IS + 3)\n")
    ninja(output, "test")
    assert (output / LOGS / "static_test/test.log").read_text() == "1 2 3 7 5\n"


def ninja(output: Path, *words: str) -> str:
    done = subprocess.run(["ninja", *words], cwd=output, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout

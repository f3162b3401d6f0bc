"""A program that was asked for has its runfiles tree beside it, as `bazel build` leaves it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bazel2ninja.crosscheck.dumps import json_lines
from bazel2ninja.crosscheck.oracle import OracleAction

ROOT = Path(__file__).resolve().parent.parent
FILES = {
    "WORKSPACE": 'workspace(name = "me")\n',
    "BUILD": """
genrule(name = "made", outs = ["made.txt"], cmd = "echo made > $@")
sh_binary(name = "shell", srcs = ["shell.sh"], data = [":made", "given.txt"])
py_library(name = "library", srcs = ["library.py"], data = [":made"])
py_binary(name = "python", srcs = ["python.py"], deps = [":library"])
cc_binary(name = "bare", srcs = ["bare.cc"])
""",
    "given.txt": "given\n",
    "shell.sh": '#!/bin/sh\ncd "$0.runfiles/me" && cat given.txt made.txt\n',
    "library.py": "import os\nimport sys\n"
    "TEXT = next(open(p + '/me/made.txt').read() for p in sys.path if os.path.exists(p + '/me/made.txt'))\n",
    "python.py": "import library\nprint(library.TEXT, end='')\n",
    "bare.cc": "int main() { return 0; }\n",
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    place = tmp_path / "src"
    place.mkdir()
    for name, text in FILES.items():
        (place / name).write_text(text)
    (place / "shell.sh").chmod(0o755)
    return place


def run(place: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in words],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CC": "gcc"},
        capture_output=True,
        text=True,
    )


def tool(place: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return run(place, sys.executable, "-m", "bazel2ninja", *words)


def test_programs_find_their_files(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    made = tool(tmp_path, "generate", "-o", out / "build.ninja", source, "//:shell", "//:python", "//:bare")
    assert made.returncode == 0, made.stderr
    assert "bare.runfiles" not in (out / "build.ninja").read_text()
    done = run(out, "ninja")
    assert done.returncode == 0, done.stdout + done.stderr
    root = out / "bazel-out/k8-fastbuild/bin"
    assert run(tmp_path, root / "shell").stdout == "given\nmade\n"
    python = run(tmp_path, root / "python")
    assert (python.stdout, python.stderr) == ("made\n", "")
    assert "no work to do" in run(out, "ninja").stdout


@pytest.mark.parametrize("middleman", [True, False])
def test_a_dump_is_compared_with_the_files_of_the_tree(source: Path, tmp_path: Path, middleman: bool) -> None:
    """Before Bazel 7.4 the tree's files hang on a middleman that no other action reads."""
    root = "bazel-out/k8-fastbuild/bin"
    command = "source external/bazel_tools/tools/genrule/genrule-setup.sh; echo wrong > " + f"{root}/made.txt"
    tree = [f"{root}/shell.runfiles/MANIFEST"]
    actions = [
        OracleAction("Genrule", "//:made", False, (f"{root}/made.txt",), (), ("/bin/bash", "-c", command)),
        OracleAction("ExecutableSymlink", "//:shell", False, (f"{root}/shell",), ("shell.sh",)),
        OracleAction("CppCompile", "//:unasked", False, (f"{root}/u.o",), ("u.h",), ("gcc", "-c", "u.cc", "-o", "u.o")),
        OracleAction(
            *("Middleman", "//:shell", False, ("bazel-out/k8-fastbuild/internal/_middlemen/shell-runfiles",))
            if middleman
            else ("RunfilesTree", "//:shell", False, tuple(tree)),
            (f"{root}/made.txt",),
        ),
    ]
    (tmp_path / "dump").write_text(json_lines(actions))
    done = tool(tmp_path, "crosscheck", "--against=dump", source, "//:shell")
    assert done.returncode == 3, done.stderr
    assert "wrong > bazel-out/bin/made.txt" in done.stdout and "unasked" not in done.stdout


def test_a_copy_of_the_tree_holds_the_files(source: Path, tmp_path: Path) -> None:
    """As scripts that assemble a package do it: `cp -R` copies links as they are."""
    out = tmp_path / "out"
    assert tool(tmp_path, "generate", "-o", "out/build.ninja", "src", "//:python").returncode == 0
    assert run(out, "ninja").returncode == 0
    copy = tmp_path / "elsewhere/deep/copy"
    copy.parent.mkdir(parents=True)
    assert run(tmp_path, "cp", "-R", out / "bazel-out/k8-fastbuild/bin/python.runfiles", copy).returncode == 0
    assert (copy / "me/library.py").read_text() == FILES["library.py"]
    assert (copy / "me/made.txt").read_text() == "made\n"


def test_external_files_by_their_old_names(source: Path, tmp_path: Path) -> None:
    """WORKSPACE/external/REPOSITORY holds links to files: scripts look for what is no directory (`find ! -type d`)."""
    (source / "WORKSPACE").write_text(FILES["WORKSPACE"] + 'local_repository(name = "other", path = "../other")\n')
    (source / "BUILD").write_text('sh_binary(name = "shell", srcs = ["shell.sh"], data = ["@other//deep:data.txt"])\n')
    (tmp_path / "other/deep").mkdir(parents=True)
    (tmp_path / "other/WORKSPACE").touch()
    (tmp_path / "other/deep/BUILD").write_text('exports_files(["data.txt"])\n')
    (tmp_path / "other/deep/data.txt").write_text("data\n")
    assert tool(tmp_path, "generate", "-o", "out/build.ninja", "src", "//:shell").returncode == 0
    out = tmp_path / "out"
    assert run(out, "ninja").returncode == 0
    tree = out / "bazel-out/k8-fastbuild/bin/shell.runfiles"
    found = run(tree / "me/external", "find", ".", "!", "-type", "d").stdout
    assert found == "./other/deep/data.txt\n"
    assert (tree / "me/external" / found.strip()).read_text() == (tree / "other/deep/data.txt").read_text() == "data\n"
    assert "me/external" not in (tree / "MANIFEST").read_text()
    assert "no work to do" in run(out, "ninja").stdout


def test_the_interpreter_that_python_path_names(source: Path, tmp_path: Path) -> None:
    interpreter = tmp_path / "bin/own-python"
    interpreter.parent.mkdir()
    interpreter.write_text(f'#!/bin/sh\necho own\nexec {sys.executable} "$@"\n')
    interpreter.chmod(0o755)
    out = tmp_path / "out"
    (source / "BUILD").write_text(
        FILES["BUILD"]
        + 'genrule(name = "use", outs = ["used"], tools = [":python"], cmd = "$(location :python) > $@")\n'
    )
    made = tool(tmp_path, "generate", "-o", out / "build.ninja", f"--python_path={interpreter}", source, "//:use")
    assert made.returncode == 0, made.stderr
    done = run(out, "ninja")
    assert done.returncode == 0, done.stdout + done.stderr
    # the launcher is run by it, and runs the program with sys.executable, which is not the script above
    assert (out / "bazel-out/k8-fastbuild/bin/used").read_text() == "own\nmade\n"


def test_an_interpreter_without_a_place(source: Path, tmp_path: Path) -> None:
    out = tmp_path / "out/build.ninja"
    made = tool(tmp_path, "generate", "-o", out, "--python_path=python3.7", source, "//:python")
    assert (
        "py_binary rule //:python: --python_path=python3.7: the path of an interpreter must be absolute" in made.stderr
    )
    assert made.returncode == 1 and not out.exists()

"""Manifests of hand-made actions, built by the real ninja and gcc."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from ninja_workspace import Workspace

from bazel2ninja.analysis.action import SpawnAction
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.ninja.context import Options


def program(workspace: Workspace) -> list:
    """A library with a generated header and a written source, a program, a test."""
    workspace.file("a/gen.in", "42\n")
    header = workspace.artifact("a/gen.h")
    generator = workspace.file("a/gen.in", "42\n")
    workspace.add(
        SpawnAction(
            mnemonic="Genrule",
            arguments=(
                "/bin/bash",
                "-c",
                f'echo noise; echo "#define ANSWER $(cat a/gen.in)" > {header.exec_path}',
            ),
            **workspace.common("//a:gen", [header], [generator]),
        )
    )
    workspace.file("a/lib.h", "#pragma once\nint answer();\nconst char *where();\n")
    library = workspace.file(
        "a/lib.cc",
        '#include "a/lib.h"\n#include "a/gen.h"\nint answer() { return ANSWER; }\n'
        "const char *where() { return __FILE__; }\n",
    )
    main = workspace.file(
        "a/main.cc",
        '#include <cstdio>\n#include "a/lib.h"\n#include WORD\n'
        'int main() { std::printf("%d %s %s\\n", answer(), where(), word()); }\n',
    )
    word = workspace.write("//a:word", "a/word.h", 'inline const char *word() { return "a $word"; }\n')
    headers = Depset(direct=(header, word))
    deeper = Depset(transitive=(headers,))
    objects = [workspace.compile("//a:lib", library, input_sets=(headers,))]
    archive = workspace.archive("//a:lib", "a/liblib.a", objects)
    entry = workspace.compile("//a:main", main, input_sets=(deeper,), defines=('WORD="a/word.h"', "X=$y z"))
    executable = workspace.link("//a:main", "a/main", [(entry, "object"), (archive, "archive")])
    return [executable]


@pytest.mark.parametrize("source", ["../src", "."])
def test_a_program_builds_and_then_there_is_nothing_to_do(tmp_path: Path, source: str) -> None:
    workspace = Workspace(tmp_path, source)
    workspace.manifest(program(workspace))
    said = workspace.ninja()
    assert "noise" not in said
    ran = subprocess.run([workspace.output / "bazel-out/k8-fastbuild/bin/a/main"], capture_output=True, text=True)
    assert ran.stdout == "42 a/lib.cc a $word\n"
    assert "no work to do" in workspace.ninja()
    assert "No missing dependencies on generated files found" in workspace.ninja("-t", "missingdeps")
    # the output of the genrule comes out the same: nothing behind it is made again
    os.utime(workspace.source / "a/gen.in")
    said = workspace.ninja("-v")
    assert "gen.in" in said
    assert "g++" not in said
    workspace.file("a/gen.in", "43\n")
    workspace.ninja("//a:main")
    ran = subprocess.run([workspace.output / "bazel-out/k8-fastbuild/bin/a/main"], capture_output=True, text=True)
    assert ran.stdout == "43 a/lib.cc a $word\n"


def test_missing_dependencies_would_be_found(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    header = workspace.write("//a:h", "a/h.h", "int h;\n")
    made = workspace.compile("//a:x", workspace.file("a/x.cc", '#include "a/h.h"\n'))
    workspace.manifest([header, made])
    workspace.ninja("-j1", "//a:h.h")
    workspace.ninja()
    assert "Missing dep" in workspace.ninja("-t", "missingdeps", status=3)


def test_equal_builds_give_equal_bytes(tmp_path: Path) -> None:
    code = (
        "import pathlib, sys, ninja_workspace, test_ninja_build as t\n"
        "w = ninja_workspace.Workspace(pathlib.Path(sys.argv[1]))\n"
        "sys.stdout.buffer.write(w.manifest(t.program(w)).text)"
    )
    texts = []
    for seed in ("1", "2"):
        here = Path(__file__).resolve().parent
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": f"{here}:{here.parent}"}
        done = subprocess.run(
            [sys.executable, "-c", code, tmp_path / seed], capture_output=True, env=environment, check=True
        )
        texts.append(done.stdout)
    assert texts[0] == texts[1]
    assert b"build all: phony" in texts[0]


def test_pools(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    options = Options(workspace_name="ws", link_jobs=2, heavy_compiles=(r"a/lib\.cc",), heavy_jobs=1)
    text = workspace.manifest(program(workspace), options=options).text.decode()
    assert "pool link\n  depth = 2" in text
    heavy = next(each for each in text.split("\nbuild ") if "a/lib.cc.o: cxx" in each)
    assert "pool = heavy" in heavy
    assert text.count("pool = heavy") == 1
    workspace.ninja()


def test_names_with_every_odd_character(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    name = "a/o $dd, 'n|ame' ü"
    written = workspace.write("//a:w", name, "x")
    workspace.manifest([written])
    workspace.ninja(f"//{name[:1]}:{name[2:]}")
    assert (workspace.output / written.exec_path).read_text() == "x"

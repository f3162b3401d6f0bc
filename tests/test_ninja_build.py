"""Manifests of hand-made actions, built by the real ninja and gcc."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from ninja_workspace import Workspace

from bazel2ninja.analysis.action import SpawnAction
from bazel2ninja.analysis.depset import Depset


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
    assert "missingdeps found" not in workspace.ninja("-t", "missingdeps").replace("No missing dependencies", "")
    # the output of the genrule comes out the same: nothing behind it is made again
    os.utime(workspace.source / "a/gen.in")
    said = workspace.ninja("-v")
    assert "gen.in" in said
    assert "g++" not in said
    workspace.file("a/gen.in", "43\n")
    workspace.ninja("//a:main")
    ran = subprocess.run([workspace.output / "bazel-out/k8-fastbuild/bin/a/main"], capture_output=True, text=True)
    assert ran.stdout == "43 a/lib.cc a $word\n"

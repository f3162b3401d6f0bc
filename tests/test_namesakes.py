"""A header of the source tree that stands before one that the build makes."""

from __future__ import annotations

from pathlib import Path

import pytest
from repositories_support import write_tree

from bazel2ninja.cli import main

FILES = {
    "WORKSPACE": "",
    "a/BUILD": 'genrule(name = "g", outs = ["made.h", "made.txt"], cmd = "touch $(OUTS)")\n'
    'cc_library(name = "a", hdrs = ["made.h"], srcs = ["a.cc"])\n',
    "a/a.cc": '#include "a/made.h"\n',
    "a/made.txt": "no header\n",
    "made.h": "another directory\n",
}


@pytest.mark.parametrize("there", [True, False])
def test_a_header_that_is_made_and_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str], there: bool) -> None:
    write_tree(tmp_path / "tree", {**FILES, **({"a/made.h": "old\n"} if there else {})})
    (tmp_path / "out").mkdir()
    assert main(["generate", f"--output={tmp_path}/out/build.ninja", str(tmp_path / "tree")]) == 0
    told = capsys.readouterr().err.replace(f"{tmp_path}/", "")
    assert told == (
        "tree/a/made.h: warning: the compiler finds this header before the one of the same name that the build makes\n"
        "help: remove it from the source tree\n"
        "note: '//a:g' makes 'bazel-out/k8-fastbuild/bin/a/made.h'\n"
        if there
        else ""
    )

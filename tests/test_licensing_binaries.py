"""`bazel2ninja audit --target`: the terms of what a target makes, from a graph alone and after a build."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from licensing_support import write

from bazel2ninja import cli
from bazel2ninja.licensing import references
from bazel2ninja.licensing.linked_archives import linked_files
from bazel2ninja.licensing.policy import Policy

SPDX = "// SPDX-License-Identifier: "
TREE: dict[str, str | bytes] = {
    "WORKSPACE": """\
local_repository(name = "zed", path = "../zed")
load(":linked.bzl", "linked")
linked(name = "links")
""",
    "linked.bzl": """\
def _linked(ctx):
    ctx.symlink(ctx.path(Label("//:WORKSPACE")).dirname.dirname.get_child("far").get_child("code"), "code")
    ctx.file("BUILD", 'cc_library(name = "code", srcs = ["code/far.cc"], visibility = ["//visibility:public"])')

linked = repository_rule(_linked)
""",
    "LICENSE": (references.directory() / "texts/MIT.txt").read_text(),
    "BUILD": """\
cc_library(name = "inner", srcs = ["inner.cc"], hdrs = ["inner.h", "unused.h", "inc/deep/system.h"], includes = ["inc"])
cc_binary(name = "maker", srcs = ["maker.cc"])
genrule(name = "made", srcs = ["grammar.y"], outs = ["made.cc"], tools = [":maker"],
        cmd = "$(location :maker) < $< > $@")
cc_binary(name = "libouter.so", linkshared = True, srcs = ["outer.cc", ":made"],
          deps = [":inner", "@zed//:z", "@links//:code"])
""",
    "inner.cc": SPDX + 'ISC\n#include "inner.h"\nint inner() { return VALUE; }\n',
    "inner.h": SPDX + 'Zlib\n#define VALUE 1\n#if 0\n#include <unused.h>\n#include "never.h"\n#endif\n',
    "never.h": SPDX + "GPL-2.0-only\n",
    "unused.h": SPDX + "Apache-2.0\n",
    "maker.cc": SPDX
    + "GPL-3.0-only\n#include <stdio.h>\nint main() { int c; while ((c = getchar()) >= 0) putchar(c); }\n",
    "grammar.y": SPDX + 'BSD-2-Clause\n#include "inner.h"\nint made() { return VALUE; }\n',
    "outer.cc": '#include <stddef.h>\n#include "z/z.h"\n#include <deep/system.h>\nint outer() { return Z; }\n',
    "inc/deep/system.h": SPDX + "NCSA\n",
}
ZED: dict[str, str | bytes] = {
    "WORKSPACE": 'workspace(name = "zed")\n',
    "BUILD": 'cc_library(name = "z", hdrs = ["include/z/z.h"], strip_include_prefix = "include", '
    'visibility = ["//visibility:public"])\n',
    "include/z/z.h": SPDX + "BSL-1.0\n#define Z 1\n",
}
OUTPUT = "bazel-out/k8-fastbuild/bin/libouter.so"

Run = Callable[..., int]


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache") / "audit.sqlite"


@pytest.fixture
def run(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    write(tmp_path / "src", TREE)
    write(tmp_path / "zed", ZED)
    write(tmp_path / "far", {"COPYING": TREE["LICENSE"], "code/far.cc": SPDX + "PostgreSQL\n"})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CC", "gcc")
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent.parent))
    own = {"audit": [f"--cache={cache}", "--jobs=1"]}
    return lambda *words: cli._run([words[0], "src", *own.get(words[0], []), *words[1:]])


def audit(run: Run, *words: str) -> dict[str, dict[str, list[str]]]:
    assert run("audit", "--json=out.json", "--target=//:libouter.so", *words) == 0
    (found,) = json.loads(Path("out.json").read_text())["binaries"]
    assert found["output"].endswith(
        "/libouter.so",
    )
    return dict(found)


def flat(terms: dict[str, list[str]]) -> dict[str, str]:
    return {path: expression for expression, paths in terms.items() for path in paths}


def test_without_a_build_everything_that_is_named_counts(run: Run) -> None:
    found = audit(run)
    assert flat(found["terms"]) == {
        "outer.cc": "MIT",
        "inner.cc": "ISC",
        "inner.h": "Zlib",
        "inc/deep/system.h": "NCSA",
        "never.h": "GPL-2.0-only",
        "grammar.y": "BSD-2-Clause",
        "external/zed/include/z/z.h": "BSL-1.0",
        "external/links/code/far.cc": "PostgreSQL",
    }
    assert flat(found["tools"])["maker.cc"] == "GPL-3.0-only"
    assert not found["exact"]


def test_after_a_build_what_was_read_counts(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    Path("out").mkdir()
    assert run("generate", "-o", "out/build.ninja", "//:libouter.so") == 0
    done = subprocess.run(["ninja", "-C", "out"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    found = audit(run, "--build-directory=out")
    assert flat(found["terms"]) == {
        "outer.cc": "MIT",
        "inner.cc": "ISC",
        "inner.h": "Zlib",
        "inc/deep/system.h": "NCSA",
        "grammar.y": "BSD-2-Clause",
        "external/zed/include/z/z.h": "BSL-1.0",
        "external/links/code/far.cc": "PostgreSQL",
    }
    assert found["exact"]
    system = dict(found["system"])
    assert any(path.endswith("/stddef.h") for path in system), system
    assert any(path.endswith(("/crti.o", "/libc_nonshared.a")) for path in system)
    assert not any(path.endswith("/stdio.h") for path in system)  # what the tool reads is not in the library
    assert "gcc-" in found["static-built-using"]
    text = capsys.readouterr().out
    assert "headers: those that the compiler read, in all 5 compiles" in text
    assert "obliges to ship the notice: BSD-2-Clause, ISC, MIT, NCSA, PostgreSQL" in text


def test_why_a_licence_is_in_there(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--target=//:libouter.so",)
    assert run("audit", *words, "--why=BSL-1.0") == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines[0].startswith("1 files under BSL-1.0 are in bazel-out/")
    assert lines[1] == "external/zed/include/z/z.h: BSL-1.0"
    assert lines[2].startswith("made into bazel-out/") and "_virtual_includes" in lines[2]
    assert lines[3] == "perhaps included by outer.cc"
    assert lines[-1].startswith("linked into bazel-out/") and lines[-1].endswith(
        "/libouter.so",
    )
    assert run("audit", *words, "--why=BSL-1") == 2
    assert "did you mean 'BSL-1.0'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--why=MIT"], 2, "--why needs --target"),
        (["--notices=out"], 2, "--notices needs --target"),
        (["--build-directory=out"], 2, "--build-directory needs --target"),
        (["//:inner"], 2, "unexpected '//:inner'"),
        (["--copt=-O2"], 2, "unexpected '--copt=-O2'"),
        (["--target=//:outer"], 1, "did you mean"),
        (["--target=//:inner.h"], 1, "makes no file"),
        (["--target=//:inner", "--build-directory=nowhere"], 2, "'nowhere' does not exist"),
        (["--target=//:inner", "--build-directory=src"], 1, "ninja's log of dependencies"),
    ],
)  # fmt: skip
def test_wrong_words(run: Run, capsys: pytest.CaptureFixture[str], words: list[str], status: int, message: str) -> None:
    assert run("audit", *words) == status
    assert message in capsys.readouterr().err


def test_what_the_linker_takes_from_the_system(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "libboth.so": b"\x7fELF\0",
            "libboth.a": b"!<arch>\n",
            "libonly.a": b"!<arch>\n",
            "libscript.so": f"/* a script */ GROUP ( libboth.so.1 {tmp_path}/libonly.a AS_NEEDED ( libx.so ) )",
            "start.o": b"\x7fELF\0",
        },
    )

    def names(*words: str) -> list[str]:
        return [Path(path).name for path in linked_files([f"-L{tmp_path}", *words])]

    assert names(f"{tmp_path}/start.o", "-lboth") == ["start.o"]
    assert names("-lonly") == ["libonly.a"]
    assert names("-Bstatic", "-lboth", "-Bdynamic", "-lboth") == ["libboth.a"]
    assert names("--push-state", "-Bstatic", "--pop-state", "-lboth", "-l:libboth.a") == ["libboth.a"]
    assert names("-lscript") == ["libonly.a"]
    assert names("-o", f"{tmp_path}/start.o", "-lnowhere", f"{tmp_path}/gone.a") == []


def test_terms_without_conditions_oblige_to_no_notice() -> None:
    found = Policy(references.directory()).obligations(["dtoa", "CC0-1.0", "LicenseRef-public-domain", "BSL-1.0"])
    assert found == {"notice": ["dtoa"]}


def test_the_notices_to_ship(run: Run) -> None:
    """Texts where the sources have them, holders, and Apache-2.0's NOTICE files, for what is in the binary only."""
    bsd = (references.directory() / "texts/BSD-3-Clause.txt").read_text()
    write(
        Path("src"),
        {
            "inner.cc": "/* Copyright 2001 Inner Author\n"
            + bsd
            + '*/\n#include "inner.h"\nint inner() { return VALUE; }\n',
            "outer.cc": '// Copyright 2002 Outer Author\n#include "z/z.h"\nint outer() { return Z; }\n',
            "maker.cc": "// Copyright 2003 Maker Author\n" + SPDX + "GPL-3.0-only\nint main() { return 0; }\n",
            "NOTICE": "This product has been made by Everybody.\nLicensed as it is.\n",
            "elsewhere/NOTICE": "Of something else.\n",
            "never.h": SPDX + "Apache-2.0\n",
        },
    )
    assert run("audit", "--target=//:libouter.so", "--notices=notices") == 0
    said = Path("notices").read_text()
    assert said.startswith("Notices for ")
    assert "NOTICE file NOTICE" in said and "made by Everybody" in said
    assert "Of something else" not in said
    assert "Copyright 2001 Inner Author" in said and "Copyright 2002 Outer Author" in said
    assert "Maker Author" not in said
    assert "BSD-3-Clause: inner.cc\ntext: inner.cc" in said
    assert "MIT: outer.cc\ntext: LICENSE" in said
    assert "PostgreSQL: external/links/code/far.cc\ntext: reference text of PostgreSQL" in said
    assert "Neither the name of" in said and "Apache License" in said
    assert "GNU GENERAL" not in said.upper()

"""The overlay of LLVM and MLIR, on a stand-in machine: targets are what is installed there, rules run generators."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from repositories_support import write_tree
from system_library_support import StandIn

from bazel2ninja.system_libraries.library import SystemLibraryTable

pytestmark = pytest.mark.slow  # each test runs the program, some the compiler

ROOT = Path(__file__).resolve().parent.parent
# Writes its command line, and fails like the real one when a file that it includes is nowhere.
GENERATOR = """#!/bin/sh
set -e
file= out= paths=
while [ $# -gt 0 ]; do
    case $1 in
    -o) out=$2; shift ;;
    -I) paths="$paths $2"; shift ;;
    -*) echo "// $1" >> words.$$ ;;
    *.td) file=$1 ;;
    esac
    shift
done
cat words.$$ > "$out"; rm words.$$
for name in $(sed -n 's/^include //p' "$file"); do
    for path in $paths none; do
        test -e "$path/$name" && break
        test $path != none || { echo "$name is not found" >&2; exit 1; }
    done
    echo "// $name" >> "$out"
done
"""
BUILD = """
load("@llvm-project//mlir:tblgen.bzl", "gentbl_cc_library", "gentbl_filegroup", "td_library")

td_library(
    name = "shapes_td",
    srcs = ["td/shapes.td"],
    includes = ["td"],
    deps = ["@llvm-project//mlir:OpBaseTdFiles", "@llvm-project//mlir:FuncTdFiles"],
)

gentbl_cc_library(
    name = "ops",
    tbl_outs = [(["-gen-op-decls"], "ops.h.inc"), (["-gen-op-defs", "-dialect=a"], "ops.cc.inc")],
    tblgen = "@llvm-project//mlir:mlir-tblgen",
    td_file = "ops.td",
    test = True,
    deps = [":shapes_td"],
)

gentbl_cc_library(
    name = "stripped",
    strip_include_prefix = "td",
    tbl_outs = {"td/types.inc": ["-gen-types"], "td/types.md": ["-gen-op-doc"]},
    tblgen = "@llvm-project//mlir:mlir-tblgen",
    td_file = "td/shapes.td",
    deps = ["@llvm-project//mlir:OpBaseTdFiles"],
)

cc_library(
    name = "a",
    srcs = ["a.cc"],
    deps = [
        ":ops",
        ":stripped",
        "@llvm-project//llvm:Support",
        "@llvm-project//mlir:FuncExtensions",
        "@llvm-project//mlir:IR",
    ],
)

cc_binary(
    name = "generator",
    srcs = ["a.cc"],
    deps = ["@llvm-project//mlir:TableGen"],
)
"""
WORKSPACE = """
load("@llvm-raw//utils/bazel:configure.bzl", "llvm_configure")
llvm_configure(name = "llvm-project")
"""
TREE = {
    "WORKSPACE": WORKSPACE,
    "BUILD": BUILD,
    "ops.td": "include mlir/IR/OpBase.td\ninclude shapes.td\n",
    "td/shapes.td": "include mlir/IR/OpBase.td\n",
    "a.cc": '#include "ops.h.inc"\n#include "types.inc"\n',
}
INSTALLED = ("include/mlir/IR/OpBase.td", "include/mlir/Dialect/Func/IR/FuncOps.td", "include/mlir/IR/Value.h")
ARCHIVES = ("MLIRIR", "MLIRTableGen", "MLIRFuncDialect", "MLIRMathTestPasses", "LLVMSupport", "LLVMTableGen")


@pytest.fixture
def machine(tmp_path: Path) -> StandIn:
    made = StandIn(tmp_path / "machine")
    made.install(SystemLibraryTable.read().libraries["llvm"])
    prefix = made.root / "lib/llvm-17"
    write_tree(prefix, dict.fromkeys((*INSTALLED, *(f"lib/lib{name}.a" for name in ARCHIVES)), ""))
    write_tree(prefix, {"bin/mlir-tblgen": GENERATOR})
    (prefix / "bin/mlir-tblgen").chmod(0o755)
    write_tree(tmp_path / "src", TREE)
    return made


def run(machine: StandIn, place: str, *words: str, status: int = 0) -> str:
    done = subprocess.run(
        words,
        cwd=machine.root.parent / place,
        env={**machine.environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def generate(machine: StandIn, *targets: str, status: int = 0) -> str:
    (machine.root.parent / "out").mkdir(exist_ok=True)
    words = (sys.executable, "-m", "bazel2ninja", "generate", "-o", "build.ninja", "--allow-unsandboxed", "../src")
    return run(machine, "out", *words, *targets, status=status)


def query(machine: StandIn, package: str) -> dict[str, str]:
    """The targets of a package of the overlay, and the kind of each."""
    words = (
        sys.executable,
        "-m",
        "bazel2ninja",
        "query",
        "--output=label_kind",
        "../src",
        f"@llvm-project//{package}:all",
    )
    (machine.root.parent / "out").mkdir(exist_ok=True)
    lines = [line.rpartition(" ") for line in run(machine, "out", *words).splitlines() if " rule @" in line]
    return {label.rpartition(":")[2]: kind.removesuffix(" rule") for kind, _, label in lines}


def test_targets_are_what_is_installed(machine: StandIn) -> None:
    mlir = query(machine, "mlir")
    assert {mlir[name] for name in ("IR", "FuncDialect", "FuncExtensions", "OpBaseTdFiles", "mlir-tblgen")} == {"alias"}
    assert mlir["TableGen"] == "cc_library"  # the shared library lacks it
    assert mlir["CAPIIRHeaders"] == "alias"  # of a family that it lacks, but no archive
    assert {"OpBaseTdFiles", "FuncOpsTdFiles", "FuncTdFiles"} <= set(mlir)
    absent = {"ArithDialect", "ArithTdFiles", "MathTestPasses", "Nothing"}  # not installed, or for tests of MLIR itself
    assert not absent & set(mlir)
    llvm = query(machine, "llvm")
    assert (llvm["Support"], llvm["TableGen"], llvm["FileCheck"]) == ("alias", "cc_library", "alias")
    assert "mlir-tblgen" not in llvm and "llvm-tblgen" not in mlir


def test_a_name_that_is_not_installed_is_a_misspelt_one(machine: StandIn) -> None:
    text = TREE["BUILD"].replace("//mlir:IR", "//mlir:FuncDialekt")
    (machine.root.parent / "src/BUILD").write_text(text)
    told = generate(machine, "//:a", status=1)
    assert "BUILD:" in told and "error: " in told and "FuncDialekt" in told and "did you mean" in told


def test_generators_run_and_headers_are_found(machine: StandIn) -> None:
    generate(machine, "//:a")
    run(machine, "out", "ninja", "-j2")
    made = machine.root.parent / "out/bazel-out/k8-fastbuild/bin"
    assert (made / "ops.h.inc").read_text().splitlines() == ["// -gen-op-decls", "// mlir/IR/OpBase.td", "// shapes.td"]
    assert (made / "ops.cc.inc").read_text().splitlines()[:2] == ["// -gen-op-defs", "// -dialect=a"]
    assert (made / "td/types.inc").exists()
    assert not (made / "td/types.md").exists()  # documentation is no header
    compiled = (made.parent.parent.parent / "build.ninja").read_text()
    assert "llvm-project/llvm/include" in compiled


def test_definitions_are_dependencies(machine: StandIn) -> None:
    generate(machine, "//:a")
    run(machine, "out", "ninja", "-j2")
    assert "no work to do" in run(machine, "out", "ninja")
    installed = machine.root / "lib/llvm-17/include/mlir/IR/OpBase.td"
    later = time.time() + 5  # than any output, however long the build took
    os.utime(installed, (later, later))
    assert "TdGenerate" in run(machine, "out", "ninja", "-n")


def test_links(machine: StandIn) -> None:
    generate(machine, "//:generator")
    prefix = machine.root / "lib/llvm-17/lib"
    text = (machine.root.parent / "out/build.ninja").read_text()
    words = next(line for line in text.splitlines() if "-lMLIRTableGen" in line)
    order = ["-lMLIRTableGen", "-lLLVMTableGen", "-lMLIR ", "-lLLVM-17"]
    places = [words.index(word) for word in order]
    assert places == sorted(places)
    assert f"-L{prefix}" in words and f" -Wl,-rpath,{prefix} " in text

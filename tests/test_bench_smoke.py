"""The benchmarks' own parts, without timing anything: what they measure must be there, and be the same each time."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "tools/bench"


def load(name: str) -> ModuleType:
    path = BENCH / f"{name}.py"
    if not path.exists():  # a program
        path = BENCH / name
    loader = SourceFileLoader(f"bench_{name}", str(path))
    specification = importlib.util.spec_from_loader(loader.name, loader)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


def test_a_synthetic_workspace_has_the_targets_that_were_asked_for(tmp_path: Path) -> None:
    synthetic = load("synthetic")
    assert synthetic.make(tmp_path / "one", 21) == 40
    assert synthetic.make(tmp_path / "two", 21) == 40
    one, two = (sorted(path for path in (tmp_path / name).rglob("*") if path.is_file()) for name in ("one", "two"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "bazel2ninja",
            "generate",
            "-o",
            str(tmp_path / "out/build.ninja"),
            str(tmp_path / "one"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    manifest = (tmp_path / "out/build.ninja").read_text()
    labels = {line.split()[1].rstrip(":") for line in manifest.splitlines() if line.startswith("build //")}
    assert len(labels) == 40 + 1  # and the config_setting of //config


def test_ratios_of_loops_and_compiles_come_from_real_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    loops = load("starlark_loops")
    for name, text in loops.LOOPS.items():
        assert loops.starlark(text)(300) == loops.python(text)(300), name
    (tmp_path / "BUILD").write_text("cc_library(name = 'a')\n" * 3)
    (tmp_path / "bad.bzl").write_text("import os\n")
    found = load("starlark_compile").report([tmp_path], runs=1)
    assert found["files"] == 2
    assert float(str(found["cold"])) > 0
    assert "1 refused" in capsys.readouterr().out


def test_a_measure_tells_what_its_process_used(tmp_path: Path) -> None:
    processes = load("processes")
    spend = "import time\nwhile time.process_time() < 0.05: bytearray(20_000_000)"
    sample = processes.measure([sys.executable, "-c", spend], tmp_path, processes.environment(tmp_path))
    assert sample.cpu >= 0.05
    assert sample.wall > 0
    assert sample.peak_kib > 20_000
    with pytest.raises(processes.ProcessError, match="status 3"):
        processes.measure([sys.executable, "-c", "raise SystemExit(3)"], tmp_path, {})
    median = processes.median(
        [processes.Sample(1.0, 5.0, 7), processes.Sample(3.0, 4.0, 9), processes.Sample(2.0, 6.0, 8)]
    )
    assert median == processes.Sample(2.0, 5.0, 9)


@pytest.mark.parametrize("words", [["--runs", "0"], ["nothing"], ["--runs", "1", "cold"]])
def test_wrong_usage_is_told(words: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(BENCH / "run"), *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin"},
    )
    assert done.returncode == 2
    assert "usage: tools/bench/run" in done.stderr


@pytest.mark.slow
def test_edits_of_any_tree_are_measured(tmp_path: Path) -> None:
    load("synthetic").make(tmp_path / "tree", 21)
    words = [
        "--packages",
        "1",
        "--kind",
        "a new target",
        "--json",
        str(tmp_path / "figures.json"),
        str(tmp_path / "tree"),
    ]
    done = subprocess.run([sys.executable, str(BENCH / "edits"), *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (figure,) = json.loads((tmp_path / "figures.json").read_text())
    assert figure["kind"] == "a new target" and figure["ours"] > 0 and figure["cold"] > 0
    assert "edits: all: 1 edits, median" in done.stdout
    assert not list((tmp_path / "tree").rglob("added_by_an_edit_*"))  # it works on a copy


def test_an_edit_of_no_kind_is_wrong_usage(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(BENCH / "edits"), "--kind", "nothing", str(tmp_path)], capture_output=True, text=True
    )
    assert done.returncode == 2 and "no kind of edit begins with 'nothing'" in done.stderr


STAND_IN = """#!/bin/sh
if test "$1" = --help; then
    printf '  x86-64-v4\\n  x86-64-v3 (supported, searched)\\n'
else
    echo {level} 0.2$# 0.4 {sum} 2.0
fi
"""


@pytest.mark.parametrize(
    ("level", "sum", "message"),
    [
        ("$2", "1.0", ""),
        ("x86-64", "1.0", "was to take the library for x86-64-v3"),
        ("$2", "$(date +%N)", "compute different things"),
    ],
)
def test_a_level_counts_only_if_the_loader_took_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: str, sum: str, message: str
) -> None:
    levels = load("levels")
    loader = tmp_path / "loader"
    loader.write_text(STAND_IN.format(level=level, sum=sum))
    loader.chmod(0o755)
    monkeypatch.setattr(levels, "LOADER", str(loader))
    if not message:
        found = levels.measure(tmp_path, 2)
        assert found == {each: {"matmul": 0.25, "conv": 0.4} for each in ("x86-64", "x86-64-v3")}
    else:
        with pytest.raises(levels.LevelsError, match=message):
            levels.measure(tmp_path, 1)


@pytest.mark.slow
def test_variants_of_kernels_are_timed(tmp_path: Path) -> None:
    if subprocess.run(["pkg-config", "--exists", "eigen3"]).returncode:
        pytest.skip("Eigen is not installed (apt install libeigen3-dev)")
    words = [sys.executable, str(BENCH / "levels"), "--runs", "1", "--json", str(tmp_path / "figures.json")]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / "figures.json").read_text())
    assert "x86-64" in found and all(seconds > 0 for each in found.values() for seconds in each.values())

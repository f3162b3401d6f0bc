"""Real projects of the Debian archive: generate, build and test each whole, without a network.

BAZEL2NINJA_SOURCES names the directory of the source packages (they are fetched there when absent; default: a directory
below the system's temporary one); BAZEL2NINJA_LAUNCHER a compiler launcher such as ccache; BAZEL2NINJA_PROJECTS the
projects to do, separated by blanks (default: all).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest
from archive import ROOT, Project, fetch, projects, repositories

pytestmark = pytest.mark.real_project

LEFT_OUT_AT_MOST = 0.02  # of the targets
CASES = [(project, compiler) for project in projects() for compiler in project.compilers]
CXX = {"gcc": "g++", "clang": "clang++"}


def without_network() -> list[str]:
    """The words that run a command without a network; loud when this machine cannot."""
    if subprocess.run(["unshare", "-rn", "true"], capture_output=True).returncode == 0:
        return ["unshare", "-rn"]
    pytest.fail("this machine gives no network namespace ('unshare -rn' fails): the build would not be proven offline")


def run(words: list[object], where: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in words],
        cwd=where,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        errors="replace",
    )


@dataclass
class Result:
    targets: int
    seconds: dict[str, float]
    passed: list[str]
    failed: list[str]
    not_built: list[str]


RESULTS: dict[str, Result] = {}


@pytest.fixture(scope="module", autouse=True)
def table() -> Iterator[None]:
    yield
    with open(os.environ.get("BAZEL2NINJA_REPORT", os.devnull), "a") as report:
        for name, result in RESULTS.items():
            seconds = ", ".join(f"{what} {value:.1f} s" for what, value in result.seconds.items())
            line = (
                f"{name}: {result.targets} targets, {len(result.passed)} tests passed, {len(result.failed)} failed, "
                f"{len(result.not_built)} targets not built; {seconds}"
            )
            print("\n" + line, file=sys.__stdout__)
            print(line, file=report)
            for target in [*result.failed, *result.not_built]:
                print(f"    {target}", file=sys.__stdout__)


@pytest.mark.parametrize(
    ("project", "compiler"),
    [pytest.param(p, c, id=f"{p.name}-{c}", marks=pytest.mark.minutes(p.minutes)) for p, c in CASES],
)
def test_project(project: Project, compiler: str, tmp_path: Path) -> None:
    tree = fetch(project)
    offline = without_network()
    assert shutil.which(compiler), f"{compiler} is not installed"
    tools = {"CC": compiler, "CXX": CXX[compiler]}
    launcher = os.environ.get("BAZEL2NINJA_LAUNCHER")
    overrides = repositories(project, tmp_path)
    seconds: dict[str, float] = {}

    def timed(what: str, words: list[object]) -> subprocess.CompletedProcess[str]:
        start = time.monotonic()
        done = run([*offline, *words], tmp_path, **tools)
        seconds[what] = time.monotonic() - start
        return done

    before = snapshot(tree)
    words: list[object] = [
        sys.executable,
        "-m",
        "bazel2ninja",
        "generate",
        "-o",
        "build.ninja",
        os.path.relpath(tree, tmp_path),
    ]
    words += [*overrides, *project.options, *project.targets, *([f"--launcher={launcher}"] if launcher else [])]
    done = timed("generate", words)
    assert done.returncode == 0, done.stderr[-4000:]

    build = timed("build", ["ninja", "-k", "0", "all"])
    test = timed("test", ["ninja", "-k", "0", "test"])
    labels = [line.split(":")[0] for line in run(["ninja", "-t", "targets", "all"], tmp_path).stdout.splitlines()]
    assert labels
    passed, failed = outcomes(tmp_path)
    not_built = (
        [] if build.returncode == 0 else [line for line in build.stdout.splitlines() if line.startswith("FAILED")]
    )
    targets = run(
        [sys.executable, "-m", "bazel2ninja", "query", os.path.relpath(tree, tmp_path), *overrides, rules(project)],
        tmp_path,
    ).stdout.splitlines()
    RESULTS[f"{project.name} ({compiler})"] = Result(len(targets), seconds, passed, failed, not_built)

    known = set(project.left_out)
    assert set(failed) <= known, f"tests failed: {failed}\n{test.stdout[-6000:]}"
    assert known <= set(failed) | set(not_built), f"left out, but all is well: {known - set(failed)}"
    assert build.returncode == 0 or known, f"{build.stdout[-6000:]}"
    assert len(known) <= LEFT_OUT_AT_MOST * len(targets)
    assert passed
    assert snapshot(tree) == before, "something was written into the source tree"
    if not known:
        assert "no work to do" in run(["ninja", "all"], tmp_path, **tools).stdout
        missing = run(["ninja", "-t", "missingdeps"], tmp_path)
        assert "No missing dependencies on generated files found." in missing.stdout, missing.stdout[-3000:]


def rules(project: Project) -> str:
    return " + ".join(f"kind(rule, {target})" for target in project.targets or ["//..."])


def snapshot(tree: Path) -> dict[str, int]:
    return {
        str(path): path.lstat().st_mtime_ns
        for path in sorted(tree.rglob("*"))
        if not path.is_dir() or path.is_symlink()
    }


def outcomes(where: Path) -> tuple[list[str], list[str]]:
    """Labels of the tests that passed and failed, by the JUnit files that the runs left."""
    passed: list[str] = []
    failed: list[str] = []
    for file in sorted(where.rglob("test.xml")):
        label = "//" + str(file.parent.relative_to(where)).partition("testlogs/")[2]
        (passed if (file.parent / "test.passed").exists() else failed).append(label)
        ElementTree.parse(file)  # well-formed, whatever a test printed
    return passed, failed

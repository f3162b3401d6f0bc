"""TensorFlow's versions that users have: every package loads or has a cause, and a manifest is made for each product.

Their trees are in no archive: name a directory that holds one for each version (1.4.1, 2.9.1, 2.21 ...) with
BAZEL2NINJA_TENSORFLOW_TREES.  docs/tensorflow-versions.md says where they come from, and what these tests count.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from archive import ROOT

pytestmark = pytest.mark.real_project

# Packages that do not load, and what they say: templates instead of files, rules that no release has.
FAILING: dict[str, dict[str, str]] = {
    "1.4.1": {},
    "1.15.5": {
        "third_party/mlir/bindings/python": "name 'py_extension' is not defined",
        "third_party/mlir/bindings/python/test": "no such package '//third_party/llvm/build_defs'",
        "third_party/toolchains/cpus/arm": "cannot load '//third_party/toolchains/cpus/arm:cc_config.bzl'",
    },
    "2.0.0": {},
    "2.4.4": {
        "third_party/ortools": "name 'native' is not defined",
        "third_party/toolchains/cpus/arm": "cannot load '//third_party/toolchains/cpus/arm:cc_config.bzl'",
        "third_party/toolchains/embedded/arm-linux": "cannot load '//third_party/toolchains/embedded/arm-linux:cc_con",
    },
    "2.9.1": {},
    "2.12.1": {},
    "2.14.0": {},
}
# 2.21 has a repository of its own in a directory: these are read as @local_xla//..., and not as //third_party/xla/...
INNER = {"2.21": ("third_party/xla/", "local_xla")}

# (version, at least so many rules in //..., so many actions for the default targets)
SIZES = {
    "1.4.1": (4_600, 1_000),
    "1.15.5": (11_300, 2_800),
    "2.0.0": (11_000, 2_600),
    "2.4.4": (14_900, 4_000),
    "2.9.1": (20_100, 5_000),
    "2.12.1": (23_200, 5_900),
    "2.14.0": (24_300, 6_000),
    "2.21": (21_400, 7_000),
}
PIP = "//tensorflow/tools/pip_package:build_pip_package"
LITE = "//tensorflow/lite:libtensorflowlite.so"


def tree(version: str) -> Path:
    trees = os.environ.get("BAZEL2NINJA_TENSORFLOW_TREES", "")
    if not trees or not (Path(trees) / version).is_dir():
        pytest.skip(f"NOT TESTED: TensorFlow {version}; BAZEL2NINJA_TENSORFLOW_TREES names no directory that has it")
    return Path(trees) / version


def run(place: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bazel2ninja", *map(str, words)],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CC": "gcc"},
        capture_output=True,
        text=True,
        errors="replace",
    )


def errors_of(done: subprocess.CompletedProcess[str]) -> list[str]:
    return [line for line in done.stderr.splitlines() if re.search(r":\d+: error: |^error: ", line)]


@pytest.mark.parametrize("version", SIZES)
def test_every_package_loads_or_has_a_cause(version: str, tmp_path: Path) -> None:
    source = tree(version)
    done = run(tmp_path, "query", "-k", "--allow-missing-repositories", source, "kind(rule, //...)")
    assert len(done.stdout.splitlines()) >= SIZES[version][0], done.stderr[-4000:]
    below, repository = INNER.get(version, ("", ""))
    expected = dict(FAILING.get(version, {}))
    for line in errors_of(done):
        package = os.path.dirname(line.partition(":")[0]).removeprefix(f"{source}/")
        if below and package.startswith(below):
            continue
        assert expected.pop(package, "no error") in line, line
    assert expected == {}
    if repository:
        inner = run(tmp_path, "query", "-k", "--allow-missing-repositories", source, f"kind(rule, @{repository}//...)")
        assert errors_of(inner) == []
        assert len(inner.stdout.splitlines()) >= 8_500


def actions_of(manifest: Path) -> int:
    kinds = r"build [^:]*: (cc|cxx|archive|link|link_long|spawn|write\w*|expand|symlink|fail)\b"
    return sum(1 for line in manifest.read_text(errors="replace").splitlines() if re.match(kinds, line))


@pytest.mark.parametrize("version", SIZES)
def test_the_libraries_and_the_python_extension(version: str, tmp_path: Path) -> None:
    """No target is said, and no option but the one for what nobody has."""
    source = tree(version)
    done = run(tmp_path, "generate", "-o", "build.ninja", "--allow-missing-repositories", source)
    assert done.returncode == 0, done.stderr[-4000:]
    manifest = tmp_path / "build.ninja"
    assert actions_of(manifest) >= SIZES[version][1]
    text = manifest.read_text(errors="replace")
    for name in ("libtensorflow_framework.so", "libtensorflow_cc.so", "_pywrap_tensorflow_internal.so"):
        assert f"/{name}" in text, name
    leaf = re.search(r"^build (\S+\.missing): fail$", text, re.MULTILINE)
    if leaf and shutil.which("ninja"):
        refused = subprocess.run(["ninja", leaf[1]], cwd=tmp_path, capture_output=True, text=True)
        assert refused.returncode != 0
        assert re.search(r"'@?[^']+//[^']*' is missing: ", refused.stdout), refused.stdout + refused.stderr


@pytest.mark.parametrize("version", [version for version in SIZES if version not in ("1.4.1",)])
def test_the_library_for_small_machines(version: str, tmp_path: Path) -> None:
    done = run(tmp_path, "generate", "-o", "build.ninja", "--allow-missing-repositories", tree(version), LITE)
    assert done.returncode == 0, done.stderr[-4000:]
    assert actions_of(tmp_path / "build.ninja") >= 150


@pytest.mark.parametrize("version", SIZES)
def test_the_tree_of_the_wheel(version: str, tmp_path: Path) -> None:
    target = "//tensorflow/tools/pip_package:wheel" if version == "2.21" else PIP
    done = run(tmp_path, "generate", "-o", "build.ninja", "--allow-missing-repositories", tree(version), target)
    assert done.returncode == 0, done.stderr[-4000:]
    assert actions_of(tmp_path / "build.ninja") >= SIZES[version][1]

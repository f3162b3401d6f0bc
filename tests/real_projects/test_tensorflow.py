"""TensorFlow's own build description: every package loads, and the actions are those of real Bazel.

2.14.1 is Debian sid's source package, fetched like the other real projects.  2.0.0 is in no archive: name its tree with
BAZEL2NINJA_TENSORFLOW_2_0 and, with BAZEL2NINJA_TENSORFLOW_2_0_EXTERNALS, a directory that holds the sources of
VENDORED at the commits that tensorflow/workspace.bzl names (a directory for each, called like the repository).
BAZEL2NINJA_TENSORFLOW_2_0_RUN is what tools/oracle/record_tensorflow_2_0 wrote for them: dumps of further targets.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import tensorflow_standins
from archive import ROOT, Project, fetch
from tensorflow_2_0 import CONFIGURED, ORACLES, SYSTEM, TARGETS

from bazel2ninja import profile

pytestmark = pytest.mark.real_project

PROJECT = Project(name="tensorflow", source="tensorflow", suite="sid")
SYSTEM_LIBS = (
    "com_google_absl,flatbuffers,com_google_protobuf,com_googlesource_code_re2,snappy,zlib,png,gif,libjpeg_turbo,curl,"
    "double_conversion,jsoncpp_git,nsync,org_sqlite,pybind11,icu,hwloc,six_archive,wrapt,termcolor_archive,"
    "typing_extensions_archive,absl_py,astor_archive,astunparse_archive,gast_archive,dill_archive,tblib_archive,"
    "opt_einsum_archive,pasta,cython,nasm,boringssl,com_github_grpc_grpc"
)
PYTHON = ("--repo_env=PYTHON_BIN_PATH=/usr/bin/python3", "--repo_env=PYTHON_LIB_PATH=/usr/lib/python3/dist-packages")
OPTIONS = (f"--repo_env=TF_SYSTEM_LIBS={SYSTEM_LIBS}", *PYTHON, "--repo_env=TF_PYTHON_VERSION=3.11")
AT_LEAST_RULES = 24_000

VENDORED = ("boringssl", "com_google_absl", "com_google_protobuf", "com_googlesource_code_re2", "gemmlowp", "nsync")
EVERY_SYSTEM_LIB = (
    "absl_py,astor_archive,boringssl,com_github_googleapis_googleapis,com_github_googlecloudplatform_google_cloud_cpp,"
    "com_google_protobuf,com_googlesource_code_re2,curl,cython,double_conversion,enum34_archive,flatbuffers,"
    "functools32_archive,gast_archive,gif_archive,grpc,hwloc,icu,jpeg,jsoncpp_git,keras_applications_archive,lmdb,nasm,"
    "nsync,opt_einsum_archive,org_sqlite,pasta,pcre,png_archive,six_archive,snappy,swig,termcolor_archive,wrapt,"
    "zlib_archive"
)


def run(place: Path, *words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "bazel2ninja", *map(str, words)],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CC": "gcc"},
        capture_output=True,
        text=True,
        errors="replace",
    )


def crosscheck(place: Path, *words: object, oracle: str | Path, at_least: int) -> None:
    against = ORACLES / f"{oracle}.jsonl.xz" if isinstance(oracle, str) else oracle
    done = run(place, "crosscheck", "--noprofile", "--json", *words, f"--against={against}")
    assert done.returncode in (0, 3), done.stderr[-4000:]
    report = json.loads(done.stdout)
    assert report["unexplained"] == []
    assert report["compared"] >= at_least, report["compared"]


@pytest.fixture(scope="session")
def tree() -> Path:
    return fetch(PROJECT)


@pytest.fixture(scope="session")
def stand_ins(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    place = tmp_path_factory.mktemp("stand-ins")
    provided = [name for name in SYSTEM_LIBS.split(",") if name != "com_google_absl"]
    names = tensorflow_standins.write(tree, place, leave=provided)
    return [f"--override_repository={name}={place / name}" for name in names]


@pytest.mark.parametrize(
    ("target", "oracle", "at_least"),
    [
        ("//tensorflow/lite:libtensorflowlite.so", "tf-2.14.1-lite", 253),
        ("//tensorflow:libtensorflow_framework.so.2", "tf-2.14.1-framework", 1178),
    ],
)
def test_the_actions_are_those_of_bazel(
    tree: Path, stand_ins: list[str], tmp_path: Path, target: str, oracle: str, at_least: int
) -> None:
    crosscheck(tmp_path, *OPTIONS, *stand_ins, tree, target, oracle=oracle, at_least=at_least)


def test_every_package_loads(tree: Path, stand_ins: list[str], tmp_path: Path) -> None:
    done = run(tmp_path, "query", "--noprofile", *OPTIONS, *stand_ins, tree, "kind(rule, //...)")
    assert done.returncode == 0, done.stderr[-4000:]
    assert len(done.stdout.splitlines()) >= AT_LEAST_RULES


def test_every_package_loads_without_stand_ins(tree: Path, tmp_path: Path) -> None:
    done = run(tmp_path, "query", "--noprofile", "-k", *PYTHON, tree, "kind(rule, //...)")
    assert [line for line in done.stderr.splitlines() if " error: " in line] == []
    assert len(done.stdout.splitlines()) >= AT_LEAST_RULES - 1000


@pytest.mark.parametrize(
    ("target", "oracle", "system", "at_least"),
    [
        ("libtensorflow_framework.so", "tf-2.0.0-framework-syslibs", EVERY_SYSTEM_LIB, 1001),
        ("libtensorflow_framework.so", "tf-2.0.0-framework", SYSTEM, 1964),
        ("libtensorflow_cc.so", "tf-2.0.0-cc", SYSTEM, 4811),
    ],
)
def test_the_actions_of_2_0_0(tmp_path: Path, target: str, oracle: str, system: str, at_least: int) -> None:
    source, externals = (os.environ.get(f"BAZEL2NINJA_TENSORFLOW_2_0{ending}", "") for ending in ("", "_EXTERNALS"))
    if not source or not externals:
        pytest.skip("NOT TESTED: TensorFlow 2.0.0; set BAZEL2NINJA_TENSORFLOW_2_0 and ..._EXTERNALS to its sources")
    (tmp_path / "configured.bazelrc").write_text(CONFIGURED)
    stand_ins = tmp_path / "stand-ins"
    names = tensorflow_standins.write(
        Path(source), stand_ins, sorted(ORACLES.glob("tf-2.0.0-*.jsonl.xz")), leave=(*VENDORED, *system.split(","))
    )
    crosscheck(
        tmp_path,
        "--bazel_release=0.26.1",
        "--bazelrc=configured.bazelrc",
        f"--vendor={externals}",
        f"--repo_env=TF_SYSTEM_LIBS={system}",
        *(f"--override_repository={name}={stand_ins / name}" for name in names),
        source,
        f"//tensorflow:{target}",
        oracle=oracle,
        at_least=at_least,
    )


@pytest.mark.parametrize(("name", "at_least"), [("libtensorflow", 8209), ("pywrap", 8992), ("pip_package", 19071)])
def test_further_targets_of_2_0_0(tmp_path: Path, name: str, at_least: int) -> None:
    source, recorded = (os.environ.get(f"BAZEL2NINJA_TENSORFLOW_2_0{ending}", "") for ending in ("", "_RUN"))
    if not source or not recorded:
        pytest.skip("NOT TESTED: TensorFlow 2.0.0; set BAZEL2NINJA_TENSORFLOW_2_0 and ..._RUN")
    repositories = sorted(Path(recorded, "repositories").iterdir())
    crosscheck(
        tmp_path,
        "--bazel_release=0.26.1",
        f"--bazelrc={recorded}/configured.bazelrc",
        f"--repo_env=TF_SYSTEM_LIBS={SYSTEM}",
        *(f"--override_repository={path.name}={path}" for path in repositories),
        source,
        TARGETS[name],
        oracle=Path(recorded, f"{name}.aquery.text.xz"),
        at_least=at_least,
    )


def test_the_known_incompatibilities_of_2_0_0() -> None:
    """Each that the profile names is in every file that it names; what is mended is not."""
    source = os.environ.get("BAZEL2NINJA_TENSORFLOW_2_0", "")
    if not source:
        pytest.skip("NOT TESTED: TensorFlow 2.0.0; set BAZEL2NINJA_TENSORFLOW_2_0 to its sources")
    path = Path(profile.DIRECTORY) / "tensorflow.toml"
    known = profile.ProfileFile(path.read_text(), str(path)).applied((2, 0, 0), {}).incompatibilities
    assert len(known) >= 14
    for entry in known:
        for file in entry.files:
            assert entry.places(f"{source}/{file}"), f"{entry.location}: {file}"

"""TensorFlow's rules that look for ROCm and for SYCL, really run against stand-ins (rocm_toolkit.py).

2.14.1 is Debian sid's source package; the others are in the directory that BAZEL2NINJA_TENSORFLOW_TREES names, as in
test_tensorflow_versions.py.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import rocm_toolkit
from archive import ROOT, Project, fetch

pytestmark = pytest.mark.real_project

PROJECT = Project(name="tensorflow", source="tensorflow", suite="sid")
# version -> (toolkit, variable that says where it is)
ROCM = {"1.15.5": ("2.9", "ROCM_TOOLKIT_PATH"), "2.0.0": ("2.9", "ROCM_TOOLKIT_PATH")}
ROCM |= {"2.4.4": ("3.9", "ROCM_PATH"), "2.14.1": ("5.6", "ROCM_PATH")}
SYCL = ("1.4.1", "1.15.5", "2.0.0")
FRAMEWORK = "//tensorflow:libtensorflow_framework.so"


def tree(version: str) -> Path:
    if version == "2.14.1":
        return fetch(PROJECT)
    trees = os.environ.get("BAZEL2NINJA_TENSORFLOW_TREES", "")
    if not trees or not (Path(trees) / version).is_dir():
        pytest.skip(f"NOT TESTED: TensorFlow {version}; BAZEL2NINJA_TENSORFLOW_TREES names no directory that has it")
    return Path(trees) / version


@pytest.fixture(scope="session")
def toolkits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a toolkit for each version of ROCm, and `sycl`."""
    place = tmp_path_factory.mktemp("toolkits")
    for version in rocm_toolkit.PARTS:
        rocm_toolkit.write(place / version, version)
    rocm_toolkit.write_sycl(place / "sycl")
    return place


def run(place: Path, *words: object, **environment: object) -> subprocess.CompletedProcess[str]:
    """bazel2ninja with these variables, as users set them."""
    given = {name: str(value) for name, value in environment.items()}
    return subprocess.run(
        [sys.executable, "-m", "bazel2ninja", *map(str, words)],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CC": "gcc", **given},
        capture_output=True,
        text=True,
        errors="replace",
    )


def generate(place: Path, version: str, **environment: object) -> subprocess.CompletedProcess[str]:
    words = ("generate", "--allow-missing-repositories", "-o", "build.ninja", tree(version), FRAMEWORK)
    return run(place, *words, **environment)


def made(place: Path, file: str) -> str:
    return (place / ".bazel2ninja/external" / file).read_text()


def rocm(version: str, toolkits: Path, targets: str = "gfx906") -> dict[str, object]:
    """The variables for ROCm."""
    toolkit, variable = ROCM[version]
    return {"TF_NEED_ROCM": 1, variable: toolkits / toolkit, "TF_ROCM_AMDGPU_TARGETS": targets}


@pytest.mark.parametrize("version", ROCM)
def test_rocm_is_off(version: str, tmp_path: Path) -> None:
    done = generate(tmp_path, version)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "error_gpu_disabled()" in made(tmp_path, "local_config_rocm/crosstool/BUILD")
    assert "-DTENSORFLOW_USE_ROCM" not in (tmp_path / "build.ninja").read_text()


@pytest.mark.parametrize("version", ROCM)
def test_rocm_is_on(version: str, toolkits: Path, tmp_path: Path) -> None:
    done = generate(tmp_path, version, **rocm(version, toolkits))
    assert done.returncode == 0, done.stderr[-4000:]
    directory = toolkits / ROCM[version][0]
    assert f'cp -rLf "{directory}/include/." ' in made(tmp_path, "local_config_rocm/rocm/BUILD")
    if version == "2.14.1":
        configured = made(tmp_path, "local_config_rocm/rocm/rocm/rocm_config.h")
        assert f'#define TF_ROCM_TOOLKIT_PATH "{directory}"' in configured
        assert "#define TF_ROCM_VERSION 50600" in configured
        assert "#define TF_HIPRUNTIME_VERSION 506" in configured
        assert '["--amdgpu-target=gfx906"]' in made(tmp_path, "local_config_rocm/rocm/build_defs.bzl")
    wrapper = made(tmp_path, "local_config_rocm/crosstool/clang/bin/crosstool_wrapper_driver_is_not_gcc")
    assert "hipcc" in wrapper and "%{" not in wrapper
    manifest = (tmp_path / "build.ninja").read_text()
    assert "-DTENSORFLOW_USE_ROCM=1" in manifest
    # the headers are copied by a command of the repository's own
    assert re.search(r"^build [^:]*local_config_rocm/rocm/rocm/include/[^:]*: spawn", manifest, re.MULTILINE)


@pytest.mark.parametrize("version", ROCM)
def test_a_target_that_rocm_does_not_know(version: str, toolkits: Path, tmp_path: Path) -> None:
    done = generate(tmp_path, version, **rocm(version, toolkits, "gfx906,banana"))
    refused(done, "ROCm Configuration Error: Invalid AMDGPU target: banana", "local_config_rocm", "rocm_configure")


@pytest.mark.parametrize("version", ROCM)
def test_rocm_is_not_there(version: str, toolkits: Path, tmp_path: Path) -> None:
    wanted = rocm(version, toolkits)
    wanted[ROCM[version][1]] = toolkits / "none"
    old = "ROCm Configuration Error: Cannot find rocm toolkit path."
    message = old if ROCM[version][0] == "2.9" else f'Specified ROCM_PATH "{toolkits}/none" does not exist'
    refused(generate(tmp_path, version, **wanted), message, "local_config_rocm", "rocm_configure")


@pytest.mark.parametrize("version", ROCM)
def test_a_library_of_rocm_is_not_there(version: str, toolkits: Path, tmp_path: Path) -> None:
    toolkit, variable = ROCM[version]
    place = tmp_path / "toolkit"
    rocm_toolkit.write(place, toolkit)
    next(place.rglob("librocblas.so")).unlink()
    done = generate(tmp_path, version, **{**rocm(version, toolkits), variable: place})
    refused(done, "Cannot find rocm library", "local_config_rocm", "rocm_configure")


@pytest.mark.parametrize("version", SYCL)
def test_sycl_is_off(version: str, tmp_path: Path) -> None:
    done = generate(tmp_path, version)
    assert done.returncode == 0, done.stderr[-4000:]
    assert "error_sycl_disabled()" in made(tmp_path, "local_config_sycl/crosstool/BUILD")


@pytest.mark.parametrize("version", SYCL)
def test_sycl_is_on(version: str, toolkits: Path, tmp_path: Path) -> None:
    variable = "TF_NEED_OPENCL" if version == "1.4.1" else "TF_NEED_OPENCL_SYCL"
    done = generate(tmp_path, version, **{variable: 1, "COMPUTECPP_TOOLKIT_PATH": toolkits / "sycl"})
    assert done.returncode == 0, done.stderr[-4000:]
    assert "CPU_CXX_COMPILER = ('/usr/bin/g++')" in made(tmp_path, "local_config_sycl/crosstool/computecpp")
    assert str(toolkits / "sycl") in made(tmp_path, "local_config_sycl/crosstool/CROSSTOOL")
    header = tmp_path / ".bazel2ninja/external/local_config_sycl/sycl/include/CL/sycl.hpp"
    assert header.resolve() == toolkits / "sycl/include/CL/sycl.hpp"
    assert (header.parents[2] / "lib/libComputeCpp.so").resolve() == toolkits / "sycl/lib/libComputeCpp.so"


@pytest.mark.parametrize("version", SYCL[1:])
def test_trisycl(version: str, toolkits: Path, tmp_path: Path) -> None:
    """Headers only, by another variable."""
    done = generate(tmp_path, version, TF_NEED_OPENCL_SYCL=1, TRISYCL_INCLUDE_DIR=toolkits / "sycl/include")
    assert done.returncode == 0, done.stderr[-4000:]
    assert "CPU_CXX_COMPILER = ('/usr/bin/g++')" in made(tmp_path, "local_config_sycl/crosstool/trisycl")


@pytest.mark.parametrize(
    ("version", "toolkit", "message"),
    [
        ("1.4.1", "sycl/none", "Auto-Configuration Error: Cannot find dir: "),
        ("1.15.5", "sycl/none", "Auto-Configuration Error: Cannot find dir: "),
        ("2.0.0", "2.9", "Auto-Configuration Error: Cannot find "),
        ("2.0.0", "", "Cannot find triSYCL include directory, please correct your path"),
    ],
)
def test_sycl_is_not_there(version: str, toolkit: str, message: str, toolkits: Path, tmp_path: Path) -> None:
    wanted: dict[str, object] = {"TF_NEED_OPENCL" if version == "1.4.1" else "TF_NEED_OPENCL_SYCL": 1}
    if toolkit:
        wanted["COMPUTECPP_TOOLKIT_PATH"] = toolkits / toolkit
    refused(generate(tmp_path, version, **wanted), message, "local_config_sycl", "sycl_configure")


def refused(done: subprocess.CompletedProcess[str], message: str, repository: str, rule: str) -> None:
    """One message, which names the repository and its rule."""
    assert done.returncode == 1
    assert done.stderr.count(" error: ") == 1, done.stderr[-3000:]
    assert message in done.stderr, done.stderr[-3000:]
    assert f"repository '@{repository}' is made by {rule}()" in done.stderr
    assert "\x1b" not in done.stderr

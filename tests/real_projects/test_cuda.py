"""TensorFlow's rules that look for GPU toolkits, really run against stand-ins (cuda_toolkit.py), and what they lead to.

2.14.1 is Debian sid's source package; 2.0.0 is named by BAZEL2NINJA_TENSORFLOW_2_0, as in test_tensorflow.py.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import cuda_toolkit
import pytest
from archive import ROOT, Project, fetch

pytestmark = pytest.mark.real_project

PROJECT = Project(name="tensorflow", source="tensorflow", suite="sid")
CUDNN = {"8.0": "6.0.21", "10.0": "7.6.3", "11.2": "8.1.0", "12.2": "8.9.4"}
CONFIGURED = ("cuda", "nccl", "tensorrt", "rocm")


@pytest.fixture(scope="session")
def toolkits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with a toolkit for each version."""
    place = tmp_path_factory.mktemp("toolkits")
    for version, cudnn in CUDNN.items():
        tensorrt, nccl = ("5.0.2", "2.4.8") if version == "10.0" else ("8.4.1", "2.8.3")
        cuda_toolkit.write(place / version, version, cudnn, tensorrt=tensorrt, nccl=nccl)
    return place


@pytest.fixture(params=["2.14.1", "2.0.0"])
def tree(request: pytest.FixtureRequest) -> Path:
    if request.param == "2.14.1":
        return fetch(PROJECT)
    named = os.environ.get("BAZEL2NINJA_TENSORFLOW_2_0")
    if not named:
        pytest.skip("NOT TESTED: TensorFlow 2.0.0; set BAZEL2NINJA_TENSORFLOW_2_0 to its sources")
    return Path(named)


def is_old(tree: Path) -> bool:
    return not (tree / "tensorflow/tsl").exists()


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


def generate(place: Path, tree: Path, target: str, **environment: object) -> subprocess.CompletedProcess[str]:
    words = ("generate", "--allow-missing-repositories", "-o", "build.ninja", tree, f"//tensorflow:{target}")
    return run(place, *words, **environment)


def definitions(place: Path) -> dict[str, str]:
    """What cuda_config.h says."""
    text = (place / ".bazel2ninja/external/local_config_cuda/cuda/cuda/cuda_config.h").read_text()
    return dict(re.findall(r'#define TF_(\w+) "?([^"\n]*)', text))


def repositories(place: Path, tree: Path, *words: str) -> set[str]:
    """Rules of the repositories that the rules make."""
    names = " + ".join(f"@local_config_{name}//{name if name in ('cuda', 'rocm') else ''}:all" for name in CONFIGURED)
    done = run(place, "query", *words, tree, f"kind(rule, {names})")
    assert done.returncode == 0, done.stderr[-4000:]
    return set(done.stdout.split())


def test_the_rules_when_nothing_is_wanted(tree: Path, tmp_path: Path) -> None:
    found = repositories(tmp_path, tree)
    assert {"@local_config_cuda//cuda:cudart", "@local_config_nccl//:nccl", "@local_config_rocm//rocm:rocm"} <= found
    assert "@local_config_cuda//cuda:cuda-lib" not in found
    assert "@local_config_tensorrt//:tensorrt_lib" not in found or not is_old(tree)


def test_the_rules_when_everything_is_there(tree: Path, toolkits: Path, tmp_path: Path) -> None:
    version, tensorrt = ("10.0", "5") if is_old(tree) else ("11.2", "8")
    wanted = {"NEED_CUDA": 1, "NEED_TENSORRT": 1, "TENSORRT_VERSION": tensorrt, "NCCL_VERSION": 2}
    wanted |= {"CUDA_PATHS": toolkits / version, "CUDA_COMPUTE_CAPABILITIES": "3.5"}
    found = repositories(tmp_path, tree, *(f"--repo_env=TF_{name}={value}" for name, value in wanted.items()))
    assert {"@local_config_cuda//cuda:cuda-lib", "@local_config_nccl//:nccl-files"} <= found
    assert {"@local_config_cuda//cuda:cudnn-include", "@local_config_tensorrt//:tensorrt_lib"} <= found


@pytest.mark.parametrize(
    ("old", "cuda", "capabilities", "expected"),
    [
        (False, "11.2", "3.5,8.6", {"CUDA_VERSION": "11.2", "CUDART_VERSION": "11.0", "CUDNN_VERSION": "8"}),
        (False, "12.2", "8.6", {"CUDA_VERSION": "12.2", "CUBLAS_VERSION": "12", "CUFFT_VERSION": "11"}),
        (True, "8.0", "3.5", {"CUDA_VERSION": "8.0", "CUDA_LIB_VERSION": "8.0", "CUDNN_VERSION": "6"}),
        (True, "10.0", "3.5", {"CUDA_VERSION": "10.0", "CUDNN_VERSION": "7"}),
    ],
)
def test_a_graph_for_gpus(
    tree: Path, toolkits: Path, tmp_path: Path, old: bool, cuda: str, capabilities: str, expected: dict[str, str]
) -> None:
    if old is not is_old(tree):
        pytest.skip("for the other version")
    done = generate(
        tmp_path,
        tree,
        "libtensorflow_framework.so",
        TF_NEED_CUDA=1,
        TF_CUDA_PATHS=toolkits / cuda,
        TF_CUDA_COMPUTE_CAPABILITIES=capabilities,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    assert expected.items() <= definitions(tmp_path).items()
    manifest = (tmp_path / "build.ninja").read_text()
    assert "-DGOOGLE_CUDA=1" in manifest
    assert "external/local_config_cuda/cuda/cuda/include/cuda.h" in manifest
    # the wrapper that tells sources for the GPU from others compiles them all, and links
    compiles = len(re.findall(r"^build \S+\.o: c(?:c|xx) ", manifest, re.MULTILINE))
    wrapper = r"/crosstool_wrapper_driver_is_not_gcc\n"
    assert compiles > 400
    assert len(re.findall(rf"^  c(?:c|xx) = \S*{wrapper}", manifest, re.MULTILINE)) == compiles
    assert re.search(rf"^  link = \S*{wrapper}", manifest, re.MULTILINE)


def test_kernels_for_gpus(tree: Path, toolkits: Path, tmp_path: Path) -> None:
    """With XLA or without, each kernel's source for the GPU is compiled once; XLA adds its own."""
    compiled = []
    for xla in (0, 1):
        done = generate(
            tmp_path,
            tree,
            "libtensorflow_cc.so",
            TF_ENABLE_XLA=xla,
            TF_NEED_CUDA=1,
            TF_CUDA_PATHS=toolkits / ("10.0" if is_old(tree) else "11.2"),
            TF_CUDA_COMPUTE_CAPABILITIES="3.5",
        )
        assert done.returncode == 0, done.stderr[-4000:]
        objects = re.findall(r"^build (\S+\.pic\.o)", (tmp_path / "build.ninja").read_text(), re.MULTILINE)
        assert len(objects) == len(set(objects))
        assert sum(name.endswith(".cu.pic.o") for name in objects) >= 350
        compiled.append(set(objects))
    assert sum("/tensorflow/compiler/" in name for name in compiled[1] - compiled[0]) >= 100


@pytest.mark.parametrize(
    ("old", "cuda", "capabilities", "message"),
    [
        (False, "12.2", "3.5", "compute capability 3.5 needs CUDA >= 5.0, < 12, and CUDA 12.2 was found"),
        (False, "11.2", "3.5,banana", "Cuda Configuration Error: Invalid compute capability: banana"),
        (False, "11.2", "9.9", "nothing is known about compute capability '9.9' (profile tensorflow)"),
        (False, "8.0", "3.5", "lib64/libcublasLt.so.8.0"),
        (True, "8.0", "3.5,8.6", "compute capability 8.6 needs CUDA >= 11.1, and CUDA 8.0 was found"),
        (True, "11.2", "8.6", "Cuda Configuration Error: No library found under: "),
        (True, "8.0", "x.y", "Cuda Configuration Error: Invalid compute capability: x.y"),
    ],
)
def test_what_cannot_be(
    tree: Path, toolkits: Path, tmp_path: Path, old: bool, cuda: str, capabilities: str, message: str
) -> None:
    if old is not is_old(tree):
        pytest.skip("for the other version")
    done = generate(
        tmp_path,
        tree,
        "libtensorflow_framework.so",
        TF_NEED_CUDA=1,
        TF_CUDA_PATHS=toolkits / cuda,
        TF_CUDA_COMPUTE_CAPABILITIES=capabilities,
    )
    assert done.returncode == 1
    assert done.stderr.count(" error: ") == 1
    assert message in done.stderr
    assert "repository '@local_config_cuda' is made by cuda_configure()" in done.stderr
    assert "\x1b" not in done.stderr


@pytest.mark.parametrize(
    ("variables", "message", "repository"),
    [
        (
            {"TF_NEED_TENSORRT": 1},
            "Could not find any NvInferVersion.h matching version '' in any subdirectory",
            "tensorrt",
        ),
        ({"TF_NCCL_VERSION": 2}, "Could not find any nccl.h matching version '2' in any subdirectory", "nccl"),
    ],
)
def test_a_library_beside_the_toolkit_is_not_there(
    tree: Path, tmp_path: Path, variables: dict[str, int], message: str, repository: str
) -> None:
    place = tmp_path / "toolkit"
    version = "10.0" if is_old(tree) else "11.2"
    cuda_toolkit.write(place, version, CUDNN[version])
    wanted = {"TF_NEED_CUDA": 1, "TF_CUDA_PATHS": place, "TF_CUDA_COMPUTE_CAPABILITIES": "3.5", **variables}
    done = generate(tmp_path, tree, "libtensorflow_cc.so", **wanted)
    assert done.returncode == 1
    assert done.stderr.count(" error: ") == 1, done.stderr[-3000:]
    assert message in done.stderr, done.stderr[-3000:]
    assert f"repository '@local_config_{repository}' is made by {repository}_configure()" in done.stderr


def test_a_toolkit_that_is_not_there(tree: Path, tmp_path: Path) -> None:
    done = generate(tmp_path, tree, "libtensorflow_framework.so", TF_NEED_CUDA=1, TF_CUDA_PATHS=tmp_path / "none")
    assert done.returncode == 1
    assert "Could not find any cuda.h matching version '' in any subdirectory" in done.stderr

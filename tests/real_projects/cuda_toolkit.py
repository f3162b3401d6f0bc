#!/usr/bin/env python3
"""Writes a stand-in for NVIDIA's toolkit: what a build description looks at, and nothing of NVIDIA's.

    tests/real_projects/cuda_toolkit.py [--cuda 11.2] [--cudnn 8.1.0] [--tensorrt 8.4.1] [--nccl 2.8.3] DEST

Headers hold the macros that tell their versions, libraries are empty and have the SONAMEs of the real ones, nvcc
answers --version and -v, as https://docs.nvidia.com/cuda/cuda-compiler-driver-nvcc/ describes, and refuses to compile.
Which library has which number in its name: https://docs.nvidia.com/cuda/cuda-toolkit-release-notes/.
"""

from __future__ import annotations

import argparse
import subprocess
from collections.abc import Mapping
from pathlib import Path

# Versions of the parts, where they are not the toolkit's: toolkit -> part -> version.
PARTS: Mapping[str, Mapping[str, str]] = {
    "8.0": {},
    "10.0": {},
    "11.2": {"cudart": "11.0", "cublas": "11.3.1", "cusolver": "11.0.2", "curand": "10.2.3", "cufft": "10.4.0"}
    | {"cusparse": "11.3.1"},
    "12.2": {"cudart": "12", "cupti": "12", "cublas": "12.2.1", "cusolver": "11.5.0", "curand": "10.3.3"}
    | {"cufft": "11.0.8", "cusparse": "12.1.1"},
}
CUDNN = ("backend", "adv_infer", "adv_train", "cnn_infer", "cnn_train", "ops_infer", "ops_train", "version")
NVCC = """\
#!/bin/sh
# A stand-in: it has no compiler.
case "$1" in
--version)
    echo "nvcc: NVIDIA (R) Cuda compiler driver"
    echo "Cuda compilation tools, release {release}, V{release}.1" ;;
-v)
    echo '#$ _TARGET_DIR_={target}' >&2
    exit 1 ;;
*)
    echo "nvcc: this is a stand-in and compiles nothing" >&2
    exit 1 ;;
esac
"""


def library(path: Path) -> None:
    """An empty shared library whose SONAME is its file's name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    name = f"-Wl,-soname,{path.name}"
    subprocess.run(["gcc", "-shared", "-nostdlib", name, "-x", "c", "/dev/null", "-o", path], check=True)


def header(path: Path, **macros: object) -> None:
    """A header with these macros."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"#define {name} {value}\n" for name, value in macros.items()))


def numbered(path: Path, prefix: str, names: str, version: str) -> None:
    """A header with a version's numbers under names such as "MAJOR MINOR PATCH"."""
    numbers = [*version.split("."), "0", "0"]
    header(path, **{f"{prefix}_{name}": number for name, number in zip(names.split(), numbers, strict=False)})


def write(place: Path, cuda: str, cudnn: str, *, tensorrt: str = "", nccl: str = "") -> None:
    """Lays a toolkit out in `place`, as /usr/local/cuda has it, cuDNN and others among it."""
    major, minor = cuda.split(".")
    new = int(major) >= 11
    parts = PARTS[cuda]
    include, lib = place / "include", place / "lib64"
    header(include / "cuda.h", CUDA_VERSION=int(major) * 1000 + int(minor) * 10)
    for name, file in (
        ("cublas", "cublas_api.h"),
        ("cusolver", "cusolver_common.h"),
        ("curand", "curand.h"),
        ("cufft", "cufft.h"),
        ("cusparse", "cusparse.h"),
    ):
        if new:
            numbered(include / file, f"{name.upper()}_VER", "MAJOR MINOR PATCH", parts[name])
        else:
            header(include / file)
        library(lib / f"lib{name}.so.{parts[name].partition('.')[0] if new else cuda}")
    for file in ("cublas.h", "cublas_v2.h", "cusolverDn.h", "cuda_runtime.h", "nvml.h"):
        header(include / file)
    if new:
        header(include / "cublasLt.h")
        library(lib / f"libcublasLt.so.{parts['cublas'].partition('.')[0]}")
    header(place / "extras/CUPTI/include/cupti.h")
    library(place / f"extras/CUPTI/lib64/libcupti.so.{parts.get('cupti', cuda)}")
    library(lib / "stubs/libcuda.so")
    library(lib / f"libcudart.so.{parts.get('cudart', cuda)}")
    (lib / "libcudart_static.a").write_bytes(b"!<arch>\n")
    binaries = place / "bin"
    (binaries / "crt").mkdir(parents=True)
    (binaries / "crt/link.stub").write_text("")
    for name in ("bin2c", "fatbinary", "nvlink", "nvprune", "ptxas"):
        (binaries / name).write_text("#!/bin/sh\nexit 1\n")
    (binaries / "nvcc").write_text(NVCC.format(release=cuda, target="targets/x86_64-linux" if new else ""))
    for path in binaries.iterdir():
        path.chmod(0o755)
    (place / "targets/x86_64-linux").mkdir(parents=True)
    (place / "targets/x86_64-linux/include").symlink_to("../../include")
    header(place / "nvvm/libdevice" / ("libdevice.10.bc" if int(major) >= 9 else "libdevice.compute_35.10.bc"))
    numbered(include / "cudnn.h", "CUDNN", "MAJOR MINOR PATCHLEVEL", cudnn)
    if int(cudnn.partition(".")[0]) >= 8:
        for name in CUDNN:
            header(include / f"cudnn_{name}.h")
        numbered(include / "cudnn_version.h", "CUDNN", "MAJOR MINOR PATCHLEVEL", cudnn)
    library(lib / f"libcudnn.so.{cudnn.partition('.')[0]}")
    if tensorrt:
        numbered(include / "NvInferVersion.h", "NV_TENSORRT", "MAJOR MINOR PATCH", tensorrt)
        for name in ("NvInfer.h", "NvInferLegacyDims.h", "NvInferImpl.h", "NvUtils.h", "NvInferPlugin.h"):
            header(include / name)
        header(include / "NvInferRuntime.h")
        header(include / "NvInferRuntimeCommon.h")
        header(include / "NvInferPluginUtils.h")
        for name in ("nvinfer", "nvinfer_plugin"):
            library(lib / f"lib{name}.so.{tensorrt.partition('.')[0]}")
            (lib / f"lib{name}_static.a").write_bytes(b"!<arch>\n")
    if nccl:
        numbered(include / "nccl.h", "NCCL", "MAJOR MINOR PATCH", nccl)
        library(lib / f"libnccl.so.{nccl.partition('.')[0]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("destination", type=Path)
    parser.add_argument("--cuda", default="11.2", choices=PARTS)
    parser.add_argument("--cudnn", default="8.1.0")
    parser.add_argument("--tensorrt", default="")
    parser.add_argument("--nccl", default="")
    arguments = parser.parse_args()
    write(
        arguments.destination,
        arguments.cuda,
        arguments.cudnn,
        tensorrt=arguments.tensorrt,
        nccl=arguments.nccl,
    )


if __name__ == "__main__":
    main()

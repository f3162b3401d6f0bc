#!/usr/bin/env python3
"""Writes stand-ins for AMD's ROCm and Codeplay's ComputeCpp: what a build description looks at, and nothing of theirs.

    tests/real_projects/rocm_toolkit.py {2.9,3.9,5.6} DEST

Headers hold the macros that tell their versions, libraries are empty; programs refuse to compile.  Until ROCm 5.1 each
part has a directory of its own (rocblas/include, rocblas/lib), since 5.2 all share the toolkit's:
https://rocm.docs.amd.com/en/docs-5.6.0/understand/file_reorg.html.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

from cuda_toolkit import header, library

# part -> library, as the parts were called in each version
PARTS: Mapping[str, Mapping[str, str]] = {
    "2.9": {"hip": "hip_hcc", "rocblas": "rocblas", "rocfft": "rocfft", "hiprand": "hiprand", "miopen": "MIOpen"}
    | {"rccl": "rccl"},
    "3.9": {"hip": "amdhip64", "rocblas": "rocblas", "rocfft": "rocfft", "hiprand": "hiprand", "miopen": "MIOpen"}
    | {"rccl": "rccl", "hipsparse": "hipsparse", "roctracer": "roctracer64"},
    "5.6": {"hip": "amdhip64", "rocblas": "rocblas", "hipfft": "hipfft", "rocfft": "rocfft", "hiprand": "hiprand"}
    | {"miopen": "MIOpen", "rccl": "rccl", "hipsparse": "hipsparse", "roctracer": "roctracer64"}
    | {"rocsolver": "rocsolver", "hipsolver": "hipsolver", "hipblas": "hipblas"},
}
# part -> (header below its include directory, names of the macros of its version)
VERSIONS: Mapping[str, tuple[str, str]] = {
    "miopen": ("miopen/version.h", "MIOPEN_VERSION_MAJOR MIOPEN_VERSION_MINOR MIOPEN_VERSION_PATCH"),
    "rocblas": ("internal/rocblas-version.h", "ROCBLAS_VERSION_MAJOR ROCBLAS_VERSION_MINOR ROCBLAS_VERSION_PATCH"),
    "rocfft": ("rocfft-version.h", "rocfft_version_major rocfft_version_minor rocfft_version_patch"),
    "hipfft": ("hipfft-version.h", "hipfftVersionMajor hipfftVersionMinor hipfftVersionPatch"),
    "roctracer": ("roctracer.h", "ROCTRACER_VERSION_MAJOR ROCTRACER_VERSION_MINOR"),
    "hipsparse": ("hipsparse-version.h", "hipsparseVersionMajor hipsparseVersionMinor hipsparseVersionPatch"),
    "hipsolver": ("internal/hipsolver-version.h", "hipsolverVersionMajor hipsolverVersionMinor hipsolverVersionPatch"),
    "rocsolver": ("rocsolver-version.h", "ROCSOLVER_VERSION_MAJOR ROCSOLVER_VERSION_MINOR ROCSOLVER_VERSION_PATCH"),
}
_TOOLKIT = "ROCM_VERSION_MAJOR ROCM_VERSION_MINOR ROCM_VERSION_PATCH"
_PROGRAM = "#!/bin/sh\necho 'this is a stand-in and compiles nothing' >&2\nexit 1\n"
_AGENTS = "#!/bin/sh\nprintf 'gfx000\\ngfx906\\ngfx906\\n'\n"


def program(path: Path, text: str = _PROGRAM) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def _version(path: Path, names: str, version: str) -> None:
    header(path, **dict(zip(names.split(), [*version.split("."), "0"], strict=False)))


def write(place: Path, version: str) -> None:
    """Lays a toolkit out in `place`, as /opt/rocm has it."""
    shared = version >= "5.2"
    for part, name in PARTS[version].items():
        own = place if shared or part == "hip" else place / part
        library((place / "hip" if part == "hip" and version != "2.9" else own) / f"lib/lib{name}.so")
        include = place / "include" / part if shared else place / part / "include"
        header(include / f"{part}.h")
        if part in VERSIONS:
            file, names = VERSIONS[part]
            _version(include / (file.removeprefix("miopen/") if shared else file), names, version)
    if shared:
        library(place / "roctracer/lib/libroctracer64.so")
    numbers = version.split(".")
    hip = place / ("include/hip" if shared else "hip/include/hip") / "hip_version.h"
    header(hip, HIP_VERSION_MAJOR=numbers[0], HIP_VERSION_MINOR=numbers[1])
    header(hip.with_name("hip_runtime.h"))
    header(place / ("include/rocrand" if shared else "rocrand/include") / "rocrand_version.h", ROCRAND_VERSION=201009)
    _version(place / "include" / ("rocm-core" if shared else ".") / "rocm_version.h", _TOOLKIT, version)
    (place / ".info").mkdir()
    (place / ".info/version-dev").write_text(f"{version}.0-17\n")
    program(place / "bin/rocm_agent_enumerator", _AGENTS)
    for name in ("bin/hipcc", "hip/bin/hipcc", "llvm/bin/clang-offload-bundler"):
        program(place / name)


def write_sycl(place: Path) -> None:
    """Lays ComputeCpp's files out in `place`."""
    library(place / "lib/libComputeCpp.so")
    header(place / "include/CL/sycl.hpp")
    program(place / "bin/compute++")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("version", choices=PARTS)
    parser.add_argument("destination", type=Path)
    arguments = parser.parse_args()
    write(arguments.destination, arguments.version)


if __name__ == "__main__":
    main()

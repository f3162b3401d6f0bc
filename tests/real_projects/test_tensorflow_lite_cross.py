"""TensorFlow Lite of Debian sid, cross-built for arm64 on amd64, and used by qemu-user beside Debian's own arm64 build.

Everything but the compiler is arm64's: libraries, headers and .pc files of the packages for that architecture.  The
chroot stays beside the source packages.
"""

from __future__ import annotations

import platform
import re

import debian_chroot
import pytest
from archive import directory, fetch
from tensorflow_lite_build import (
    LIBRARIES,
    OPTIONS,
    PROJECT,
    Chroot,
    libraries_are_in_place_of_debians,
    the_same_results,
)

pytestmark = [pytest.mark.real_project, pytest.mark.minutes(40)]

TRIPLET = "aarch64-linux-gnu"
# Below //tensorflow/lite.  Those that docs/tensorflow.md names need the libraries' objects and few more.
TESTS = {
    "": "array_test minimal_logging_test stderr_reporter_test type_to_tflitetype_test",
    "/c": "c_api_opaque_internal_test c_api_signature_runner_test c_test",
    "/core/acceleration/configuration": "stable_delegate_registry_test",
    "/core/api": "error_reporter_test flatbuffer_conversions_test op_resolver_internal_test op_resolver_test",
    "/core/async": "task_internal_test",
    "/core/async/interop/c": "types_test",
    "/core/c": "builtin_op_data_test common_test",
    "/delegates": "serialization_test telemetry_test utils_test",
    "/delegates/utils/experimental/stable_delegate": "tflite_settings_json_parser_test",
    "/examples/label_image": "label_image_test",
    "/experimental/remat": "metadata_util_test",
    "/kernels": "conv_mem_test cpu_backend_gemm_test cpu_backend_threadpool_test",
    "/kernels/internal": (
        "avx2_quantization_utils_test batch_to_space_nd_test log_quantized_test optimized_4bit_test"
        " quantization_util_test reduce_utils_test runtime_shape_test strided_slice_logic_test tensor_test"
        " transpose_utils_test"
    ),
    "/kernels/internal/utils": "sparsity_format_converter_test",
    "/profiling": "memory_info_test profile_buffer_test profiler_test root_profiler_test time_test",
    "/profiling/telemetry": "profiler_test telemetry_test",
    "/schema": "flatbuffer_compatibility_test",
    "/tools": "command_line_flags_test tool_params_test",
}
BUILD_DEPENDS = {
    "flatbuffers-compiler", "libcpuinfo-dev", "libeigen3-dev", "libfarmhash-dev", "libfft2d-dev",
    "libflatbuffers-dev", "libfp16-dev", "libgemmlowp-dev", "libpthreadpool-dev", "libruy-dev",
}  # fmt: skip
TOOLS = [
    "python3", "python3-networkx", "python3-pyparsing", "python3-debian", "ninja-build", "g++", "dpkg-dev",
    "pkg-config", "cmake", "crossbuild-essential-arm64", "qemu-user", "flatbuffers-compiler", "libneon-2-sse-dev",
    "ml-dtypes-dev",
]  # fmt: skip
FOREIGN = [
    "libabsl-dev", "libbenchmark-dev", "libgmock-dev", "libgtest-dev", "libhighwayhash-dev", "libtensorflow-lite-dev",
    "libtensorflow-lite2.14.1", *sorted(BUILD_DEPENDS - {"flatbuffers-compiler"}),
]  # fmt: skip
# CMake's way to say for which machine it is.
SETTINGS = [
    "-DCMAKE_SYSTEM_NAME=Linux", "-DCMAKE_SYSTEM_PROCESSOR=aarch64", f"-DCMAKE_C_COMPILER={TRIPLET}-gcc",
    f"-DCMAKE_CXX_COMPILER={TRIPLET}-g++",
]  # fmt: skip


@pytest.fixture
def chroot() -> Chroot:
    reason = "the machine is no amd64" if platform.machine() != "x86_64" else debian_chroot.missing()
    if reason:
        pytest.skip(f"NOT TESTED: TensorFlow Lite cross-built for arm64: {reason}")
    tree = fetch(PROJECT).resolve()
    root = directory() / "chroots/sid-tensorflow-lite-for-arm64"
    root.parent.mkdir(parents=True, exist_ok=True)
    debian_chroot.make("sid", [*TOOLS, *(f"{name}:arm64" for name in FOREIGN)], root, foreign="arm64")
    made = Chroot(root, tree, TRIPLET, "aarch64", "arm64", ("qemu-aarch64",))
    made.place.mkdir(exist_ok=True)
    return made


def test_tensorflow_lite_for_arm64(chroot: Chroot) -> None:
    """One test, so that the rotation takes all of it or nothing."""
    wanted = chroot.bazel2ninja("repositories", "--format=build-depends", *OPTIONS, "/source", *LIBRARIES)
    assert set(re.findall(r"([\w.+-]+) \(>= ", wanted)) == BUILD_DEPENDS
    tests = [f"//tensorflow/lite{package}:{name}" for package, names in TESTS.items() for name in names.split()]
    options = [*OPTIONS, f"--run_under={' '.join(chroot.run_under)}"]
    chroot.bazel2ninja("generate", "-o", "build.ninja", *options, "/source", *LIBRARIES, *tests)
    chroot.run("ninja", "-j2", *LIBRARIES)
    assert "no work to do" in chroot.run("ninja", *LIBRARIES)
    the_machine_is_right(chroot)
    libraries_are_in_place_of_debians(chroot, *SETTINGS)
    the_same_results(chroot)
    chroot.run("ninja", "-j2", *(f"test{label}" for label in tests))
    logs = chroot.place / f"bazel-out/{chroot.cpu}-opt/testlogs"
    assert all((logs / label[2:].replace(":", "/") / "test.passed").exists() for label in tests)


def the_machine_is_right(chroot: Chroot) -> None:
    """Libraries and what they need are arm64's; the tool that writes sources is this machine's."""
    for path in ("libtensorflowlite.so", "c/libtensorflowlite_c.so"):
        told = chroot.run("readelf", "-h", "-d", f"{chroot.outputs}/{path}")
        assert re.search(r"Machine: +AArch64", told) and "Type:" in told
        assert "libcpuinfo.so" in told
    flatc = next((chroot.place / "bazel-out").glob("*-exec-*/bin/external/flatbuffers/flatc"))
    assert re.search(r"Machine:.*X86-64", chroot.run("readelf", "-h", str(flatc.relative_to(chroot.place))))

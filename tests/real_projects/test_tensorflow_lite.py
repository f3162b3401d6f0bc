"""TensorFlow Lite of Debian sid, built offline against Debian's libraries, used, and compared with Debian's own build.

The processor level is that of Debian's amd64, which the project selects with --copt=-mno-sse4.2.  The chroot stays
beside the source packages.
"""

from __future__ import annotations

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

pytestmark = [pytest.mark.real_project, pytest.mark.minutes(10)]

LEVEL = (*OPTIONS, "--copt=-mno-sse4.2")
EXAMPLES = ("//tensorflow/lite/examples/minimal:minimal", "//tensorflow/lite/examples/label_image:label_image")
TESTS = (
    "//tensorflow/lite:array_test",
    "//tensorflow/lite/c:c_test",
    "//tensorflow/lite/core/api:error_reporter_test",
    "//tensorflow/lite/core/c:common_test",
    "//tensorflow/lite/examples/label_image:label_image_test",
    "//tensorflow/lite/kernels/internal:runtime_shape_test",
    "//tensorflow/lite/schema:flatbuffer_compatibility_test",
)
BUILD_DEPENDS = {
    "flatbuffers-compiler", "libcpuinfo-dev", "libeigen3-dev", "libfarmhash-dev", "libfft2d-dev",
    "libflatbuffers-dev", "libfp16-dev", "libgemmlowp-dev", "libneon-2-sse-dev", "libpthreadpool-dev", "libruy-dev",
}  # fmt: skip
TOOLS = [
    "python3", "python3-networkx", "python3-pyparsing", "python3-debian", "ninja-build", "g++", "dpkg-dev",
    "pkg-config", "cmake", "libabsl-dev", "libgtest-dev", "libgmock-dev", "ml-dtypes-dev", "libhighwayhash-dev",
    "libbenchmark-dev", "python3-dev", "libtensorflow-lite-dev", "libtensorflow-lite2.14.1",
]  # fmt: skip


@pytest.fixture
def chroot() -> Chroot:
    reason = debian_chroot.missing()
    if reason:
        pytest.skip(f"NOT TESTED: TensorFlow Lite against sid's libraries: {reason}")
    tree = fetch(PROJECT).resolve()
    root = directory() / "chroots/sid-tensorflow-lite"
    root.parent.mkdir(parents=True, exist_ok=True)
    debian_chroot.make("sid", [*TOOLS, *sorted(BUILD_DEPENDS)], root)
    made = Chroot(root, tree)
    made.place.mkdir(exist_ok=True)
    return made


def test_tensorflow_lite(chroot: Chroot) -> None:
    """One test, so that the rotation takes all of it or nothing."""
    wanted = chroot.bazel2ninja("repositories", "--format=build-depends", *LEVEL, "/source", *LIBRARIES)
    assert set(re.findall(r"([\w.+-]+) \(>= ", wanted)) == BUILD_DEPENDS
    chroot.bazel2ninja("generate", "-o", "build.ninja", *LEVEL, "/source", *LIBRARIES, *EXAMPLES, *TESTS)
    chroot.run("ninja", "-j2", *LIBRARIES, *EXAMPLES)
    assert "no work to do" in chroot.run("ninja", *LIBRARIES, *EXAMPLES)
    libraries_are_in_place_of_debians(chroot)
    the_same_results(chroot)
    the_examples_run(chroot)
    chroot.run("ninja", "-j2", *(f"test{label}" for label in TESTS))
    logs = chroot.place / "bazel-out/k8-opt/testlogs"
    assert all((logs / label[2:].replace(":", "/") / "test.passed").exists() for label in TESTS)


def the_examples_run(chroot: Chroot) -> None:
    told = chroot.run(f"{chroot.outputs}/examples/minimal/minimal", "float.tflite")
    assert "CONV_2D" in told and "SOFTMAX" in told
    (chroot.place / "labels.txt").write_text("".join(f"class {number}\n" for number in range(10)))
    image = "/source/tensorflow/lite/examples/label_image/testdata/grace_hopper.bmp"
    options = ["-m", "float.tflite", "-i", image, "-l", "labels.txt"]
    told = chroot.run(
        "sh", "-c", 'exec "$@" 2>&1', "sh", f"{chroot.outputs}/examples/label_image/label_image", *options
    )
    assert len(re.findall(r"0\.\d+: \d+ +class \d", told)) >= 3, told

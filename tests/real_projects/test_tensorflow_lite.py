"""TensorFlow Lite of Debian sid, built offline against Debian's libraries, used, and compared with Debian's own build.

Debian builds the same source with CMake.  The configuration is Debian's: ruy, no XNNPACK, and the processor level of
its amd64, which the project selects with --copt=-mno-sse4.2.  The chroot stays beside the source packages.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import debian_chroot
import pytest
from archive import ROOT, Project, directory, fetch

pytestmark = [pytest.mark.real_project, pytest.mark.minutes(10)]

PROJECT = Project(name="tensorflow", source="tensorflow", suite="sid")
HERE = Path(__file__).parent / "tensorflow_lite"
OPTIONS = ("-c", "opt", "--define=tflite_with_xnnpack=false", "--define=tflite_with_ruy=true", "--copt=-mno-sse4.2")
LIBRARIES = ("//tensorflow/lite:libtensorflowlite.so", "//tensorflow/lite/c:libtensorflowlite_c.so")
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
DEBIANS = "usr/lib/x86_64-linux-gnu/libtensorflow-lite.so.2.14.1"
# What debian/rules gives cmake, as far as it decides which sources are taken.
CMAKE = [
    "-DBUILD_SHARED_LIBS=ON", "-DTFLITE_ENABLE_INSTALL=ON", "-DTFLITE_ENABLE_GPU=OFF", "-DTFLITE_ENABLE_NNAPI=OFF",
    "-DTFLITE_ENABLE_RESOURCE=ON", "-DTFLITE_ENABLE_RUY=ON", "-DTFLITE_ENABLE_XNNPACK=OFF",
    "-DCMAKE_FIND_PACKAGE_PREFER_CONFIG=ON", "-DSYSTEM_FARMHASH=ON", "-DSYSTEM_PTHREADPOOL=ON",
    "-Dfft2d_DIR=/usr/lib/x86_64-linux-gnu/cmake/fft2d/", "-DGEMMLOWP_SOURCE_DIR=/usr/include/gemmlowp",
    "-DNEON_2_SSE_DIR=/usr/lib/cmake/NEON_2_SSE/", "-DEigen3_DIR=/usr/share/eigen3/cmake/",
]  # fmt: skip
FLAGS = 'export DEB_BUILD_MAINT_OPTIONS=hardening=+all; eval "$(dpkg-buildflags --export=sh)"; exec "$@"'
PLACE = "/build"
BIN = "bazel-out/k8-opt/bin/tensorflow/lite"


@dataclass(frozen=True)
class Chroot:
    root: Path
    tree: Path

    @property
    def place(self) -> Path:
        """The directory of the build, as seen from outside."""
        return self.root / PLACE.removeprefix("/")

    def run(self, *words: str, flags: bool = False) -> str:
        """The command's output; it must not fail."""
        shell = ["sh", "-c", FLAGS, "sh"] if flags else []
        binds = {ROOT: "/bazel2ninja", self.tree: "/source"}
        done = debian_chroot.run(
            self.root, binds, [*shell, *words], PLACE, PYTHONPATH="/bazel2ninja", PYTHONDONTWRITEBYTECODE="1"
        )
        assert done.returncode == 0, f"{' '.join(words)[:500]}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout

    def bazel2ninja(self, command: str, *words: str) -> str:
        return self.run("python3", "-m", "bazel2ninja", command, *words, flags=True)


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
    wanted = chroot.bazel2ninja("repositories", "--format=build-depends", *OPTIONS, "/source", *LIBRARIES)
    assert set(re.findall(r"([\w.+-]+) \(>= ", wanted)) == BUILD_DEPENDS
    chroot.bazel2ninja("generate", "-o", "build.ninja", *OPTIONS, "/source", *LIBRARIES, *EXAMPLES, *TESTS)
    chroot.run("ninja", "-j2", *LIBRARIES, *EXAMPLES)
    assert "no work to do" in chroot.run("ninja", *LIBRARIES, *EXAMPLES)
    libraries_are_in_place_of_debians(chroot)
    the_same_results(chroot)
    the_examples_run(chroot)
    chroot.run("ninja", "-j2", *(f"test{label}" for label in TESTS))
    logs = chroot.place / "bazel-out/k8-opt/testlogs"
    assert all((logs / label[2:].replace(":", "/") / "test.passed").exists() for label in TESTS)


# The exported names


def symbols(chroot: Chroot, library: str) -> dict[str, str]:
    """Name -> kind of what a shared library exports."""
    lines = chroot.run("nm", "-D", "--defined-only", library).splitlines()
    return {line.split()[2].partition("@")[0]: line.split()[1] for line in lines}


def only_in_cmake(chroot: Chroot) -> dict[str, str]:
    """Text of the sources that CMake's globs take and that nothing needs in the project's own build."""
    (chroot.place / "cmake").mkdir(exist_ok=True)
    settings = ["-Wno-dev", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *CMAKE]
    chroot.run("cmake", "-G", "Ninja", "-S", "/source/tensorflow/lite", "-B", "cmake", *settings)
    commands = json.loads((chroot.place / "cmake/compile_commands.json").read_text())
    theirs = {entry["file"] for entry in commands if "/tensorflow-lite.dir/" in entry["output"]}
    inputs = [chroot.run("ninja", "-t", "inputs", label).split() for label in LIBRARIES]
    ours = {"/" + path.lstrip("./") for paths in inputs for path in paths if path.endswith(".cc")}
    only = theirs - ours
    assert len(theirs & ours) > 150
    return {path: (chroot.tree / path.removeprefix("/source/")).read_text() for path in only}


def libraries_are_in_place_of_debians(chroot: Chroot) -> None:
    """Each name that Debian's library has and ours has not is explained by one of four reasons."""
    paths = [f"{BIN}/libtensorflowlite.so", f"{BIN}/c/libtensorflowlite_c.so"]
    exported = {name for path in paths for name in symbols(chroot, path)}
    debians = symbols(chroot, f"/{DEBIANS}")
    mangled = sorted(set(debians) - exported)
    (chroot.place / "names").write_text("\n".join(mangled))
    names = dict(zip(mangled, chroot.run("sh", "-c", "c++filt < names").splitlines(), strict=True))
    hidden = all_symbols_of_objects(chroot)
    absent = only_in_cmake(chroot)
    reasons: dict[str, list[str]] = {}
    for symbol, name in names.items():
        reasons.setdefault(reason(symbol, debians[symbol], name, hidden, absent), []).append(name)
    print({text: len(found) for text, found in reasons.items()}, file=sys.__stdout__)
    assert "" not in reasons, reasons[""]
    assert len(exported & set(debians)) > 2000


def all_symbols_of_objects(chroot: Chroot) -> set[str]:
    """What the objects of the C library define: its version script lets names with TfLite in front out only."""
    inputs = chroot.run("ninja", "-t", "inputs", LIBRARIES[1]).split()
    objects = [path for path in inputs if path.endswith(".o")]
    found = chroot.run("nm", "--defined-only", *objects).splitlines()
    return {line.split()[2] for line in found if len(line.split()) == 3}


def reason(symbol: str, kind: str, name: str, hidden: Iterable[str], absent: Mapping[str, str]) -> str:
    if not re.search("TfLite|tflite|TFL_", symbol):
        return "no name of TensorFlow Lite: its version script hides it"
    if symbol in hidden:
        return "in the C library, whose version script hides it"
    if kind in "WVu":
        return "an instance of a template or inline function, which this compilation did not need"
    words = re.findall(r"\w+", re.sub(r"\(.*|\[abi:.*|<[^<>]*>", "", name))[-2:]
    if any(all(re.search(rf"\b{word}\b", text) for word in words) for text in absent.values()):
        return "of a source that no target of the library needs"
    return ""


# Inference


def the_same_results(chroot: Chroot) -> None:
    """The same bytes come out of Debian's library and of ours, in C++ and in C."""
    for name in ("model.py", "infer.cc", "infer_c.c"):
        shutil.copy(HERE / name, chroot.place)
    for model, option in (("float", []), ("quantized", ["--quantized"])):
        text = chroot.run("python3", "model.py", *option)
        (chroot.place / f"{model}.json").write_text(text)
        chroot.run("flatc", "--binary", "/source/tensorflow/lite/schema/schema.fbs", f"{model}.json")
    ours = ["-I/source", "-Ibazel-out/k8-opt/bin"]
    links = {"": "tensorflowlite", "/c": "tensorflowlite_c"}
    for compiler, source, place in (("g++", "infer.cc", ""), ("gcc", "infer_c.c", "/c")):
        program = source.partition(".")[0]
        where = f"{BIN}{place}"
        chroot.run(compiler, "-O2", source, "-o", f"{program}-debian", "-ltensorflow-lite")
        words = [f"-L{where}", f"-l{links[place]}", f"-Wl,-rpath,{PLACE}/{where}"]
        chroot.run(compiler, "-O2", *ours, source, "-o", f"{program}-ours", *words)
    for model in ("float", "quantized"):
        results = {}
        for program in ("infer-debian", "infer-ours", "infer_c-debian", "infer_c-ours"):
            results[program], milliseconds = chroot.run(f"./{program}", f"{model}.tflite", "50").split()
            print(f"{model}: {program}: {milliseconds} ms", file=sys.__stdout__)
        assert len(set(results.values())) == 1, results
        assert len(set(bytes.fromhex(results["infer-ours"]))) > 3  # it is no constant


def the_examples_run(chroot: Chroot) -> None:
    told = chroot.run(f"{BIN}/examples/minimal/minimal", "float.tflite")
    assert "CONV_2D" in told and "SOFTMAX" in told
    (chroot.place / "labels.txt").write_text("".join(f"class {number}\n" for number in range(10)))
    image = "/source/tensorflow/lite/examples/label_image/testdata/grace_hopper.bmp"
    options = ["-m", "float.tflite", "-i", image, "-l", "labels.txt"]
    told = chroot.run("sh", "-c", 'exec "$@" 2>&1', "sh", f"{BIN}/examples/label_image/label_image", *options)
    assert len(re.findall(r"0\.\d+: \d+ +class \d", told)) >= 3, told

"""TensorFlow Lite of Debian sid in a chroot, for the tests that build it: commands there, its names, its results.

Debian builds the same source with CMake.  The configuration is Debian's: ruy, no XNNPACK.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import debian_chroot
from archive import ROOT, Project

PROJECT = Project(name="tensorflow", source="tensorflow", suite="sid")
HERE = Path(__file__).parent / "tensorflow_lite"
OPTIONS = ("-c", "opt", "--define=tflite_with_xnnpack=false", "--define=tflite_with_ruy=true")
LIBRARIES = ("//tensorflow/lite:libtensorflowlite.so", "//tensorflow/lite/c:libtensorflowlite_c.so")
# What debian/rules gives cmake, as far as it decides which sources are taken.
CMAKE = [
    "-DBUILD_SHARED_LIBS=ON", "-DTFLITE_ENABLE_INSTALL=ON", "-DTFLITE_ENABLE_GPU=OFF", "-DTFLITE_ENABLE_NNAPI=OFF",
    "-DTFLITE_ENABLE_RESOURCE=ON", "-DTFLITE_ENABLE_RUY=ON", "-DTFLITE_ENABLE_XNNPACK=OFF",
    "-DCMAKE_FIND_PACKAGE_PREFER_CONFIG=ON", "-DSYSTEM_FARMHASH=ON", "-DSYSTEM_PTHREADPOOL=ON",
    "-DGEMMLOWP_SOURCE_DIR=/usr/include/gemmlowp",
    "-DNEON_2_SSE_DIR=/usr/lib/cmake/NEON_2_SSE/", "-DEigen3_DIR=/usr/share/eigen3/cmake/",
]  # fmt: skip
# Debian's flags; debugging information costs time and is not looked at.
FLAGS = (
    "export DEB_BUILD_MAINT_OPTIONS=hardening=+all DEB_CFLAGS_MAINT_STRIP=-g DEB_CXXFLAGS_MAINT_STRIP=-g; "
    'eval "$(dpkg-buildflags --export=sh)"; exec "$@"'
)
PLACE = "/build"


@dataclass(frozen=True)
class Chroot:
    """Where it is built, and the machine for which it is built."""

    root: Path
    tree: Path
    triplet: str = "x86_64-linux-gnu"
    cpu: str = "k8"
    architecture: str = "amd64"
    run_under: tuple[str, ...] = ()

    @property
    def place(self) -> Path:
        """The directory of the build, as seen from outside."""
        return self.root / PLACE.removeprefix("/")

    @property
    def outputs(self) -> str:
        """Where the libraries and programs are, from there."""
        return f"bazel-out/{self.cpu}-opt/bin/tensorflow/lite"

    @property
    def debians(self) -> str:
        """Debian's own library."""
        return f"/usr/lib/{self.triplet}/libtensorflow-lite.so.2.14.1"

    def run(self, *words: str, flags: bool = False) -> str:
        """The command's output; it must not fail."""
        shell = ["sh", "-c", FLAGS, "sh"] if flags else []
        binds = {ROOT: "/bazel2ninja", self.tree: "/source"}
        variables = {"PYTHONPATH": "/bazel2ninja", "PYTHONDONTWRITEBYTECODE": "1", "DEB_HOST_ARCH": self.architecture}
        done = debian_chroot.run(self.root, binds, [*shell, *words], PLACE, **variables)
        assert done.returncode == 0, f"{' '.join(words)[:500]}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout

    def bazel2ninja(self, command: str, *words: str) -> str:
        return self.run("python3", "-m", "bazel2ninja", command, *words, flags=True)


# The exported names


def symbols(chroot: Chroot, library: str) -> dict[str, str]:
    """Name -> kind of what a shared library exports."""
    lines = chroot.run(f"{chroot.triplet}-nm", "-D", "--defined-only", library).splitlines()
    return {line.split()[2].partition("@")[0]: line.split()[1] for line in lines}


def only_in_cmake(chroot: Chroot, settings: Sequence[str]) -> dict[str, str]:
    """Text of the sources that CMake's globs take and that nothing needs in the project's own build."""
    (chroot.place / "cmake").mkdir(exist_ok=True)
    fft2d = f"-Dfft2d_DIR=/usr/lib/{chroot.triplet}/cmake/fft2d/"
    settings = ["-Wno-dev", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *CMAKE, fft2d, *settings]
    chroot.run("cmake", "-G", "Ninja", "-S", "/source/tensorflow/lite", "-B", "cmake", *settings)
    commands = json.loads((chroot.place / "cmake/compile_commands.json").read_text())
    theirs = {entry["file"] for entry in commands if "/tensorflow-lite.dir/" in entry["output"]}
    inputs = [chroot.run("ninja", "-t", "inputs", label).split() for label in LIBRARIES]
    ours = {"/" + path.lstrip("./") for paths in inputs for path in paths if path.endswith(".cc")}
    only = theirs - ours
    assert len(theirs & ours) > 150
    return {path: (chroot.tree / path.removeprefix("/source/")).read_text() for path in only}


def libraries_are_in_place_of_debians(chroot: Chroot, *settings: str) -> None:
    """Each name that Debian's library has and ours has not is explained by one of four reasons.

    `settings`: what CMake is told besides.
    """
    paths = [f"{chroot.outputs}/libtensorflowlite.so", f"{chroot.outputs}/c/libtensorflowlite_c.so"]
    exported = {name for path in paths for name in symbols(chroot, path)}
    debians = symbols(chroot, chroot.debians)
    mangled = sorted(set(debians) - exported)
    (chroot.place / "names").write_text("\n".join(mangled))
    names = dict(zip(mangled, chroot.run("sh", "-c", "c++filt < names").splitlines(), strict=True))
    hidden = all_symbols_of_objects(chroot)
    absent = only_in_cmake(chroot, settings)
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
    found = chroot.run(f"{chroot.triplet}-nm", "--defined-only", *objects).splitlines()
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
    ours = ["-I/source", f"-Ibazel-out/{chroot.cpu}-opt/bin"]
    links = {"": "tensorflowlite", "/c": "tensorflowlite_c"}
    for compiler, source, place in (("g++", "infer.cc", ""), ("gcc", "infer_c.c", "/c")):
        program = source.partition(".")[0]
        compiler = f"{chroot.triplet}-{compiler}"
        where = f"{chroot.outputs}{place}"
        chroot.run(compiler, "-O2", source, "-o", f"{program}-debian", "-ltensorflow-lite")
        words = [f"-L{where}", f"-l{links[place]}", f"-Wl,-rpath,{PLACE}/{where}"]
        chroot.run(compiler, "-O2", *ours, source, "-o", f"{program}-ours", *words)
    for model in ("float", "quantized"):
        results = {}
        for program in ("infer-debian", "infer-ours", "infer_c-debian", "infer_c-ours"):
            words = [f"./{program}", f"{model}.tflite", "50"]
            results[program], milliseconds = chroot.run(*chroot.run_under, *words).split()
            print(f"{model}: {program}: {milliseconds} ms", file=sys.__stdout__)
        assert len(set(results.values())) == 1, results
        assert len(set(bytes.fromhex(results["infer-ours"]))) > 3  # it is no constant

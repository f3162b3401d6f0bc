"""TensorFlow 2.14.1's libtensorflow_framework.so.2, built with Debian's LLVM and MLIR, beside that of PyPI's wheel.

The build takes an hour and is made beforehand, as docs/tensorflow.md says.  BAZEL2NINJA_TENSORFLOW_2_14_WORK names a
directory with the sources in tf/ and build.ninja in build/, BAZEL2NINJA_TENSORFLOW_2_14_WHEEL the unpacked wheel of
tensorflow-cpu 2.14.1.  When it was built in a chroot, BAZEL2NINJA_TENSORFLOW_2_14_CHROOT is that and
BAZEL2NINJA_TENSORFLOW_2_14_PLACE what the directory is called there (for the programs: takes root).
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import debian_chroot
import exported_names
import pytest
from exported_names import Name

pytestmark = pytest.mark.real_project

PROGRAMS = Path(__file__).parent / "tensorflow_use"
PREFIX = "BAZEL2NINJA_TENSORFLOW_2_14_"
LIBRARY = "libtensorflow_framework.so.2"
OUTPUTS = "build/bazel-out/k8-opt/bin"
C_NAME = re.compile("(TF|TFE|TSL)_[A-Za-z0-9_]+")


def named(name: str) -> Path:
    place = os.environ.get(PREFIX + name)
    if not place:
        pytest.skip(f"NOT TESTED: TensorFlow 2.14.1's framework; set {PREFIX}{name}")
    return Path(place)


@pytest.fixture(scope="session")
def work() -> Path:
    return named("WORK")


@pytest.fixture(scope="session")
def ours(work: Path) -> Mapping[str, Name]:
    return exported_names.exported(work / OUTPUTS / "tensorflow" / LIBRARY)


@pytest.fixture(scope="session")
def theirs() -> Mapping[str, Name]:
    return exported_names.exported(named("WHEEL") / "tensorflow" / LIBRARY)


def test_the_c_interface_is_the_same(ours: Mapping[str, Name], theirs: Mapping[str, Name]) -> None:
    wanted = {name for name in theirs if C_NAME.fullmatch(name)}
    assert len(wanted) == 162
    assert {name for name in ours if C_NAME.fullmatch(name)} == wanted


# Strong names that are spelled in a way of their own by a compiler, or that only one makes.
CAUSES = {
    "upstream's version script hides them": re.compile("mlir"),
    # clang 16 leaves the namespace out of a template's name within the result of another
    "a template in a result, by clang": re.compile(r"^std::enable_if<(tensorflow::)?TypeHasFeatures<"),
    # nothing but a constructor needs it, and gcc builds that in
    "table of a base class under construction": re.compile(r"^construction vtable for "),
}


@pytest.mark.parametrize(("space", "at_least"), [("tensorflow", 12_000), ("tsl", 1_200)])
def test_functions_of_the_project(
    ours: Mapping[str, Name], theirs: Mapping[str, Name], space: str, at_least: int
) -> None:
    """Each of theirs is in ours, but for inline functions and templates that one compiler builds in."""
    wanted = [name for name in theirs.values() if name.within((space,))]
    assert sum(not name.weak for name in wanted) >= at_least
    found = exported_names.compare([name for name in ours.values() if name.within((space,))], wanted)
    for names in (found.missing, found.more):
        unexplained = exported_names.by_cause((name for name in names if not name.weak), CAUSES).get("", [])
        assert [name.demangled for name in unexplained] == []
    assert found.common + found.respelled >= 0.8 * len(wanted)


def test_llvm_is_the_system_s(work: Path, ours: Mapping[str, Name]) -> None:
    library = work / OUTPUTS / "tensorflow" / LIBRARY
    said = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    assert f"soname: [{LIBRARY}]" in said
    needed = set(re.findall(r"Shared library: \[(.*?)\]", said))
    assert {"libMLIR.so.17", "libLLVM-17.so.1", "libprotobuf.so.32"} <= needed
    assert [name for name in ours.values() if name.within(("mlir",))]  # hidden, they would not be those of libMLIR


@pytest.fixture(scope="session")
def made(work: Path, tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """What the programs print, compiled and run where the library was built."""
    tmp = tmp_path_factory.mktemp("programs")
    chroot = os.environ.get(PREFIX + "CHROOT")
    place = Path(os.environ.get(PREFIX + "PLACE", work))
    outputs = place / OUTPUTS
    headers = [f"-I{each}" for each in (place / "tf", outputs)]
    headers += [f"-I{place}/vendor/{name}" for name in ("eigen_archive", "ml_dtypes")]
    library = outputs / "tensorflow" / LIBRARY
    also = "-lprotobuf -labsl_status -labsl_cord -labsl_strings -labsl_throw_delegate -labsl_raw_logging_internal"
    also += " -labsl_hash -labsl_raw_hash_set"
    end = f"{library} -Wl,-rpath,{library.parent} {also} && ./program"
    results = {}
    compiled = "g++ -std=c++17 -w -O1"
    for name, compiler in (("framework.c", "gcc"), ("framework.cc", compiled), ("framework_passes.cc", compiled)):
        script = f"set -e; cd $(mktemp -d); {compiler} {' '.join(headers)} /programs/{name} -o program {end}"
        if chroot:
            done = debian_chroot.run(Path(chroot), {work: str(place), PROGRAMS: "/programs"}, ["sh", "-c", script])
        else:
            script = script.replace("/programs/", f"{PROGRAMS}/").replace("$(mktemp -d)", str(tmp))
            done = subprocess.run(["sh", "-c", script], capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
        results[name] = done.stdout
    return results


def test_a_c_program(made: Mapping[str, str]) -> None:
    assert made["framework.c"] == "1000 16000 11994\nnot found\n"


def test_a_cc_program(made: Mapping[str, str]) -> None:
    assert made["framework.cc"].splitlines() == [
        "Tensor<type: float shape: [4,1000] values: [0 1...]...> 11994",
        "1 Twice 1",
        "OK: 2 nodes, 2 edges, second takes first",
        "2.14.1",
    ]


def test_passes_of_mlir(work: Path, made: Mapping[str, str]) -> None:
    """They need traits of operations to be the same for the framework and for libMLIR."""
    without, with_mlir = made["framework_passes.cc"].splitlines()
    assert without == "OK third second first"
    assert with_mlir == "OK first second third"

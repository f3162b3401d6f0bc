"""TensorFlow 2.0.0 as its users have it: programs in C and C++, the wheel and the quickstart, from a build by ninja.

The build takes hours and is made beforehand, as docs/tensorflow.md says.  BAZEL2NINJA_TENSORFLOW_2_0 names the sources,
BAZEL2NINJA_TENSORFLOW_2_0_BUILD the directory of build.ninja, BAZEL2NINJA_TENSORFLOW_2_0_PYTHON the interpreter of the
extension, with the modules that the wheel needs (tensorboard and tensorflow_estimator among them).
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.real_project

PROGRAMS = Path(__file__).parent / "tensorflow_use"


def named(variable: str, what: str) -> Path:
    place = os.environ.get(variable)
    if not place:
        pytest.skip(f"NOT TESTED: {what}; set {variable}")
    return Path(place)


@pytest.fixture(scope="session")
def tree() -> Path:
    return named("BAZEL2NINJA_TENSORFLOW_2_0", "TensorFlow 2.0.0 in use")


@pytest.fixture(scope="session")
def build() -> Path:
    return named("BAZEL2NINJA_TENSORFLOW_2_0_BUILD", "TensorFlow 2.0.0 in use")


@pytest.fixture(scope="session")
def libraries(build: Path) -> Path:
    return build / "bazel-out/k8-opt/bin/tensorflow"


def run(*words: object, **options: object) -> str:
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, f"{done.args}: {done.stdout[-4000:]}{done.stderr[-4000:]}"
    return str(done.stdout)


def test_the_libraries_say_their_names(libraries: Path) -> None:
    """The major version is the binary interface, and the other libraries take the framework by it."""
    framework = "libtensorflow_framework.so.2"
    for name in (framework, "libtensorflow.so.2", "libtensorflow_cc.so.2"):
        said = run("readelf", "-d", libraries / name)
        assert f"soname: [{name}]" in said
        assert name == framework or f"Shared library: [{framework}]" in said


def test_the_c_library_exports_its_interface_only(libraries: Path) -> None:
    said = run("nm", "-D", "--defined-only", libraries / "libtensorflow.so.2")
    names = {line.split()[2].partition("@")[0] for line in said.splitlines()}
    assert {"TF_Version", "TF_SessionRun", "TFE_NewContext"} <= names
    assert not [name for name in names if not re.search("TFE?_|^VERS_", name)]  # what its version script says


def test_a_c_program(tree: Path, libraries: Path, tmp_path: Path) -> None:
    program = tmp_path / "multiply"
    words = (f"-L{libraries}", "-ltensorflow", "-ltensorflow_framework", f"-Wl,-rpath,{libraries}")
    run("gcc", "-I", tree, PROGRAMS / "multiply.c", "-o", program, *words)
    assert run(program) == "2.0.0: 19 22 43 50\n"


def test_a_cc_program(tree: Path, build: Path, libraries: Path, tmp_path: Path) -> None:
    program = tmp_path / "train"
    eigen = build / ".bazel2ninja/external/eigen_archive"
    headers = (f"-I{tree}", f"-I{libraries.parent}", f"-I{eigen}")
    words = (f"-L{libraries}", "-ltensorflow_cc", "-ltensorflow_framework", f"-Wl,-rpath,{libraries}")
    also = ("-lprotobuf", "-labsl_throw_delegate", "-labsl_raw_logging_internal")
    run("g++", "-std=c++14", "-w", "-O1", *headers, PROGRAMS / "train.cc", "-o", program, *words, *also)
    assert run(program) == "2.0.0: 3.000 -1.000\n"


@pytest.fixture(scope="session")
def installed(tree: Path, build: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """(interpreter, directory) of the wheel that the project's own script makes, unpacked."""
    python = named("BAZEL2NINJA_TENSORFLOW_2_0_PYTHON", "TensorFlow 2.0.0's Python package")
    stage = tmp_path_factory.mktemp("wheel")
    (stage / "bazel-bin").symlink_to(build / "bazel-out/k8-opt/bin")
    (stage / "tensorflow").symlink_to(tree / "tensorflow")
    script = "tensorflow/tools/pip_package/build_pip_package.sh"
    environment = {**os.environ, "PYTHON_BIN_PATH": str(python)}
    run("bash", script, "--src", stage / "tree", "--dst", stage / "wheels", cwd=stage, env=environment)
    (wheel,) = (stage / "wheels").glob("tensorflow-2.0.0-*.whl")
    target = stage / "dist-packages"
    run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", f"--target={target}", wheel)
    return python, target


def test_the_wheel_holds_what_was_built(installed: tuple[Path, Path], libraries: Path) -> None:
    _, target = installed
    extension = target / "tensorflow_core/python/_pywrap_tensorflow_internal.so"
    assert extension.read_bytes() == (libraries / "python/_pywrap_tensorflow_internal.so").read_bytes()


def use(installed: tuple[Path, Path], program: str) -> str:
    python, target = installed
    environment = {**os.environ, "PYTHONPATH": str(target), "PYTHONWARNINGS": "ignore"}
    return run(python, PROGRAMS / program, env=environment)


def test_the_quickstart(installed: tuple[Path, Path]) -> None:
    version, accuracy = use(installed, "quickstart.py").split()
    assert version == "2.0.0"
    assert float(accuracy) > 0.95


def test_a_function_with_a_loop(installed: tuple[Path, Path]) -> None:
    assert use(installed, "loop.py") == "20\n"

"""Python extension modules: what is built for each version, under which names; where sources are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from packaging_support import enter

from bazel2ninja.cli import main
from bazel2ninja.debpkg import python_versions
from bazel2ninja.debpkg.python_versions import PythonVersion, chosen_versions, installed_versions
from bazel2ninja.diagnostics import WorkspaceError

pytestmark = pytest.mark.slow  # each test runs the program, some the compiler

BUILD = """
package(default_visibility = ["//visibility:public"])
cc_library(name = "core", srcs = ["core.cc"], hdrs = ["core.h"])
cc_library(name = "plain", srcs = ["plain.cc"], hdrs = ["plain.h"])
cc_library(name = "glue", srcs = ["glue.cc"], hdrs = ["glue.h"], deps = [":plain"])
cc_binary(name = "_words.so", srcs = ["module.cc"], deps = [":core", ":glue"], linkshared = 1)
cc_binary(name = "_loaded.so", srcs = ["loaded.cc"], linkshared = 1)
py_library(name = "helper", srcs = ["lib/helper.py"], imports = ["lib"])
py_library(name = "words", srcs = ["__init__.py"], deps = [":helper"])
py_library(name = "deep", srcs = ["inner/deeper/deep.py", "skipped/skipped.py"], deps = [":words", "//plain:plain"])
"""
SOURCES = {
    "WORKSPACE": "",
    "words/BUILD": BUILD,
    "words/core.h": "int core();\n",
    "words/core.cc": "int core() { return 1; }\n",
    "words/plain.h": "int plain();\n",
    "words/plain.cc": "int plain() { return 2; }\n",
    "words/glue.h": "#include <Python.h>\nint glue();\n",
    "words/glue.cc": '#include "words/glue.h"\n#include "words/plain.h"\nint glue() { return PY_TAG + plain(); }\n',
    "words/module.cc": '#include "words/core.h"\n#include "words/glue.h"\n'
    'extern "C" int words() { return core() + glue(); }\n',
    "words/loaded.cc": 'extern "C" int loaded() { return 1; }\n',
    "words/lib/helper.py": "X = 1\n",
    "words/__init__.py": "import helper\n",
    "words/inner/deeper/deep.py": "Y = 1\n",
    "words/skipped/skipped.py": "Y = 1\n",
    "plain/BUILD": 'py_library(name = "plain", srcs = ["plain.py"], visibility = ["//visibility:public"])\n',
    "plain/plain.py": "Z = 1\n",
    "inc311/Python.h": "#define PY_TAG 311\n",
    "inc312/Python.h": "#define PY_TAG 312\n",
}
SETTINGS = """
[[library]]
name = "core"
targets = ["//words:core"]
soname = "libcore.so.1"
[[extension]]
target = "//words:_words.so"
module = "words._words"
[[extension]]
target = "//words:_loaded.so"
module = "words._loaded"
directory = "words"
[[python_package]]
targets = ["//words:words"]
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    enter(tmp_path, SOURCES, monkeypatch)
    versions = [
        PythonVersion(f"3.{n}", f".cpython-3{n}-x86_64-linux-gnu.so", str(tmp_path / f"inc3{n}")) for n in (11, 12)
    ]
    monkeypatch.setattr(python_versions, "installed_versions", lambda multiarch, root: versions)
    return tmp_path


def generate(settings: str = SETTINGS, *words: str) -> int:
    Path("b2n.toml").write_text(settings)
    prefix = ("--prefix=/usr", "--libdir=lib/x86_64-linux-gnu", "--packaging=b2n.toml")
    return main(["generate", "-o", "obj/build.ninja", *prefix, ".", *words])


def install(tree: Path) -> Path:
    environment = {**os.environ, "DESTDIR": str(tree / "root")}
    subprocess.run(["ninja", "-C", "obj", "-j2", "install"], check=True, env=environment, capture_output=True)
    return tree / "root/usr"


def test_modules_for_each_version(tree: Path) -> None:
    assert generate() == 0
    usr = install(tree)
    found = sorted(str(path.relative_to(usr)) for path in usr.rglob("*") if path.is_file())
    packages = "lib/python3/dist-packages"
    assert [path for path in found if "core" not in path] == [
        f"{packages}/helper.py",
        f"{packages}/words/__init__.py",
        f"{packages}/words/_words.cpython-311-x86_64-linux-gnu.so",
        f"{packages}/words/_words.cpython-312-x86_64-linux-gnu.so",
        "lib/x86_64-linux-gnu/words/_loaded.so",
    ]
    for version in ("311", "312"):
        module = usr / packages / f"words/_words.cpython-{version}-x86_64-linux-gnu.so"
        dynamic = subprocess.run(["readelf", "-d", module], capture_output=True, text=True, check=True).stdout
        assert "[libcore.so.1]" in dynamic and "RUNPATH" not in dynamic
        call = f"import ctypes; print(ctypes.CDLL({str(module)!r}).words())"
        printed = subprocess.run(
            [sys.executable, "-c", call],
            env={"LD_LIBRARY_PATH": str(usr / "lib/x86_64-linux-gnu")},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert printed == f"{int(version) + 3}\n"
    private = usr / "lib/x86_64-linux-gnu/words/_loaded.so"
    dynamic = subprocess.run(["readelf", "-d", private], capture_output=True, text=True, check=True).stdout
    assert "RUNPATH" in dynamic and "[$ORIGIN]" in dynamic

    commands = subprocess.run(
        ["ninja", "-C", "obj", "-t", "commands", "install"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    compiled = {
        name: sum(f"/{name}.cc" in each for each in commands) for name in ("core", "plain", "glue", "module", "loaded")
    }
    assert compiled == {"core": 1, "plain": 1, "glue": 2, "module": 2, "loaded": 1}


def test_code_that_a_library_of_the_project_holds(tree: Path) -> None:
    """Two `linkshared` targets hold the same code: what registers itself does so once, what is hidden is linked in."""
    (tree / "words/BUILD").write_text(
        BUILD
        + """
cc_library(name = "registry", srcs = ["registry.cc"], linkstatic = 1)
cc_library(name = "kernel", srcs = ["kernel.cc", "hidden.cc"], alwayslink = 1, deps = [":registry"])
cc_library(name = "helper_code", srcs = ["helper_code.cc"])
cc_binary(name = "libkernels.so", deps = [":kernel", ":helper_code"], linkshared = 1)
cc_binary(name = "_kernels.so", srcs = ["use.cc"], deps = [":kernel", ":helper_code"], linkshared = 1)
"""
    )
    hidden = '__attribute__((visibility("hidden")))'
    for name, text in {
        "registry": "static int n; void add() { n++; } int number() { return n; }",
        "kernel": "void add(); int kernel() { return 40; } static int done = (add(), 0);",
        "hidden": f"{hidden} int hidden() {{ return 100; }}",
        "helper_code": "int helper() { return 1000; }",
        "use": "int number(); int kernel(); int hidden(); int helper();"
        ' extern "C" int use() { return number() + kernel() + hidden() + helper(); }',
    }.items():
        (tree / f"words/{name}.cc").write_text(text + "\n")
    settings = """
[[library]]
name = "kernels"
targets = ["//words:libkernels.so"]
soname = "libkernels.so.1"
[[extension]]
target = "//words:_kernels.so"
module = "_kernels"
"""
    assert generate(settings + 'libraries = ["kernels"]\n') == 0
    usr = install(tree)
    module = usr / "lib/python3/dist-packages/_kernels.so"
    dynamic = subprocess.run(["readelf", "-d", module], capture_output=True, text=True, check=True).stdout
    assert "[libkernels.so.1]" in dynamic and "RUNPATH" not in dynamic
    names = subprocess.run(["nm", "-C", "--defined-only", module], capture_output=True, text=True, check=True).stdout
    assert "hidden()" in names and "kernel()" not in names and "number()" not in names
    assert "helper()" in names  # nothing in the library needs it, so the library does not have it
    printed = subprocess.run(
        [sys.executable, "-c", f"import ctypes; print(ctypes.CDLL({str(module)!r}).use())"],
        env={"LD_LIBRARY_PATH": str(usr / "lib/x86_64-linux-gnu")},
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert printed == "1141\n"


def test_a_library_that_the_file_does_not_name(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert generate(SETTINGS.replace('directory = "words"\n', 'libraries = ["corr"]\n')) == 1
    message = capsys.readouterr().err
    assert (
        "b2n.toml:12:1: error:" in message
        and "has no [[library]] named 'corr'" in message
        and "there are: core" in message
    )


def test_directories_of_a_package_are_packages(tree: Path) -> None:
    """As where Bazel runs programs; a directory that is no package itself stays one that several may share."""
    settings = '[[python_package]]\ntargets = ["//words:deep"]\n'
    assert generate(settings) == 0
    packages = install(tree) / "lib/python3/dist-packages"
    found = {str(path.relative_to(packages)): path.read_text() for path in packages.rglob("*.py")}
    assert sorted(found) == [
        "helper.py",
        "plain/plain.py",
        "words/__init__.py",
        "words/inner/__init__.py",
        "words/inner/deeper/__init__.py",
        "words/inner/deeper/deep.py",
        "words/skipped/__init__.py",
        "words/skipped/skipped.py",
    ]
    assert found["words/inner/__init__.py"] == "" and found["words/__init__.py"] != ""


def test_only_some_files_of_a_package(tree: Path) -> None:
    settings = '[[python_package]]\ntargets = ["//words:deep"]\nfiles = ["words/inner/*"]\ndirectory = "more"\n'
    assert generate(settings) == 0
    packages = install(tree) / "lib/python3/dist-packages"
    assert [str(path.relative_to(packages)) for path in packages.rglob("*.py")] == ["more/words/inner/deeper/deep.py"]


DATA = """
genrule(name = "made", outs = ["made/table.bin"], cmd = "echo made > $@")
cc_binary(name = "tool", srcs = ["core.cc"], linkshared = 1)
sh_binary(name = "script", srcs = ["script.sh"])
py_library(name = "nested", srcs = ["nested.py"], data = ["lib/words.txt"], imports = ["lib"])
py_library(
    name = "with_data",
    srcs = ["with_data.py"],
    data = ["a.txt", ":made", ":_words.so", ":tool", ":script", "with_data.py", "//plain:far.dat"],
    deps = [":nested"],
)
"""


@pytest.fixture
def with_data(tree: Path) -> Path:
    (tree / "words/BUILD").write_text(BUILD + DATA)
    (tree / "plain/BUILD").write_text(SOURCES["plain/BUILD"] + 'exports_files(["far.dat"])\n')
    for name in ("words/a.txt", "words/lib/words.txt", "words/nested.py", "words/with_data.py", "plain/far.dat"):
        (tree / name).write_text(f"# {name}\n")
    (tree / "words/script.sh").write_text("#!/bin/sh\n")
    return tree


def dist_packages(tree: Path) -> dict[str, str]:
    packages = install(tree) / "lib/python3/dist-packages"
    return {str(path.relative_to(packages)): path.read_text() for path in packages.rglob("*") if path.is_file()}


def test_data_beside_the_sources(with_data: Path) -> None:
    settings = '[[python_package]]\ntargets = ["//words:with_data"]\n'
    assert generate(settings) == 0
    found = dist_packages(with_data)
    sources = ["words/nested.py", "words/with_data.py"]
    assert sorted(found) == sorted(
        # words.txt is imported from words/lib; programs and what is linked have tables of their own
        ["plain/far.dat", "words.txt", "words/a.txt", "words/made/table.bin", "words/script.sh", *sources]
    )
    assert found["words/made/table.bin"] == "made\n"
    assert generate(settings + 'files = ["words/*"]\ndata = ["*.txt"]\ndirectory = "below"\n') == 0
    shutil.rmtree(with_data / "root")
    assert sorted(dist_packages(with_data)) == sorted(f"below/{each}" for each in ["words/a.txt", *sources])
    assert generate(settings + "data = []\n") == 0
    shutil.rmtree(with_data / "root")
    assert sorted(dist_packages(with_data)) == sources


def test_an_entry_for_importlib(with_data: Path) -> None:
    entry = 'distribution = "more-words"\nsummary = "counts"\nrequires = ["numpy >= 1.20", "six"]\n'
    settings = SETTINGS.replace('["//words:words"]', '["//words:words", "//words:nested"]') + entry
    assert generate(settings, "--package-version=1.2-3") == 0
    packages = install(with_data) / "lib/python3/dist-packages"
    call = (
        "import importlib.metadata as m; print(m.version('more-words'), m.requires('more_words'), "
        "m.metadata('more-words')['Summary'], m.distribution('more-words').read_text('top_level.txt').split())"
    )
    words = [sys.executable, "-c", call]
    done = subprocess.run(words, env={"PYTHONPATH": str(packages)}, capture_output=True, text=True, check=True)
    assert done.stdout == "1.2-3 ['numpy >= 1.20', 'six'] counts ['helper', 'words']\n"
    directory = packages / "more_words-1.2_3.dist-info"
    assert sorted(path.name for path in directory.iterdir()) == ["INSTALLER", "METADATA", "top_level.txt"]
    assert generate(settings + 'version = "7"\n') == 0
    assert (install(with_data) / "lib/python3/dist-packages/more_words-7.dist-info/METADATA").is_file()


def test_chosen_versions(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert generate('python = ["3.12"]\n' + SETTINGS) == 0
    assert "cpython-311" not in Path("obj/build.ninja").read_text() + Path("obj/.bazel2ninja/install.sh").read_text()
    assert generate(SETTINGS, "--python=3.11", "--python=3.12") == 0
    assert generate(SETTINGS, "--python=3.9") == 1
    assert "Python 3.9 for 'x86_64-linux-gnu' is not installed" in (error := capsys.readouterr().err)
    assert "install the package python3.9-dev" in error


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ('module = "words._words"', 'module = "words._words"\ndirectory = "words"'),
            "differs from version to version",
        ),
        (('"//words:_words.so"', '"//words:core"'), "'//words:core' is no shared library, as an extension module must"),
        (('["//words:words"]', '["//words:core"]'), "'//words:core' is no Python library"),
        (('"words._words"', '"words/_words"'), "'words/_words' is no name of a Python module"),
        (('["//words:words"]', '["//words:wrds"]'), "did you mean"),
        (('["//words:words"]', '["//words:words"]\ndistribution = "w"'), "the distribution 'w' has no version"),
        (('["//words:words"]', '["//words:words"]\ndistribution = "../w"'), "is no name of a Python distribution"),
        (('["//words:words"]', '["//words:words"]\nversion = "1"'), "says something about no distribution"),
        (
            ('["//words:words"]', '["//words:words"]\ndistribution = "w"\nversion = "one"'),
            "'one' is no version of a Python distribution",
        ),
        (
            ('["//words:words"]', '["//words:words"]\ndistribution = "w"\nsummary = "a\\nb"'),
            "'summary' takes one line",
        ),
    ],
)
def test_mistakes_are_placed(
    tree: Path, change: tuple[str, str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generate(SETTINGS.replace(*change, 1)) == 1
    error = capsys.readouterr().err
    assert message in error and "b2n.toml:" in error


def fake_root(root: Path, suffixes: dict[tuple[str, str], str]) -> None:
    for (version, multiarch), suffix in suffixes.items():
        include = root / f"usr/include/python{version}"
        data = root / f"usr/lib/python{version}/_sysconfigdata__{multiarch}.py"
        include.mkdir(parents=True, exist_ok=True)
        data.parent.mkdir(parents=True, exist_ok=True)
        (include / "Python.h").touch()
        values = {"EXT_SUFFIX": suffix, "INCLUDEPY": f"/usr/include/python{version}"}
        data.write_text(f"# made by configure\nbuild_time_vars = {values!r}\n")


def test_versions_of_another_architecture_are_read(tmp_path: Path) -> None:
    arm, intel = "aarch64-linux-gnu", "x86_64-linux-gnu"
    fake_root(
        tmp_path,
        {
            ("3.9", intel): ".i39.so",
            ("3.11", intel): ".i311.so",
            ("3.11", arm): ".cpython-311-aarch64-linux-gnu.so",
        },
    )
    (tmp_path / "usr/include/python3.11d").mkdir()
    assert [each.version for each in installed_versions(intel, str(tmp_path))] == ["3.9", "3.11"]
    (found,) = chosen_versions((), arm, str(tmp_path))
    assert found.suffix == ".cpython-311-aarch64-linux-gnu.so"
    assert found.include == str(tmp_path / "usr/include/python3.11")
    with pytest.raises(WorkspaceError, match=r"Python 3\.9 for 'aarch64-linux-gnu' is not installed"):
        chosen_versions(["3.9"], arm, str(tmp_path))
    with pytest.raises(WorkspaceError, match="no Python for 's390x-linux-gnu' has its headers installed"):
        chosen_versions((), "s390x-linux-gnu", str(tmp_path))
    (tmp_path / f"usr/lib/python3.11/_sysconfigdata__{arm}.py").write_text("import os\n")
    with pytest.raises(WorkspaceError, match="does not tell EXT_SUFFIX"):
        installed_versions(arm, str(tmp_path))


def test_this_machine(tmp_path: Path) -> None:
    multiarch = sysconfig.get_config_var("MULTIARCH") or ""
    known = {each.version: each.suffix for each in installed_versions(multiarch)}
    own = f"3.{sys.version_info.minor}"
    if own not in known:
        pytest.skip("the headers of this Python are not installed")
    assert known[own] == sysconfig.get_config_var("EXT_SUFFIX")

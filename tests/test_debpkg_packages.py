"""What binary packages are told after the build: further dependencies, symbols files."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from packaging_support import enter

from bazel2ninja.cli import main
from bazel2ninja.debpkg.needed_packages import numpy_interface

pytestmark = pytest.mark.slow  # each test runs the program, some the compiler

SOURCES = {
    "WORKSPACE": "",
    "p/BUILD": 'package(default_visibility = ["//visibility:public"])\n'
    'cc_library(name = "words", srcs = ["words.cc"], hdrs = ["words.h", "more.h"], linkopts = ["-lz"])\n',
    "p/words.h": '#include <zlib.h>\n#include <vector>\n#include "p/more.h"\n#include "more.h"\n'
    "#ifdef _WIN32\n#include <nowhere.h>\n#endif\n"
    "namespace words { class Set { public: Set(int); virtual ~Set(); std::vector<int> all; }; }\n"
    'extern "C" int words_count();\n',
    "p/more.h": "#pragma once\ninline int twice(int n) { return 2 * n; }\n",
    "p/words.cc": '#include "p/words.h"\nnamespace words { Set::Set(int n) { all.push_back(n); } Set::~Set() {} }\n'
    'extern "C" int words_count() { return twice(zlibVersion() ? 1 : 0); }\n',
}
SETTINGS = '[[library]]\nname = "words"\ntargets = ["//p:words"]\nsoname = "libwords.so.9"\nversion = "9.1"\n'


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source package that was built and installed into debian/NAME."""
    if not os.path.exists("/usr/include/zlib.h") or shutil.which("dpkg-query") is None:
        pytest.skip("compiles against zlib of a Debian system (apt install zlib1g-dev)")
    files = {
        **SOURCES,
        "debian/changelog": "words (9.1-2) unstable; urgency=low\n\n  * New.\n\n"
        " -- A <a@b>  Sat, 1 Jan 2022 00:00:00 +0000\n",
        "debian/control": "Source: words\n\nPackage: libwords9\nArchitecture: any\nDescription: x\n",
        "b2n.toml": SETTINGS,
    }
    enter(tmp_path, files, monkeypatch)
    assert main(["generate", "-o", "obj/build.ninja", "--prefix=/usr", "--packaging=b2n.toml", "."]) == 0
    for package, part in (("libwords9", "lib"), ("libwords-dev", "include")):
        directory = tmp_path / "debian" / package
        root = tmp_path / "root"
        subprocess.run(["ninja", "-C", "obj", "install"], check=True, env={**os.environ, "DESTDIR": str(root)})
        (directory / "usr").mkdir(parents=True)
        (root / "usr" / part).rename(directory / "usr" / part)
    return tmp_path


def test_dependencies_of_a_development_package(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [f"--package={name}=debian/{name}" for name in ("libwords-dev", "libwords9")]
    assert main(["debhelper", "substvars", "--build=obj", *words]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "libwords-dev bazel2ninja:Depends=zlib1g-dev" in lines  # not the compiler's, not its own
    assert "libwords9 bazel2ninja:Depends=" in lines
    assert main(["debhelper", "substvars", "--build=obj", "--package=x"]) == 2
    assert "expected NAME=DIR" in capsys.readouterr().err


def test_what_each_package_was_built_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Code of others is in what was compiled with it: not in who links a shared library, nor in what a tool writes."""
    if not os.path.exists("/usr/include/zlib.h") or shutil.which("dpkg-query") is None:
        pytest.skip("compiles against zlib of a Debian system (apt install zlib1g-dev)")
    build = """
cc_library(name = "packs", srcs = ["packs.cc"], linkopts = ["-lz"])
cc_library(name = "plain", srcs = ["plain.cc", ":made"], deps = [":packs"])
cc_binary(name = "tool", srcs = ["packs.cc", "tool.cc"], linkopts = ["-lz"])
genrule(name = "made", outs = ["made.cc"], tools = [":tool"], cmd = "$(location :tool) > $@")
cc_binary(name = "prog", srcs = ["tool.cc"], deps = [":packs"], linkstatic = 1)
"""
    settings = "".join(
        f'[[library]]\nname = "{name}"\ntargets = ["//:{name}"]\nsoname = "lib{name}.so.1"\n'
        for name in ("packs", "plain")
    )
    files = {
        "WORKSPACE": "",
        "BUILD": build,
        "b2n.toml": f'{settings}[[program]]\ntarget = "//:prog"\n',
        "packs.cc": "#include <zlib.h>\nconst char* packs() { return zlibVersion(); }\n",
        "plain.cc": "const char* packs();\nconst char* plain() { return packs(); }\n",
        "tool.cc": '#include <cstdio>\nint main() { std::puts("int made() { return 1; }"); }\n',
    }
    enter(tmp_path, files, monkeypatch)
    assert main(["generate", "-o", "obj/build.ninja", "--prefix=/usr", "--packaging=b2n.toml", "."]) == 0
    subprocess.run(["ninja", "-C", "obj", "install"], check=True, env={**os.environ, "DESTDIR": str(tmp_path / "root")})
    for name in ("libpacks.so.1", "libplain.so.1"):
        Path(f"debian/{name}/usr/lib").mkdir(parents=True)
        Path(f"root/usr/lib/{name}").rename(f"debian/{name}/usr/lib/{name.replace('.so', '.moved.so')}")
    Path("root/usr/bin").rename("debian/bin")
    words = [f"--package={path.name}={path}" for path in sorted(Path("debian").iterdir())]
    assert main(["debhelper", "substvars", "--build=obj", *words]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "Static-Built-Using" in line]
    assert [line.partition(" (")[0] for line in lines] == [
        "bin bazel2ninja:Static-Built-Using=",
        "libpacks.so.1 bazel2ninja:Static-Built-Using=zlib",
        "libplain.so.1 bazel2ninja:Static-Built-Using=",
    ]


def test_a_symbols_file_that_dpkg_accepts(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["debhelper", "symbols", "--package=libwords9=debian/libwords9"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("libwords.so.9 libwords9 #MINVER#\n")
    assert " words_count@Base 9.1\n" in text
    assert ' (c++)"words::Set::Set(int)@Base" 9.1\n' in text and text.count("Set::Set") == 1
    assert "(c++|optional=inline)" in text  # of std::vector
    if shutil.which("dpkg-gensymbols") is None:
        pytest.skip("no dpkg-gensymbols (apt install dpkg-dev)")
    (built / "debian/libwords9.symbols").write_text(text)
    library = "debian/libwords9/usr/lib/libwords.so.9.1"
    check = ["dpkg-gensymbols", "-c4", "-plibwords9", "-v9.1", f"-e{library}", "-Pdebian/libwords9", "-O"]
    accepted = subprocess.run(check, capture_output=True, text=True)
    assert accepted.returncode == 0, accepted.stdout + accepted.stderr
    (built / "debian/libwords9.symbols").write_text(text.replace("words_count", "words_lost"))
    assert subprocess.run(check, capture_output=True).returncode != 0


def test_no_library_no_symbols(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "debian/x").mkdir(parents=True)
    (tmp_path / "debian/changelog").write_text("xy (1-1) unstable; urgency=low\n")
    monkeypatch.chdir(tmp_path)
    assert main(["debhelper", "symbols", "--package=x=debian/x"]) == 1
    assert "holds no shared library with a SONAME" in capsys.readouterr().err


def test_the_interface_of_numpy(tmp_path: Path) -> None:
    (tmp_path / "versions").write_text("# ABI version.\nabi 9\n\napi 16\napi-min-version 1:1.22.0\n")
    assert numpy_interface(str(tmp_path / "versions")) == "python3-numpy-abi9"
    assert numpy_interface(str(tmp_path / "absent")) == "python3-numpy"

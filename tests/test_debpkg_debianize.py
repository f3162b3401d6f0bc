"""debian/ as it is written for a project; the manual pages know every command and key."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bazel2ninja import cli
from bazel2ninja.debpkg import debianize, settings

ROOT = Path(__file__).resolve().parent.parent
BUILD = """
package(default_visibility = ["//visibility:public"])
cc_library(name = "core", srcs = ["core.cc"], hdrs = ["core.h"])
cc_library(name = "headers", hdrs = ["headers.h"])
cc_library(name = "testing", testonly = 1, srcs = ["core.cc"])
cc_library(name = "private", srcs = ["core.cc"], visibility = ["//visibility:private"])
cc_library(name = "lost", srcs = ["core.cc"], deps = ["@absent//:x"])
cc_binary(name = "tool", srcs = ["main.cc"], deps = [":core"])
cc_binary(name = "example_tool", srcs = ["main.cc"])
cc_binary(name = "libplug.so", srcs = ["core.cc"], linkshared = 1)
cc_test(name = "core_test", size = "large", srcs = ["main.cc"])
"""


@pytest.mark.parametrize(
    ("directory", "name", "version"),
    [
        ("re2-20220601+dfsg-1", "re2", "20220601"),
        ("double-conversion-3.2.1", "double-conversion", "3.2.1"),
        ("Foo_Bar", "foo-bar", ""),
        ("abseil-cpp_v20230125.3", "abseil-cpp", "20230125.3"),
    ],
)
def test_names(directory: str, name: str, version: str) -> None:
    assert debianize.name_and_version(directory) == (name, version)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    source = tmp_path / "thing-1.2"
    (source / "p").mkdir(parents=True)
    (source / "WORKSPACE").touch()
    (source / "README.md").write_text("A thing.\n")
    (source / "p/BUILD").write_text(BUILD)
    for name in ("core.cc", "core.h", "headers.h", "main.cc"):
        (source / "p" / name).write_text("// Copyright 2020 Someone\n// SPDX-License-Identifier: MIT\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DEBFULLNAME", "A Person")
    monkeypatch.setenv("DEBEMAIL", "person@example.org")
    return source


def test_a_project(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["debianize", "--summary", "a thing", "--copt=-O1", str(project)]) == 0
    debian = project / "debian"
    found = settings.parse("x.toml", (debian / "bazel2ninja.toml").read_text())
    thing, plug = found.libraries
    assert found.cmake == "thing"
    assert (thing.name, thing.targets, thing.soname) == ("thing", ("//p:core", "//p:headers"), "libthing.so.1.2")
    assert (plug.name, plug.targets, plug.soname) == ("plug", ("//p:libplug.so",), "libplug.so.1.2")
    assert [program.target for program in found.programs] == ["//p:tool"]
    assert found.tests == ("//p:core_test",)  # not //..., which has a target that cannot be built
    assert found.flags == ("--copt=-O1", "--test_size_filters=-large,-enormous")
    assert "# Left out: //p:lost: " in (debian / "bazel2ninja.toml").read_text()
    assert "left out //p:lost" in capsys.readouterr().err
    control = (debian / "control").read_text()
    for line in ("Package: libthing1.2", "Package: libthing-dev", "Package: thing", "Maintainer: A Person <person@"):
        assert line in control
    assert "thing (1.2-1) UNRELEASED" in (debian / "changelog").read_text()
    assert "p/core.h\np/headers.h\n" in (debian / "tests/use-library").read_text()
    assert "Expat" in (debian / "copyright").read_text()
    assert (debian / "rules").stat().st_mode & 0o111


def test_nothing_is_overwritten_unasked(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "debian").mkdir()
    (project / "debian/control").write_text("mine\n")
    assert cli.main(["debianize", str(project)]) == 1
    assert "debian: error: already there: control" in capsys.readouterr().err
    assert [path.name for path in (project / "debian").iterdir()] == ["control"]
    assert (project / "debian/control").read_text() == "mine\n"
    assert cli.main(["debianize", "--force", str(project)]) == 0
    assert (project / "debian/control").read_text() != "mine\n"


def test_bad_requests(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["debianize", "--upstream-version", "v1 2", str(project)]) == 2
    assert "'v1 2' is not allowed in a source package" in capsys.readouterr().err
    (project / "p/BUILD").write_text(
        'cc_library(name = "h", hdrs = ["core.h"], visibility = ["//visibility:public"])\n'
    )
    assert cli.main(["debianize", str(project)]) == 1
    assert "has nothing to install" in capsys.readouterr().err
    assert not (project / "debian").exists()


def test_manual_pages_and_completions(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-B", ROOT / "tools/manual-pages", tmp_path], check=True)
    assert {path.name for path in tmp_path.glob("*.1")} == {
        "bazel2ninja.1",
        *(f"bazel2ninja-{command}.1" for command in cli.COMMANDS),
    }
    text = (tmp_path / "bazel2ninja.toml.5").read_text()
    for key in (*settings.KEYS, *settings.LIBRARY_KEYS, *settings.PROGRAM_KEYS):
        assert f"\\fB{key.name}\\fR" in text
    page = (tmp_path / "bazel2ninja-generate.1").read_text()
    assert r"\fB\-\-launcher\fR \fIWORDS\fR" in page
    script = (
        f". {tmp_path}/bazel2ninja.bash; COMP_WORDS=(bazel2ninja isa-check --ba); COMP_CWORD=2; "
        '_bazel2ninja; echo "${COMPREPLY[@]}"'
    )
    completed = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert completed.stdout.strip() == "--baseline"


PROFILE = """
name = "thing"
[project]
summary = "counting"
description = "A thing counts."
[recognise]
workspace = "thing"
[[recognise.version]]
file = "p/core.h"
patterns = ['VERSION (\\d+\\.\\d+)']
[[package]]
name = "libthing{major}"
kind = "library"
summary = "library"
libraries = ["plug=//p:libplug.so"]
soname = "{major}"
headers = ["p/*"]
include = "thing"
reason = "programs link it"
[[package]]
name = "libthing-dev"
kind = "development"
summary = "headers"
libraries = ["plug=//p:libplug.so"]
external_headers = ["thing-other=@other//:other"]
reason = "programs include them"
[[package]]
name = "python3-thing"
kind = "python"
summary = "Python package"
extensions = ["thing._thing=//p:libplug.so"]
extension_libraries = ["plug", "lost"]
python = ["//p:words"]
python_files = ["p/*"]
python_data = ["p/*.txt"]
distribution = "thing"
install = ["share/thing/=//p:core.h"]
depends = ["python3-six (>= {version})"]
reason = "people like it"
[[package]]
name = "thing-lost"
kind = "library"
summary = "nothing"
libraries = ["lost=//p:liblost.so"]
soname = "1"
reason = "it is not in every version"
[[package]]
name = "thing-incomplete"
kind = "library"
summary = "something"
libraries = ["hollow=//p:libhollow.so"]
soname = "1"
reason = "not everybody has what it needs"
[[build_dependency]]
packages = ["git", "python3-numpy"]
reason = "a repository rule calls it"
"""
PLANNED = """
cc_binary(name = "libhollow.so", deps = [":lost"], linkshared = 1)
py_library(name = "words", srcs = ["words.py"])
"""


def test_packages_of_a_profile(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "WORKSPACE").write_text(
        'workspace(name = "thing")\nlocal_repository(name = "other", path = "third_party/other")\n'
    )
    (project / "third_party/other").mkdir(parents=True)
    (project / "third_party/other/WORKSPACE").touch()
    (project / "third_party/other/BUILD").write_text(
        'cc_library(name = "other", hdrs = ["other.h"], visibility = ["//visibility:public"])\n'
    )
    (project / "p/BUILD").write_text(BUILD + PLANNED)
    (project / "p/core.h").write_text("// VERSION 1.2\n")
    Path("thing.toml").write_text(PROFILE)
    assert cli.main(["debianize", "--profile=thing.toml", str(project)]) == 0
    errors = capsys.readouterr().err
    assert "left out //p:liblost.so: package thing-lost: " in errors
    assert "left out //p:libhollow.so: package thing-incomplete: no repository '@absent" in errors
    debian = project / "debian"
    found = settings.parse("x.toml", (debian / "bazel2ninja.toml").read_text())
    plug, other = found.libraries
    assert (other.soname, other.targets, other.include) == ("", ("@other//:other",), "thing-other")
    assert (plug.soname, plug.version, plug.headers) == ("libplug.so.1", "1.2", ("p/*",))
    assert [(each.module, each.libraries) for each in found.extensions] == [("thing._thing", ("plug",))]
    assert [(each.label, each.path) for each in found.install] == [("//p:core.h", "share/thing/")]
    control = (debian / "control").read_text()
    packages = [line.partition(": ")[2] for line in control.splitlines() if line.startswith("Package: ")]
    assert packages == ["libthing1", "libthing-dev", "python3-thing"]
    assert "\n git,\n" in control and control.count("\n python3-numpy,\n") == 1 and "python3-six (>= 1.2)" in control
    assert "Description: counting - library\n A thing counts.\n .\n" in control
    (package,) = found.python_packages
    assert (package.targets, package.files) == (("//p:words",), ("p/*",))
    assert (package.data, package.distribution) == (("p/*.txt",), "thing")
    assert "libthing1 (= ${binary:Version})" in control and "dh-sequence-python3" in control
    assert (debian / "libthing1.install").read_text() == "usr/lib/*/libplug.so.*\n"
    development = (debian / "libthing-dev.install").read_text()
    assert "usr/include/thing\n" in development and "usr/include/thing-other\n" in development
    rules = (debian / "rules").read_text()
    assert "dh $@ --buildsystem=bazel2ninja+ninja\n" in rules  # holds for overrides, too
    assert "dh_python3" not in rules
    opened = PROFILE.replace("share/thing/=//p:core.h", "lib/python3/dist-packages/thing/=//p:libplug.so")
    Path("thing.toml").write_text(opened)
    assert cli.main(["debianize", "--profile=thing.toml", "--force", str(project)]) == 0
    assert "override_dh_python3:\n\tdh_python3 --no-ext-rename\n" in (debian / "rules").read_text()
    assert cli.main(["debianize", "--noprofile", "--force", str(project)]) == 0
    assert "Package: libthing1.2\n" in (debian / "control").read_text()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('kind = "python"', 'kind = "pyhton"'), "thing.toml:29: error: 'pyhton' is no kind of a package"),
        (('["plug=//p:libplug.so"]', '["//p:libplug.so"]'), "is not 'NAME=LABEL'"),
        (
            ('summary = "counting"', "summary = 1"),
            "thing.toml:4: error: 'summary' of 'project' of a profile must be a text",
        ),
        (
            ('["thing-other=@other//:other"]', '["@other//:other"]'),
            "'@other//:other' of 'external_headers' of a package",
        ),
        (
            ('packages = ["git", "python3-numpy"]', 'packages = "git"'),
            "'packages' of 'build_dependency' of a profile must be a list",
        ),
        (('depends = ["python3-six (>= {version})"]', 'examples = ["p/core.cc"]'), "is not 'NAME=LABEL'"),
        (('soname = "{major}"\n', ""), "'soname' of 'package' of a profile must be a text"),
    ],
)
def test_mistakes_in_packages_of_a_profile(
    project: Path, change: tuple[str, str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "WORKSPACE").write_text('workspace(name = "thing")\n')
    Path("thing.toml").write_text(PROFILE.replace(*change, 1))
    assert cli.main(["debianize", "--profile=thing.toml", str(project)]) == 1
    assert message in capsys.readouterr().err


PARTS = """
[[package]]
name = "libother1"
kind = "library"
summary = "another library"
libraries = ["other=//p:libother.so"]
soname = "{version}"
reason = "programs link it"
[[package]]
name = "libother-dev"
kind = "development"
summary = "headers of the other library"
libraries = ["other=//p:libother.so"]
examples = ["other=p/main.cc some 'thing else'", "other=p/core.c", "other=p/absent.cc"]
reason = "programs include them"
[[package_option]]
packages = ["libother{major}"]
words = ["--define=other=yes"]
reason = "the author says so"
[[package_option]]
packages = ["libother1", "nobody"]
words = ["--copt=-mno-avx", "--copt=-DA B"]
architectures = ["amd64", "i386"]
reason = "the baseline"
[[package_option]]
packages = ["libthing1"]
words = ["--define=thing=yes"]
reason = "of another package"
[[package_cxxflags]]
packages = ["libother1"]
words = ["-O3", "-fno-inline"]
reason = "faster"
[[package_cxxflags]]
packages = ["libthing1"]
words = ["-O1"]
reason = "smaller"
"""


def test_some_packages_of_a_profile(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a package is built with is part of the analysis, of the settings, and of no other package."""
    monkeypatch.setenv("DEB_HOST_ARCH", "s390x")
    (project / "WORKSPACE").write_text('workspace(name = "thing")\n')
    (project / "p/BUILD").write_text(
        'config_setting(name = "yes", values = {"define": "other=yes"})\n'
        'cc_binary(name = "libplug.so", srcs = ["core.cc"], linkshared = 1)\n'
        'cc_binary(name = "libother.so", linkshared = 1, srcs = ["core.cc"],\n'
        '    deps = select({":yes": [], "//conditions:default": ["@absent//:x"]}))\n'
    )
    (project / "p/core.h").write_text("// VERSION 1.2\n")
    (project / "p/core.c").touch()
    Path("thing.toml").write_text(PROFILE + PARTS)
    words = ["debianize", "--profile=thing.toml", "--upstream-version=1.2+dfsg", "--copt=-O1", str(project)]
    assert cli.main([*words, "--package=libother-dev"]) == 0
    assert "left out" not in capsys.readouterr().err
    debian = project / "debian"
    packages = [line[9:] for line in (debian / "control").read_text().splitlines() if line.startswith("Package: ")]
    assert packages == ["libother1", "libother-dev"]  # with what holds the library
    assert "thing (1.2+dfsg-1) " in (debian / "changelog").read_text()
    text = (debian / "bazel2ninja.toml").read_text()
    found = settings.parse("x.toml", text)
    (library,) = found.libraries
    assert (library.soname, library.file_name) == ("libother.so.1.2", "libother.so.1.2")  # nothing of the repacking
    assert found.flags == ("--define=other=yes", "--profile=thing.toml", "--copt=-O1")
    baseline = ("--copt=-mno-avx", "--copt=-DA B")
    assert found.architecture_flags == {"amd64": baseline, "i386": baseline}
    assert "# --define=other=yes: the author says so\n" in text and "thing=yes" not in text
    make = shutil.which("make")
    if make is None:
        pytest.skip("no make (apt install make)")
    probe = project / "probe.mk"
    probe.write_text(f"include {debian}/rules\nshow:\n\t@echo $(DEB_CXXFLAGS_MAINT_APPEND)\n")
    for given, flags in (("nocheck", "-O3 -fno-inline\n"), ("noopt terse", "\n")):
        assert subprocess.check_output([make, "-f", probe, "show", f"DEB_BUILD_OPTIONS={given}"], text=True) == flags
    script = (debian / "tests/use-libother-dev").read_text()
    assert "\nuse other p/main.cc some 'thing else'\nuse other p/core.c\n" in script and "absent" not in script
    assert "Tests: use-libother-dev\nDepends: libother-dev, g++, pkgconf\n" in (debian / "tests/control").read_text()
    assert (debian / "tests/use-libother-dev").stat().st_mode & 0o111

    assert cli.main([*words, "--package=libother-dve"]) == 2
    errors = capsys.readouterr().err
    assert "--package=libother-dve: the profile plans no such package" in errors
    assert "did you mean 'libother-dev'?" in errors
    assert cli.main([*words, "--package=libother1", "--split"]) == 2
    assert "--package=libother1: no profile plans packages for this project" in capsys.readouterr().err


def test_an_example_is_compiled_and_run(tmp_path: Path) -> None:
    """The autopkgtest of a package fails when one of its examples does."""
    from bazel2ninja.debpkg.package_split import planned, test_files

    bin = tmp_path / "bin"
    bin.mkdir()
    (bin / "pkg-config").write_text('#!/bin/sh\ntest "$*" = "--cflags --libs small" && echo "-DVALUE=7"\n')
    (bin / "pkg-config").chmod(0o755)
    (tmp_path / "one.c").write_text(
        "int printf(const char*, ...); int main(int argc, char** argv) { int class = VALUE;\n"
        'printf("%d %s\\n", class, argv[1]); return argc - 2; }'
    )
    (tmp_path / "two.cc").write_text("#include <string>\nint main() { return std::string().size(); }")
    values = {"name": "small-dev", "kind": "development", "summary": "", "reason": ""}

    def run(*examples: str) -> subprocess.CompletedProcess[str]:
        text, executable = test_files([planned({**values, "examples": examples}, (1,))])["tests/use-small-dev"]
        assert executable
        environment = {"PATH": f"{bin}:/usr/bin:/bin", "AUTOPKGTEST_TMP": str(tmp_path / "bin")}
        return subprocess.run(["sh", "-c", text], cwd=tmp_path, env=environment, capture_output=True, text=True)

    done = run("small=one.c 'a b'", "small=two.cc")
    assert (done.returncode, done.stdout) == (0, "7 a b\n"), done.stderr
    assert run("small=one.c", "small=two.cc").returncode != 0
    assert run("large=two.cc").returncode != 0


def test_one_library_for_each_target(project: Path) -> None:
    (project / "p/BUILD").write_text(
        BUILD.replace(
            'srcs = ["core.cc"], hdrs = ["core.h"])', 'srcs = ["core.cc"], hdrs = ["core.h"], deps = [":private"])'
        )
        + 'cc_library(name = "p_more", srcs = ["core.cc"], deps = [":headers"])\n'
    )
    words = ["--split", "--soname-version=7", "--isa=x86-64-v3", str(project)]
    assert cli.main(["debianize", *words]) == 0
    debian = project / "debian"
    found = settings.parse("x.toml", (debian / "bazel2ninja.toml").read_text())
    libraries = {each.name: each.soname for each in found.libraries}
    assert libraries == {
        "p_core": "libp_core.so.7",
        "p_more": "libp_more.so.7",
        "p_private": "libp_private.so.7",
        "p_headers": "",
        "plug": "libplug.so.7",
    }
    assert [level.name for level in found.isa] == ["x86-64-v3"]
    control = (debian / "control").read_text()
    assert "Package: libthing7-amd64v3\nArchitecture: amd64\n" in control and "<!pkg.thing.noisa>" in control
    assert (debian / "libthing7-amd64v3.install").read_text() == "usr/lib/*/glibc-hwcaps/x86-64-v3\n"
    assert "modules='p_core p_more p_private p_headers'" in (debian / "tests/use-library").read_text()

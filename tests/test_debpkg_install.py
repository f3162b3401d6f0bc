"""What a package installs: SONAMEs, links, headers, pkg-config files; nothing looks into the build tree."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from packaging_support import enter

from bazel2ninja.cli import main

BUILD = """
package(default_visibility = ["//visibility:public"])
cc_library(name = "low", srcs = ["low.cc"], hdrs = ["include/low.h"], includes = ["include"], linkopts = ["-lm"])
cc_library(name = "only_headers", hdrs = ["types.h"], defines = ["TYPES=1"])
cc_library(name = "high", srcs = ["high.cc", "high.inc", "unused.inc"], hdrs = ["high.h"],
           deps = [":low", ":only_headers", ":inner"])
cc_library(name = "inner", srcs = ["inner.cc"])
cc_binary(name = "tool", srcs = ["tool.cc"], deps = [":high"], linkstatic = 0)
genrule(name = "text", outs = ["text.txt"], cmd = "echo text > $@")
"""
SOURCES = {
    "WORKSPACE": "",
    "p/BUILD": BUILD,
    "p/include/low.h": "int low();\n",
    "p/low.cc": '#include "low.h"\nint low() { return 1; }\n',
    "p/types.h": "#if !TYPES\n#error\n#endif\n",
    "p/inner.cc": "int inner() { return 2; }\n",
    "p/high.h": '#include "p/types.h"\n # include "high.inc"\n',
    "p/high.inc": "int high();\n",
    "p/unused.inc": "#error\n",
    "p/high.cc": '#include "low.h"\n#include "p/high.h"\nint inner();\nint high() { return low() + inner(); }\n',
    "p/tool.cc": '#include "p/high.h"\nint main() { return high() - 3; }\n',
}
SETTINGS = """
[[library]]
name = "high"
targets = ["//p:high"]
soname = "libhigh.so.2"
version = "2.1"
static = true
[[library]]
name = "low"
targets = ["//p:low"]
soname = "liblow.so.1"
[[program]]
target = "//p:tool"
[install]
"//p:text" = "share/x/"
"""


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return enter(tmp_path, SOURCES, monkeypatch)


def generate(settings: str = "", *words: str) -> int:
    Path("b2n.toml").write_text(settings)
    packaging = ["--packaging=b2n.toml"] if settings else []
    return main(["generate", "-o", "obj/build.ninja", "--prefix=/usr", "--libdir=lib/m", *packaging, ".", *words])


def install(tree: Path) -> Path:
    environment = {**os.environ, "DESTDIR": str(tree / "root")}
    result = subprocess.run(
        ["ninja", "-C", "obj", "-j2", "install"], capture_output=True, text=True, env=environment, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return tree / "root/usr"


def dynamic(path: Path) -> str:
    return subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout


def test_everything_is_installed_where_it_belongs(tree: Path) -> None:
    assert generate(SETTINGS, "//p:high") == 0
    usr = install(tree)
    found = sorted(str(path.relative_to(usr)) for path in usr.rglob("*") if not path.is_dir())
    assert found == [
        "bin/tool",
        "include/low.h",
        "include/p/high.h",
        "include/p/high.inc",
        "include/p/types.h",
        "lib/m/libhigh.a",
        "lib/m/libhigh.so",
        "lib/m/libhigh.so.2",
        "lib/m/libhigh.so.2.1",
        "lib/m/liblow.so",
        "lib/m/liblow.so.1",
        "lib/m/pkgconfig/high.pc",
        "lib/m/pkgconfig/low.pc",
        "share/x/text.txt",
    ]
    assert os.readlink(usr / "lib/m/libhigh.so.2") == "libhigh.so.2.1"
    high, tool = dynamic(usr / "lib/m/libhigh.so.2.1"), dynamic(usr / "bin/tool")
    assert "[libhigh.so.2]" in high and "[liblow.so.1]" in high
    # linkstatic = 0 has a RUNPATH to the build tree's libraries, and needs the code of //p:inner from one of them
    assert "[libhigh.so.2]" in tool and "_solib" not in tool
    assert "RUNPATH" not in high + tool and "RPATH" not in high + tool
    subprocess.run([usr / "bin/tool"], env={"LD_LIBRARY_PATH": str(usr / "lib/m")}, check=True)
    pc = (usr / "lib/m/pkgconfig/high.pc").read_text()
    assert "Requires: low\n" in pc and "Cflags: -I${includedir} -DTYPES=1\n" in pc and "prefix=/usr\n" in pc
    assert "Libs.private: -lm" in (usr / "lib/m/pkgconfig/low.pc").read_text()
    assert not (tree / "obj/bazel-out/k8-fastbuild/bin/p/libhigh.so").exists()  # built for nobody


def test_further_files_that_are_linked_do_not_look_into_the_build_tree(tree: Path) -> None:
    more = 'cc_binary(name = "plug.so", srcs = ["plug.cc"], linkshared = 1, linkstatic = 0, deps = [":high"])\n'
    Path("p/BUILD").write_text(BUILD + more)
    Path("p/plug.cc").write_text('#include "p/high.h"\nint plug() { return high(); }\n')
    settings = SETTINGS.replace('"//p:text" =', '"//p:plug.so" = "lib/m/x/"\n"//p:tool" = "libexec/t"\n"//p:text" =')
    assert generate(settings, "//p:high") == 0
    usr = install(tree)
    for name in ("lib/m/x/plug.so", "libexec/t"):
        found = dynamic(usr / name)
        assert "[libhigh.so.2]" in found and "_solib" not in found and "RUNPATH" not in found
    assert os.access(usr / "libexec/t", os.X_OK) and not os.access(usr / "share/x/text.txt", os.X_OK)


def test_a_header_with_two_include_paths(tree: Path) -> None:
    """`includes` gives a header a shorter path, and the one from the root still finds it."""
    build = """
package(default_visibility = ["//visibility:public"])
cc_library(name = "schema", hdrs = ["made.h", "beside.h", "alone.h"], includes = ["."])
genrule(name = "make", outs = ["made.h"], cmd = "echo 'int made();' > $@")
"""
    for path, text in {
        "p/schema/BUILD": build,
        "p/schema/beside.h": '#include "made.h"\n',
        "p/schema/alone.h": "",
        "p/BUILD": 'cc_library(name = "api", srcs = ["api.cc"], hdrs = ["api.h"], deps = ["//p/schema"])',
        "p/api.h": '#include "p/schema/made.h"\n#include "p/schema/beside.h"\n',
        "p/api.cc": "",
    }.items():
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).write_text(text)
    for patterns, expected in {
        '["p/api.h"]': ["p/api.h", "p/schema/beside.h", "p/schema/made.h"],
        '["p/*"]': ["p/api.h", "p/schema/alone.h", "p/schema/beside.h", "p/schema/made.h"],
        '["*"]': ["alone.h", "beside.h", "made.h", "p/api.h", "p/schema/beside.h", "p/schema/made.h"],
    }.items():
        settings = f'[[library]]\nname = "api"\ntargets = ["//p:api"]\nsoname = "libapi.so.1"\nheaders = {patterns}\n'
        assert generate(settings, "//p:api") == 0
        shutil.rmtree("root", ignore_errors=True)
        include = install(tree) / "include"
        assert sorted(str(path.relative_to(include)) for path in include.rglob("*.h")) == expected


def test_headers_of_other_repositories_are_not_installed_as_own(tree: Path) -> None:
    """A rule may gather those of everything that it depends on, as TensorFlow's transitive_hdrs() does."""
    (tree / "WORKSPACE").write_text('local_repository(name = "other", path = "third/other")\n')
    (tree / "third/other").mkdir(parents=True)
    (tree / "third/other/WORKSPACE").touch()
    (tree / "third/other/BUILD").write_text(
        'exports_files(["theirs.h"])\n'
        'cc_library(name = "other", hdrs = ["theirs.h"], visibility = ["//visibility:public"])\n'
    )
    (tree / "third/other/theirs.h").write_text("int theirs();\n")
    build = BUILD.replace('hdrs = ["high.h"]', 'hdrs = ["high.h", "@other//:theirs.h"]')
    (tree / "p/BUILD").write_text(build)
    (tree / "p/high.h").write_text('#if OTHER\n#include "theirs.h"\n#endif\n' + SOURCES["p/high.h"])
    headers = '[[headers]]\nname = "other"\ntargets = ["@other//:other"]\ninclude = "of-other"\n'
    assert generate(SETTINGS.replace("[[program]]", headers + "[[program]]")) == 0
    include = install(tree) / "include"
    found = sorted(str(path.relative_to(include)) for path in include.rglob("*.h"))
    assert found == ["low.h", "of-other/theirs.h", "p/high.h", "p/types.h"]


def test_without_settings_programs_are_installed_without_the_build_tree(tree: Path) -> None:
    assert generate("", "//...") == 0
    usr = install(tree)
    assert [path.name for path in (usr / "bin").iterdir()] == ["tool"]  # no generated text
    text = dynamic(usr / "bin/tool")
    assert "RUNPATH" not in text and "libhigh" not in text
    subprocess.run([usr / "bin/tool"], check=True)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (SETTINGS.replace('["//p:low"]', '["//p:lov"]'), "b2n.toml:8:1: error: no such target '//p:lov'"),
        (
            SETTINGS.replace('"//p:tool"', '"//p:high"'),
            "'//p:high' is no C++ library: it is installed by a [[library]]",
        ),
        (SETTINGS.replace('["//p:low"]', '["//p:tool"]'), "'//p:tool' cannot be part of the library 'low'"),
        (SETTINGS.replace('["//p:low"]', '["//p:text"]'), "'//p:text' of the library 'low' is no C++ library"),
        (SETTINGS.replace('["//p:low"]', '["//p:only_headers"]'), "the library 'low' has no code"),
        (SETTINGS + '"//p:tool" = "bin/tool2"\n"//p:high.h" = "include/p/high.h"\n', None),
        (
            SETTINGS + '"//p:tool.cc" = "bin/tool"\n',
            "both '//p:tool' and '//p:tool.cc' would be installed as 'bin/tool'",
        ),
        (
            SETTINGS.replace("static = true", 'headers = ["q/*"]'),
            "no public header of the library 'high' matches 'q/*'",
        ),
    ],
)
def test_mistakes(tree: Path, capsys: pytest.CaptureFixture[str], settings: str, message: str | None) -> None:
    status = generate(settings, "//p:high")
    if message is None:
        assert status == 0
    else:
        assert status == 1
        assert message in capsys.readouterr().err


def test_code_in_two_libraries_is_refused(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with open("p/BUILD", "a") as file:
        file.write('cc_library(name = "other", srcs = ["high.cc"], hdrs = ["high.h"], deps = [":inner", ":low"])\n')
    more = '[[library]]\nname = "other"\ntargets = ["//p:other"]\nsoname = "libother.so.1"\n'
    assert generate(SETTINGS.replace("[install]", more + "[install]"), "//p:high") == 1
    told = capsys.readouterr().err
    assert "the code of '//p:inner' would be in both libraries 'high' and 'other'" in told


def test_two_links_that_share_code_keep_it(tree: Path) -> None:
    (tree / "p/BUILD").write_text(
        BUILD
        + 'cc_binary(name = "libframe.so", srcs = ["low.cc"], deps = [":low"], linkshared = 1)\n'
        + 'cc_binary(name = "libone.so", srcs = ["one.cc", "libframe.so"], deps = [":high"], linkshared = 1)\n'
        + 'cc_binary(name = "libtwo.so", srcs = ["one.cc", "libframe.so"], deps = [":high"], linkshared = 1)\n'
    )
    (tree / "p/one.cc").write_text('#include "p/high.h"\nint one() { return high(); }\n')
    settings = "".join(
        f'[[library]]\nname = "{name}"\ntargets = ["//p:lib{name}.so"]\nsoname = "lib{name}.so.2"\n'
        f'headers = ["{header}"]\n'
        for name, header in (("frame", "low.h"), ("one", "p/*.h"), ("two", "p/*.h"))
    )
    assert generate(settings) == 0
    usr = install(tree)
    for name in ("one", "two"):
        library = usr / f"lib/m/lib{name}.so.2"
        assert "[libframe.so.2]" in dynamic(library)
        assert "[libone.so" not in dynamic(usr / "lib/m/libtwo.so.2") and "RUNPATH" not in dynamic(library)
        symbols = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True).stdout
        assert "_Z4highv" in symbols and "_Z5innerv" in symbols
    assert (usr / "include/low.h").is_file()


@pytest.mark.parametrize(
    ("settings", "words", "message"),
    [
        (SETTINGS.replace('"//p:low"', '"//p:lwo"'), ["//p:lwo"], "b2n.toml:10:12: error: no such target '//p:lwo'"),
        ('tests = [\n  "//q:all",\n]\n', ["//q:all"], "b2n.toml:2:3: error: no such package '//q'"),
        ('tests = ["//q/..."]\n', ["//q/..."], "b2n.toml:1:10: error: no packages are below '//q/...'"),
    ],
)
def test_targets_that_do_not_exist_are_placed(
    tree: Path, settings: str, words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert generate(settings, *words) == 1
    assert message in capsys.readouterr().err


def test_an_absent_library_of_the_system_names_the_package(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("WORKSPACE").write_text(
        'load("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive")\n'
        'http_archive(name = "ruy", urls = ["https://example.org/x.tar.gz"])\n'
    )
    Path("p/BUILD").write_text(BUILD + 'cc_library(name = "far", srcs = ["low.cc"], deps = ["@ruy//:x"])\n')
    if os.path.exists("/usr/include/ruy"):
        pytest.skip("libruy-dev is installed")
    library = '[[library]]\nname = "far"\ntargets = ["//p:far"]\nsoname = "libfar.so.1"\n'
    assert generate(library, "//p:far") == 1
    error = capsys.readouterr().err
    assert "p/BUILD:" in error and "libruy-dev" in error and "@ruy" in error


USE = """
cmake_minimum_required(VERSION 3.10)
project(use CXX)
find_package(high 2.0 REQUIRED)
find_package(high 3 QUIET)
if(high_FOUND)
  message(FATAL_ERROR "a later version was taken for compatible")
endif()
add_executable(use ../p/tool.cc)
target_link_libraries(use high::high high::types)
"""


@pytest.mark.slow
def test_a_cmake_package(tree: Path) -> None:
    headers = '[[headers]]\nname = "types"\ntargets = ["//p:only_headers"]\n'
    assert generate('cmake = "high"\n' + SETTINGS + headers, "--package-version=2.1") == 0
    usr = install(tree)
    text = (usr / "lib/m/cmake/high/highConfig.cmake").read_text()
    assert "add_library(high::low SHARED IMPORTED)" in text and "add_library(high::types INTERFACE IMPORTED)" in text
    assert 'INTERFACE_LINK_LIBRARIES "high::types;high::low"' in text or '"high::low;high::types"' in text
    assert str(tree) not in text
    if shutil.which("cmake") is None:
        pytest.skip("the CMake package was not used: no cmake (apt install cmake)")
    (tree / "use").mkdir()
    (tree / "use/CMakeLists.txt").write_text(USE)
    prefix = f"-Dhigh_DIR={usr}/lib/m/cmake/high"
    for words in (["cmake", "-S", "use", "-B", "made", prefix], ["cmake", "--build", "made"]):
        done = subprocess.run(words, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    subprocess.run(["made/use"], check=True, env={"LD_LIBRARY_PATH": str(usr / "lib/m")})

"""Compile actions: what is compiled, its name, and the order of directories, defines and flags."""

from __future__ import annotations

import pytest
from cc_support import BIN, CcAnalysis

from bazel2ninja.analysis.action import CppCompileAction, SymlinkAction
from bazel2ninja.configuration.configuration import PerFileCopt
from bazel2ninja.rules.cc_info import CcInfo
from bazel2ninja.rules.cc_sources import FileKind, file_kind, language, stem
from bazel2ninja.starlark.semantics import Semantics


def analysis(build: str, *sources: str, **settings: object) -> CcAnalysis:
    return CcAnalysis({"p/BUILD": build, **{f"p/{name}": "" for name in sources}}, **settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.cc", FileKind.SOURCE),
        ("a.C", FileKind.SOURCE),
        ("a.S", FileKind.SOURCE),
        ("a.H", FileKind.HEADER),
        ("a.inc", FileKind.HEADER),
        ("liba.a", FileKind.ARCHIVE),
        ("liba.pic.lo", FileKind.ALWAYSLINK_ARCHIVE),
        ("liba.so.1.2", FileKind.SHARED_LIBRARY),
        ("a.so.txt", FileKind.OTHER),
        ("a.mm", FileKind.UNSUPPORTED),
        ("a.lds", FileKind.LINKER_SCRIPT),
        ("README", FileKind.OTHER),
    ],
)
def test_kinds_of_files(name: str, kind: FileKind) -> None:
    assert file_kind(name) is kind


def test_languages_are_told_by_the_ending() -> None:
    assert [language(f"x/a{end}") for end in (".c", ".cc", ".s", ".S", ".asm")] == [
        "c",
        "c++",
        "assembler",
        "assembler-with-cpp",
        "assembler",
    ]
    assert stem("a/b.pb.cc") == "b.pb"


def test_objects_are_numbered_where_base_names_repeat_whatever_their_case() -> None:
    run = analysis('cc_library(name = "l", srcs = ["a.cc", "x/A.c", "b.cc"])', "a.cc", "x/A.c", "b.cc")
    members = run.archive("//p:l", "p/libl.a").members
    assert [member.exec_path.removeprefix(f"{BIN}/p/_objs/l/") for member in members] == [
        "0/a.pic.o",
        "1/A.pic.o",
        "b.pic.o",
    ]


def test_directories_own_first_then_dependencies_in_order() -> None:
    run = CcAnalysis(
        {
            "p/BUILD": 'cc_library(name = "l", srcs = ["a.cc"], includes = ["inc"], deps = ["@x//q", "//r"])',
            "p/a.cc": "",
            "r/BUILD": 'cc_library(name = "r", includes = ["i"], visibility = ["//visibility:public"])',
            "@x/q/BUILD": 'cc_library(name = "q", includes = ["i"], visibility = ["//visibility:public"])',
        }
    )
    action = run.compile("//p:l", "p/_objs/l/a.pic.o")
    assert action.quote_includes == (".", BIN, "external/x", f"{BIN}/external/x")
    assert action.system_includes == (
        *("p/inc", f"{BIN}/p/inc"),
        *("external/x/q/i", f"{BIN}/external/x/q/i"),
        *("r/i", f"{BIN}/r/i"),
    )


def test_defines_of_dependencies_come_first_and_local_ones_last_and_stay_here() -> None:
    build = """
cc_library(name = "base", srcs = ["b.cc"], defines = ["BASE=1"], local_defines = ["MINE"])
cc_library(name = "l", srcs = ["a.cc"], defines = ["OWN='a b'"], local_defines = ["HERE"], deps = [":base"])
"""
    run = analysis(build, "a.cc", "b.cc")
    assert run.compile("//p:l", "p/_objs/l/a.pic.o").defines == ("BASE=1", "OWN=a b", "HERE")
    assert run.made("p/_objs/base/b.pic.o").defines == ("BASE=1", "MINE")


def test_a_definition_of_two_words_is_refused() -> None:
    message = analysis('cc_library(name = "l", defines = ["A B"])').failure("//p:l")
    assert "a definition of 2 words: 'A B' is not allowed" in message


def test_flags_stand_in_the_order_command_line_package_target_file() -> None:
    build = """
package(default_copts = ["-DPACKAGE"])
cc_library(
    name = "l",
    srcs = ["a.cc", "b.c"],
    copts = ["-DRULE -include $(location cfg.h)", "-I$(BINDIR)/x"],
    textual_hdrs = ["cfg.h"],
)
"""
    run = analysis(
        build,
        *("a.cc", "b.c", "cfg.h"),
        copts=("-DLINE",),
        cxxopts=("-DCXX",),
        conlyopts=("-DC",),
        per_file_copts=(PerFileCopt((r"//p:a\.cc",), (), ("-DFILE",)), PerFileCopt((".*",), (r"a\.cc",), ("-DREST",))),
    )
    rule = ("-DPACKAGE", "-DRULE", "-include", "p/cfg.h", f"-I{BIN}/x")
    assert run.compile("//p:l", "p/_objs/l/a.pic.o").copts == ("-DLINE", "-DCXX", *rule, "-DFILE")
    assert run.made("p/_objs/l/b.pic.o").copts == ("-DLINE", "-DC", *rule, "-DREST")


def test_nocopts_removes_what_it_matches_wholly() -> None:
    build = 'cc_library(name = "l", srcs = ["a.cc"], copts = ["-Wall", "-Wallx", "-O3"], nocopts = "-Wall|-O.")'
    action = analysis(build, "a.cc").compile("//p:l", "p/_objs/l/a.pic.o")
    assert action.copts == ("-Wallx",)
    assert "-Wall" not in action.toolchain_flags
    assert "-fno-omit-frame-pointer" in action.toolchain_flags


def test_the_feature_no_copts_tokenization_keeps_words_together() -> None:
    build = 'cc_library(name = "l", srcs = ["a.cc"], copts = ["-DA=\\"b c\\""], features = ["no_copts_tokenization"])'
    assert analysis(build, "a.cc").compile("//p:l", "p/_objs/l/a.pic.o").copts == ('-DA="b c"',)


def test_the_toolchain_flags_depend_on_language_and_mode() -> None:
    build = 'cc_library(name = "l", srcs = ["a.cc", "b.c"])'
    run = analysis(build, "a.cc", "b.c", compilation_mode="opt")
    run.target("//p:l")
    assert "-std=c++0x" in run.made("p/_objs/l/a.pic.o").toolchain_flags
    plain = run.made("p/_objs/l/b.pic.o").toolchain_flags
    assert "-std=c++0x" not in plain
    assert "-DNDEBUG" in plain
    assert run.made("p/_objs/l/b.pic.o").last_flags[0] == "-fno-canonical-system-headers"


def test_a_distribution_builds_without_flags_of_the_toolchain() -> None:
    build = 'cc_library(name = "l", srcs = ["a.cc"])'
    action = analysis(build, "a.cc", description="debian").compile("//p:l", "p/_objs/l/a.pic.o")
    assert (action.toolchain_flags, action.copts, action.last_flags) == ((), (), ())
    optimised = analysis(build, "a.cc", description="debian", compilation_mode="opt")
    assert optimised.compile("//p:l", "p/_objs/l/a.pic.o").toolchain_flags == ("-O2", "-DNDEBUG")


def test_textual_headers_keep_their_place_whatever_the_prefixes() -> None:
    build = """
cc_library(name = "l", hdrs = ["src/a.h"], textual_hdrs = ["b.inc"], strip_include_prefix = "src", include_prefix = "x")
cc_library(name = "user", srcs = ["u.cc"], deps = [":l"])
"""
    run = analysis(build, *("src/a.h", "b.inc", "u.cc"))
    run.target("//p:l")
    links = [made.primary_output.exec_path for made in run.analyzer.actions if isinstance(made, SymlinkAction)]
    assert links == [f"{BIN}/p/_virtual_includes/l/x/a.h"]


def test_include_prefix_and_strip_include_prefix_make_links() -> None:
    build = """
cc_library(name = "l", hdrs = ["src/deep/a.h"], strip_include_prefix = "src", include_prefix = "pre/fix")
cc_library(name = "user", srcs = ["u.cc"], deps = [":l"])
"""
    run = analysis(build, "src/deep/a.h", "u.cc")
    action = run.compile("//p:user", "p/_objs/user/u.pic.o")
    assert action.includes == (f"{BIN}/p/_virtual_includes/l",)
    link = run.made("p/_virtual_includes/l/pre/fix/deep/a.h")
    assert isinstance(link, SymlinkAction)
    assert [file.exec_path for file in link.inputs] == ["p/src/deep/a.h"]
    assert link.outputs[0] in action.all_inputs()


def test_headers_behind_a_prefix_in_old_releases() -> None:
    build = 'cc_library(name = "l", hdrs = ["src/a.h"], strip_include_prefix = "src")'
    link = f"{BIN}/p/_virtual_includes/l/a.h"
    for semantics, expected in ((Semantics(), {link, "p/src/a.h"}), (Semantics.for_bazel("2.1.0"), {link})):
        context = analysis(build, "src/a.h", semantics=semantics).target("//p:l").get(CcInfo).s_compilation_context
        assert {file.exec_path for file in context.headers.flatten()} == expected


def test_shared_programs_of_old_releases_have_the_directories_of_malloc() -> None:
    build = 'cc_binary(name = "l.so", srcs = ["a.cc"], linkshared = True)'
    for semantics, expected in ((Semantics(), False), (Semantics.for_bazel("4.2.3"), True)):
        run = analysis(build, "a.cc", semantics=semantics)
        action = run.compile("//p:l.so", "p/_objs/l.so/a.pic.o")
        assert ("external/bazel_tools" in action.quote_includes) is expected
        assert [item.artifact.exec_path for item in run.link("//p:l.so", "p/l.so").items] == [
            f"{BIN}/p/_objs/l.so/a.pic.o"
        ]


def test_strip_include_prefix_from_the_root_of_the_repository() -> None:
    run = CcAnalysis(
        {
            "@x/p/BUILD": 'cc_library(name = "l", hdrs = ["a.h"], strip_include_prefix = "/", '
            'visibility = ["//visibility:public"])',
            "@x/p/a.h": "",
        }
    )
    run.target("@x//p:l")
    assert run.made("external/x/p/_virtual_includes/l/p/a.h").inputs[0].exec_path == "external/x/p/a.h"


def test_a_header_outside_of_the_prefix_is_an_error() -> None:
    message = analysis('cc_library(name = "l", hdrs = ["a.h"], strip_include_prefix = "src")', "a.h").failure("//p:l")
    assert "the header 'p/a.h' is not under the prefix 'src' to strip" in message


def test_implementation_dependencies_are_not_passed_on() -> None:
    build = """
cc_library(name = "hidden", includes = ["h"], defines = ["HIDDEN"])
cc_library(name = "l", srcs = ["a.cc"], implementation_deps = [":hidden"], defines = ["OWN"])
cc_library(name = "user", srcs = ["u.cc"], deps = [":l"])
"""
    run = analysis(build, "a.cc", "u.cc")
    own = run.compile("//p:l", "p/_objs/l/a.pic.o")
    assert own.defines == ("HIDDEN", "OWN")
    assert "p/h" in own.system_includes
    user = run.compile("//p:user", "p/_objs/user/u.pic.o")
    assert user.defines == ("OWN",)
    assert user.system_includes == ()


def test_generated_headers_of_dependencies_are_inputs_and_generated_sources_are_compiled() -> None:
    build = """
genrule(name = "g", outs = ["gen.h", "gen.cc"], cmd = "touch $(OUTS)")
cc_library(name = "base", srcs = [":g"], hdrs = ["plain.h"])
cc_library(name = "l", srcs = ["a.cc"], deps = [":base"])
"""
    run = analysis(build, "plain.h", "a.cc")
    action = run.compile("//p:l", "p/_objs/l/a.pic.o")
    assert [file.exec_path for file in action.all_inputs()] == ["p/a.cc", f"{BIN}/p/gen.h"]
    assert run.made("p/_objs/base/gen.pic.o").source.exec_path == f"{BIN}/p/gen.cc"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        ('cc_library(name = "l", srcs = ["a.txt"])', "source file '//p:a.txt' is misplaced here: not a C++ file"),
        ('cc_library(name = "l", srcs = ["a.mm"])', "'p/a.mm' is of a language that is not supported"),
        ('cc_library(name = "l", linkstamp = "a.cc")', "link stamps are not supported"),
        ('cc_library(name = "l", includes = ["../.."])', "'../..' resolves to a directory outside the workspace"),
        ('cc_library(name = "l", includes = [".."])', "'..' resolves to the root of the workspace"),
        ('cc_library(name = "l", features = ["thin_lto"])', "the C++ feature 'thin_lto' is not available"),
        ('objc_library(name = "l", srcs = ["a.mm"])', "objc_library is for Apple platforms"),
        ('cc_library(name = "l", deps = ["a.cc"])', "'//p:a.cc' is misplaced here"),
    ],
)
def test_what_is_not_supported_is_an_error(build: str, message: str) -> None:
    run = analysis(build, "a.txt", "a.mm", "a.cc")
    assert message in run.failure("//p:l")


def test_a_header_only_library_makes_nothing() -> None:
    run = analysis('cc_library(name = "l", hdrs = ["a.h"])', "a.h")
    assert run.files("//p:l") == []
    assert [action for action in run.analyzer.actions if isinstance(action, CppCompileAction)] == []

"""Archives, shared libraries and programs: which form of a library a link takes, in what order, with which flags."""

from __future__ import annotations

from typing import Any

import pytest
from cc_support import BIN, CcAnalysis, items

from bazel2ninja.analysis.action import RunfilesTreeAction, SpawnAction, SymlinkAction
from bazel2ninja.rules.cc_attributes import library_identifier
from bazel2ninja.rules.cc_link import escaped_path, is_shared_library_name, output_name
from bazel2ninja.starlark import Semantics

CHAIN = """
cc_library(name = "low", srcs = ["low.cc"], linkopts = ["-lm"])
cc_library(name = "a", srcs = ["a.cc"], deps = [":low"], linkopts = ["-la"])
cc_library(name = "b", srcs = ["b.cc"], deps = [":low"], linkopts = ["-lm"], alwayslink = True)
cc_binary(name = "program", srcs = ["main.cc"], deps = [":a", ":b"], linkopts = ["-lown"])
cc_test(name = "check", srcs = ["main.cc"], deps = [":a", ":b"])
cc_binary(name = "libplug.so", srcs = ["main.cc"], deps = [":a"], linkshared = True)
"""


def analysis(build: str, *sources: str, **settings: object) -> CcAnalysis:
    files = {f"p/{name}": "" for name in ("main.cc", "low.cc", "a.cc", "b.cc", *sources)}
    return CcAnalysis({"p/BUILD": build, **files}, **settings)  # type: ignore[arg-type]


def test_names() -> None:
    assert escaped_path("external/a_b/libc:d") == "external_Sa_Ub_Slibc_Cd"
    assert output_name("x/y", "lib", ".so") == "x/liby.so"
    assert [is_shared_library_name(name) for name in ("liba.so", "a.so.1.2", "so", "a.son")] == [
        True,
        True,
        False,
        False,
    ]
    assert [library_identifier(f"x/libf{end}") for end in (".a", ".pic.a", ".lo", ".so", ".so.1", ".dylib")] == [
        "x/libf"
    ] * 6


def test_a_program_takes_archives_dependents_before_what_they_need() -> None:
    run = analysis(CHAIN)
    action = run.link("//p:program", "p/program")
    assert action.kind == "executable"
    assert items(action) == [
        "object p/_objs/program/main.pic.o",
        "archive p/liba.a",
        "whole_archive p/libb.lo",
        "archive p/liblow.a",
    ]
    assert action.flags == ("-lown", "-la", "-lm", "-lm")
    assert action.runtime_directories == ()


def test_objects_that_are_sources_come_first() -> None:
    run = analysis(
        'cc_library(name = "a", srcs = ["a.cc", "z.o"])\n'
        'cc_binary(name = "program", srcs = ["main.cc", "z.o"], deps = [":a"])',
        "z.o",
    )
    assert items(run.link("//p:program", "p/program"))[:2] == ["object p/z.o", "object p/_objs/program/main.pic.o"]
    assert [file.exec_path.rpartition("/")[2] for file in run.archive("//p:a", "p/liba.a").members] == [
        "z.o",
        "a.pic.o",
    ]


def test_libraries_without_code_in_old_releases() -> None:
    build = """
cc_library(name = "low", srcs = ["low.cc"])
cc_library(name = "headers", hdrs = ["h.h"], deps = [":low"])
cc_library(name = "a", srcs = ["a.cc"])
cc_binary(name = "program", srcs = ["main.cc"], deps = [":headers", ":a", ":low"])
"""
    new, old = analysis(build, "h.h"), analysis(build, "h.h", semantics=Semantics.for_bazel("0.26.1"))
    main = "object p/_objs/program/main.pic.o"
    assert items(new.link("//p:program", "p/program")) == [main, "archive p/liba.a", "archive p/liblow.a"]
    assert items(old.link("//p:program", "p/program")) == [main, "archive p/liblow.a", "archive p/liba.a"]


def test_a_test_takes_shared_libraries() -> None:
    run = analysis(CHAIN)
    action = run.link("//p:check", "p/check")
    assert items(action) == [
        "object p/_objs/check/main.pic.o",
        "lib _solib_k8/libp_Sliba.so",
        "lib _solib_k8/libp_Slibb.so",
        "lib _solib_k8/libp_Sliblow.so",
    ]
    assert action.runtime_directories == ("../_solib_k8/",)
    link = run.made("_solib_k8/libp_Sliba.so")
    assert isinstance(link, SymlinkAction)
    assert link.mnemonic == "SolibSymlink"
    assert [file.exec_path for file in link.inputs] == [f"{BIN}/p/liba.so"]
    library = run.made("p/liba.so")
    assert (library.kind, items(library), library.flags) == (
        "nodeps_dynamic_library",
        ["object p/_objs/a/a.pic.o"],
        ("-la",),
    )
    (tree,) = [action for action in run.analyzer.actions if isinstance(action, RunfilesTreeAction)]
    assert "ws/_solib_k8/libp_Sliba.so" in tree.entries


@pytest.mark.parametrize(
    ("mode", "kinds"), [("off", ["archive", "whole_archive", "archive"]), ("fully", ["lib", "lib", "lib"])]
)
def test_dynamic_mode_decides_for_programs_and_tests_alike(mode: str, kinds: list[str]) -> None:
    run = analysis(CHAIN, dynamic_mode=mode)
    for name in ("program", "check"):
        assert [item.kind for item in run.link(f"//p:{name}", f"p/{name}").items[1:]] == kinds


def test_linkstatic_libraries_have_no_shared_form() -> None:
    build = """
cc_library(name = "a", srcs = ["a.cc"], linkstatic = True)
cc_test(name = "check", srcs = ["main.cc"], deps = [":a"])
cc_test(name = "static", srcs = ["main.cc"], deps = [":b"], linkstatic = True)
cc_library(name = "b", srcs = ["b.cc"])
"""
    run = analysis(build)
    assert items(run.link("//p:check", "p/check"))[1:] == ["archive p/liba.a"]
    assert items(run.link("//p:static", "p/static"))[1:] == ["archive p/libb.a"]
    assert run.files("//p:a") == ["p/liba.a"]
    assert run.files("//p:b") == ["p/libb.a", "p/libb.so"]


def test_a_shared_object_takes_what_it_needs_of_its_archives() -> None:
    action = analysis(CHAIN).link("//p:libplug.so", "p/libplug.so")
    assert action.kind == "shared"
    assert items(action)[1:] == ["archive p/liba.a", "archive p/liblow.a"]


@pytest.mark.parametrize(
    "settings",
    [
        {"other": {"incompatible_remove_legacy_whole_archive": False}},
        {
            "features": ("legacy_whole_archive",),
            "other": {"incompatible_remove_legacy_whole_archive": False, "legacy_whole_archive": False},
        },
    ],
)
def test_a_shared_object_takes_all_of_its_archives_on_request(settings: dict[str, Any]) -> None:
    whole = ["whole_archive p/liba.a", "whole_archive p/liblow.a"]
    assert items(analysis(CHAIN, **settings).link("//p:libplug.so", "p/libplug.so"))[1:] == whole


def test_a_shared_object_does_not_take_all_of_its_archives_when_that_is_forbidden() -> None:
    other = {"incompatible_remove_legacy_whole_archive": False, "legacy_whole_archive": False}
    feature = ("legacy_whole_archive",)  # which Bazel asks only after the first of these options
    for plain in (analysis(CHAIN, other=other), analysis(CHAIN, features=feature)):
        assert items(plain.link("//p:libplug.so", "p/libplug.so"))[1:] == ["archive p/liba.a", "archive p/liblow.a"]


def test_a_shared_object_without_an_ending_gets_one() -> None:
    run = analysis('cc_binary(name = "plug", srcs = ["main.cc"], linkshared = True)')
    assert run.files("//p:plug") == ["p/libplug.so"]


def test_libraries_and_objects_among_sources() -> None:
    build = """
cc_binary(name = "libx.so.2", srcs = ["a.cc"], linkshared = True)
cc_binary(name = "dir/program", srcs = ["main.cc", ":libx.so.2", "libstatic.a", "liball.lo", "extra.o"])
"""
    run = analysis(build, "libstatic.a", "liball.lo", "extra.o")
    action = run.link("//p:dir/program", "p/dir/program")
    solib = "_solib_k8/_U_S_Sp_Cdir_Sprogram___Up"
    assert items(action) == [
        "object p/extra.o",
        "object p/_objs/dir/program/main.pic.o",
        "archive p/libstatic.a",
        "whole_archive p/liball.lo",
        f"lib {solib}/libx.so.2",
    ]
    assert action.runtime_directories == (f"../../{solib}",)


def test_linker_scripts_among_dependencies_are_inputs_of_the_link() -> None:
    build = """
cc_binary(
    name = "lib.so",
    srcs = ["main.cc"],
    linkshared = True,
    linkopts = ["-Wl,--version-script,$(location v.lds)", "-Wl,--version-script=$(location w.lds)"],
    deps = ["v.lds", "w.lds"],
)
"""
    action = analysis(build, "v.lds", "w.lds").link("//p:lib.so", "p/lib.so")
    assert [script.exec_path for script in action.version_scripts] == ["p/v.lds", "p/w.lds"]
    assert {"p/v.lds", "p/w.lds"} <= {file.exec_path for file in action.inputs}
    assert action.flags[0] == "-Wl,--version-script,p/v.lds"


def test_flags_of_the_toolchain_and_the_command_line() -> None:
    run = analysis(CHAIN, linkopts=("-Wl,-z,last",), compilation_mode="opt", cpu="k8")
    root = run.configurations.target.bin
    assert root == "bazel-out/k8-opt/bin"
    action = run.link("//p:program", "p/program")
    assert action.flags[-1] == "-Wl,-z,last"
    assert action.toolchain_flags[-1] == "-Wl,--gc-sections"
    assert action.last_flags == ("-lstdc++", "-lm")


def test_a_dependency_is_linked_once_however_often_it_is_named() -> None:
    build = (
        CHAIN + 'alias(name = "c", actual = ":a")\ncc_binary(name = "twice", srcs = ["main.cc"], deps = [":c", ":a"])'
    )
    action = analysis(build).link("//p:twice", "p/twice")
    assert items(action)[1:] == ["archive p/liba.a", "archive p/liblow.a"]


def test_malloc_replaces_the_default_one() -> None:
    build = """
cc_library(name = "fast", srcs = ["a.cc"])
cc_binary(name = "program", srcs = ["main.cc"], malloc = ":fast")
"""
    assert items(analysis(build).link("//p:program", "p/program"))[1:] == [
        "archive p/liba.a".replace("liba", "libfast")
    ]


def test_stripped_programs_are_made_on_demand() -> None:
    run = analysis(CHAIN)
    run.target("//p:program.stripped")
    action = run.made("p/program.stripped")
    assert isinstance(action, SpawnAction)
    assert action.arguments[-1] == f"{BIN}/p/program"


def test_cc_import_offers_the_forms_that_it_has() -> None:
    build = """
cc_import(name = "both", static_library = "libi.a", shared_library = "libi.so", hdrs = ["i.h"], alwayslink = True)
cc_binary(name = "program", srcs = ["main.cc"], deps = [":both"])
cc_test(name = "check", srcs = ["main.cc"], deps = [":both"])
"""
    run = analysis(build, "libi.a", "libi.so", "i.h")
    assert items(run.link("//p:program", "p/program"))[1:] == ["whole_archive p/libi.a"]
    assert items(run.link("//p:check", "p/check"))[1:] == ["lib _solib_k8/_U_S_Sp_Cboth___Up/libi.so"]


def test_cc_import_checks_what_belongs_together() -> None:
    run = analysis('cc_import(name = "i", interface_library = "i.ifso")', "i.ifso")
    assert "'shared_library' must be given with 'interface_library'" in run.failure("//p:i")


def test_cc_static_library_has_the_objects_of_all_dependencies() -> None:
    run = analysis(CHAIN + 'cc_static_library(name = "all", deps = [":a", ":b"])')
    members = run.archive("//p:all", "p/liball.a").members
    assert [member.exec_path.removeprefix(f"{BIN}/p/_objs/") for member in members] == [
        "a/a.pic.o",
        "b/b.pic.o",
        "low/low.pic.o",
    ]


def test_order_of_libraries_among_the_sources() -> None:
    files = ("z.so.1.2", "q.pic.a", "w.pic.lo", "v.lo", "x.so", "x.a")
    build = f'cc_library(name = "l", srcs = {list(files)})\ncc_binary(name = "b", srcs = ["main.cc"], deps = [":l"])\n'
    action = analysis(build, *files).link("//p:b", "p/b")
    assert items(action)[1:] == [
        *("archive p/x.a", "whole_archive p/v.lo", "archive p/q.pic.a", "whole_archive p/w.pic.lo"),
        "shared _solib_k8/_U_S_Sp_Cl___Up/z.so.1.2",
    ]


def test_a_program_among_dependencies_lends_its_definitions_only() -> None:
    build = """
cc_library(name = "l", srcs = ["l.cc"], defines = ["D"], linkopts = ["-lq"])
cc_binary(name = "b", srcs = ["b.cc"], deps = [":l"])
cc_binary(name = "b.so", srcs = ["b.cc"], deps = [":l"], linkshared = True)
cc_binary(name = "c", srcs = ["c.cc"], deps = [":b", ":b.so"])
"""
    run = analysis(build, "l.cc", "b.cc", "c.cc")
    action = run.link("//p:c", "p/c")
    assert run.made("p/_objs/c/c.pic.o").defines == ("D",)
    assert items(action) == ["object p/_objs/c/c.pic.o"]
    assert "-lq" not in action.flags


def test_additional_inputs_can_be_located() -> None:
    build = """
cc_library(
    name = "l",
    srcs = ["l.cc"],
    copts = ["-DV=$(location c.txt)"],
    additional_compiler_inputs = ["c.txt"],
    linkopts = ["$(location v.txt)"],
    additional_linker_inputs = ["v.txt"],
)
cc_binary(name = "b", srcs = ["b.cc"], deps = [":l"])
"""
    run = analysis(build, "l.cc", "b.cc", "c.txt", "v.txt")
    action = run.link("//p:b", "p/b")
    assert "p/v.txt" in action.flags
    assert "-DV=p/c.txt" in run.made("p/_objs/l/l.pic.o").copts

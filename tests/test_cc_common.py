"""cc_common as rules of .bzl files use it."""

from __future__ import annotations

import pytest
from cc_support import BIN, CcAnalysis, items

from bazel2ninja.analysis.action import WriteAction

BZL = """
TYPE = "@bazel_tools//tools/cpp:toolchain_type"

def _setup(ctx):
    toolchain = ctx.toolchains[TYPE].cc
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    return toolchain, features

def _library(ctx):
    toolchain, features = _setup(ctx)
    infos = [dep[CcInfo] for dep in ctx.attr.deps]
    context, outputs = cc_common.compile(
        actions = ctx.actions,
        feature_configuration = features,
        cc_toolchain = toolchain,
        name = ctx.label.name,
        srcs = ctx.files.srcs,
        public_hdrs = ctx.files.hdrs,
        includes = ["inc"],
        defines = ["STARLARK"],
        user_compile_flags = ["-O3"],
        compilation_contexts = [info.compilation_context for info in infos],
    )
    linking, made = cc_common.create_linking_context_from_compilation_outputs(
        actions = ctx.actions,
        feature_configuration = features,
        cc_toolchain = toolchain,
        name = ctx.label.name,
        compilation_outputs = outputs,
        user_link_flags = ["-lz"],
        linking_contexts = [info.linking_context for info in infos],
    )
    library = made.library_to_link
    return [
        DefaultInfo(files = depset([library.pic_static_library])),
        CcInfo(compilation_context = context, linking_context = linking),
    ]

library = rule(
    implementation = _library,
    attrs = {
        "srcs": attr.label_list(allow_files = True),
        "hdrs": attr.label_list(allow_files = True),
        "deps": attr.label_list(providers = [CcInfo]),
    },
    toolchains = [TYPE],
    fragments = ["cpp"],
)

def _program(ctx):
    toolchain, features = _setup(ctx)
    outputs = cc_common.link(
        actions = ctx.actions,
        feature_configuration = features,
        cc_toolchain = toolchain,
        name = ctx.label.name,
        output_type = ctx.attr.output_type,
        linking_contexts = [dep[CcInfo].linking_context for dep in ctx.attr.deps],
    )
    library = outputs.library_to_link
    return [DefaultInfo(files = depset([outputs.executable or library.resolved_symlink_dynamic_library]))]

program = rule(
    implementation = _program,
    attrs = {"deps": attr.label_list(providers = [CcInfo]), "output_type": attr.string(default = "executable")},
    toolchains = [TYPE],
    fragments = ["cpp"],
)

def _described(ctx):
    archive = ctx.file.archive
    toolchain, features = _setup(ctx)
    library = cc_common.create_library_to_link(
        actions = ctx.actions,
        feature_configuration = features,
        cc_toolchain = toolchain,
        static_library = archive,
        alwayslink = True,
    )
    linker_input = cc_common.create_linker_input(
        owner = ctx.label,
        libraries = depset([library]),
        user_link_flags = depset(["-lone", "-ltwo"]),
    )
    own = CcInfo(
        compilation_context = cc_common.create_compilation_context(
            headers = depset(ctx.files.hdrs),
            includes = depset(["x/y"]),
            defines = depset(["D"]),
        ),
        linking_context = cc_common.create_linking_context(linker_inputs = depset([linker_input])),
    )
    return [cc_common.merge_cc_infos(direct_cc_infos = [own], cc_infos = [dep[CcInfo] for dep in ctx.attr.deps])]

described = rule(
    implementation = _described,
    attrs = {
        "archive": attr.label(allow_single_file = True),
        "hdrs": attr.label_list(allow_files = True),
        "deps": attr.label_list(providers = [CcInfo]),
    },
    toolchains = [TYPE],
)

def _show(ctx):
    toolchain, features = _setup(ctx)
    info = ctx.attr.dep[CcInfo]
    variables = cc_common.create_compile_variables(
        cc_toolchain = toolchain,
        feature_configuration = features,
        user_compile_flags = ["-DUSER"],
        include_directories = depset(["i"]),
        preprocessor_defines = depset(["X=1"]),
        source_file = "s.cc",
        output_file = "s.o",
        use_pic = True,
    )
    words = cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = "c++-compile",
        variables = variables,
    )
    out = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(out, "\\n".join([
        "compiler " + toolchain.compiler,
        "tool " + cc_common.get_tool_for_action(feature_configuration = features, action_name = "c++-compile"),
        "pic %s" % toolchain.needs_pic_for_dynamic_libraries(feature_configuration = features),
        "enabled %s" % cc_common.is_enabled(feature_configuration = features, feature_name = "supports_pic"),
        "headers " + " ".join([f.basename for f in info.compilation_context.headers.to_list()]),
        "direct " + " ".join([f.basename for f in info.compilation_context.direct_headers]),
        "defines " + " ".join(info.compilation_context.defines.to_list()),
        "libraries " + " ".join([
            "%s:%s" % (library.static_library or library.pic_static_library, library.alwayslink)
            for linker_input in info.linking_context.linker_inputs.to_list()
            for library in linker_input.libraries
        ]),
        "flags " + " ".join([
            flag
            for linker_input in info.linking_context.linker_inputs.to_list()
            for flag in linker_input.user_link_flags
        ]),
        "command " + " ".join(words),
    ]))
    return [DefaultInfo(files = depset([out]))]

show = rule(implementation = _show, attrs = {"dep": attr.label()}, toolchains = [TYPE])
"""

BUILD = """
load(":defs.bzl", "described", "library", "program", "show")
cc_library(name = "base", srcs = ["base.cc"], hdrs = ["base.h"], defines = ["BASE"])
library(name = "made", srcs = ["a.cc", "private.h"], hdrs = ["a.h"], deps = [":base"])
program(name = "program", deps = [":made"])
program(name = "plugin", deps = [":made"], output_type = "dynamic_library")
described(name = "described", archive = "libgiven.a", hdrs = ["given.h"], deps = [":made"])
cc_binary(name = "native", deps = [":described"])
show(name = "shown", dep = ":described")
"""


@pytest.fixture
def run() -> CcAnalysis:
    names = ("base.cc", "base.h", "a.cc", "private.h", "a.h", "libgiven.a", "given.h")
    return CcAnalysis({"p/BUILD": BUILD, "p/defs.bzl": BZL, **{f"p/{name}": "" for name in names}})


def test_compile(run: CcAnalysis) -> None:
    action = run.compile("//p:made", "p/_objs/made/a.pic.o")
    assert action.includes == ("inc",)
    assert action.defines == ("BASE", "STARLARK")
    assert action.copts == ("-O3",)
    assert run.files("//p:made") == ["p/libmade.a"]


def test_link_of_a_program_and_of_a_shared_library(run: CcAnalysis) -> None:
    action = run.link("//p:program", "p/program")
    assert (action.kind, items(action), action.flags) == (
        "executable",
        ["archive p/libmade.a", "archive p/libbase.a"],
        ("-lz",),
    )
    action = run.link("//p:plugin", "p/libplugin.so")
    assert (action.kind, items(action)) == ("shared", ["archive p/libmade.a", "archive p/libbase.a"])


def test_native_rules_take_what_starlark_describes(run: CcAnalysis) -> None:
    action = run.link("//p:native", "p/native")
    assert items(action) == ["whole_archive p/libgiven.a", "archive p/libmade.a", "archive p/libbase.a"]
    assert action.flags == ("-lone", "-ltwo", "-lz")


def test_what_starlark_reads(run: CcAnalysis) -> None:
    run.target("//p:shown")
    action = run.made("p/shown")
    assert isinstance(action, WriteAction)
    shown = dict(line.split(" ", 1) for line in action.content.splitlines())
    assert shown["compiler"] == "gcc"
    assert shown["tool"] == "/usr/bin/gcc"
    assert shown["pic"] == shown["enabled"] == "True"
    assert sorted(shown["headers"].split()) == ["a.h", "base.h", "given.h", "private.h"]
    assert shown["direct"] == "given.h"
    assert shown["defines"] == "D BASE STARLARK"
    assert shown["libraries"].startswith("<source file p/libgiven.a>:True <generated file p/libmade.a>:False ")
    assert shown["flags"] == "-lone -ltwo -lz"
    words = shown["command"].split()
    assert words[0] == "-U_FORTIFY_SOURCE"
    assert "-fPIC -DX=1 -Ii -DUSER" in shown["command"]
    assert words[-4:] == ["-c", "s.cc", "-o", "s.o"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            "CcInfo(compilation_context = 1)",
            "'compilation_context' got value of type 'int', want 'CcCompilationContext'",
        ),
        ("cc_common.no_such()", "cc_common.no_such is not supported"),
        ("cc_common.create_linking_context(linker_inputs = depset([1]))", "want 'sequence of LinkerInput'"),
        (
            "cc_common.create_library_to_link(actions = ctx.actions, alwayslink = True)",
            "one of 'static_library', 'pic_static_library', 'dynamic_library' and 'interface_library' must be given",
        ),
        ("cc_common.configure_features(ctx = ctx, cc_toolchain = 3)", "'cc_toolchain' is not a C++ toolchain"),
    ],
)
def test_wrong_arguments_are_errors_of_the_program(call: str, message: str) -> None:
    bzl = f"def _impl(ctx):\n    {call}\n\nbad = rule(implementation = _impl)\n"
    run = CcAnalysis({"p/BUILD": 'load(":d.bzl", "bad")\nbad(name = "b")', "p/d.bzl": bzl})
    text = run.failure("//p:b")
    assert message in text
    assert "p/d.bzl:2" in text


def test_a_rule_can_declare_the_toolchain_as_an_attribute() -> None:
    bzl = """
def _impl(ctx):
    toolchain = ctx.attr._cc_toolchain[cc_common.CcToolchainInfo]
    out = ctx.actions.declare_file("out")
    ctx.actions.write(out, toolchain.cpu + " " + ctx.var["CC"])
    return [DefaultInfo(files = depset([out]))]

r = rule(
    implementation = _impl,
    attrs = {"_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain")},
)
"""
    run = CcAnalysis({"p/BUILD": 'load(":d.bzl", "r")\nr(name = "r")', "p/d.bzl": bzl})
    run.target("//p:r")
    action = run.made("p/out")
    assert isinstance(action, WriteAction)
    assert action.content == "k8 /usr/bin/gcc"
    assert action.outputs[0].exec_path == f"{BIN}/p/out"

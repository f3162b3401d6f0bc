"""proto_library, cc_proto_library and proto_common: import paths, command lines and what users see."""

from __future__ import annotations

from cc_support import BIN, CcAnalysis, items

from bazel2ninja.analysis.action import ParameterFile, SpawnAction, SymlinkAction
from bazel2ninja.rules.proto_info import ProtoInfo

BUILD = """
package(default_visibility = ["//visibility:public"])
proto_library(name = "low_proto", srcs = ["low.proto"])
proto_library(name = "mid_proto", srcs = ["sub/mid.proto"], deps = [":low_proto"], strip_import_prefix = "sub")
proto_library(name = "top_proto", srcs = ["top.proto"], deps = [":mid_proto", "@x//q:ext_proto"])
proto_library(name = "all_proto", deps = [":top_proto"])
cc_proto_library(name = "top_cc", deps = [":top_proto"])
cc_proto_library(name = "all_cc", deps = [":all_proto"])
cc_binary(name = "program", srcs = ["main.cc"], deps = [":all_cc", ":top_cc"])
"""

EXTERNAL = 'proto_library(name = "ext_proto", srcs = ["ext.proto"], visibility = ["//visibility:public"])'
VIOLATION = "--direct_dependencies_violation_msg=%s is imported, but //p:top_proto doesn't directly depend on a "


def analysis(build: str = BUILD, **files: str) -> CcAnalysis:
    names = ("low.proto", "sub/mid.proto", "top.proto", "main.cc")
    return CcAnalysis(
        {
            "p/BUILD": build,
            **{f"p/{name}": "" for name in names},
            "@x/q/BUILD": EXTERNAL,
            "@x/q/ext.proto": "",
            **files,
        }
    )


def words(action: SpawnAction) -> list[str]:
    found: list[str] = []
    for argument in action.arguments:
        found += argument.arguments if isinstance(argument, ParameterFile) else [argument]
    return found


def test_a_descriptor_set() -> None:
    run = analysis()
    run.target("//p:top_proto")
    action = run.made("p/top_proto-descriptor-set.proto.bin")
    assert isinstance(action, SpawnAction)
    virtual = f"{BIN}/p/_virtual_imports/mid_proto"
    assert words(action) == [
        f"{BIN}/external/com_google_protobuf/protoc",
        f"--proto_path={virtual}",
        "--proto_path=external/x",
        f"--descriptor_set_out={BIN}/p/top_proto-descriptor-set.proto.bin",
        "-Ip/top.proto=p/top.proto",
        f"-Imid.proto={virtual}/mid.proto",
        "-Ip/low.proto=p/low.proto",
        "-Iq/ext.proto=external/x/q/ext.proto",
        "--direct_dependencies",
        "mid.proto:q/ext.proto:p/top.proto",
        VIOLATION + "proto_library that 'srcs' it.",
        "p/top.proto",
    ]
    inputs = {file.exec_path for file in action.all_inputs()}
    assert {f"{virtual}/mid.proto", "p/low.proto", f"{BIN}/p/low_proto-descriptor-set.proto.bin"} <= inputs


def test_prefixes_make_links() -> None:
    build = 'proto_library(name = "l", srcs = ["low.proto"], import_prefix = "a/b", strip_import_prefix = "/p")'
    run = analysis(build)
    run.target("//p:l")
    link = run.made("p/_virtual_imports/l/a/b/low.proto")
    assert isinstance(link, SymlinkAction)
    assert link.inputs[0].exec_path == "p/low.proto"


def test_provider_fields() -> None:
    info = analysis().target("//p:top_proto").get(ProtoInfo)
    assert [file.exec_path for file in info.s_direct_sources] == ["p/top.proto"]
    assert info.s_proto_source_root == "."
    assert [file.s_basename for file in info.s_transitive_sources.flatten()] == [
        "top.proto",
        "mid.proto",
        "low.proto",
        "ext.proto",
    ]


def test_generated_code_is_compiled_once_beside_each_library() -> None:
    run = analysis()
    action = run.link("//p:program", "p/program")
    assert items(action)[1:] == [
        "archive p/libtop_proto.a",
        "archive p/libmid_proto.a",
        "archive p/liblow_proto.a",
        "archive external/x/q/libext_proto.a",
        "archive external/com_google_protobuf/libprotobuf.a",
    ]
    compiled = run.made("p/_objs/mid_proto/mid.pb.pic.o")
    assert compiled.source.exec_path == f"{BIN}/p/_virtual_imports/mid_proto/mid.pb.cc"
    assert compiled.includes == (f"{BIN}/p/_virtual_includes/mid_proto",)
    assert "external/com_google_protobuf" in compiled.system_includes
    protoc = run.made("p/_virtual_imports/mid_proto/mid.pb.cc")
    assert f"--cpp_out={BIN}/p/_virtual_imports/mid_proto" in words(protoc)
    assert words(run.made("external/x/q/ext.pb.h"))[1] == f"--cpp_out={BIN}/external/x"
    header = f"{BIN}/external/x/q/ext.pb.h"
    user = run.made("p/_objs/program/main.pic.o")
    assert header in {file.exec_path for file in user.all_inputs()}


def test_a_library_without_sources_passes_on_what_it_depends_on() -> None:
    assert analysis().files("//p:all_cc")[0] == "p/libtop_proto.a"


def test_sources_that_the_runtime_provides_are_not_generated() -> None:
    runtime = """
package(default_visibility = ["//visibility:public"])
cc_binary(name = "protoc", srcs = ["protoc.cc"])
cc_library(name = "protobuf", srcs = ["message.cc"])
proto_library(name = "any_proto", srcs = ["any.proto"])
proto_lang_toolchain(
    name = "cc_toolchain",
    command_line = "--cpp_out=$(OUT)",
    runtime = ":protobuf",
    denylisted_protos = [":any_proto"],
)
"""
    build = 'cc_proto_library(name = "any_cc", deps = ["@com_google_protobuf//:any_proto"])'
    run = analysis(build, **{"@com_google_protobuf/BUILD": runtime, "@com_google_protobuf/any.proto": ""})
    assert run.files("//p:any_cc") == []
    assert not [action for action in run.analyzer.actions if action.mnemonic == "GenProto"]


def test_several_dependencies_are_refused() -> None:
    run = analysis('cc_proto_library(name = "c", deps = [":l", ":m"])\n[proto_library(name = n) for n in ("l", "m")]')
    assert "'deps' must have exactly one element" in run.failure("//p:c")


def test_proto_common() -> None:
    bzl = """
def _impl(ctx):
    info = ctx.attr.dep[ProtoInfo]
    toolchain = ctx.attr._toolchain[proto_common.ProtoLangToolchainInfo]
    outs = proto_common.declare_generated_files(ctx.actions, info, ".gen.cc")
    args = ctx.actions.args()
    args.add("--extra")
    proto_common.compile(
        actions = ctx.actions,
        proto_info = info,
        proto_lang_toolchain_info = toolchain,
        generated_files = outs,
        plugin_output = ctx.bin_dir.path,
        additional_args = args,
    )
    return [DefaultInfo(files = depset(outs))]

gen = rule(
    implementation = _impl,
    attrs = {
        "dep": attr.label(providers = [ProtoInfo]),
        "_toolchain": attr.label(default = "@com_google_protobuf//:cc_toolchain"),
    },
)
"""
    run = analysis('load(":d.bzl", "gen")\n' + BUILD + 'gen(name = "g", dep = ":low_proto")', **{"p/d.bzl": bzl})
    assert run.files("//p:g") == ["p/low.gen.cc"]
    assert words(run.made("p/low.gen.cc")) == [
        f"{BIN}/external/com_google_protobuf/protoc",
        f"--cpp_out={BIN}",
        "-Ip/low.proto=p/low.proto",
        "--extra",
        "p/low.proto",
    ]

"""Files that a plugin of protoc makes of the services in .proto files."""

load("@com_google_protobuf//bazel/common:proto_common.bzl", "proto_common")
load("@com_google_protobuf//bazel/common:proto_info.bzl", "ProtoInfo")

def _name_of_module(path):
    return path.replace("-", "_").replace(".", "/")

def _impl(ctx):
    toolchain = ctx.attr.toolchain[proto_common.ProtoLangToolchainInfo]
    found = []
    for source in ctx.attr.srcs:
        info = source[ProtoInfo]
        made = []
        for ending in ctx.attr.endings:
            if ctx.attr.modules:
                made += proto_common.declare_generated_files(ctx.actions, info, ending, _name_of_module)
            else:
                made += proto_common.declare_generated_files(ctx.actions, info, ending)
        options = ctx.actions.args()
        options.add_all(ctx.attr.options)
        root = info.proto_source_root
        proto_common.compile(
            actions = ctx.actions,
            proto_info = info,
            proto_lang_toolchain_info = toolchain,
            generated_files = made,
            plugin_output = root if root.startswith(ctx.bin_dir.path) else "/".join([ctx.bin_dir.path] + ([root] if root not in ("", ".") else [])),
            additional_args = options,
        )
        found += made
    return [DefaultInfo(files = depset(found))]

generated_code = rule(
    implementation = _impl,
    attrs = {
        "endings": attr.string_list(doc = "Of the files that are made of each source."),
        "modules": attr.bool(doc = "Whether the files are modules of Python."),
        "options": attr.string_list(doc = "Further options of protoc."),
        "srcs": attr.label_list(providers = [ProtoInfo]),
        "toolchain": attr.label(providers = [proto_common.ProtoLangToolchainInfo], mandatory = True),
    },
)

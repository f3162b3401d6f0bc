"""Python modules of .proto files; the module google.protobuf is the system's."""

load("@rules_python//python:py_info.bzl", "PyInfo")

_Modules = provider(
    doc = "What is made of a proto_library and its dependencies.",
    fields = {
        "imports": "A depset of directories below the runfiles directory, for sys.path.",
        "sources": "A depset of modules.",
    },
)

def _module(path):
    return path.replace("-", "_").replace(".", "/")

def _aspect_impl(target, ctx):
    info = target[ProtoInfo]
    toolchain = ctx.attr._toolchain[proto_common.ProtoLangToolchainInfo]
    root = info.proto_source_root
    made = []
    if proto_common.experimental_should_generate_code(info, toolchain, "py_proto_library", target.label):
        made = proto_common.declare_generated_files(ctx.actions, info, "_pb2.py", _module)
        inside = root.startswith(ctx.bin_dir.path)
        proto_common.compile(
            actions = ctx.actions,
            proto_info = info,
            proto_lang_toolchain_info = toolchain,
            generated_files = made,
            plugin_output = root if inside else "/".join([ctx.bin_dir.path] + ([root] if root != "." else [])),
        )
        root = root[len(ctx.bin_dir.path) + 1:] if inside else root
    below = [dep[_Modules] for dep in getattr(ctx.rule.attr, "deps", []) if _Modules in dep]
    if root.startswith("external/"):
        places = [root[len("external/"):]]
    else:
        places = [ctx.workspace_name + "/" + root] if "_virtual_imports/" in root else []
    return [_Modules(
        imports = depset(places if made else [], transitive = [modules.imports for modules in below]),
        sources = depset(made, transitive = [modules.sources for modules in below]),
    )]

_modules = aspect(
    implementation = _aspect_impl,
    attr_aspects = ["deps"],
    attrs = {"_toolchain": attr.label(default = Label("//python:python_toolchain"))},
    required_providers = [ProtoInfo],
    provides = [_Modules],
)

def _py_proto_library_impl(ctx):
    found = [dep[_Modules] for dep in ctx.attr.deps]
    sources = depset(transitive = [modules.sources for modules in found])
    return [
        DefaultInfo(files = sources, runfiles = ctx.runfiles(transitive_files = sources)),
        PyInfo(
            imports = depset(transitive = [modules.imports for modules in found]),
            transitive_sources = sources,
        ),
    ]

py_proto_library = rule(
    implementation = _py_proto_library_impl,
    attrs = {"deps": attr.label_list(aspects = [_modules], providers = [ProtoInfo])},
    provides = [PyInfo],
)

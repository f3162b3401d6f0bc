"""proto_gen and py_proto_library, which protobuf's own protobuf.bzl had before proto_library served everybody."""

_Sources = provider(
    doc = "What other proto_gen targets import.",
    fields = {
        "files": "depset of .proto files",
        "flags": "depset of -I options",
    },
)

# A project's own proto_gen asks its dependencies for `proto`; since Bazel 8 a rule cannot give that.
_HAS_NAMED_PROVIDERS = int((native.bazel_version or "7").partition(".")[0]) < 8

def _roots(ctx):
    """The directories that imports start from, as -I options: of sources and of generated files."""
    root = ctx.label.workspace_root
    found = ["-I" + (root or "."), "-I" + ctx.bin_dir.path + ("/" + root if root else "")]
    package = "/".join([part for part in (root, ctx.label.package) if part])
    for include in ctx.attr.includes:
        path = "/".join([part for part in (package, include) if part and part != "."])
        found += ["-I" + (path or "."), "-I" + "/".join([part for part in (ctx.bin_dir.path, path) if part])]
    return found

def _proto_gen(ctx):
    deps = [dep[_Sources] for dep in ctx.attr.deps]
    flags = depset(_roots(ctx), transitive = [dep.flags for dep in deps])
    files = depset(ctx.files.srcs, transitive = [dep.files for dep in deps])
    languages = [name for name, wanted in (("cpp", ctx.attr.gen_cc), ("python", ctx.attr.gen_py)) if wanted]
    root = ctx.label.workspace_root
    into = ctx.bin_dir.path + ("/" + root if root else "")
    if languages and ctx.outputs.outs:
        args = ctx.actions.args()
        args.add_all(flags)
        args.add_all(["--%s_out=%s" % (name, into) for name in languages])
        tools = []
        if ctx.executable.plugin:
            language = ctx.attr.plugin_language
            tools.append(ctx.executable.plugin)
            args.add("--plugin=protoc-gen-%s=%s" % (language, ctx.executable.plugin.path))
            options = ",".join(ctx.attr.plugin_options)
            args.add("--%s_out=%s" % (language, options + ":" + into if options else into))
        args.add_all(ctx.files.srcs)
        ctx.actions.run(
            executable = ctx.executable.protoc,
            arguments = [args],
            inputs = files,
            tools = tools,
            outputs = ctx.outputs.outs,
            mnemonic = "ProtoCompile",
            use_default_shell_env = True,
        )
    providers = [
        _Sources(files = files, flags = flags),
        DefaultInfo(files = depset(ctx.outputs.outs)),
    ]
    if not _HAS_NAMED_PROVIDERS:
        return providers
    old = struct(srcs = ctx.files.srcs, import_flags = flags.to_list(), deps = files.to_list())
    return struct(proto = old, providers = providers)

proto_gen = rule(
    doc = "Runs protoc over its sources, all at once.",
    implementation = _proto_gen,
    attrs = {
        "deps": attr.label_list(providers = [_Sources]),
        "gen_cc": attr.bool(),
        "gen_py": attr.bool(),
        "includes": attr.string_list(),
        "outs": attr.output_list(),
        "plugin": attr.label(executable = True, cfg = "exec"),
        "plugin_language": attr.string(),
        "plugin_options": attr.string_list(),
        "protoc": attr.label(executable = True, cfg = "exec", default = Label("//:protoc"), allow_files = True),
        "srcs": attr.label_list(allow_files = True),
    },
    output_to_genfiles = True,
)

def py_proto_library(
        name,
        srcs = [],
        deps = [],
        py_libs = [],
        py_extra_srcs = [],
        include = None,
        default_runtime = None,
        protoc = None,
        use_grpc_plugin = False,
        **kwargs):
    """A py_library of the modules that protoc makes of .proto files; deps are libraries of the same kind."""
    includes = [include] if include != None else []
    modules = [source[:-len(".proto")] + "_pb2.py" for source in srcs]
    extra = {"protoc": protoc} if protoc else {}
    if use_grpc_plugin:
        fail("py_proto_library(%r): use_grpc_plugin is not supported with the system's protobuf" % name)
    proto_gen(
        name = name + "_genproto",
        srcs = srcs,
        outs = modules,
        deps = [dep + "_genproto" for dep in deps],
        includes = includes,
        gen_py = True,
        visibility = ["//visibility:public"],
        **extra
    )
    runtime = [default_runtime] if default_runtime and default_runtime not in py_libs + deps else []
    native.py_library(
        name = name,
        srcs = modules + py_extra_srcs,
        deps = py_libs + deps + runtime,
        imports = includes,
        **kwargs
    )

"""py_import(): packages in .egg files as a library."""

load(":py_info.bzl", "PyInfo")

def _py_import_impl(ctx):
    below = [dep[PyInfo] for dep in ctx.attr.deps]
    places = ["{}/{}".format(ctx.workspace_name, file.short_path) for file in ctx.files.srcs]
    return [
        DefaultInfo(default_runfiles = ctx.runfiles(ctx.files.srcs, collect_default = True)),
        PyInfo(
            transitive_sources = depset(transitive = [info.transitive_sources for info in below]),
            imports = depset(places, transitive = [info.imports for info in below]),
        ),
    ]

py_import = rule(
    implementation = _py_import_impl,
    attrs = {
        "deps": attr.label_list(providers = [PyInfo]),
        "srcs": attr.label_list(allow_files = [".egg"]),
    },
)

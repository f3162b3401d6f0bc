"""bzl_library(): .bzl files and what they load, for documentation tools."""

StarlarkLibraryInfo = provider(
    "Starlark files.",
    fields = {
        "srcs": "Source files of the target itself.",
        "transitive_srcs": "Source files of the target and of its dependencies.",
    },
)

def _bzl_library_impl(ctx):
    deps = [dep.files for dep in ctx.attr.deps]
    all_files = depset(ctx.files.srcs, transitive = deps, order = "postorder")
    return [
        DefaultInfo(files = all_files, runfiles = ctx.runfiles(transitive_files = all_files)),
        StarlarkLibraryInfo(srcs = ctx.files.srcs, transitive_srcs = all_files),
    ]

bzl_library = rule(
    implementation = _bzl_library_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = [".bzl", ".scl"]),
        "deps": attr.label_list(allow_files = [".bzl", ".scl"]),
    },
)

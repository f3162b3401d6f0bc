"""subdirectory(): a directory within another one."""

load(":providers.bzl", "DirectoryInfo")

def _subdirectory_impl(ctx):
    found = ctx.attr.parent[DirectoryInfo].get_subdirectory(ctx.attr.path)
    return [found, DefaultInfo(files = found.transitive_files)]

subdirectory = rule(
    implementation = _subdirectory_impl,
    attrs = {
        "parent": attr.label(mandatory = True, providers = [DirectoryInfo]),
        "path": attr.string(mandatory = True),
    },
    provides = [DirectoryInfo],
)

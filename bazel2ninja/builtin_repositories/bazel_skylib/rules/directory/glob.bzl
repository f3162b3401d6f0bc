"""directory_glob(): files of a directory by patterns."""

load(":providers.bzl", "DirectoryInfo")

def _directory_glob_impl(ctx):
    directory = ctx.attr.directory[DirectoryInfo]

    def chosen(patterns):
        return directory.glob(patterns, exclude = ctx.attr.exclude, allow_empty = ctx.attr.allow_empty)

    files = chosen(ctx.attr.srcs)
    runfiles = depset(transitive = [files, chosen(ctx.attr.data)])
    return [DefaultInfo(files = files, runfiles = ctx.runfiles(transitive_files = runfiles))]

directory_glob = rule(
    implementation = _directory_glob_impl,
    attrs = {
        "allow_empty": attr.bool(),
        "data": attr.string_list(),
        "directory": attr.label(mandatory = True, providers = [DirectoryInfo]),
        "exclude": attr.string_list(),
        "srcs": attr.string_list(),
    },
)

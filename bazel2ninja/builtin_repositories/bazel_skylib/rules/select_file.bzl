"""select_file(): one file of a target's outputs."""

def _select_file_impl(ctx):
    if not ctx.attr.subpath:
        fail("subpath must not be empty")
    for file in ctx.attr.srcs.files.to_list():
        if file.path.endswith("/" + ctx.attr.subpath) or file.path == ctx.attr.subpath:
            return [DefaultInfo(files = depset([file]), runfiles = ctx.runfiles(files = [file]))]
    fail("no file of {} ends with {}".format(ctx.attr.srcs.label, repr(ctx.attr.subpath)))

select_file = rule(
    implementation = _select_file_impl,
    attrs = {
        "srcs": attr.label(allow_files = True, mandatory = True),
        "subpath": attr.string(mandatory = True),
    },
    doc = "The output of another target whose path ends with `subpath`.",
)

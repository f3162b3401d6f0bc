"""Rules that make directories and look into them."""

def _directory_impl(ctx):
    directory = ctx.actions.declare_directory(ctx.label.name + ".dir")
    ctx.actions.run_shell(outputs = [directory], command = ctx.attr.cmd, arguments = [directory.path])
    return [DefaultInfo(files = depset([directory]))]

directory = rule(implementation = _directory_impl, attrs = {"cmd": attr.string()})

def _listing_impl(ctx):
    listing = ctx.actions.declare_file(ctx.label.name + ".txt")
    args = ctx.actions.args()
    args.add(listing)
    args.add_all("--one", ctx.files.srcs, format_each = "x=%s", terminate_with = "--end")
    args.add_all(ctx.files.srcs, before_each = "-I", uniquify = True)
    args.add_joined("--joined", ctx.files.srcs, join_with = ":", format_joined = "<%s>", format_each = "[%s]")
    args.add_all(ctx.files.srcs, expand_directories = False)
    args.add_all("--none", ctx.files.empty)
    args.add_all("--none", ctx.files.empty, omit_if_empty = False)
    args.add_joined("--none", ctx.files.empty, join_with = ",", omit_if_empty = False)
    if ctx.attr.form:
        args.use_param_file("@%s", use_always = True)
        args.set_param_file_format(ctx.attr.form)
    ctx.actions.run(
        outputs = [listing],
        inputs = ctx.files.srcs + ctx.files.empty,
        executable = ctx.executable._program,
        arguments = [args],
    )
    written = ctx.actions.declare_file(ctx.label.name + ".written")
    words = ctx.actions.args()
    words.set_param_file_format("multiline")
    words.add_all(ctx.files.srcs, format_each = "w=%s")
    ctx.actions.write(written, words)
    return [DefaultInfo(files = depset([listing, written]))]

listing = rule(
    implementation = _listing_impl,
    attrs = {
        "srcs": attr.label_list(allow_files = True),
        "empty": attr.label(),
        "form": attr.string(),
        "_program": attr.label(default = "//:program", executable = True, cfg = "exec"),
    },
)

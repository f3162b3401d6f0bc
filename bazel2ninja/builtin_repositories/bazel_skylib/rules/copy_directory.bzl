"""copy_directory(): a directory under another name."""

def copy_directory_action(ctx, src, dst):
    """The action that copies the directory `src` to `dst`."""
    ctx.actions.run_shell(
        inputs = [src],
        outputs = [dst],
        command = 'mkdir -p "$2" && cp -RLf "$1"/. "$2"/',
        arguments = [src.path, dst.path],
        mnemonic = "CopyDirectory",
        progress_message = "Copying directory",
        use_default_shell_env = True,
    )

def _copy_directory_impl(ctx):
    dst = ctx.actions.declare_directory(ctx.attr.out)
    copy_directory_action(ctx, ctx.file.src, dst)
    return [DefaultInfo(files = depset([dst]), runfiles = ctx.runfiles(files = [dst]))]

_copy_directory = rule(
    implementation = _copy_directory_impl,
    provides = [DefaultInfo],
    attrs = {
        "src": attr.label(mandatory = True, allow_single_file = True),
        "out": attr.string(mandatory = True),
    },
)

def copy_directory(name, src, out, **kwargs):
    """A copy of the directory `src` as `out`."""
    _copy_directory(name = name, src = src, out = out, **kwargs)

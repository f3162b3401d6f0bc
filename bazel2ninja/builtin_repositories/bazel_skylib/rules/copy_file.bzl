"""copy_file(): one file under another name."""

def copy_file_action(ctx, src, dst, is_executable = False):
    """The action that copies `src` to `dst`."""
    ctx.actions.run_shell(
        inputs = [src],
        outputs = [dst],
        command = 'cp -f "$1" "$2"' + (' && chmod +x "$2"' if is_executable else ""),
        arguments = [src.path, dst.path],
        mnemonic = "CopyFile",
        progress_message = "Copying files",
        use_default_shell_env = True,
    )

def _copy_file_impl(ctx):
    if ctx.attr.allow_symlink:
        ctx.actions.symlink(
            output = ctx.outputs.out,
            target_file = ctx.file.src,
            is_executable = ctx.attr.is_executable,
        )
    else:
        copy_file_action(ctx, ctx.file.src, ctx.outputs.out, ctx.attr.is_executable)
    files = depset([ctx.outputs.out])
    runfiles = ctx.runfiles(files = [ctx.outputs.out])
    if ctx.attr.is_executable:
        return [DefaultInfo(files = files, runfiles = runfiles, executable = ctx.outputs.out)]
    return [DefaultInfo(files = files, runfiles = runfiles)]

_ATTRIBUTES = {
    "src": attr.label(mandatory = True, allow_single_file = True),
    "out": attr.output(mandatory = True),
    "is_executable": attr.bool(),
    "allow_symlink": attr.bool(),
}

_copy_file = rule(implementation = _copy_file_impl, provides = [DefaultInfo], attrs = _ATTRIBUTES)

_copy_xfile = rule(implementation = _copy_file_impl, executable = True, provides = [DefaultInfo], attrs = _ATTRIBUTES)

def copy_file(name, src, out, is_executable = False, allow_symlink = False, **kwargs):
    """A copy of `src` as `out`.

    Args:
      name: name of the target
      src: label of the file
      out: name of the copy
      is_executable: whether the copy is a program
      allow_symlink: whether a symbolic link will do
      **kwargs: attributes of every rule
    """
    kind = _copy_xfile if is_executable else _copy_file
    kind(
        name = name,
        src = src,
        out = out,
        is_executable = is_executable,
        allow_symlink = allow_symlink,
        **kwargs
    )

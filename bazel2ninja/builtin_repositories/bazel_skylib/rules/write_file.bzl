"""write_file(): a file with the given lines."""

def _write_file_impl(ctx):
    newline = "\r\n" if ctx.attr.newline == "windows" else "\n"
    ctx.actions.write(
        output = ctx.outputs.out,
        content = newline.join(ctx.attr.content) if ctx.attr.content else "",
        is_executable = ctx.attr.is_executable,
    )
    files = depset([ctx.outputs.out])
    runfiles = ctx.runfiles(files = [ctx.outputs.out])
    if ctx.attr.is_executable:
        return [DefaultInfo(files = files, runfiles = runfiles, executable = ctx.outputs.out)]
    return [DefaultInfo(files = files, runfiles = runfiles)]

_ATTRIBUTES = {
    "out": attr.output(mandatory = True),
    "content": attr.string_list(),
    "newline": attr.string(values = ["unix", "windows", "auto"], default = "auto"),
    "is_executable": attr.bool(),
}

_write_file = rule(implementation = _write_file_impl, provides = [DefaultInfo], attrs = _ATTRIBUTES)

_write_xfile = rule(implementation = _write_file_impl, executable = True, provides = [DefaultInfo], attrs = _ATTRIBUTES)

def write_file(name, out, content = [], is_executable = False, newline = "auto", **kwargs):
    """A file.

    Args:
      name: name of the target
      out: name of the file
      content: its lines
      is_executable: whether it is a program
      newline: unix, windows or auto
      **kwargs: attributes of every rule
    """
    kind = _write_xfile if is_executable else _write_file
    kind(
        name = name,
        out = out,
        content = content,
        is_executable = is_executable,
        newline = newline,
        **kwargs
    )

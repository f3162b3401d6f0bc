"""native_binary() and native_test(): a program that exists already, as a target."""

def _impl(ctx):
    out = ctx.actions.declare_file(ctx.attr.out or ctx.attr.name)
    ctx.actions.symlink(target_file = ctx.executable.src, output = out, is_executable = True)
    runfiles = ctx.runfiles(files = [out] + ctx.files.data)
    for dep in ctx.attr.data + [ctx.attr.src]:
        runfiles = runfiles.merge(dep[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = out, files = depset([out]), runfiles = runfiles)]

_ATTRIBUTES = {
    "src": attr.label(executable = True, allow_files = True, mandatory = True, cfg = "target"),
    "data": attr.label_list(allow_files = True),
    "out": attr.string(),
}

native_binary = rule(implementation = _impl, attrs = _ATTRIBUTES, executable = True)

native_test = rule(implementation = _impl, attrs = _ATTRIBUTES, test = True)

"""sh_toolchain(): which shell runs shell scripts on a platform."""

def _sh_toolchain_impl(ctx):
    return [platform_common.ToolchainInfo(
        path = ctx.attr.path,
        launcher = ctx.executable.launcher,
        launcher_maker = ctx.executable.launcher_maker,
    )]

sh_toolchain = rule(
    implementation = _sh_toolchain_impl,
    attrs = {
        "path": attr.string(mandatory = True, doc = "Absolute path of the shell."),
        "launcher": attr.label(cfg = "target", executable = True, allow_single_file = True, doc = "Only for Windows."),
        "launcher_maker": attr.label(cfg = "exec", executable = True, allow_single_file = True, doc = "Only for Windows."),
    },
    doc = "A shell for scripts, found by toolchain resolution.",
)

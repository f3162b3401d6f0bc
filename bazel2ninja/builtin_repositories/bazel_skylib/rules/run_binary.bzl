"""run_binary(): runs a program that makes files."""

def _run_binary_impl(ctx):
    outputs = ctx.outputs.outs
    arguments = ctx.actions.args()
    for argument in ctx.attr.args:
        arguments.add(ctx.expand_location(argument, targets = ctx.attr.srcs))
    ctx.actions.run(
        outputs = outputs,
        inputs = ctx.files.srcs,
        tools = [ctx.executable.tool],
        executable = ctx.executable.tool,
        arguments = [arguments],
        mnemonic = "RunBinary",
        use_default_shell_env = False,
        env = {
            key: ctx.expand_location(value, targets = ctx.attr.srcs)
            for key, value in ctx.attr.env.items()
        },
    )
    return [DefaultInfo(files = depset(outputs), runfiles = ctx.runfiles(files = outputs))]

run_binary = rule(
    implementation = _run_binary_impl,
    attrs = {
        "tool": attr.label(executable = True, allow_files = True, mandatory = True, cfg = "exec"),
        "env": attr.string_dict(),
        "srcs": attr.label_list(allow_files = True),
        "outs": attr.output_list(mandatory = True),
        "args": attr.string_list(),
    },
    doc = "Files that a program makes.",
)

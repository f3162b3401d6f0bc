"""analysis_test(): passes when its targets can be analysed."""

def _analysis_test_impl(ctx):
    script = ctx.actions.declare_file(ctx.label.name + ".sh")
    ctx.actions.write(script, "#!/bin/sh\nexit 0\n", is_executable = True)
    return [DefaultInfo(executable = script)]

analysis_test = rule(
    implementation = _analysis_test_impl,
    attrs = {"targets": attr.label_list(mandatory = True)},
    test = True,
)

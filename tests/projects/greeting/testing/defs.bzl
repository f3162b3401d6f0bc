"""A rule with an action of its own."""

def _text_header_impl(ctx):
    ctx.actions.run_shell(
        inputs = [ctx.file.src],
        outputs = [ctx.outputs.out],
        command = "printf '#define WORDS \"%s\"\\n' \"$(head -n 1 $1)\" > $2",
        arguments = [ctx.file.src.path, ctx.outputs.out.path],
        mnemonic = "TextHeader",
    )
    return [DefaultInfo(files = depset([ctx.outputs.out]))]

text_header = rule(
    implementation = _text_header_impl,
    attrs = {
        "out": attr.output(mandatory = True),
        "src": attr.label(allow_single_file = True, mandatory = True),
    },
)

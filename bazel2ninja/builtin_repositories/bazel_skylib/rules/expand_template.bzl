"""expand_template(): a file made from a template."""

def _expand_template_impl(ctx):
    ctx.actions.expand_template(
        template = ctx.file.template,
        output = ctx.outputs.out,
        substitutions = {
            key: ctx.expand_location(value, targets = ctx.attr.data)
            for key, value in ctx.attr.substitutions.items()
        },
    )

expand_template = rule(
    implementation = _expand_template_impl,
    attrs = {
        "template": attr.label(mandatory = True, allow_single_file = True),
        "substitutions": attr.string_dict(mandatory = True),
        "out": attr.output(mandatory = True),
        "data": attr.label_list(allow_files = True),
    },
    doc = "A file in which each key of `substitutions` has been replaced by its value.",
)

"""What WORKSPACE files call for the headers of Python."""

def _python_configure_impl(ctx):
    ctx.file("BUILD", """\
package(default_visibility = ["//visibility:public"])

alias(
    name = "python_headers",
    actual = "@rules_python//python/cc:current_py_cc_headers",
)

alias(
    name = "python_embed",
    actual = "@rules_python//python/cc:current_py_cc_libs",
)
""")

python_configure = repository_rule(
    implementation = _python_configure_impl,
    attrs = {
        "python_interpreter_target": attr.label(),
        "python_version": attr.string(),
    },
    doc = "A repository that refers to the headers of the Python in use.",
)

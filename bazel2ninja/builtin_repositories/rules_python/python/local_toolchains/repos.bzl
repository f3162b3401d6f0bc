"""A Python of the machine as a toolchain: the one in use here is of the machine anyway, and nothing is registered."""

def _runtime_impl(ctx):
    lines = ['package(default_visibility = ["//visibility:public"])']
    for name, actual in (("python_headers", "current_py_cc_headers"), ("libpython", "current_py_cc_libs")):
        lines.append('alias(name = "{}", actual = "{}")'.format(name, Label("//python/cc:" + actual)))
    ctx.file("BUILD.bazel", "\n".join(lines) + "\n")

local_runtime_repo = repository_rule(
    implementation = _runtime_impl,
    attrs = {
        "interpreter_path": attr.string(),
        "interpreter_target": attr.label(),
        "on_failure": attr.string(),
    },
)

def _toolchains_impl(ctx):
    ctx.file("BUILD.bazel", "# the Python in use needs no toolchain\n")

local_runtime_toolchains_repo = repository_rule(
    implementation = _toolchains_impl,
    attrs = {
        "default_runtimes": attr.string_list(),
        "exec_compatible_with": attr.string_list_dict(),
        "runtimes": attr.string_list(),
        "target_compatible_with": attr.string_list_dict(),
        "target_settings": attr.string_list_dict(),
    },
)

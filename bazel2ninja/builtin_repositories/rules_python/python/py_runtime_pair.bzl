"""py_runtime_pair(): a Python toolchain; only its runtime of Python 3 is ever used."""

load(":py_runtime_info.bzl", "PyRuntimeInfo")

def _py_runtime_pair_impl(ctx):
    runtime = ctx.attr.py3_runtime
    return [platform_common.ToolchainInfo(
        py2_runtime = None,
        py3_runtime = runtime[PyRuntimeInfo] if runtime else None,
    )]

py_runtime_pair = rule(
    implementation = _py_runtime_pair_impl,
    attrs = {
        "py2_runtime": attr.label(cfg = "exec"),
        "py3_runtime": attr.label(cfg = "exec", providers = [PyRuntimeInfo]),
    },
    doc = "A Python toolchain.",
)

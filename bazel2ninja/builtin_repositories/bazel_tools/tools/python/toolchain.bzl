"""Python toolchains: https://bazel.build/reference/be/python#py_runtime_pair.

It loads nothing: rules_python, in whatever release a project has it, may load this file.
"""

_PyRuntimeInfo = getattr(native, "PyRuntimeInfo", None)

def _py_runtime_pair_impl(ctx):
    runtime = ctx.attr.py3_runtime
    return [platform_common.ToolchainInfo(
        py2_runtime = None,
        py3_runtime = runtime[_PyRuntimeInfo] if runtime else None,
    )]

py_runtime_pair = rule(
    implementation = _py_runtime_pair_impl,
    attrs = {
        "py2_runtime": attr.label(cfg = "exec"),
        "py3_runtime": attr.label(cfg = "exec", providers = [_PyRuntimeInfo] if _PyRuntimeInfo else []),
    },
    doc = "A Python toolchain; only its runtime of Python 3 is ever used.",
)

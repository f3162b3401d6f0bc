"""current_py_toolchain(): the Python in use, for the attribute `toolchains` of a genrule."""

_TYPE = "@bazel_tools//tools/python:toolchain_type"

def _current_py_toolchain_impl(ctx):
    toolchain = ctx.toolchains[_TYPE]
    runtime = toolchain.py3_runtime if toolchain else None
    if not runtime:
        return [platform_common.TemplateVariableInfo({"PYTHON3": "/usr/bin/python3"})]
    if not runtime.interpreter:
        return [toolchain, platform_common.TemplateVariableInfo({"PYTHON3": runtime.interpreter_path})]
    files = depset([runtime.interpreter], transitive = [runtime.files])
    return [
        toolchain,
        platform_common.TemplateVariableInfo({"PYTHON3": runtime.interpreter.path}),
        DefaultInfo(files = files, runfiles = ctx.runfiles(transitive_files = files)),
    ]

current_py_toolchain = rule(
    implementation = _current_py_toolchain_impl,
    toolchains = [config_common.toolchain_type(_TYPE, mandatory = False)],
)

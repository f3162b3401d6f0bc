"""py_exec_tools_toolchain(): a Python of the project's own for actions; an error when it is needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

py_exec_tools_toolchain = unsupported_rule("py_exec_tools_toolchain of rules_python", "the machine's Python is used")

"""py_cc_toolchain(): headers and libraries of a Python of the project's own; an error when it is needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

py_cc_toolchain = unsupported_rule(
    "py_cc_toolchain of rules_python",
    "headers and libraries are those of the python3 that pkg-config names",
)

"""py_console_script_binary(): a program that a package from an index declares; an error when it is needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

py_console_script_binary = unsupported_rule(
    "py_console_script_binary of rules_python",
    "nothing is downloaded; the program comes with a package of the system",
)

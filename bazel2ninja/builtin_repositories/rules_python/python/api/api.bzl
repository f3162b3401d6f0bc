"""What rules of projects call to make Python targets; an error when it is called."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_function")

py_common = struct(
    API_ATTRS = {},
    get = unsupported_function("py_common.get() of rules_python"),
)

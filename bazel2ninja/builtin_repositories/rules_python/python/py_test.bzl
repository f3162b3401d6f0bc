"""py_test, as the rules know it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")

py_test = native_or_unsupported("py_test", "rules_python")

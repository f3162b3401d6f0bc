"""py_binary, as the rules know it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")

py_binary = native_or_unsupported("py_binary", "rules_python")

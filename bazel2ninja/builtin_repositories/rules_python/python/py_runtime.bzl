"""py_runtime, as the rules know it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")

py_runtime = native_or_unsupported("py_runtime", "rules_python")

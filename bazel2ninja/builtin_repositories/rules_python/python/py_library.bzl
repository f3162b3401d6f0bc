"""py_library, as the rules know it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")

py_library = native_or_unsupported("py_library", "rules_python")

"""cc_import, as the rules know it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")

cc_import = native_or_unsupported("cc_import", "rules_cc")

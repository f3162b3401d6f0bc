"""cc_toolchain, as the rules know it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")

cc_toolchain = native_or_unsupported("cc_toolchain", "rules_cc")

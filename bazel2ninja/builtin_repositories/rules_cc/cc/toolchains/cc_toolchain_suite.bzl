"""cc_toolchain_suite, as the rules know it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")

cc_toolchain_suite = native_or_unsupported("cc_toolchain_suite", "rules_cc")

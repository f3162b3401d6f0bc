"""cc_toolchain_alias, as the rules know it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")

cc_toolchain_alias = native_or_unsupported("cc_toolchain_alias", "rules_cc")

"""objc_import, as the rules know it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")

objc_import = native_or_unsupported("objc_import", "rules_cc")

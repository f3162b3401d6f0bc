"""objc_library, as the rules know it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")

objc_library = native_or_unsupported("objc_library", "rules_cc")

"""propeller_optimize, as the rules know it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")

propeller_optimize = native_or_unsupported("propeller_optimize", "rules_cc")

"""memprof_profile, as the rules know it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")

memprof_profile = native_or_unsupported("memprof_profile", "rules_cc")

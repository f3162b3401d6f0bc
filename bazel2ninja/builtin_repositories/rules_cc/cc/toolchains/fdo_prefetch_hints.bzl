"""fdo_prefetch_hints, as the rules know it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")

fdo_prefetch_hints = native_or_unsupported("fdo_prefetch_hints", "rules_cc")

"""cc_proto_library, as the rules know it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")

cc_proto_library = native_or_unsupported("cc_proto_library", "rules_cc")

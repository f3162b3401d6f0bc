"""Rules for Apple's systems: an error when one is needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

_REASON = "targets of Apple's systems are not built"

ios_test_runner = unsupported_rule("ios_test_runner of rules_apple", _REASON)

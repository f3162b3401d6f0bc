"""Rules for Apple's systems: an error when one is needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

_REASON = "targets of Apple's systems are not built"

watchos_application = unsupported_rule("watchos_application of rules_apple", _REASON)
watchos_extension = unsupported_rule("watchos_extension of rules_apple", _REASON)
watchos_unit_test = unsupported_rule("watchos_unit_test of rules_apple", _REASON)
watchos_build_test = unsupported_rule("watchos_build_test of rules_apple", _REASON)

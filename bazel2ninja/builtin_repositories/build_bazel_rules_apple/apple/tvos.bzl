"""Rules for Apple's systems: an error when one is needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

_REASON = "targets of Apple's systems are not built"

tvos_application = unsupported_rule("tvos_application of rules_apple", _REASON)
tvos_extension = unsupported_rule("tvos_extension of rules_apple", _REASON)
tvos_framework = unsupported_rule("tvos_framework of rules_apple", _REASON)
tvos_unit_test = unsupported_rule("tvos_unit_test of rules_apple", _REASON)
tvos_build_test = unsupported_rule("tvos_build_test of rules_apple", _REASON)

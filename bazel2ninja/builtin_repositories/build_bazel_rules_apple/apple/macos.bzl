"""Rules for Apple's systems: an error when one is needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

_REASON = "targets of Apple's systems are not built"

macos_application = unsupported_rule("macos_application of rules_apple", _REASON)
macos_bundle = unsupported_rule("macos_bundle of rules_apple", _REASON)
macos_command_line_application = unsupported_rule("macos_command_line_application of rules_apple", _REASON)
macos_dylib = unsupported_rule("macos_dylib of rules_apple", _REASON)
macos_unit_test = unsupported_rule("macos_unit_test of rules_apple", _REASON)
macos_build_test = unsupported_rule("macos_build_test of rules_apple", _REASON)

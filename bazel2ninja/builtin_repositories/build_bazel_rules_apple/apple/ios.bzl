"""Rules for Apple's systems: an error when one is needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

_REASON = "targets of Apple's systems are not built"

ios_app_clip = unsupported_rule("ios_app_clip of rules_apple", _REASON)
ios_application = unsupported_rule("ios_application of rules_apple", _REASON)
ios_extension = unsupported_rule("ios_extension of rules_apple", _REASON)
ios_framework = unsupported_rule("ios_framework of rules_apple", _REASON)
ios_static_framework = unsupported_rule("ios_static_framework of rules_apple", _REASON)
ios_ui_test = unsupported_rule("ios_ui_test of rules_apple", _REASON)
ios_unit_test = unsupported_rule("ios_unit_test of rules_apple", _REASON)
ios_test_runner = unsupported_rule("ios_test_runner of rules_apple", _REASON)
ios_unit_test_suite = unsupported_rule("ios_unit_test_suite of rules_apple", _REASON)
ios_build_test = unsupported_rule("ios_build_test of rules_apple", _REASON)

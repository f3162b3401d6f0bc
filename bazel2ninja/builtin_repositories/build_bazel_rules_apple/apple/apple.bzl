"""Rules for Apple's systems: an error when one is needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

_REASON = "targets of Apple's systems are not built"

apple_dynamic_framework_import = unsupported_rule("apple_dynamic_framework_import of rules_apple", _REASON)
apple_dynamic_xcframework_import = unsupported_rule("apple_dynamic_xcframework_import of rules_apple", _REASON)
apple_static_framework_import = unsupported_rule("apple_static_framework_import of rules_apple", _REASON)
apple_static_xcframework = unsupported_rule("apple_static_xcframework of rules_apple", _REASON)
apple_static_xcframework_import = unsupported_rule("apple_static_xcframework_import of rules_apple", _REASON)
apple_xcframework = unsupported_rule("apple_xcframework of rules_apple", _REASON)

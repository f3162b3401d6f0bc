"""Rules for Apple's systems: an error when one is needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

_REASON = "targets of Apple's systems are not built"

apple_bundle_import = unsupported_rule("apple_bundle_import of rules_apple", _REASON)
apple_core_data_model = unsupported_rule("apple_core_data_model of rules_apple", _REASON)
apple_intent_library = unsupported_rule("apple_intent_library of rules_apple", _REASON)
apple_resource_bundle = unsupported_rule("apple_resource_bundle of rules_apple", _REASON)
apple_resource_group = unsupported_rule("apple_resource_group of rules_apple", _REASON)

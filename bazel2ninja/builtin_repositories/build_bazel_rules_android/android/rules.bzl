"""Android rules: an error when one is needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

_REASON = "Android targets are not built"

aar_import = unsupported_rule("aar_import of rules_android", _REASON)
android_binary = unsupported_rule("android_binary of rules_android", _REASON)
android_device = unsupported_rule("android_device of rules_android", _REASON)
android_instrumentation_test = unsupported_rule("android_instrumentation_test of rules_android", _REASON)
android_library = unsupported_rule("android_library of rules_android", _REASON)
android_local_test = unsupported_rule("android_local_test of rules_android", _REASON)

def android_sdk_repository(name, **kwargs):
    """Nothing is declared: whoever needs the repository is told that it is missing."""

def android_ndk_repository(name, **kwargs):
    """Nothing is declared: whoever needs the repository is told that it is missing."""

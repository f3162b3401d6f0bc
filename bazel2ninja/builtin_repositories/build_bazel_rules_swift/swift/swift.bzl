"""Swift rules: an error when one is needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

_REASON = "Swift targets are not built"

swift_binary = unsupported_rule("swift_binary of rules_swift", _REASON)
swift_c_module = unsupported_rule("swift_c_module of rules_swift", _REASON)
swift_import = unsupported_rule("swift_import of rules_swift", _REASON)
swift_library = unsupported_rule("swift_library of rules_swift", _REASON)
swift_module_alias = unsupported_rule("swift_module_alias of rules_swift", _REASON)
swift_proto_library = unsupported_rule("swift_proto_library of rules_swift", _REASON)
swift_test = unsupported_rule("swift_test of rules_swift", _REASON)

"""The rules for protocol buffers, as the rules know them."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported", "unsupported_rule")
load(":native_symbols.bzl", "symbols")

proto_lang_toolchain = native_or_unsupported("proto_lang_toolchain", "rules_proto")
proto_library = native_or_unsupported("proto_library", "rules_proto")
proto_toolchain = unsupported_rule("proto_toolchain of rules_proto")

ProtoInfo = symbols.ProtoInfo
proto_common = symbols.proto_common

"""Another protoc than the system's: an error for whoever needs it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

proto_toolchain = unsupported_rule("proto_toolchain of protobuf", "the system's protoc is used")

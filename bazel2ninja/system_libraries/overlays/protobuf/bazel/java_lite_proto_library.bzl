"""Java code of .proto files: an error for whoever needs it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

java_lite_proto_library = unsupported_rule("java_lite_proto_library of protobuf", "Java targets are not built")

"""Code of .proto files for upb: an error for whoever needs it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

upb_proto_reflection_library = unsupported_rule("upb_proto_reflection_library of protobuf", "the system's protobuf has no upb")

"""py_proto_library, which is protobuf's."""

load("@com_google_protobuf//bazel:py_proto_library.bzl", _py_proto_library = "py_proto_library")

py_proto_library = _py_proto_library

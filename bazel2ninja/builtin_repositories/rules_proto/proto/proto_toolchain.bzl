"""proto_toolchain(): another protoc than the one in use; an error when it is needed."""

load(":defs.bzl", _proto_toolchain = "proto_toolchain")

proto_toolchain = _proto_toolchain

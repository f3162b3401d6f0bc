"""java_toolchain: an error when it is needed."""

load(":defs.bzl", _java_toolchain = "java_toolchain")

java_toolchain = _java_toolchain

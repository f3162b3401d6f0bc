"""Java toolchains: targets that are an error when they are needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

default_java_toolchain = unsupported_rule("default_java_toolchain", "Java targets are not built")

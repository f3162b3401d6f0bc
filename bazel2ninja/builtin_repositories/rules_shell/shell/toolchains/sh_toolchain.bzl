"""sh_toolchain(): which shell runs shell scripts on a platform."""

load("@bazel_tools//tools/sh:sh_toolchain.bzl", _sh_toolchain = "sh_toolchain")

sh_toolchain = _sh_toolchain

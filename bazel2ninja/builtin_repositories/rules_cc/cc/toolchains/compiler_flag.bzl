"""compiler_flag: the name of the compiler for config_setting()."""

load("@bazel_tools//tools/cpp:compiler_flag.bzl", _compiler_flag = "compiler_flag")

compiler_flag = _compiler_flag

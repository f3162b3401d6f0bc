"""sh_binary, as the rules know it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")

sh_binary = native_or_unsupported("sh_binary", "rules_shell")

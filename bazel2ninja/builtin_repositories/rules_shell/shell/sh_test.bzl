"""sh_test, as the rules know it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")

sh_test = native_or_unsupported("sh_test", "rules_shell")

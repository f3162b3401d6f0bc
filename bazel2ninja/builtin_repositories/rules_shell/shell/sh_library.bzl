"""sh_library, as the rules know it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")

sh_library = native_or_unsupported("sh_library", "rules_shell")

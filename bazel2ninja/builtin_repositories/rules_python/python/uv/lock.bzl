"""lock(): a list of packages from an index; an error when it is needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

lock = unsupported_rule("lock of rules_python", "nothing is asked of an index")

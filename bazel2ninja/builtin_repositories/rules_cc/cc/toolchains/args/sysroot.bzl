"""Toolchains made of rules: such a target is an error for whoever needs it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

cc_sysroot = unsupported_rule(
    "cc_sysroot of rules_cc's toolchains made of rules",
    "the compiler's own directory of headers is used; say --sysroot in copts and linkopts",
)

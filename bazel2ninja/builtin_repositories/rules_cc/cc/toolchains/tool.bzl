"""Toolchains made of rules: such a target is an error for whoever needs it."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

_REASON = "toolchains are described with cc_toolchain() and cc_common.create_cc_toolchain_config_info()"

cc_tool = unsupported_rule("cc_tool of rules_cc's toolchains made of rules", _REASON)

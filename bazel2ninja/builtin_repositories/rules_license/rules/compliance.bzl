"""Checks of licences; an error when one is needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")
load("//rules_gathering:gather_metadata.bzl", "REASON")

check_license = unsupported_rule("check_license of rules_license", REASON)
licenses_used = unsupported_rule("licenses_used of rules_license", REASON)
manifest = unsupported_rule("manifest of rules_license", REASON)

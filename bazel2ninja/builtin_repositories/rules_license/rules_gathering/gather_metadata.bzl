"""Licences of a target and its dependencies, gathered by aspects; an error when they are applied."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_function")

REASON = "'bazel2ninja audit' tells the licences of what is built"

def _gather_impl(target, ctx):
    fail("gathering licences with an aspect of rules_license is not supported: " + REASON)

gather_metadata_info = aspect(implementation = _gather_impl)
gather_metadata_info_and_write = aspect(implementation = _gather_impl)
write_metadata_info = unsupported_function("write_metadata_info() of rules_license", REASON)
metadata_info_to_json = unsupported_function("metadata_info_to_json() of rules_license", REASON)

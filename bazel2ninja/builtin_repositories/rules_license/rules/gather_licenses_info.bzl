"""Licences of a target and its dependencies, gathered by aspects; an error when they are applied."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_function")
load(
    "//rules_gathering:gather_metadata.bzl",
    "REASON",
    _gather_metadata_info = "gather_metadata_info",
    _gather_metadata_info_and_write = "gather_metadata_info_and_write",
)

gather_licenses_info = _gather_metadata_info
gather_licenses_info_and_write = _gather_metadata_info_and_write
write_licenses_info = unsupported_function("write_licenses_info() of rules_license", REASON)
licenses_info_to_json = unsupported_function("licenses_info_to_json() of rules_license", REASON)

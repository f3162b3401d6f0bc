"""Bills of materials; an error when one is needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_function", "unsupported_rule")
load(":gather_metadata.bzl", "REASON")

generate_sbom = unsupported_rule("generate_sbom of rules_license", REASON)
manifest = unsupported_rule("manifest of rules_license", REASON)
get_licenses_mapping = unsupported_function("get_licenses_mapping() of rules_license", REASON)

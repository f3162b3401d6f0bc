"""Bills of materials; an error when one is needed."""

load("//rules_gathering:generate_sbom.bzl", _generate_sbom = "generate_sbom", _manifest = "manifest")

generate_sbom = _generate_sbom
manifest = _manifest

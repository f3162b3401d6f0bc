"""Licences of a target and its dependencies, gathered by aspects; an error when they are applied."""

load(
    "//rules_gathering:gather_metadata.bzl",
    _gather_metadata_info = "gather_metadata_info",
    _gather_metadata_info_and_write = "gather_metadata_info_and_write",
)

gather_metadata_info = _gather_metadata_info
gather_metadata_info_and_write = _gather_metadata_info_and_write

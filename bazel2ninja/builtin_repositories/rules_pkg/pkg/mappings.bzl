"""The symbols of //:mappings.bzl."""

load(
    "//:mappings.bzl",
    _pkg_attributes = "pkg_attributes",
    _pkg_filegroup = "pkg_filegroup",
    _pkg_files = "pkg_files",
    _pkg_mkdirs = "pkg_mkdirs",
    _pkg_mklink = "pkg_mklink",
    _strip_prefix = "strip_prefix",
    _REMOVE_BASE_DIRECTORY = "REMOVE_BASE_DIRECTORY",
    _filter_directory = "filter_directory",
)

pkg_attributes = _pkg_attributes
pkg_filegroup = _pkg_filegroup
pkg_files = _pkg_files
pkg_mkdirs = _pkg_mkdirs
pkg_mklink = _pkg_mklink
strip_prefix = _strip_prefix
REMOVE_BASE_DIRECTORY = _REMOVE_BASE_DIRECTORY
filter_directory = _filter_directory

"""Packages: an error when one is needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")

_REASON = "Debian packages are built by debhelper, and archives by the programs that make them"

pkg_deb = unsupported_rule("pkg_deb of rules_pkg", _REASON)
pkg_rpm = unsupported_rule("pkg_rpm of rules_pkg", _REASON)
pkg_tar = unsupported_rule("pkg_tar of rules_pkg", _REASON)
pkg_zip = unsupported_rule("pkg_zip of rules_pkg", _REASON)

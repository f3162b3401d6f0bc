"""pkg_rpm(): an error when it is needed."""

load("//:pkg.bzl", _pkg_rpm = "pkg_rpm")

pkg_rpm = _pkg_rpm

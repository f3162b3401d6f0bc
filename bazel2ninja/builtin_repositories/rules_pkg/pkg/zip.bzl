"""pkg_zip(): an error when it is needed."""

load("//:pkg.bzl", _pkg_zip = "pkg_zip")

pkg_zip = _pkg_zip

"""pkg_deb(): an error when it is needed."""

load("//:pkg.bzl", _pkg_deb = "pkg_deb")

pkg_deb = _pkg_deb

"""pkg_tar(): an error when it is needed."""

load("//:pkg.bzl", _pkg_tar = "pkg_tar")

pkg_tar = _pkg_tar

"""The module extension that makes @pybind11 of an archive; here the library is a repository of its own."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unavailable_repository")

def _impl(module_ctx):
    unavailable_repository(
        name = "pybind11",
        kind = "the copy of pybind11 that pybind11_bazel downloads",
        reason = "nothing is downloaded; install pybind11-dev, or provide it with --vendor",
    )

internal_configure_extension = module_extension(implementation = _impl)

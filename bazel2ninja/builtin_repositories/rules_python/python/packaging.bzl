"""Wheels: an error when one is needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_function", "unsupported_rule")

_REASON = "wheels are made by the packages that ship them"

py_package = unsupported_rule("py_package of rules_python", _REASON)
py_wheel = unsupported_rule("py_wheel of rules_python", _REASON)
py_wheel_dist = unsupported_function("py_wheel_dist() of rules_python", _REASON)

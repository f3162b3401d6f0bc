"""The machine that builds, as constraint values."""

load("@local_config_platform//:constraints.bzl", _HOST_CONSTRAINTS = "HOST_CONSTRAINTS")

HOST_CONSTRAINTS = _HOST_CONSTRAINTS

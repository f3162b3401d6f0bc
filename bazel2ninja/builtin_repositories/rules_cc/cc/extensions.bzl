"""The module extension that other modules name to reach @local_config_cc."""

load("@bazel_tools//tools/cpp:cc_configure.bzl", _cc_configure_extension = "cc_configure_extension")

cc_configure_extension = _cc_configure_extension

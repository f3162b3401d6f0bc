"""Python toolchains: https://bazel.build/reference/be/python#py_runtime_pair."""

load("@rules_python//python:py_runtime_pair.bzl", _py_runtime_pair = "py_runtime_pair")

py_runtime_pair = _py_runtime_pair

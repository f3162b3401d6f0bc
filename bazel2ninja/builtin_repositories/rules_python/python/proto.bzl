"""Python code of protocol buffers."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")

py_proto_library = native_or_unsupported("py_proto_library", "rules_python")

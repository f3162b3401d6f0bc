"""PyRuntimeInfo, the global of .bzl files, as a symbol that can be loaded."""

load(":native_symbols.bzl", "symbols")

PyRuntimeInfo = symbols.PyRuntimeInfo

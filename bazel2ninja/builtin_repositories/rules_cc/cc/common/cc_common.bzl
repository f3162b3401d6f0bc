"""cc_common, the global of .bzl files, as a symbol that can be loaded."""

load(":native_symbols.bzl", "symbols")

cc_common = symbols.cc_common

"""java_common, which no target has: Java targets are not built."""

load(":native_symbols.bzl", "symbols")

java_common = symbols.java_common

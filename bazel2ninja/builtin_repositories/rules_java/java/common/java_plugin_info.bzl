"""JavaPluginInfo, which no target has: Java targets are not built."""

load(":native_symbols.bzl", "symbols")

JavaPluginInfo = symbols.JavaPluginInfo

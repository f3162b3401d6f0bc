"""Globals of .bzl files.  A file that defines a symbol of the same name could not read them."""

symbols = struct(
    JavaInfo = JavaInfo,
    JavaPluginInfo = JavaPluginInfo,
    java_common = java_common,
)

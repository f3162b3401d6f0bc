"""The provider of a described toolchain, as a symbol that can be loaded."""

load("//cc/common:native_symbols.bzl", "symbols")

CcToolchainConfigInfo = symbols.CcToolchainConfigInfo

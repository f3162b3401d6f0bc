"""The native provider, under the name that later releases give it."""

load(":native_symbols.bzl", "symbols")

ProtoInfo = symbols.ProtoInfo

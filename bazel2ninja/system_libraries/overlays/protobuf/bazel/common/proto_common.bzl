"""The native functions, under the name that later releases give them."""

load(":native_symbols.bzl", "symbols")

proto_common = symbols.proto_common

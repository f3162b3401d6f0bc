"""The rules for protocol buffers, as the rules know them."""

load(":native_symbols.bzl", "symbols")

proto_library = native.proto_library
proto_lang_toolchain = native.proto_lang_toolchain
ProtoInfo = symbols.ProtoInfo
proto_common = symbols.proto_common

def proto_toolchain(name, **kwargs):
    """A toolchain for the compiler of protocol buffers."""
    fail("proto_toolchain(name = %r) is not supported: the compiler is named with --proto_compiler" % name)

"""Globals of .bzl files.  A file that defines a symbol of the same name could not read them."""

symbols = struct(
    ProtoInfo = ProtoInfo,
    proto_common = proto_common,
)

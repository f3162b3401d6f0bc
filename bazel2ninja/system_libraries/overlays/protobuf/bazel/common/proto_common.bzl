"""The native functions, under the name that later releases give them."""

_proto_common = proto_common
proto_common = _proto_common

"""The proto_library targets of protobuf's own .proto files."""

WELL_KNOWN_PROTOS = [Label("@com_google_protobuf//:%s_proto" % name) for name in [
    "any",
    "api",
    "compiler_plugin",
    "descriptor",
    "duration",
    "empty",
    "field_mask",
    "source_context",
    "struct",
    "timestamp",
    "type",
    "wrappers",
]]

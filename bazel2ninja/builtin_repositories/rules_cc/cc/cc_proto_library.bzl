"""cc_proto_library, as the rules know it."""

cc_proto_library = native.cc_proto_library

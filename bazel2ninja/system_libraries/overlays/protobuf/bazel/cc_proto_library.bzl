"""The native rule, under the name that later releases give it."""

cc_proto_library = native.cc_proto_library

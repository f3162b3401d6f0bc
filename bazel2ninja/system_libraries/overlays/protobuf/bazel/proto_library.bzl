"""The native rule, under the name that later releases give it."""

proto_library = native.proto_library

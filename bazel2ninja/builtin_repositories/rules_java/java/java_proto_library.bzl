"""java_proto_library: an error when it is needed."""

load(":defs.bzl", _java_proto_library = "java_proto_library")

java_proto_library = _java_proto_library

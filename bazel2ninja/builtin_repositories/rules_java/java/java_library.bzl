"""java_library: an error when it is needed."""

load(":defs.bzl", _java_library = "java_library")

java_library = _java_library

"""java_binary: an error when it is needed."""

load(":defs.bzl", _java_binary = "java_binary")

java_binary = _java_binary

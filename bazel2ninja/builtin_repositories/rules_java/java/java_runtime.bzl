"""java_runtime: an error when it is needed."""

load(":defs.bzl", _java_runtime = "java_runtime")

java_runtime = _java_runtime

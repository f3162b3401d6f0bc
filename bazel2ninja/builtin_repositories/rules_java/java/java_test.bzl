"""java_test: an error when it is needed."""

load(":defs.bzl", _java_test = "java_test")

java_test = _java_test

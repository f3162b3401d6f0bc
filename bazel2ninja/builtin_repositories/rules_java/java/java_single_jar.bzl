"""java_single_jar: an error when it is needed."""

load(":defs.bzl", _java_single_jar = "java_single_jar")

java_single_jar = _java_single_jar

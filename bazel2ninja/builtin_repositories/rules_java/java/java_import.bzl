"""java_import: an error when it is needed."""

load(":defs.bzl", _java_import = "java_import")

java_import = _java_import

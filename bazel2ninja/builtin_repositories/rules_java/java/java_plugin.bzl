"""java_plugin: an error when it is needed."""

load(":defs.bzl", _java_plugin = "java_plugin")

java_plugin = _java_plugin

"""java_package_configuration: an error when it is needed."""

load(":defs.bzl", _java_package_configuration = "java_package_configuration")

java_package_configuration = _java_package_configuration

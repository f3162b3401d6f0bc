"""Java archives from Maven: declared, and an error when one is needed."""

load(":jvm.bzl", "unbuilt_archive")

java_import_external = unbuilt_archive("java_import_external")

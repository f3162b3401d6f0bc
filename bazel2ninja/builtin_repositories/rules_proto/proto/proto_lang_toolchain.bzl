"""proto_lang_toolchain, as the rules know it."""

load(":defs.bzl", _proto_lang_toolchain = "proto_lang_toolchain")

proto_lang_toolchain = _proto_lang_toolchain

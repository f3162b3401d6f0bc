"""proto_lang_toolchain, as the rules know it."""

proto_lang_toolchain = native.proto_lang_toolchain

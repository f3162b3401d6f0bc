"""The native rule, under the name that later releases give it."""

proto_lang_toolchain = native.proto_lang_toolchain

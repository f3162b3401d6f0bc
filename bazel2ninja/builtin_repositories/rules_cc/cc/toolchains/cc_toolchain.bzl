"""cc_toolchain, as the rules know it."""

cc_toolchain = native.cc_toolchain

"""cc_toolchain_suite, as the rules know it."""

cc_toolchain_suite = native.cc_toolchain_suite

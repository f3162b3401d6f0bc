"""cc_binary, as the rules know it."""

cc_binary = native.cc_binary

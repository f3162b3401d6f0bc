"""cc_test, as the rules know it."""

cc_test = native.cc_test

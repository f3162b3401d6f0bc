"""cc_library, as the rules know it."""

cc_library = native.cc_library

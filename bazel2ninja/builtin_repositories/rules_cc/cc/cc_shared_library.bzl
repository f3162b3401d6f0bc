"""cc_shared_library, as the rules know it."""

cc_shared_library = native.cc_shared_library

"""cc_static_library, as the rules know it."""

cc_static_library = native.cc_static_library

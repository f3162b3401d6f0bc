"""cc_import, as the rules know it."""

cc_import = native.cc_import

"""objc_import, as the rules know it."""

objc_import = native.objc_import

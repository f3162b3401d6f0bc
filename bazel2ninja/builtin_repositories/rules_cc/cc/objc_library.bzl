"""objc_library, as the rules know it."""

objc_library = native.objc_library

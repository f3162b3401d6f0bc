"""The provider of Objective-C targets, which nothing provides."""

ObjcInfo = provider(doc = "An Objective-C target.")

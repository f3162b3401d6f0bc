"""ObjcInfo."""

ObjcInfo = apple_common.Objc

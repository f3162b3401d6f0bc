"""The C++ rules under one label."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")
load("//cc/common:cc_common.bzl", _cc_common = "cc_common")
load("//cc/common:cc_info.bzl", _CcInfo = "CcInfo")
load("//cc/common:debug_package_info.bzl", _DebugPackageInfo = "DebugPackageInfo")
load("//cc/toolchains:cc_toolchain_config_info.bzl", _CcToolchainConfigInfo = "CcToolchainConfigInfo")
load("//cc/toolchains:compiler_flag.bzl", _compiler_flag = "compiler_flag")
load(":cc_proto_library.bzl", _cc_proto_library = "cc_proto_library")

cc_binary = native.cc_binary
cc_import = native_or_unsupported("cc_import", "rules_cc")
cc_library = native.cc_library
cc_shared_library = native_or_unsupported("cc_shared_library", "rules_cc")
cc_static_library = native_or_unsupported("cc_static_library", "rules_cc")
cc_test = native.cc_test
cc_toolchain = native_or_unsupported("cc_toolchain", "rules_cc")
cc_toolchain_suite = native_or_unsupported("cc_toolchain_suite", "rules_cc")
fdo_prefetch_hints = native_or_unsupported("fdo_prefetch_hints", "rules_cc")
fdo_profile = native_or_unsupported("fdo_profile", "rules_cc")
objc_import = native_or_unsupported("objc_import", "rules_cc")
objc_library = native_or_unsupported("objc_library", "rules_cc")
cc_proto_library = _cc_proto_library
compiler_flag = _compiler_flag
cc_common = _cc_common
CcInfo = _CcInfo
DebugPackageInfo = _DebugPackageInfo
CcToolchainConfigInfo = _CcToolchainConfigInfo

def cc_flags_supplier(name, **kwargs):
    """A target that gives $(CC_FLAGS)."""
    fail("cc_flags_supplier(name = %r) is not supported: $(CC_FLAGS) is known without it" % name)

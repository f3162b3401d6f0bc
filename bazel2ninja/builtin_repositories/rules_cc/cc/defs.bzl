"""The C++ rules under one label."""

load("//cc/common:cc_common.bzl", _cc_common = "cc_common")
load("//cc/common:cc_info.bzl", _CcInfo = "CcInfo")
load("//cc/common:debug_package_info.bzl", _DebugPackageInfo = "DebugPackageInfo")
load("//cc/toolchains:cc_toolchain_config_info.bzl", _CcToolchainConfigInfo = "CcToolchainConfigInfo")
load("//cc/toolchains:compiler_flag.bzl", _compiler_flag = "compiler_flag")
load(":cc_proto_library.bzl", _cc_proto_library = "cc_proto_library")

cc_binary = native.cc_binary
cc_import = native.cc_import
cc_library = native.cc_library
cc_shared_library = native.cc_shared_library
cc_static_library = native.cc_static_library
cc_test = native.cc_test
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite
fdo_prefetch_hints = native.fdo_prefetch_hints
fdo_profile = native.fdo_profile
objc_import = native.objc_import
objc_library = native.objc_library
cc_proto_library = _cc_proto_library
compiler_flag = _compiler_flag
cc_common = _cc_common
CcInfo = _CcInfo
DebugPackageInfo = _DebugPackageInfo
CcToolchainConfigInfo = _CcToolchainConfigInfo

def cc_flags_supplier(name, **kwargs):
    """A target that gives $(CC_FLAGS)."""
    fail("cc_flags_supplier(name = %r) is not supported: $(CC_FLAGS) is known without it" % name)

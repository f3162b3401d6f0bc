"""Globals of .bzl files.  A file that defines a symbol of the same name could not read them."""

symbols = struct(
    CcInfo = CcInfo,
    CcSharedLibraryInfo = CcSharedLibraryInfo,
    CcToolchainConfigInfo = CcToolchainConfigInfo,
    DebugPackageInfo = DebugPackageInfo,
    cc_common = cc_common,
)

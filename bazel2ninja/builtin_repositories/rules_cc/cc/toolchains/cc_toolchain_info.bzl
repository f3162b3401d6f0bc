"""The provider of a toolchain."""

CcToolchainInfo = cc_common.CcToolchainInfo

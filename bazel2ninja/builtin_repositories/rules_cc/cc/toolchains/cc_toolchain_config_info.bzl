"""The provider of a described toolchain."""

CcToolchainConfigInfo = cc_common.CcToolchainConfigInfo

"""The providers of C++ toolchains: https://bazel.build/rules/lib/providers/CcToolchainInfo."""

from __future__ import annotations

from bazel2ninja.analysis.provider import Provider

CcToolchainInfo = Provider("CcToolchainInfo")
CcToolchainConfigInfo = Provider("CcToolchainConfigInfo")

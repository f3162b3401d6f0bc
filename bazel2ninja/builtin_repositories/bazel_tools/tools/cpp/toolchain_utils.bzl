"""How a rule asks for the C++ toolchain: https://bazel.build/configure/integrate-cpp."""

CPP_TOOLCHAIN_TYPE = "@bazel_tools//tools/cpp:toolchain_type"

def find_cpp_toolchain(ctx, mandatory = True):
    """The CcToolchainInfo that is in use for `ctx`, whose rule declared use_cpp_toolchain() or `_cc_toolchain`."""
    if CPP_TOOLCHAIN_TYPE in ctx.toolchains:
        info = ctx.toolchains[CPP_TOOLCHAIN_TYPE]
        if info == None:
            if mandatory:
                fail("no C++ toolchain matches; the rule made it mandatory")
            return None
        if hasattr(info, "cc_provider_in_toolchain") and hasattr(info, "cc"):
            return info.cc
        return info
    if hasattr(ctx.attr, "_cc_toolchain"):
        return ctx.attr._cc_toolchain[cc_common.CcToolchainInfo]
    if not mandatory:
        return None
    fail("the rule declares neither use_cpp_toolchain() nor an attribute '_cc_toolchain'")

def find_cc_toolchain(ctx, mandatory = True):
    """The same as find_cpp_toolchain()."""
    return find_cpp_toolchain(ctx, mandatory = mandatory)

def use_cpp_toolchain(mandatory = True):
    """What rule(toolchains = ...) needs."""
    return [config_common.toolchain_type(Label("@bazel_tools//tools/cpp:toolchain_type"), mandatory = mandatory)]

def use_cc_toolchain(mandatory = True):
    """The same as use_cpp_toolchain()."""
    return use_cpp_toolchain(mandatory = mandatory)

"""proto_common, and how a rule asks for the toolchain of a language."""

load(":native_symbols.bzl", "symbols")

proto_common = symbols.proto_common

def _by_type():
    return getattr(proto_common, "INCOMPATIBLE_ENABLE_PROTO_TOOLCHAIN_RESOLUTION", False)

def _use_toolchain(toolchain_type):
    """What rule(toolchains = ...) needs."""
    return [config_common.toolchain_type(toolchain_type, mandatory = False)] if _by_type() else []

def _find_toolchain(ctx, legacy_attr, toolchain_type):
    """The toolchain's ProtoLangToolchainInfo, from toolchain resolution or from the attribute."""
    if not _by_type():
        return getattr(ctx.attr, legacy_attr)[proto_common.ProtoLangToolchainInfo]
    found = ctx.toolchains[toolchain_type]
    if not found:
        fail("no toolchain is registered for '{}'".format(toolchain_type))
    return found.proto

def _if_legacy_toolchain(legacy_attr_dict):
    """The attributes, where the toolchain is one of them."""
    return {} if _by_type() else legacy_attr_dict

toolchains = struct(
    find_toolchain = _find_toolchain,
    if_legacy_toolchain = _if_legacy_toolchain,
    use_toolchain = _use_toolchain,
)

ProtoLangToolchainInfo = proto_common.ProtoLangToolchainInfo

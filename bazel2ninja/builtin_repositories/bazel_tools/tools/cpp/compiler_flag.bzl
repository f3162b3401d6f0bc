"""The name of the C++ compiler as something that config_setting(flag_values = ...) can ask for."""

load(":toolchain_utils.bzl", "find_cpp_toolchain", "use_cpp_toolchain")

def _compiler_flag_impl(ctx):
    return [config_common.FeatureFlagInfo(value = find_cpp_toolchain(ctx).compiler)]

compiler_flag = rule(
    implementation = _compiler_flag_impl,
    attrs = {"_cc_toolchain": attr.label(default = ":current_cc_toolchain")},
    toolchains = use_cpp_toolchain(),
)

"""How a rule asks for the C++ toolchain."""

load(
    "@bazel_tools//tools/cpp:toolchain_utils.bzl",
    _find_cc_toolchain = "find_cc_toolchain",
    _find_cpp_toolchain = "find_cpp_toolchain",
    _use_cc_toolchain = "use_cc_toolchain",
    _use_cpp_toolchain = "use_cpp_toolchain",
)

find_cc_toolchain = _find_cc_toolchain
find_cpp_toolchain = _find_cpp_toolchain
use_cc_toolchain = _use_cc_toolchain
use_cpp_toolchain = _use_cpp_toolchain
CC_TOOLCHAIN_TYPE = Label("@bazel_tools//tools/cpp:toolchain_type")

CC_TOOLCHAIN_ATTRS = {
    "_cc_toolchain": attr.label(default = Label("@bazel_tools//tools/cpp:current_cc_toolchain")),
}

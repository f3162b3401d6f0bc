"""How a rule asks for the C++ toolchain."""

load(
    "@bazel_tools//tools/cpp:toolchain_utils.bzl",
    _find_cpp_toolchain = "find_cpp_toolchain",
    _use_cpp_toolchain = "use_cpp_toolchain",
)

find_cpp_toolchain = _find_cpp_toolchain
use_cpp_toolchain = _use_cpp_toolchain

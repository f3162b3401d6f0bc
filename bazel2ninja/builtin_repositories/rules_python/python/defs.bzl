"""The Python rules under one label."""

load(":py_binary.bzl", _py_binary = "py_binary")
load(":current_py_toolchain.bzl", _current_py_toolchain = "current_py_toolchain")
load(":py_import.bzl", _py_import = "py_import")
load(":py_info.bzl", _PyInfo = "PyInfo")
load(":py_library.bzl", _py_library = "py_library")
load(":py_runtime.bzl", _py_runtime = "py_runtime")
load(":py_runtime_info.bzl", _PyRuntimeInfo = "PyRuntimeInfo")
load(":py_runtime_pair.bzl", _py_runtime_pair = "py_runtime_pair")
load(":py_test.bzl", _py_test = "py_test")

py_binary = _py_binary
py_library = _py_library
py_test = _py_test
py_import = _py_import
current_py_toolchain = _current_py_toolchain
py_runtime = _py_runtime
py_runtime_pair = _py_runtime_pair
PyInfo = _PyInfo
PyRuntimeInfo = _PyRuntimeInfo

def find_requirements(name):
    """The requirements of a target."""
    fail("find_requirements() of rules_python is not supported")

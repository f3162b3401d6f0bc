"""Python modules of .proto files and of the services in them; the module grpc is the system's (python3-grpcio)."""

load("@com_google_protobuf//bazel:py_proto_library.bzl", _py_proto_library = "py_proto_library")
load("@rules_python//python:py_library.bzl", "py_library")
load(":generated_code.bzl", "generated_code")

py_proto_library = _py_proto_library

def py_grpc_library(name, srcs, deps, plugin = None, strip_prefixes = [], **kwargs):
    """A py_library of the modules for the services in one proto_library.

    Args:
      name: of the library
      srcs: the proto_library
      deps: the py_proto_library of its messages
      plugin: must be left out
      strip_prefixes: must be left out
      **kwargs: attributes of all targets, such as visibility
    """
    if len(srcs) != 1:
        fail("py_grpc_library(name = %r): srcs must have one element" % name)
    if plugin or strip_prefixes:
        fail("py_grpc_library(name = %r): plugin and strip_prefixes are not supported with the system's gRPC" % name)
    code = "_%s_grpc_codegen" % name
    generated_code(
        name = code,
        srcs = srcs,
        endings = ["_pb2_grpc.py"],
        modules = True,
        toolchain = Label("//:python_toolchain"),
        **kwargs
    )
    py_library(name = name, srcs = [":" + code], deps = deps, **kwargs)

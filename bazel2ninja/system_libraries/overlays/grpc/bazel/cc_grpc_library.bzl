"""C++ libraries of the services in .proto files.

With grpc_only, srcs names one proto_library, and deps has the cc_proto_library for its messages.  Without it, srcs names
the .proto file itself, and deps other libraries of this kind; their parts are known by name.
"""

load("@com_google_protobuf//bazel:cc_proto_library.bzl", "cc_proto_library")
load("@com_google_protobuf//bazel:proto_library.bzl", "proto_library")
load("@rules_cc//cc:cc_library.bzl", "cc_library")
load(":generated_code.bzl", "generated_code")
load(":well_known.bzl", "WELL_KNOWN_PROTOS")

def _messages(label):
    """The proto_library of the messages of another such library."""
    package, colon, name = label.rpartition(":")
    if not colon and label.startswith("//"):
        fail("cc_grpc_library: write %s as //PACKAGE:NAME" % label)
    return "%s%s_%s_only" % (package, colon, name)

def cc_grpc_library(
        name,
        srcs,
        deps,
        proto_only = False,
        well_known_protos = False,
        generate_mocks = False,
        use_external = False,
        grpc_only = False,
        plugin_flags = [],
        **kwargs):
    """A library of the client and server stubs, and without grpc_only of the messages.

    Args:
      name: of the library
      srcs: one .proto file, or one proto_library with grpc_only
      deps: see above
      proto_only: no stubs, only the messages
      well_known_protos: whether the .proto file may import those of protobuf itself
      generate_mocks: whether there is a header with mocks, too
      use_external: does not count
      grpc_only: see above
      plugin_flags: options of gRPC's plugin of protoc
      **kwargs: attributes of all targets, such as visibility
    """
    if len(srcs) != 1:
        fail("cc_grpc_library(name = %r): srcs must have one element" % name)
    if grpc_only and proto_only:
        fail("cc_grpc_library(name = %r): grpc_only and proto_only exclude each other" % name)
    sources = srcs
    messages = []
    if not grpc_only:
        sources = [":_%s_only" % name]
        proto_library(
            name = "_%s_only" % name,
            srcs = srcs,
            deps = [_messages(dep) for dep in deps] + (WELL_KNOWN_PROTOS if well_known_protos else []),
            **kwargs
        )
        library = name if proto_only else "_%s_cc_proto" % name
        cc_proto_library(name = library, deps = sources, **kwargs)
        messages = [":" + library]
    if proto_only:
        return
    mocks = ["_mock.grpc.pb.h"] if generate_mocks else []
    options = plugin_flags + (["generate_mock_code=true"] if generate_mocks else [])
    code = "_%s_grpc_codegen" % name
    generated_code(
        name = code,
        srcs = sources,
        endings = [".grpc.pb.h", ".grpc.pb.cc"] + mocks,
        options = ["--grpc_opt=" + option for option in options],
        toolchain = Label("//:cpp_toolchain"),
        **kwargs
    )
    cc_library(
        name = name,
        srcs = [":" + code],
        hdrs = [":" + code],
        deps = deps + messages + [Label("//:grpc++_codegen_proto")],
        **kwargs
    )

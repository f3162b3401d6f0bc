"""cc_shared_library from the time when it was an experiment: the native rule, and providers for rules of one's own."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "native_or_unsupported")

cc_shared_library = native_or_unsupported("cc_shared_library", "rules_cc")

CcSharedLibraryInfo = provider(
    doc = "What a shared library links, exports and needs.",
    fields = [
        "dynamic_deps",
        "exports",
        "link_once_static_libs",
        "linker_input",
        "preloaded_deps",
    ],
)

CcSharedLibraryPermissionsInfo = provider(
    doc = "Which libraries a shared library may export.",
    fields = ["targets"],
)

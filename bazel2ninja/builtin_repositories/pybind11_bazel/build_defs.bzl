"""Extension modules for Python that are written with pybind11."""

PYBIND_COPTS = ["-fexceptions"]

PYBIND_FEATURES = [
    "-use_header_modules",
    "-parse_headers",
]

PYBIND_DEPS = [
    Label("@pybind11//:pybind11"),
    Label("@rules_python//python/cc:current_py_cc_headers"),
]

def pybind_extension(name, copts = [], features = [], linkopts = [], tags = [], deps = [], **kwargs):
    """NAME.so, which Python imports as NAME; the target NAME is the same."""
    native.cc_binary(
        name = name + ".so",
        copts = copts + PYBIND_COPTS + ["-fvisibility=hidden"],
        features = features + PYBIND_FEATURES,
        linkopts = linkopts + ["-Wl,-Bsymbolic"],
        linkshared = True,
        tags = tags,
        deps = deps + PYBIND_DEPS,
        **kwargs
    )
    native.alias(
        name = name,
        actual = name + ".so",
        testonly = kwargs.get("testonly"),
        visibility = kwargs.get("visibility"),
    )

def pybind_library(name, copts = [], features = [], tags = [], deps = [], **kwargs):
    """A cc_library that includes headers of pybind11."""
    native.cc_library(
        name = name,
        copts = copts + PYBIND_COPTS,
        features = features + PYBIND_FEATURES,
        tags = tags,
        deps = deps + PYBIND_DEPS,
        **kwargs
    )

def pybind_library_test(name, copts = [], features = [], tags = [], deps = [], **kwargs):
    """A cc_test that embeds Python."""
    native.cc_test(
        name = name,
        copts = copts + PYBIND_COPTS,
        features = features + PYBIND_FEATURES,
        tags = tags,
        deps = deps + PYBIND_DEPS + [Label("@rules_python//python/cc:current_py_cc_libs")],
        **kwargs
    )

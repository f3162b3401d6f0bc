"""Globals that not every release of Bazel has.  A file that defines a symbol of the same name could not read them.

None where the rule sets bring their own, as with the newest release.
"""

_set = set

symbols = struct(
    CcSharedLibraryHintInfo = None,
    CcSharedLibraryInfo = CcSharedLibraryInfo,
    DefaultInfo = DefaultInfo,
    JavaInfo = None,
    JavaPluginInfo = None,
    PackageSpecificationInfo = PackageSpecificationInfo,
    ProtoInfo = ProtoInfo,
    PyCcLinkParamsProvider = None,
    PyInfo = None,
    PyRuntimeInfo = None,
    RunEnvironmentInfo = RunEnvironmentInfo,
    cc_proto_aspect = None,
    macro = macro,
    set = _set,
    subrule = subrule,
)

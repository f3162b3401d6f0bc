"""Providers of Python targets: those of the rules where there are any, else our own."""

_PyInfo = provider(
    doc = "A Python target.",
    fields = {
        "transitive_sources": "Its sources and those of its dependencies.",
        "imports": "Directories to put into sys.path, below the runfiles directory.",
        "uses_shared_libraries": "Whether it has shared libraries.",
        "has_py2_only_sources": "Always false.",
        "has_py3_only_sources": "Whether it needs Python 3.",
    },
)

_PyRuntimeInfo = provider(
    doc = "An interpreter of Python.",
    fields = {
        "interpreter": "The file, when it is a target.",
        "interpreter_path": "Its absolute path otherwise.",
        "files": "What it needs.",
        "python_version": "PY3.",
    },
)

symbols = struct(
    PyInfo = getattr(native, "PyInfo", _PyInfo),
    PyRuntimeInfo = getattr(native, "PyRuntimeInfo", _PyRuntimeInfo),
)

"""dep.cc: what C++ targets showed before CcInfo.

https://github.com/bazelbuild/bazel/issues/7036 removed it (Semantics.legacy_native_fields).
"""

from __future__ import annotations

from bazel2ninja.analysis.depset import Depset
from bazel2ninja.rules.cc_info import CompilationContext, LinkingContext
from bazel2ninja.starlark import List


class CcFields:
    """The value of the field."""

    starlark_type = "struct"

    def __init__(self, context: CompilationContext, linking: LinkingContext):
        self._context = context
        self._linking = linking

    @property
    def s_transitive_headers(self) -> Depset:
        return self._context.headers

    @property
    def s_defines(self) -> List:
        return List(self._context.defines)

    @property
    def s_include_directories(self) -> List:
        return List(self._context.includes)

    @property
    def s_quote_include_directories(self) -> List:
        return List(self._context.quote_includes)

    @property
    def s_system_include_directories(self) -> List:
        return List(self._context.system_includes)

    @property
    def s_compile_flags(self) -> List:
        context = self._context
        return List(
            [
                *(f"-D{text}" for text in context.defines),
                *(f"-iquote {directory}" for directory in context.quote_includes),
                *(f"-I{directory}" for directory in context.includes),
                *(f"-isystem {directory}" for directory in context.system_includes),
            ]
        )

    @property
    def s_link_flags(self) -> List:
        return self._linking.s_user_link_flags

    @property
    def s_libs(self) -> Depset:
        every = (library for item in self._linking.linker_inputs.flatten() for library in item.libraries)
        found = (library.archive or library.dynamic_library for library in every)
        return Depset(tuple(dict.fromkeys(file for file in found if file is not None)))

"""What C++ targets tell each other: headers and flags for compiling, libraries and flags for linking.

https://bazel.build/rules/lib/providers/CcInfo, .../builtins/CompilationContext, .../builtins/LinkingContext,
.../builtins/LinkerInput and .../builtins/LibraryToLink describe what Starlark sees.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.provider import Provider
from bazel2ninja.labels import Label
from bazel2ninja.records import dataclass, field
from bazel2ninja.starlark import EvalError, List, type_name

NO_ARTIFACTS: Depset = Depset()


def ordered_union(*groups: Iterable[str]) -> tuple[str, ...]:
    """The texts of all groups in order, each where it comes first."""
    return tuple(dict.fromkeys(text for group in groups for text in group))


def _union(groups: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """As ordered_union, sharing the longest tuple when nothing is added to it."""
    present = [group for group in groups if group]
    if not present:
        return ()
    first = present[0]
    if len(present) == 1:
        return first
    seen = dict.fromkeys(first)
    for group in present[1:]:
        if group is not first:
            seen.update(dict.fromkeys(group))
    return first if len(seen) == len(first) else tuple(seen)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CompilationContext:
    """What compiling against a target needs.

    headers: Depset of Artifacts, own and transitive; generated_headers: those of them that actions make.
    Directories are exec paths; defines are without -D; local_defines are the target's own, and reach nobody else.
    """

    headers: Depset = NO_ARTIFACTS
    generated_headers: Depset = NO_ARTIFACTS
    quote_includes: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    system_includes: tuple[str, ...] = ()
    external_includes: tuple[str, ...] = ()
    framework_includes: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()
    local_defines: tuple[str, ...] = ()
    direct_public_headers: tuple[Artifact, ...] = ()
    direct_private_headers: tuple[Artifact, ...] = ()
    direct_textual_headers: tuple[Artifact, ...] = ()
    validation_artifacts: Depset = NO_ARTIFACTS

    starlark_type = "CcCompilationContext"

    @property
    def s_headers(self) -> Depset:
        return self.headers

    @property
    def s_quote_includes(self) -> Depset:
        return Depset(self.quote_includes)

    @property
    def s_includes(self) -> Depset:
        return Depset(self.includes)

    @property
    def s_system_includes(self) -> Depset:
        return Depset(self.system_includes)

    @property
    def s_external_includes(self) -> Depset:
        return Depset(self.external_includes)

    @property
    def s_framework_includes(self) -> Depset:
        return Depset(self.framework_includes)

    @property
    def s_defines(self) -> Depset:
        return Depset(self.defines)

    @property
    def s_local_defines(self) -> Depset:
        return Depset(self.local_defines)

    @property
    def s_direct_headers(self) -> List:
        return List(dict.fromkeys((*self.direct_public_headers, *self.direct_private_headers)))

    @property
    def s_direct_public_headers(self) -> List:
        return List(self.direct_public_headers)

    @property
    def s_direct_private_headers(self) -> List:
        return List(self.direct_private_headers)

    @property
    def s_direct_textual_headers(self) -> List:
        return List(self.direct_textual_headers)

    @property
    def s_validation_artifacts(self) -> Depset:
        return self.validation_artifacts


EMPTY_COMPILATION_CONTEXT = CompilationContext()


def merge_compilation_contexts(
    contexts: Iterable[CompilationContext], direct: Iterable[CompilationContext] = ()
) -> CompilationContext:
    """The contexts one after the other; the headers of `direct` ones count as the result's own (exports)."""
    exported = list(direct)
    every = [*exported, *contexts]
    if len(every) == 1 and not exported:
        only = every[0]
        if not (only.local_defines or only.direct_public_headers or only.direct_private_headers):
            return only
    return CompilationContext(
        headers=Depset((), tuple(context.headers for context in every)),
        generated_headers=Depset((), tuple(context.generated_headers for context in every)),
        quote_includes=_union([context.quote_includes for context in every]),
        includes=_union([context.includes for context in every]),
        system_includes=_union([context.system_includes for context in every]),
        external_includes=_union([context.external_includes for context in every]),
        framework_includes=_union([context.framework_includes for context in every]),
        defines=_union([context.defines for context in every]),
        direct_public_headers=tuple(header for context in exported for header in context.direct_public_headers),
        direct_private_headers=tuple(header for context in exported for header in context.direct_private_headers),
        direct_textual_headers=tuple(header for context in exported for header in context.direct_textual_headers),
        validation_artifacts=Depset((), tuple(context.validation_artifacts for context in every)),
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LibraryToLink:
    """One library in its forms; any of them may be absent.

    dynamic_library: what a link names, in the tree of links that the program loader searches (or the file itself);
    resolved_dynamic_library: the file behind that link.  Objects are position independent, hence the names.
    """

    name: str
    pic_static_library: Artifact | None = None
    static_library: Artifact | None = None
    dynamic_library: Artifact | None = None
    resolved_dynamic_library: Artifact | None = None
    interface_library: Artifact | None = None
    resolved_interface_library: Artifact | None = None
    objects: tuple[Artifact, ...] = ()
    alwayslink: bool = False
    must_keep_debug: bool = False

    starlark_type = "LibraryToLink"

    @property
    def archive(self) -> Artifact | None:
        return self.pic_static_library or self.static_library

    @property
    def shared(self) -> Artifact | None:
        """What stands in for the library in a dynamic link."""
        return self.interface_library or self.dynamic_library

    @property
    def s_static_library(self) -> Artifact | None:
        return self.static_library

    @property
    def s_pic_static_library(self) -> Artifact | None:
        return self.pic_static_library

    @property
    def s_dynamic_library(self) -> Artifact | None:
        return self.dynamic_library

    @property
    def s_resolved_symlink_dynamic_library(self) -> Artifact | None:
        return self.resolved_dynamic_library

    @property
    def s_interface_library(self) -> Artifact | None:
        return self.interface_library

    @property
    def s_resolved_symlink_interface_library(self) -> Artifact | None:
        return self.resolved_interface_library

    @property
    def s_objects(self) -> List:
        return List()

    @property
    def s_pic_objects(self) -> List:
        return List(self.objects)

    @property
    def s_lto_bitcode_files(self) -> List:
        return List()

    @property
    def s_pic_lto_bitcode_files(self) -> List:
        return List()

    @property
    def s_alwayslink(self) -> bool:
        return self.alwayslink

    # Fields that .bzl files read with an underscore in front; rules of Bazel's own did so first.
    @property
    def s__contains_objects(self) -> bool:
        return bool(self.objects)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LinkerInput:
    """What one target adds to a link: its libraries, then its flags; `additional_inputs` are files that flags name."""

    owner: Label
    libraries: tuple[LibraryToLink, ...] = ()
    user_link_flags: tuple[str, ...] = ()
    additional_inputs: tuple[Artifact, ...] = ()

    starlark_type = "LinkerInput"

    @property
    def s_owner(self) -> Label:
        return self.owner

    @property
    def s_libraries(self) -> List:
        return List(self.libraries)

    @property
    def s_user_link_flags(self) -> List:
        return List(self.user_link_flags)

    @property
    def s_additional_inputs(self) -> List:
        return List(self.additional_inputs)

    @property
    def s_linkstamps(self) -> List:
        return List()


@dataclass(frozen=True, slots=True, eq=False)
class LinkingContext:
    """`linker_inputs`: Depset of LinkerInputs in topological order: a target before those that it depends on."""

    linker_inputs: Depset = field(default_factory=lambda: Depset((), (), "topological"))

    starlark_type = "CcLinkingContext"

    @property
    def s_linker_inputs(self) -> Depset:
        return self.linker_inputs

    @property
    def s_libraries_to_link(self) -> Depset:
        return Depset(tuple(library for item in self.linker_inputs.flatten() for library in item.libraries))

    @property
    def s_user_link_flags(self) -> List:
        return List(flag for item in self.linker_inputs.flatten() for flag in item.user_link_flags)

    @property
    def s_additional_inputs(self) -> Depset:
        return Depset(tuple(file for item in self.linker_inputs.flatten() for file in item.additional_inputs))


EMPTY_LINKING_CONTEXT = LinkingContext()


def linking_context(direct: Iterable[LinkerInput] = (), dependencies: Iterable[LinkingContext] = ()) -> LinkingContext:
    """A context whose own inputs come before those of its dependencies."""
    # a dependency that is named twice (by an alias, too) counts where it is named first
    transitive = tuple(dict.fromkeys(context.linker_inputs for context in dependencies))
    return LinkingContext(Depset(tuple(direct), transitive, "topological"))


@dataclass(frozen=True, slots=True, eq=False)
class CompilationOutputs:
    """The objects of one target.  In Starlark: CcCompilationOutputs."""

    objects: tuple[Artifact, ...] = ()

    starlark_type = "CcCompilationOutputs"

    @property
    def s_objects(self) -> List:
        return List()

    @property
    def s_pic_objects(self) -> List:
        return List(self.objects)

    def s_temps(self) -> Depset:
        return NO_ARTIFACTS


@dataclass(frozen=True, slots=True, eq=False)
class LinkingOutputs:
    """What a link made.  In Starlark: CcLinkingOutputs."""

    library_to_link: LibraryToLink | None = None
    executable: Artifact | None = None

    starlark_type = "CcLinkingOutputs"

    @property
    def s_library_to_link(self) -> LibraryToLink | None:
        return self.library_to_link

    @property
    def s_executable(self) -> Artifact | None:
        return self.executable


def _cc_info(
    *,
    compilation_context: object = None,
    linking_context: object = None,
    debug_context: object = None,
    cc_native_library_info: object = None,
) -> dict[str, object]:
    for name, value, kind in (
        ("compilation_context", compilation_context, CompilationContext),
        ("linking_context", linking_context, LinkingContext),
    ):
        if value is not None and not isinstance(value, kind):
            raise EvalError(
                f"in call to CcInfo(), parameter '{name}' got value of type '{type_name(value)}', "
                f"want '{kind.starlark_type}'"
            )
    return {
        "compilation_context": compilation_context or EMPTY_COMPILATION_CONTEXT,
        "linking_context": linking_context or EMPTY_LINKING_CONTEXT,
        "_debug_context": debug_context,
        "_legacy_transitive_native_libraries": NO_ARTIFACTS,
    }


CcInfo = Provider(
    "CcInfo",
    ("compilation_context", "linking_context", "_debug_context", "_legacy_transitive_native_libraries"),
    _cc_info,
)
"""https://bazel.build/rules/lib/providers/CcInfo"""


def compilation_context_of(info: Any) -> CompilationContext:
    return info.s_compilation_context  # type: ignore[no-any-return]


def linking_context_of(info: Any) -> LinkingContext:
    return info.s_linking_context  # type: ignore[no-any-return]


def merge_cc_infos(infos: Iterable[Any], direct: Iterable[Any] = ()) -> Any:
    """One CcInfo for several; those of `direct` export their headers."""
    exported, others = list(direct), list(infos)
    return CcInfo(
        compilation_context=merge_compilation_contexts(
            [compilation_context_of(info) for info in others], [compilation_context_of(info) for info in exported]
        ),
        linking_context=linking_context((), [linking_context_of(info) for info in (*exported, *others)]),
    )


DebugPackageInfo = Provider("DebugPackageInfo", ("target_label", "stripped_file", "unstripped_file", "dwp_file"))
CcLauncherInfo = Provider("CcLauncherInfo", ("cc_info", "compilation_outputs"))
CcNativeLibraryInfo = Provider("CcNativeLibraryInfo", ("libraries_to_link",))

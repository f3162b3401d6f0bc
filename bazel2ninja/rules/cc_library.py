"""cc_library and cc_import: https://bazel.build/reference/be/c-cpp#cc_library."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.providers_builtin import DefaultInfo, LegacyField, OutputGroupInfo
from bazel2ninja.analysis.runfiles import merge, runfiles_of
from bazel2ninja.loading.rule_class import Attribute, AttributeType
from bazel2ninja.rules import cc_attributes
from bazel2ninja.rules.cc_compile import Compilation, compilation_contexts, compile_sources
from bazel2ninja.rules.cc_fields import CcFields
from bazel2ninja.rules.cc_info import (
    CcInfo,
    CcNativeLibraryInfo,
    LibraryToLink,
    LinkerInput,
    linking_context,
)
from bazel2ninja.rules.cc_link import archive, library_of_objects, output_name, solib_link
from bazel2ninja.rules.cc_sources import HEADERS

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext

_T = AttributeType


def cc_library(ctx: RuleContext) -> Iterable[Any]:
    if ctx.attribute("linkstamp") is not None:
        raise ctx.error("link stamps are not supported", "linkstamp")
    features = cc_attributes.features_of(ctx)
    sources = cc_attributes.sources_of(ctx)
    declared = ctx.dependencies("deps")
    interface = ctx.dependencies("interface_deps")
    implementation = ctx.dependencies("implementation_deps")
    public = interface or declared
    private = (*(declared if interface else ()), *implementation)
    every = (*public, *private)

    compilation = cc_attributes.compilation_of(
        ctx,
        features,
        sources,
        cc_attributes.compilation_contexts_of(public),
        cc_attributes.compilation_contexts_of(private),
    )
    context, outputs = compile_sources(ctx, compilation)
    objects = (*sources.objects, *outputs.objects)

    flags = cc_attributes.linkopts(ctx, every)
    inputs = dict.fromkeys(
        (*cc_attributes.linker_scripts(declared), *sources.linker_scripts, *ctx.files("additional_linker_inputs"))
    )
    libraries: list[LibraryToLink] = []
    if objects:
        libraries.append(
            library_of_objects(
                ctx,
                ctx.label.name,
                features,
                objects,
                alwayslink=ctx.attribute("alwayslink"),
                static_only=ctx.attribute("linkstatic"),
                flags=flags,
                additional_inputs=tuple(inputs),
            )
        )
    precompiled = cc_attributes.precompiled_libraries(ctx, sources, lambda file: solib_link(ctx, file, keep_name=True))
    own = LinkerInput(
        owner=ctx.label,
        libraries=(*libraries, *precompiled),
        user_link_flags=tuple(flags),
        additional_inputs=tuple(inputs),
    )
    # releases before linker inputs came have nothing of a target without code, which shows in the order of a link
    bare = not own.libraries and not own.user_link_flags and not ctx.analyzer.semantics.empty_linker_inputs
    linking = linking_context(() if bare else (own,), cc_attributes.linking_contexts_of(every))
    return _providers(ctx, context, linking, libraries, objects)


def _providers(
    ctx: RuleContext, context: Any, linking: Any, libraries: list[LibraryToLink], objects: Iterable[Artifact]
) -> list[Any]:
    archives = tuple(library.archive for library in libraries if library.archive is not None)
    shared = tuple(
        library.resolved_dynamic_library for library in libraries if library.resolved_dynamic_library is not None
    )
    loaded = tuple(library.dynamic_library for library in libraries if library.dynamic_library is not None)
    runfiles = ctx.runfiles(collect_default=True)
    data_runfiles = merge((runfiles, runfiles_of(loaded))) if loaded else runfiles
    return [
        DefaultInfo(files=Depset((*archives, *shared)), default_runfiles=runfiles, data_runfiles=data_runfiles),
        CcInfo(compilation_context=context, linking_context=linking),
        *([LegacyField("cc", CcFields(context, linking))] if ctx.analyzer.semantics.legacy_native_fields else []),
        CcNativeLibraryInfo(libraries_to_link=Depset(tuple(libraries))),
        OutputGroupInfo(
            compilation_outputs=Depset(tuple(objects)),
            archive=Depset(archives),
            dynamic_library=Depset(shared),
            compilation_prerequisites_INTERNAL_=context.headers,
        ),
    ]


STATIC_ATTRIBUTES: tuple[Attribute, ...] = (cc_attributes.DEPENDENCY,)


def cc_static_library(ctx: RuleContext) -> Iterable[Any]:
    """One archive of the objects of all dependencies; libraries that come without objects are left to its users."""
    members: dict[Artifact, None] = {}
    every = linking_context((), cc_attributes.linking_contexts_of(ctx.dependencies("deps")))
    for linker_input in every.linker_inputs.flatten():
        for library in linker_input.libraries:
            members.update(dict.fromkeys(library.objects))
    output = archive(
        ctx, ctx.declare(output_name(ctx.label.name, "lib", ".a")), tuple(members), cc_attributes.features_of(ctx)
    )
    return [DefaultInfo(files=Depset((output,)), runfiles=ctx.runfiles(collect_default=True))]


IMPORT_ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("hdrs", _T.LABEL_LIST, allow_files=HEADERS),
    Attribute("static_library", _T.LABEL, allow_files=(".a", ".lib", ".lo"), single_file=True),
    Attribute("pic_static_library", _T.LABEL, allow_files=(".pic.a", ".pic.lib"), single_file=True),
    Attribute("shared_library", _T.LABEL, allow_files=True, single_file=True),
    Attribute("interface_library", _T.LABEL, allow_files=True, single_file=True),
    Attribute("objects", _T.LABEL_LIST, allow_files=(".o",)),
    Attribute("pic_objects", _T.LABEL_LIST, allow_files=(".o", ".pic.o")),
    Attribute("system_provided", _T.BOOLEAN, False),
    Attribute("alwayslink", _T.BOOLEAN, False),
    Attribute("includes", _T.STRING_LIST),
    Attribute("include_prefix", _T.STRING),
    Attribute("strip_include_prefix", _T.STRING),
    Attribute("linkopts", _T.STRING_LIST),
    Attribute("data", _T.LABEL_LIST, allow_files=True),
    cc_attributes.DEPENDENCY,
)


def cc_import(ctx: RuleContext) -> Iterable[Any]:
    features = cc_attributes.features_of(ctx)
    shared, interface = _file(ctx, "shared_library"), _file(ctx, "interface_library")
    static = _file(ctx, "pic_static_library") or _file(ctx, "static_library")
    if ctx.attribute("system_provided"):
        if shared is not None:
            raise ctx.error("'shared_library' must not be given for a library that the system provides")
        if interface is None and static is None:
            raise ctx.error("'interface_library' must be given for a library that the system provides")
    elif interface is not None and shared is None:
        raise ctx.error("'shared_library' must be given with 'interface_library'", "interface_library")
    dependencies = ctx.dependencies("deps")
    strip = ctx.attribute("strip_include_prefix")
    context, _ = compilation_contexts(
        ctx,
        Compilation(
            name=ctx.label.name,
            public_headers=ctx.files("hdrs"),
            system_includes=cc_attributes.include_directories(ctx),
            include_prefix=ctx.attribute("include_prefix") or "",
            strip_include_prefix=strip if ctx.is_explicit("strip_include_prefix") else None,
            contexts=cc_attributes.compilation_contexts_of(dependencies),
            features=features,
        ),
    )
    objects = (*ctx.files("objects"), *ctx.files("pic_objects"))
    libraries: tuple[LibraryToLink, ...] = ()
    if static is not None or shared is not None or interface is not None or objects:
        libraries = (
            LibraryToLink(
                name=cc_attributes.library_identifier((static or shared or interface or objects[0]).exec_path),
                pic_static_library=static,
                dynamic_library=solib_link(ctx, shared, keep_name=True) if shared is not None else None,
                resolved_dynamic_library=shared,
                interface_library=interface,
                resolved_interface_library=interface,
                objects=objects,
                alwayslink=ctx.attribute("alwayslink"),
            ),
        )
    own = LinkerInput(
        owner=ctx.label, libraries=libraries, user_link_flags=tuple(cc_attributes.linkopts(ctx, dependencies))
    )
    linking = linking_context((own,), cc_attributes.linking_contexts_of(dependencies))
    files = tuple(file for file in (static, shared, interface) if file is not None)
    return [
        DefaultInfo(files=Depset(files), runfiles=ctx.runfiles(collect_default=True)),
        CcInfo(compilation_context=context, linking_context=linking),
    ]


def _file(ctx: RuleContext, attribute: str) -> Artifact | None:
    files = ctx.files(attribute)
    return files[0] if files else None

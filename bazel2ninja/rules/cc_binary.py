"""cc_binary and cc_test: https://bazel.build/reference/be/c-cpp#cc_binary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.action import SpawnAction, WriteAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.executables import executable_target
from bazel2ninja.analysis.providers_builtin import OutputGroupInfo
from bazel2ninja.analysis.runfiles import merge, runfiles_of
from bazel2ninja.rules import cc_attributes
from bazel2ninja.rules.cc_compile import compile_sources
from bazel2ninja.rules.cc_features import FeatureConfiguration
from bazel2ninja.rules.cc_info import (
    CcInfo,
    CompilationContext,
    DebugPackageInfo,
    LinkerInput,
    LinkingContext,
    linking_context,
)
from bazel2ninja.rules.cc_link import (
    is_shared_library_name,
    link,
    output_name,
    solib_link,
    takes_whole_archives,
)
from bazel2ninja.rules.cc_project_toolchain import STRIP
from bazel2ninja.rules.cc_shared_library import exclude_shared
from bazel2ninja.rules.cc_toolchain import tool_path

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext


def cc_binary(ctx: RuleContext) -> Iterable[Any]:
    return _program(ctx)


def cc_test(ctx: RuleContext) -> Iterable[Any]:
    return _program(ctx)


def _runtimes(ctx: RuleContext, shared: bool) -> list[ConfiguredTarget]:
    """What every program is linked with besides its `deps`."""
    if shared:
        return []
    found = (ctx.dependency("link_extra_lib"), ctx.dependency("_custom_malloc") or ctx.dependency("malloc"))
    return [dependency for dependency in found if dependency is not None]


def _program(ctx: RuleContext) -> Iterable[Any]:
    shared = ctx.attribute("linkshared")
    name = ctx.label.name
    if shared and not is_shared_library_name(name):
        name = output_name(name, "lib", ".so")
    output = ctx.declare(name)
    features = cc_attributes.features_of(ctx)
    sources = cc_attributes.sources_of(ctx)
    declared = ctx.dependencies("deps")
    every = (*declared, *_runtimes(ctx, shared))
    compiled_with = every
    if shared and ctx.analyzer.semantics.shared_malloc:
        compiled_with = (*declared, *_runtimes(ctx, shared=False))
    context, outputs = compile_sources(
        ctx, cc_attributes.compilation_of(ctx, features, sources, cc_attributes.compilation_contexts_of(compiled_with))
    )
    flags = cc_attributes.linkopts(ctx, declared)
    inputs = dict.fromkeys(
        (*cc_attributes.linker_scripts(declared), *sources.linker_scripts, *ctx.files("additional_linker_inputs"))
    )
    static = _links_statically(ctx, flags)
    own = LinkerInput(
        owner=ctx.label,
        libraries=tuple(
            cc_attributes.precompiled_libraries(ctx, sources, lambda file: solib_link(ctx, file, keep_name=True))
        ),
        user_link_flags=tuple(flags),
        additional_inputs=tuple(inputs),
    )
    linking = linking_context((own,), cc_attributes.linking_contexts_of(every))
    dynamic = ctx.dependencies("dynamic_deps")
    if dynamic:
        linking = exclude_shared(ctx, linking, dynamic, direct=every)
    whole = (shared or "-shared" in flags) and static and takes_whole_archives(ctx, features)
    linked = link(
        ctx,
        output,
        features,
        kind="shared" if shared else "executable",
        objects=(*sources.objects, *outputs.objects),
        context=linking,
        prefer_shared=not static,
        whole_archives=whole,
        whole_for_tools=whole and takes_whole_archives(ctx, cc_attributes.features_of(ctx, as_tool=True)),
    )
    _implicit_outputs(ctx, output, features)
    named = runfiles_of(transitive=(target.files for target in ctx.dependencies("data")))
    runfiles = merge((ctx.runfiles(files=(output, *linked.runtime_libraries), collect_default=True), named))
    extra = _extra_providers(ctx, output, context, outputs.objects)
    return [executable_target(ctx, output, runfiles), *extra]


def _links_statically(ctx: RuleContext, flags: Sequence[str]) -> bool:
    """Whether the archives of the dependencies are taken rather than their shared libraries."""
    mode = ctx.settings.dynamic_mode
    if mode == "fully":
        return "-static" in flags
    return mode == "off" or ctx.attribute("linkstatic") or "-static" in flags


def _implicit_outputs(ctx: RuleContext, output: Artifact, features: FeatureConfiguration) -> None:
    """NAME.stripped and NAME.dwp, which other targets may name."""
    for label in (label for labels in ctx.target.outputs.values() for label in labels):
        file = ctx.output(label)
        if label.name.endswith(".stripped"):
            tool = features.tool(STRIP)
            ctx.register(
                SpawnAction(
                    **ctx.identity("CcStrip"),
                    outputs=(file,),
                    inputs=(output,),
                    input_sets=tool.file_sets,
                    arguments=(
                        tool.program or tool_path(ctx.configuration.tool_prefix, "strip"),
                        "-S",
                        "-p",
                        "-o",
                        file.exec_path,
                        output.exec_path,
                    ),
                )
            )
        else:  # debug information is never split off, and Bazel makes an empty package then, too
            ctx.register(
                WriteAction(
                    **ctx.identity("FileWrite"),
                    outputs=(file,),
                    content="",
                )
            )


def _extra_providers(
    ctx: RuleContext,
    output: Artifact,
    context: CompilationContext,
    objects: Sequence[Artifact],
) -> list[Any]:
    return [
        CcInfo(compilation_context=context, linking_context=LinkingContext()),  # of who has it in `deps`
        OutputGroupInfo(compilation_outputs=Depset(tuple(objects))),
        DebugPackageInfo(target_label=ctx.label, stripped_file=None, unstripped_file=output, dwp_file=None),
    ]

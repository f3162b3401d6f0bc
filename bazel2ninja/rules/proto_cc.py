"""cc_proto_library: https://bazel.build/reference/be/c-cpp#cc_proto_library.

An aspect generates and compiles the code beside each proto_library, so that two users of one library share it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.provider import Provider
from bazel2ninja.analysis.providers_builtin import DefaultInfo, OutputGroupInfo
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.loading.rule_class import Attribute, AttributeType, ConfigurationField
from bazel2ninja.loading.transition import AspectClass
from bazel2ninja.rules import cc_crosstool
from bazel2ninja.rules.cc_compile import Compilation, compile_sources
from bazel2ninja.rules.cc_features import feature_configuration, split_features
from bazel2ninja.rules.cc_info import (
    CcInfo,
    LinkerInput,
    compilation_context_of,
    linking_context,
    linking_context_of,
    merge_cc_infos,
)
from bazel2ninja.rules.cc_link import library_of_objects
from bazel2ninja.rules.proto_compile import generated_files, output_root, register_compilation, should_generate
from bazel2ninja.rules.proto_info import VIRTUAL_IMPORTS, ProtoInfo, ProtoLangToolchainInfo

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext

_T = AttributeType

ProtoCcFilesInfo = Provider("ProtoCcFilesInfo", ("files",))


def _cc_proto(target: ConfiguredTarget, ctx: RuleContext) -> Iterable[Any]:
    info = target.get(ProtoInfo)
    found = ctx.dependency("_cc_toolchain_for_proto")
    assert found is not None
    toolchain = found.get(ProtoLangToolchainInfo)
    if toolchain is None:
        help = "--proto_toolchain_for_cc names the one for C++"
        raise WorkspaceError(Diagnostic(f"{found.label} is not a proto_lang_toolchain", help=help))
    groups = ctx.rule_prerequisites
    below = [edge.target for name in ("deps", "exports") for edge in groups.get(name, ())]
    infos = [dependency.get(CcInfo) for dependency in below if dependency.get(CcInfo) is not None]
    runtime = toolchain.s_runtime
    if runtime is not None and runtime.get(CcInfo) is not None:
        infos.append(runtime.get(CcInfo))
    if not should_generate(info, toolchain, str(ctx.label)):
        files = Depset((), tuple(each.get(ProtoCcFilesInfo).s_files for each in below if each.get(ProtoCcFilesInfo)))
        return [merge_cc_infos(infos), ProtoCcFilesInfo(files=files)]
    headers = generated_files(ctx, info, ".pb.h")
    sources = generated_files(ctx, info, ".pb.cc")
    root = output_root(ctx, info)
    register_compilation(
        ctx,
        info,
        toolchain,
        (*headers, *sources),
        output=root,
        progress_message=f"Generating C++ proto_library {ctx.label}",
    )
    defaults = ctx.target.package_defaults
    features = feature_configuration(
        ctx.settings,
        *split_features(ctx.settings.features, defaults.features if defaults else ()),
        cc_crosstool.find(ctx.analyzer, ctx.configuration),
    )
    context, outputs = compile_sources(
        ctx,
        Compilation(
            name=ctx.label.name,
            sources=[(source, ctx.label) for source in sources],
            public_headers=headers,
            strip_include_prefix=_below_repository(ctx, root) if VIRTUAL_IMPORTS in root else None,
            contexts=[compilation_context_of(each) for each in infos],
            features=features,
        ),
    )
    library = library_of_objects(ctx, ctx.label.name, features, outputs.objects, alwayslink=False, static_only=False)
    own = LinkerInput(owner=ctx.label, libraries=(library,))
    made = tuple(
        file for file in (library.archive, library.resolved_dynamic_library, *headers, *sources) if file is not None
    )
    return [
        CcInfo(
            compilation_context=context,
            linking_context=linking_context((own,), [linking_context_of(each) for each in infos]),
        ),
        ProtoCcFilesInfo(files=Depset(made)),
    ]


def _below_repository(ctx: RuleContext, root: str) -> str:
    """A directory of generated files as strip_include_prefix names it, from the top of the repository."""
    within = root.removeprefix(ctx.configuration.bin)
    top = ctx.label.package.workspace_root
    return within.removeprefix(f"/{top}") if top else within


CC_PROTO_ASPECT = AspectClass(
    implementation=_cc_proto,
    attribute_aspects=("deps", "exports"),
    attributes={
        "_cc_toolchain_for_proto": Attribute(
            "_cc_toolchain_for_proto", _T.LABEL, ConfigurationField("proto", "proto_toolchain_for_cc")
        )
    },
    required_providers=((ProtoInfo,),),
    provides=(CcInfo,),
    fragments=("cpp", "proto"),
    name="cc_proto_aspect",
)

ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("deps", _T.LABEL_LIST, providers=((ProtoInfo,),), aspects=(CC_PROTO_ASPECT,)),
    Attribute("data", _T.LABEL_LIST, allow_files=True),
)


def cc_proto_library(ctx: RuleContext) -> Iterable[Any]:
    dependencies = ctx.dependencies("deps")
    if len(dependencies) != 1:
        raise ctx.error("'deps' must have exactly one element", "deps")
    (dependency,) = dependencies
    made = dependency.get(ProtoCcFilesInfo)
    if made is None:  # the aspect lacked something absent
        raise ctx.error(f"{dependency.label} has no C++ code", "deps")
    files = made.s_files
    return [
        DefaultInfo(files=files, runfiles=ctx.runfiles(collect_default=True)),
        dependency.get(CcInfo),
        OutputGroupInfo(default=files),
    ]

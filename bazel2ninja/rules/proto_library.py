"""proto_library and proto_lang_toolchain: https://bazel.build/reference/be/protocol-buffer."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.action import ParameterFile, SpawnAction, SymlinkAction, WriteAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.providers_builtin import DefaultInfo, LegacyField
from bazel2ninja.loading.rule_class import Attribute, AttributeType, ConfigurationField
from bazel2ninja.rules.proto_info import (
    VIRTUAL_IMPORTS,
    ProtoInfo,
    ProtoLangToolchainInfo,
    import_path,
    proto_fields,
    source_roots,
    sources_with_imports,
)
from bazel2ninja.starlark import List

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext

_T = AttributeType
_ENDINGS = (".proto", ".protodevel")
_VIOLATION = (
    "--direct_dependencies_violation_msg=%s is imported, but %label doesn't directly depend on a proto_library that "
    "'srcs' it."
)

PROTO_COMPILER = Attribute(
    "_proto_compiler",
    _T.LABEL,
    ConfigurationField("proto", "proto_compiler"),
    executable=True,
    cfg="exec",
    allow_files=True,
)

LIBRARY_ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("srcs", _T.LABEL_LIST, allow_files=_ENDINGS),
    Attribute("deps", _T.LABEL_LIST, providers=((ProtoInfo,),)),
    Attribute("exports", _T.LABEL_LIST, providers=((ProtoInfo,),)),
    Attribute("option_deps", _T.LABEL_LIST, providers=((ProtoInfo,),)),
    Attribute("data", _T.LABEL_LIST, allow_files=True),
    Attribute("import_prefix", _T.STRING),
    Attribute("strip_import_prefix", _T.STRING),
    Attribute("allow_exports", _T.LABEL, irrelevant="who may export a library is not checked"),
    Attribute("extension_declarations", _T.LABEL_LIST, allow_files=True, irrelevant="declarations are not checked"),
    PROTO_COMPILER,
)


def _join(*parts: str) -> str:
    return "/".join(part for part in parts if part)


def _virtual_sources(ctx: RuleContext, sources: Iterable[Artifact]) -> tuple[tuple[Artifact, ...], str]:
    """(sources, exec path of the directory that their imports start from): links where a prefix is changed."""
    prefix, strip = ctx.attribute("import_prefix") or "", ctx.attribute("strip_import_prefix")
    package = ctx.label.package
    # "/" is the default that the rules' documentation shows: nothing is stripped
    explicit = ctx.is_explicit("strip_import_prefix") and strip != "/"
    if not prefix and not explicit:
        return tuple(sources), package.workspace_root or "."
    if prefix.startswith("/"):
        raise ctx.error("should be a relative path", "import_prefix")
    for attribute, value in (("import_prefix", prefix), ("strip_import_prefix", strip or "")):
        if any(part in (".", "..") for part in value.split("/")):
            raise ctx.error("should be normalized (without uplevel references or '.' path segments)", attribute)
    if not explicit:
        base = package.exec_path if not ctx.is_explicit("strip_import_prefix") else package.workspace_root
    elif strip.startswith("/"):
        base = _join(package.workspace_root, strip.strip("/"))
    else:
        base = _join(package.exec_path, strip.strip("/"))
    directory = f"{VIRTUAL_IMPORTS}/{ctx.label.name}"
    found = []
    for source in sources:
        path = source.exec_path[len(source.root.path) + 1 :] if source.root.path else source.exec_path
        if base and not path.startswith(base + "/"):
            raise ctx.error(f".proto file '{path}' is not under the specified strip prefix '{base}'", "srcs")
        relative = path[len(base) + 1 :] if base else path
        virtual = ctx.declare(_join(directory, prefix.strip("/"), relative))
        ctx.register(
            SymlinkAction(
                **ctx.identity("Symlink"),
                outputs=(virtual,),
                inputs=(source,),
                progress_message=f"Symlinking virtual .proto sources for {ctx.label}",
            )
        )
        found.append(virtual)
    return tuple(found), _join(ctx.configuration.bin, package.exec_path, directory)


def option_texts(ctx: RuleContext) -> tuple[str, ...]:
    """--protocopt."""
    given = dict(ctx.settings.other).get("protocopt", ())
    return (given,) if isinstance(given, str) else tuple(given)  # type: ignore[arg-type]


def proto_library(ctx: RuleContext) -> Iterable[Any]:
    sources, root = _virtual_sources(ctx, ctx.files("srcs"))
    dependencies = [dependency.get(ProtoInfo) for dependency in ctx.dependencies("deps")]
    options = [dependency.get(ProtoInfo) for dependency in ctx.dependencies("option_deps")]
    exports = [dependency.get(ProtoInfo) for dependency in ctx.dependencies("exports")]
    descriptors = ctx.declare(f"{ctx.label.name}-descriptor-set.proto.bin")
    every = [*dependencies, *options]
    info = ProtoInfo.instance(proto_fields(sources, every, descriptors, root, exports))
    _descriptor_set(ctx, info, every, descriptors)
    return [
        info,
        *([LegacyField("proto", info)] if ctx.analyzer.semantics.legacy_native_fields else []),
        DefaultInfo(
            files=Depset((descriptors,)),
            default_runfiles=ctx.runfiles(),
            data_runfiles=ctx.runfiles((descriptors,), transitive_files=info.s_transitive_sources, collect_data=True),
        ),
    ]


def _descriptor_set(ctx: RuleContext, info: Any, dependencies: Iterable[Any], output: Artifact) -> None:
    sources = tuple(info.s_direct_sources)
    if not sources:
        ctx.register(
            WriteAction(
                **ctx.identity("FileWrite"),
                outputs=(output,),
                content="",
            )
        )
        return
    deps = list(dependencies)
    strict = str(dict(ctx.settings.other).get("strict_proto_deps", "error")).lower() not in ("off", "default")
    importable: dict[str, None] = {}
    for dep in deps:
        roots = dep.s_transitive_proto_path.flatten()
        for source in dep.s_check_deps_sources.flatten():
            importable[shortest_import(source, roots)] = None
    importable.update(dict.fromkeys(import_path(source, info.s_proto_source_root) for source in sources))
    compiler = ctx.dependency("_proto_compiler")
    assert compiler is not None
    program = compiler.executable
    assert program is not None
    descriptor_sets = Depset((), tuple(dep.s_transitive_descriptor_sets for dep in deps))
    words = [
        *(f"--proto_path={root}" for root in source_roots(info)),
        f"--descriptor_set_out={output.exec_path}",
        *option_texts(ctx),
        *(f"-I{path}={source.exec_path}" for path, source in sources_with_imports(info)),
        *(
            ["--direct_dependencies", ":".join(importable), _VIOLATION.replace("%label", str(ctx.label))]
            if strict
            else []
        ),
        *(source.exec_path for source in sources),
    ]
    ctx.register(
        SpawnAction(
            **ctx.identity("GenProtoDescriptorSet"),
            outputs=(output,),
            inputs=(program,),
            input_sets=(info.s_transitive_sources, descriptor_sets),
            progress_message=f"Generating Descriptor Set proto_library {ctx.label}",
            arguments=(program.exec_path, ParameterFile(tuple(words), format="multiline")),
            tools=(program,),
        )
    )


def shortest_import(source: Artifact, roots: Iterable[str]) -> str:
    """The import path of a source below one of several roots: the longest root that holds it counts."""
    fitting = [root for root in roots if source.exec_path.startswith(root + "/")]
    return import_path(source, max(fitting, key=len, default="."))


TOOLCHAIN_ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("command_line", _T.STRING, mandatory=True),
    Attribute("output_files", _T.STRING, "legacy", allowed_values=("single", "multiple", "legacy")),
    Attribute("plugin_format_flag", _T.STRING),
    Attribute("plugin", _T.LABEL, executable=True, cfg="exec", allow_files=True),
    Attribute("runtime", _T.LABEL, allow_files=True),
    Attribute("denylisted_protos", _T.LABEL_LIST, allow_files=True, providers=((ProtoInfo,),)),
    Attribute("blacklisted_protos", _T.LABEL_LIST, allow_files=True),
    Attribute("progress_message", _T.STRING, "Generating proto_library %{label}"),
    Attribute("mnemonic", _T.STRING, "GenProto"),
    Attribute("protoc_minimal_do_not_use", _T.LABEL, allow_files=True, irrelevant="one compiler serves all"),
    Attribute("toolchain_type", _T.STRING),
    PROTO_COMPILER,
)


def proto_lang_toolchain(ctx: RuleContext) -> Iterable[Any]:
    provided: list[Depset] = []
    for dependency in (*ctx.dependencies("denylisted_protos"), *ctx.dependencies("blacklisted_protos")):
        info = dependency.get(ProtoInfo)
        provided.append(Depset(tuple(info.s_direct_sources)) if info is not None else dependency.files)
    flag = ctx.attribute("command_line").replace("$(PLUGIN_OUT)", "%s").replace("$(OUT)", "%s")
    compiler, plugin = ctx.dependency("_proto_compiler"), ctx.dependency("plugin")
    runtime = ctx.dependency("runtime")
    return [
        DefaultInfo(files=Depset()),
        ProtoLangToolchainInfo(
            out_replacement_format_flag=flag,
            output_files=ctx.attribute("output_files"),
            plugin_format_flag=ctx.attribute("plugin_format_flag") or None,
            plugin=plugin.files_to_run if plugin is not None else None,
            runtime=runtime,
            provided_proto_sources=List(file for group in provided for file in group.flatten()),
            proto_compiler=compiler.files_to_run if compiler is not None else None,
            protoc_opts=List(option_texts(ctx)),
            progress_message=ctx.attribute("progress_message"),
            mnemonic=ctx.attribute("mnemonic"),
            allowlist_different_package=None,
            toolchain_type=None,
        ),
    ]

"""Running the protocol buffer compiler for one language: the module proto_common of .bzl files, and cc_proto_library.

https://bazel.build/rules/lib/toplevel/proto_common
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.action import ParameterFile, SpawnAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.rules.proto_info import (
    ProtoInfo,
    ProtoLangToolchainInfo,
    import_path,
    source_roots,
    sources_with_imports,
)
from bazel2ninja.starlark import EvalError, List, to_str

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext


def output_root(ctx: RuleContext, info: Any) -> str:
    """Exec path of the directory below which the compiler writes what it generates."""
    root = info.s_proto_source_root
    if root.startswith(ctx.configuration.bin):
        return root  # type: ignore[no-any-return]
    return ctx.configuration.bin if root in ("", ".") else f"{ctx.configuration.bin}/{root}"


def generated_files(ctx: RuleContext, info: Any, ending: str, name_mapper: Any = None) -> list[Artifact]:
    """One output for each source: its import path with another ending."""
    root = output_root(ctx, info)[len(ctx.configuration.bin) :].lstrip("/")
    found = []
    for source in info.s_direct_sources:
        path = import_path(source, info.s_proto_source_root)
        base = path.removesuffix(".protodevel").removesuffix(".proto")
        if name_mapper is not None:
            base = name_mapper(base)
        found.append(ctx.declare_below(posixpath.join(root, base + ending)))
    return found


def register_compilation(
    ctx: RuleContext,
    info: Any,
    toolchain: Any,
    outputs: Sequence[Artifact],
    *,
    output: str | None,
    arguments: Iterable[str] = (),
    additional_inputs: Iterable[Depset] = (),
    additional_tools: Iterable[Artifact] = (),
    progress_message: str | None = None,
) -> None:
    """Runs the compiler on all direct sources; `output` is what the toolchain's output flag gets, if anything."""
    compiler = toolchain.s_proto_compiler
    program = compiler if isinstance(compiler, Artifact) else compiler.executable
    tools = [program, *additional_tools]
    words: list[str] = []
    if output is not None:
        words.append(toolchain.s_out_replacement_format_flag.replace("%s", output))
    plugin = toolchain.s_plugin
    if plugin is not None:
        tools.append(plugin.executable)
        if toolchain.s_plugin_format_flag:
            words.append(toolchain.s_plugin_format_flag.replace("%s", plugin.executable.exec_path))
    words += [f"--proto_path={root}" for root in source_roots(info)]
    words += [*toolchain.s_protoc_opts]
    words += [f"-I{path}={source.exec_path}" for path, source in sources_with_imports(info)]
    words += arguments
    words += [source.exec_path for source in info.s_direct_sources]
    message = progress_message or toolchain.s_progress_message or ""
    ctx.register(
        SpawnAction(
            **ctx.identity(toolchain.s_mnemonic or "GenProto"),
            outputs=tuple(outputs),
            inputs=tuple(tools),
            input_sets=(info.s_transitive_sources, *additional_inputs),
            progress_message=message.replace("%{label}", str(ctx.label)),
            arguments=(program.exec_path, ParameterFile(tuple(words), format="multiline")),
            use_default_shell_environment=True,
            tools=tuple(tools),
        )
    )


def _check(function: str, parameter: str, value: Any, provider: Any) -> None:
    if getattr(value, "provider", None) is not provider:
        raise EvalError(f"in call to {function}(), parameter '{parameter}' is not a {provider.name}")


def _depsets(value: Any) -> tuple[Depset, ...]:
    return (value,) if isinstance(value, Depset) else (Depset(tuple(value)),) if value else ()


class ProtoCommon:
    """The module proto_common."""

    starlark_type = "proto_common_do_not_use"

    def starlark_repr(self) -> str:
        return "<proto_common>"

    @property
    def s_ProtoLangToolchainInfo(self) -> Any:
        return ProtoLangToolchainInfo

    @property
    def s_INCOMPATIBLE_ENABLE_PROTO_TOOLCHAIN_RESOLUTION(self) -> bool:
        return False

    @property
    def s_INCOMPATIBLE_PASS_TOOLCHAIN_TYPE(self) -> bool:
        return True

    def s_compile(
        self,
        actions: Any,
        proto_info: Any,
        proto_lang_toolchain_info: Any,
        generated_files: Any,
        plugin_output: Any = None,
        additional_args: Any = None,
        additional_tools: Any = (),
        additional_inputs: Any = None,
        additional_proto_lang_toolchain_info: Any = None,
        resource_set: Any = None,
        experimental_exec_group: Any = None,
        experimental_progress_message: Any = None,
        experimental_output_files: Any = "legacy",
        protoc_opts: Any = None,
    ) -> None:
        _check("compile", "proto_info", proto_info, ProtoInfo)
        _check("compile", "proto_lang_toolchain_info", proto_lang_toolchain_info, ProtoLangToolchainInfo)
        if not generated_files:
            return
        ctx = actions._open("compile")
        output = plugin_output.exec_path if isinstance(plugin_output, Artifact) else plugin_output
        tools = [tool if isinstance(tool, Artifact) else tool.executable for tool in additional_tools]
        words = additional_args.words() if additional_args is not None else ()
        register_compilation(
            ctx,
            proto_info,
            proto_lang_toolchain_info,
            tuple(generated_files),
            output=output,
            arguments=words,
            additional_inputs=_depsets(additional_inputs),
            additional_tools=tools,
            progress_message=experimental_progress_message,
        )

    def s_declare_generated_files(self, actions: Any, proto_info: Any, extension: Any, name_mapper: Any = None) -> List:
        _check("declare_generated_files", "proto_info", proto_info, ProtoInfo)
        return List(generated_files(actions._open("declare_generated_files"), proto_info, extension, name_mapper))

    def s_get_import_path(self, proto_file: Any) -> str:
        """The import path of a source, of a file by itself or of an element of ProtoInfo."""
        if isinstance(proto_file, Artifact):
            marker = "/_virtual_imports/"
            if marker in proto_file.exec_path:
                return proto_file.exec_path.partition(marker)[2].partition("/")[2]
            return import_path(proto_file, proto_file.owner.package.workspace_root or ".")
        return to_str(proto_file.s__path)

    def s_experimental_should_generate_code(
        self, proto_info: Any, proto_lang_toolchain_info: Any, rule_name: Any, target_label: Any
    ) -> bool:
        return should_generate(proto_info, proto_lang_toolchain_info, str(target_label))

    def s_experimental_filter_sources(self, proto_info: Any, proto_lang_toolchain_info: Any) -> tuple[Any, ...]:
        provided = set(proto_lang_toolchain_info.s_provided_proto_sources)
        every = list(proto_info.s_direct_sources)
        return List(each for each in every if each not in provided), List(each for each in every if each in provided)

    def s_check_collocated(self, label: Any, proto_info: Any, proto_lang_toolchain_info: Any) -> None:
        """Sources of other packages are allowed."""

    def s_external_proto_infos(self) -> List:
        return List()

    def s_incompatible_enable_proto_toolchain_resolution(self) -> bool:
        return False


def should_generate(info: Any, toolchain: Any, label: str) -> bool:
    """Whether code is wanted for the sources: the runtime has that of its own already."""
    provided = {file.exec_path for file in toolchain.s_provided_proto_sources}
    sources = list(info.s_direct_sources)
    have = [source for source in sources if source.exec_path in provided]
    if have and len(have) < len(sources):
        names = ", ".join(source.exec_path for source in have)
        raise EvalError(f"{label} mixes sources that the runtime provides with others: {names}")
    return bool(sources) and not have

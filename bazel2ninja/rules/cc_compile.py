"""From the sources of a C++ target to compile actions.

The order of directories, defines and flags is Bazel's, checked against its action lists; see
https://bazel.build/reference/be/c-cpp for what each attribute means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from bazel2ninja.analysis.action import CppCompileAction, SymlinkAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.labels import Label
from bazel2ninja.records import dataclass, field, replace
from bazel2ninja.rules.cc_features import COMPILE_ACTIONS, FeatureConfiguration
from bazel2ninja.rules.cc_info import (
    EMPTY_COMPILATION_CONTEXT,
    CompilationContext,
    CompilationOutputs,
    merge_compilation_contexts,
    ordered_union,
)
from bazel2ninja.rules.cc_sources import FileKind, file_kind, language, stem

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Compilation:
    """What is to be compiled, as the attributes of a rule (or the arguments of cc_common.compile) say.

    sources: (file, label that named it), in order.  prefix: directory below _objs/NAME.  Flags and defines are expanded
    and tokenised already; directories are exec paths.
    """

    name: str
    sources: Sequence[tuple[Artifact, Label]] = ()
    public_headers: Sequence[Artifact] = ()
    private_headers: Sequence[Artifact] = ()
    textual_headers: Sequence[Artifact] = ()
    copts: Sequence[str] = ()
    c_only_copts: Sequence[str] = ()
    cxx_copts: Sequence[str] = ()
    copts_filter: str = ""
    defines: Sequence[str] = ()
    local_defines: Sequence[str] = ()
    quote_includes: Sequence[str] = ()
    includes: Sequence[str] = ()
    system_includes: Sequence[str] = ()
    framework_includes: Sequence[str] = ()
    include_prefix: str = ""
    strip_include_prefix: str | None = None
    contexts: Sequence[CompilationContext] = ()
    implementation_contexts: Sequence[CompilationContext] = ()
    additional_inputs: Sequence[Artifact] = ()
    prefix: str = ""
    features: FeatureConfiguration
    validation_artifacts: Depset = field(default_factory=Depset)


def object_names(sources: Iterable[Artifact]) -> dict[Artifact, str]:
    """Names of the objects, without ending: base names, numbered in directories where several are the same.

    Upper and lower case count as the same: the names are meant for any file system.
    """
    every = list(sources)
    counts: dict[str, int] = {}
    for source in every:
        key = stem(source.exec_path).lower()
        counts[key] = counts.get(key, 0) + 1
    given: dict[str, int] = {}
    result = {}
    for source in every:
        name = stem(source.exec_path)
        key = name.lower()
        if counts[key] > 1:
            number = given.get(key, 0)
            given[key] = number + 1
            name = f"{number}/{name}"
        result[source] = name
    return result


@lru_cache(maxsize=1024)
def _pattern(expression: str) -> re.Pattern[str]:
    return re.compile(expression)


def per_file_copts(ctx: RuleContext, source: Artifact, label: Label) -> list[str]:
    """What --per_file_copt adds for a source, by label or by path."""
    found: list[str] = []
    texts = (str(label), source.exec_path)
    for option in ctx.settings.per_file_copts:
        included = any(_pattern(regex).search(text) for regex in option.includes for text in texts)
        if included and not any(_pattern(regex).search(text) for regex in option.excludes for text in texts):
            found += option.flags
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Headers:
    """Headers as others see them, and the directory that makes their prefixed names true."""

    files: tuple[Artifact, ...]
    directory: str | None


def _root_relative(file: Artifact) -> str:
    return file.exec_path[len(file.root.path) + 1 :] if file.root.path else file.exec_path


def _virtual_headers(ctx: RuleContext, compilation: Compilation, headers: Sequence[Artifact]) -> _Headers:
    """The headers under the names that include_prefix and strip_include_prefix give them, as links."""
    prefix, strip = compilation.include_prefix, compilation.strip_include_prefix
    if not prefix and strip is None:
        return _Headers(tuple(headers), None)
    package = ctx.label.package
    for attribute, value in (("include_prefix", prefix), ("strip_include_prefix", strip or "")):
        if ".." in value.split("/"):
            raise ctx.error(f"the path {value!r} must not contain '..'", attribute)
    if prefix.startswith("/"):
        raise ctx.error("the prefix must be a relative path", "include_prefix")
    if strip is None:
        base = package.exec_path
    elif strip.startswith("/"):
        base = _join(package.workspace_root, strip.strip("/"))
    else:
        base = _join(package.exec_path, "" if strip in (".", "./") else strip.strip("/"))
    directory = f"_virtual_includes/{compilation.name}"
    files: list[Artifact] = []
    for header in headers:
        path = _root_relative(header)
        if base and not f"{path}/".startswith(base + "/"):
            shown = base if strip is None else strip
            raise ctx.error(f"the header '{path}' is not under the prefix '{shown}' to strip", "strip_include_prefix")
        relative = _join(prefix.strip("/"), path[len(base) + 1 :] if base else path)
        if header.exec_path == relative:
            files.append(header)
            continue
        link = ctx.declare(f"{directory}/{relative}", directory=header.is_directory)
        ctx.register(
            SymlinkAction(
                **ctx.identity("Symlink"),
                outputs=(link,),
                inputs=(header,),
                progress_message=f"Symlinking virtual headers for {ctx.label}",
            )
        )
        files.append(link)
    root = _join(_join(ctx.configuration.bin, package.exec_path), directory)
    return _Headers((*files, *headers) if ctx.analyzer.semantics.stripped_headers else tuple(files), root)


def _join(directory: str, name: str) -> str:
    return f"{directory}/{name}" if directory and name else directory or name


def compilation_contexts(ctx: RuleContext, compilation: Compilation) -> tuple[CompilationContext, CompilationContext]:
    """(what dependents see, what the target's own sources are compiled with)."""
    package = ctx.label.package
    workspace_root = package.workspace_root
    public = _virtual_headers(ctx, compilation, compilation.public_headers)
    textual = tuple(compilation.textual_headers)  # the prefixes are for public headers only
    directories = (public.directory,) if public.directory else ()
    external = bool(workspace_root) and compilation.features.is_enabled("external_include_paths")
    quote: tuple[str, ...] = (workspace_root or ".", _join(ctx.configuration.bin, workspace_root))
    own_includes, own_system = tuple(compilation.includes), tuple(compilation.system_includes)
    own_external: tuple[str, ...] = ()
    if external:
        own_external = ordered_union(quote, compilation.quote_includes, own_includes, own_system, directories)
        quote, own_includes, own_system = (), (), ()
    else:
        quote = ordered_union(quote, compilation.quote_includes)
        own_includes = ordered_union(own_includes, directories)
    headers = tuple(dict.fromkeys((*public.files, *textual, *compilation.private_headers)))
    inherited = merge_compilation_contexts(compilation.contexts)
    visible = CompilationContext(
        headers=Depset(headers, (inherited.headers,)),
        generated_headers=Depset(
            tuple(header for header in headers if not header.is_source), (inherited.generated_headers,)
        ),
        quote_includes=ordered_union(quote, inherited.quote_includes),
        includes=ordered_union(own_includes, inherited.includes),
        system_includes=ordered_union(own_system, inherited.system_includes),
        external_includes=ordered_union(own_external, inherited.external_includes),
        framework_includes=ordered_union(compilation.framework_includes, inherited.framework_includes),
        defines=ordered_union(inherited.defines, compilation.defines),
        local_defines=tuple(compilation.local_defines),
        direct_public_headers=public.files,
        direct_private_headers=tuple(compilation.private_headers),
        direct_textual_headers=textual,
        validation_artifacts=Depset((), (inherited.validation_artifacts, compilation.validation_artifacts)),
    )
    if not compilation.implementation_contexts:
        return visible, visible
    implementation = merge_compilation_contexts((*compilation.contexts, *compilation.implementation_contexts))
    return visible, replace(
        visible,
        headers=Depset(headers, (implementation.headers,)),
        generated_headers=Depset((), (visible.generated_headers, implementation.generated_headers)),
        quote_includes=ordered_union(visible.quote_includes, implementation.quote_includes),
        includes=ordered_union(visible.includes, implementation.includes),
        system_includes=ordered_union(visible.system_includes, implementation.system_includes),
        external_includes=ordered_union(visible.external_includes, implementation.external_includes),
        framework_includes=ordered_union(visible.framework_includes, implementation.framework_includes),
        defines=ordered_union(implementation.defines, compilation.defines),
    )


def _filtered(flags: Iterable[str], expression: str) -> tuple[str, ...]:
    """The flags that `nocopts` leaves; the expression must match a whole flag to remove it."""
    if not expression:
        return tuple(flags)
    pattern = _pattern(expression)
    return tuple(flag for flag in flags if not pattern.fullmatch(flag))


def compile_sources(ctx: RuleContext, compilation: Compilation) -> tuple[CompilationContext, CompilationOutputs]:
    """Registers one action for each source; returns what dependents see, and the objects in the order of sources."""
    visible, private = compilation_contexts(ctx, compilation)
    sources = dict(compilation.sources)
    names = object_names(sources)
    prefix = f"{compilation.prefix}/" if compilation.prefix else ""
    own_generated = [file for file in compilation.additional_inputs if not file.is_source]
    settings = ctx.settings
    objects = []
    for source, label in sources.items():
        # each file of a directory is compiled with the options of C++, as Bazel does it
        spoken = "c++" if source.is_directory else language(source.exec_path)
        first, middle, last = compilation.features.compile_flags(spoken)
        tool = compilation.features.tool(COMPILE_ACTIONS[spoken])
        by_language: Sequence[str] = ()
        from_rule: Sequence[str] = ()
        if spoken == "c":
            by_language, from_rule = settings.conlyopts, compilation.c_only_copts
        elif spoken == "c++":
            by_language, from_rule = settings.cxxopts, compilation.cxx_copts
        copts = [*middle, *settings.copts, *by_language, *compilation.copts, *from_rule]
        if settings.per_file_copts:
            copts += per_file_copts(ctx, source, label)
        place = f"{compilation.name}/{prefix}{names[source]}"
        if source.is_directory:
            made = ctx.declare(f"_pic_objs/{place}", directory=True)
        else:
            made = ctx.declare(f"_objs/{place}.pic.o")
        read = private if spoken != "assembler" else EMPTY_COMPILATION_CONTEXT  # it is not preprocessed
        objects.append(made)
        ctx.register(
            CppCompileAction(
                **ctx.identity("CppCompile"),
                outputs=(made,),
                inputs=(source, *own_generated),
                input_sets=(private.generated_headers, *tool.file_sets),
                progress_message=f"Compiling {source.short_path}",
                source=source,
                language=spoken,
                quote_includes=read.quote_includes,
                includes=read.includes,
                system_includes=ordered_union(read.system_includes, read.external_includes),
                framework_includes=read.framework_includes,
                defines=(*read.defines, *read.local_defines),
                toolchain_flags=_filtered(first, compilation.copts_filter),
                copts=_filtered(copts, compilation.copts_filter),
                last_flags=last,
                environment=dict(tool.environment),
                program=tool.program,
                program_files=tool.file_sets,
            )
        )
    return visible, CompilationOutputs(tuple(objects))


def kind_of(file: Artifact) -> FileKind:
    """What a C++ rule does with a file among its sources; what is in a directory may all be compiled."""
    return FileKind.SOURCE if file.is_directory else file_kind(file.exec_path)

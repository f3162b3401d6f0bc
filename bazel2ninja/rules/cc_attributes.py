"""The attributes of C++ rules, and what they say together.

https://bazel.build/reference/be/c-cpp; each attribute is read, or says why it has no effect.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.labels import Label, LabelSyntaxError, parse_label
from bazel2ninja.loading.rule_class import Attribute, AttributeType, ConfigurationField
from bazel2ninja.loading.target import SourceFile
from bazel2ninja.records import dataclass
from bazel2ninja.rules import cc_crosstool
from bazel2ninja.rules.cc_compile import Compilation, kind_of
from bazel2ninja.rules.cc_features import FeatureConfiguration, feature_configuration, split_features
from bazel2ninja.rules.cc_info import (
    CcInfo,
    CompilationContext,
    LibraryToLink,
    LinkingContext,
    compilation_context_of,
    linking_context_of,
)
from bazel2ninja.rules.cc_sources import LINKER_SCRIPTS, FileKind, file_kind

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext

_T = AttributeType
_WINDOWS = "it concerns Windows only"
_NO_STAMP = "it changes link stamps only, which no supported rule makes"
MALLOC = parse_label("@bazel_tools//tools/cpp:malloc")
LINK_EXTRA_LIB = parse_label("@bazel_tools//tools/cpp:link_extra_lib")
RUNFILES_LIBRARIES = (parse_label("@bazel_tools//tools/cpp/runfiles"), parse_label("@rules_cc//cc/runfiles"))

DEPENDENCY = Attribute("deps", _T.LABEL_LIST, allow_files=LINKER_SCRIPTS, providers=((CcInfo,),))

_COMMON: tuple[Attribute, ...] = (
    Attribute("srcs", _T.LABEL_LIST, allow_files=True),
    DEPENDENCY,
    Attribute("data", _T.LABEL_LIST, allow_files=True),
    Attribute("copts", _T.STRING_LIST, unseen=True),
    Attribute("conlyopts", _T.STRING_LIST, unseen=True),
    Attribute("cxxopts", _T.STRING_LIST, unseen=True),
    Attribute("nocopts", _T.STRING),
    Attribute("defines", _T.STRING_LIST),
    Attribute("local_defines", _T.STRING_LIST),
    Attribute("includes", _T.STRING_LIST),
    Attribute("linkopts", _T.STRING_LIST),
    Attribute("additional_linker_inputs", _T.LABEL_LIST, allow_files=True),
    Attribute("additional_compiler_inputs", _T.LABEL_LIST, allow_files=True),
    Attribute("module_interfaces", _T.LABEL_LIST, allow_files=True),
    Attribute("win_def_file", _T.LABEL, allow_files=True, irrelevant=_WINDOWS),
    Attribute("hdrs_check", _T.STRING, configurable=False, irrelevant="undeclared headers are not looked for"),
)

LIBRARY_ATTRIBUTES: tuple[Attribute, ...] = (
    *_COMMON,
    Attribute("hdrs", _T.LABEL_LIST, allow_files=True),
    Attribute("textual_hdrs", _T.LABEL_LIST, allow_files=True),
    Attribute("implementation_deps", _T.LABEL_LIST, providers=((CcInfo,),)),
    Attribute("interface_deps", _T.LABEL_LIST, providers=((CcInfo,),)),
    Attribute("include_prefix", _T.STRING),
    Attribute("strip_include_prefix", _T.STRING),
    Attribute("linkstatic", _T.BOOLEAN, False),
    Attribute("alwayslink", _T.BOOLEAN, False),
    Attribute("linkstamp", _T.LABEL, allow_files=True),
)


def binary_attributes(*, linkstatic: bool) -> tuple[Attribute, ...]:
    """Of cc_binary and cc_test, which differ in the default of `linkstatic`."""
    return (
        *_COMMON,
        Attribute("linkshared", _T.BOOLEAN, False, configurable=False),
        Attribute("linkstatic", _T.BOOLEAN, linkstatic),
        Attribute("malloc", _T.LABEL, MALLOC, providers=((CcInfo,),)),
        Attribute("_custom_malloc", _T.LABEL, ConfigurationField("cpp", "custom_malloc")),
        Attribute("link_extra_lib", _T.LABEL, LINK_EXTRA_LIB, providers=((CcInfo,),)),
        Attribute("dynamic_deps", _T.LABEL_LIST),
        Attribute("reexport_deps", _T.LABEL_LIST, providers=((CcInfo,),), irrelevant="deps count as re-exported"),
        Attribute("stamp", _T.TRISTATE, -1, irrelevant=_NO_STAMP),
    )


def given(ctx: RuleContext, name: str) -> Any:
    """The value of an attribute that this kind of rule may not have; None then."""
    return ctx.attribute(name) if ctx.has_attribute(name) else None


def expanded(ctx: RuleContext, attribute: str, values: Iterable[str] | None = None) -> list[str]:
    """The words of a list of strings, locations and "Make" variables replaced, split as a shell would."""
    words: list[str] = []
    for text in values if values is not None else (given(ctx, attribute) or ()):
        words += ctx.tokenize(ctx.expand(text, attribute))
    return words


def copts(ctx: RuleContext, features: FeatureConfiguration, attribute: str = "copts") -> list[str]:
    values = given(ctx, attribute) or ()
    if "no_copts_tokenization" in features.requested:
        return [ctx.expand(text, attribute) for text in values]
    return expanded(ctx, attribute)


def defines(ctx: RuleContext, attribute: str) -> list[str]:
    """Definitions without -D; each element must be one word."""
    found: list[str] = []
    for text in given(ctx, attribute) or ():
        words = ctx.tokenize(ctx.expand(text, attribute))
        if len(words) != 1:
            problem = "an empty definition" if not words else f"a definition of {len(words)} words: {text!r}"
            raise ctx.error(f"{problem} is not allowed", attribute)
        found += words
    return found


def current_repository(ctx: RuleContext) -> list[str]:
    """The definition that sources hand to Runfiles::Create, for a target that depends on the runfiles library.

    https://github.com/bazelbuild/proposals/blob/main/designs/2022-07-21-locating-runfiles-with-bzlmod.md
    """
    if not ctx.analyzer.semantics.current_repository:
        return []
    if any(dependency.label in RUNFILES_LIBRARIES for dependency in ctx.dependencies("deps")):
        return [f'BAZEL_CURRENT_REPOSITORY="{ctx.label.repository}"']
    return []


def linkopts(ctx: RuleContext, dependencies: Sequence[ConfiguredTarget], attribute: str = "linkopts") -> list[str]:
    """The words of `linkopts`; one that names a linker script among the dependencies stands for its path."""
    found: list[str] = []
    scripts = {
        dependency.label: file
        for dependency in dependencies
        for file in dependency.files.flatten()
        if dependency.get(CcInfo) is None and file_kind(file.exec_path) is FileKind.LINKER_SCRIPT
    }
    for word in expanded(ctx, attribute):
        if scripts and not word.startswith(("-", "$")):
            try:
                script = scripts.get(parse_label(word, ctx.label.package))
            except LabelSyntaxError:
                script = None
            if script is not None:
                found += ["-Wl,-T", script.exec_path] if word.endswith(LINKER_SCRIPTS) else [script.exec_path]
                continue
        found.append(word)
    return found


def include_directories(ctx: RuleContext, attribute: str = "includes") -> list[str]:
    """The directories of `includes`, relative to the package, each in the source and in the output tree."""
    package = ctx.label.package.exec_path
    found: list[str] = []
    for text in given(ctx, attribute) or ():
        for word in ctx.tokenize(ctx.expand(text, attribute)):
            if word.startswith("/"):
                continue  # Bazel has always ignored them; the compiler's own directories are the usual ones
            directory = _normalised(package, word)
            if directory is None or (not directory and not ctx.label.package.repository):
                where = "the root of the workspace" if directory is not None else "a directory outside the workspace"
                raise ctx.error(f"'{word}' resolves to {where}", attribute)
            found.append(directory or ".")
            found.append(f"{ctx.configuration.bin}/{directory}" if directory else ctx.configuration.bin)
    return found


def _normalised(base: str, path: str) -> str | None:
    """base/path without "." and ".."; None when it leaves the tree."""
    parts: list[str] = []
    for part in f"{base}/{path}".split("/"):
        if part in ("", "."):
            continue
        if part == "..":
            if not parts:
                return None
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def features_of(ctx: RuleContext, *, as_tool: bool = False) -> FeatureConfiguration:
    """The features in force for the target: the command line's, the package's, its own.

    as_tool: those that Bazel would have if the target were built as a tool, with --host_features for --features.
    """
    defaults = ctx.target.package_defaults
    common: Iterable[str] = ctx.settings.features
    if as_tool:
        host: Any = dict(ctx.settings.other).get("host_features", ())
        common = host
    layers = (common, defaults.features if defaults else (), given(ctx, "features") or ())
    toolchain = cc_crosstool.find(ctx.analyzer, ctx.configuration)
    return feature_configuration(ctx.settings, *split_features(*layers), toolchain)


@dataclass(frozen=True, slots=True, eq=False)
class Sources:
    """The files of `srcs` by use.  compiled: (file, label that named it)."""

    compiled: tuple[tuple[Artifact, Label], ...]
    headers: tuple[Artifact, ...]
    objects: tuple[Artifact, ...]
    archives: tuple[Artifact, ...]
    alwayslink_archives: tuple[Artifact, ...]
    shared_libraries: tuple[Artifact, ...]
    linker_scripts: tuple[Artifact, ...] = ()


def sources_of(ctx: RuleContext, attribute: str = "srcs") -> Sources:
    """Sorts the files of `srcs`; a file of another kind is an error when it is named directly."""
    compiled: dict[Artifact, Label] = {}
    groups: dict[FileKind, dict[Artifact, None]] = {kind: {} for kind in FileKind}
    for dependency in ctx.dependencies(attribute):
        direct = isinstance(dependency.target, SourceFile)
        for file in dependency.files.flatten():
            kind = kind_of(file)
            if kind is FileKind.UNSUPPORTED:
                raise ctx.error(f"source file '{file.exec_path}' is of a language that is not supported", attribute)
            if kind is FileKind.OTHER:
                if direct:
                    raise ctx.error(f"source file '{dependency.label}' is misplaced here: not a C++ file", attribute)
                continue
            if kind is FileKind.SOURCE:
                known = compiled.setdefault(file, dependency.label)
                if known is not dependency.label and direct:
                    raise ctx.error(
                        f"file '{file.exec_path}' is duplicated (through '{known}' and '{dependency.label}')", attribute
                    )
            groups[kind][file] = None
    objects = groups[FileKind.OBJECT]
    twins = {file.exec_path for file in objects}
    return Sources(
        tuple(compiled.items()),
        tuple(groups[FileKind.HEADER]),
        tuple(f for f in objects if f.exec_path.removesuffix(".o") + ".pic.o" not in twins),
        tuple(groups[FileKind.ARCHIVE]),
        tuple(groups[FileKind.ALWAYSLINK_ARCHIVE]),
        tuple(groups[FileKind.SHARED_LIBRARY]),
        tuple(groups[FileKind.LINKER_SCRIPT]),
    )


def library_identifier(path: str) -> str:
    """What forms of one library share: "a/libx" for a/libx.a, a/libx.pic.a, a/libx.so and a/libx.so.1."""
    directory, slash, name = path.rpartition("/")
    for marker in (".pic.lo", ".pic.a", ".lo", ".a", ".lib", ".so", ".dylib", ".dll"):
        position = name.find(marker)
        if position > 0 and (name.endswith(marker) or marker in (".so", ".dylib")):
            return f"{directory}{slash}{name[:position]}"
    return path


def precompiled_libraries(ctx: RuleContext, sources: Sources, solib: Any) -> list[LibraryToLink]:
    """The libraries among the sources; `solib(file)` gives the link by which a shared one is found."""
    forms: dict[str, dict[str, Artifact]] = {}
    archives = (("archive", sources.archives), ("alwayslink", sources.alwayslink_archives))
    for kind, files in (
        *((kind, [file for file in files if ".pic." not in file.exec_path]) for kind, files in archives),
        *((kind, [file for file in files if ".pic." in file.exec_path]) for kind, files in archives),
        ("shared", sources.shared_libraries),
    ):
        for file in files:
            known = forms.setdefault(library_identifier(file.exec_path), {})
            if kind not in known or ".pic." in file.exec_path:
                known[kind] = file
    found = []
    for name, parts in forms.items():
        shared = parts.get("shared")
        found.append(
            LibraryToLink(
                name=name,
                pic_static_library=parts.get("alwayslink") or parts.get("archive"),
                dynamic_library=solib(shared) if shared is not None else None,
                resolved_dynamic_library=shared,
                alwayslink="alwayslink" in parts,
            )
        )
    return found


def cc_infos(dependencies: Iterable[ConfiguredTarget]) -> list[Any]:
    found = (dependency.get(CcInfo) for dependency in dependencies)
    return [info for info in found if info is not None]


def compilation_contexts_of(dependencies: Iterable[ConfiguredTarget]) -> list[CompilationContext]:
    return [compilation_context_of(info) for info in cc_infos(dependencies)]


def linking_contexts_of(dependencies: Iterable[ConfiguredTarget]) -> list[LinkingContext]:
    return [linking_context_of(info) for info in cc_infos(dependencies)]


def linker_scripts(dependencies: Iterable[ConfiguredTarget]) -> list[Artifact]:
    """Files among `deps` that are no C++ targets: scripts that link options name."""
    others = (dependency for dependency in dependencies if dependency.get(CcInfo) is None)
    return [file for dependency in others for file in dependency.files.flatten()]


def files_of(ctx: RuleContext, attribute: str) -> tuple[Artifact, ...]:
    return ctx.files(attribute) if ctx.has_attribute(attribute) else ()


def compilation_of(
    ctx: RuleContext,
    features: FeatureConfiguration,
    sources: Sources,
    contexts: Sequence[CompilationContext],
    implementation_contexts: Sequence[CompilationContext] = (),
) -> Compilation:
    """The compilation that the target's attributes describe."""
    if files_of(ctx, "module_interfaces"):
        raise ctx.error("C++20 modules are not supported", "module_interfaces")
    defaults = ctx.target.package_defaults
    package_copts = expanded(ctx, "copts", defaults.copts) if defaults is not None else []
    strip = given(ctx, "strip_include_prefix")
    return Compilation(
        name=ctx.label.name,
        sources=sources.compiled,
        public_headers=files_of(ctx, "hdrs"),
        private_headers=sources.headers,
        textual_headers=files_of(ctx, "textual_hdrs"),
        copts=(*package_copts, *copts(ctx, features)),
        c_only_copts=copts(ctx, features, "conlyopts"),
        cxx_copts=copts(ctx, features, "cxxopts"),
        copts_filter=ctx.expand(given(ctx, "nocopts") or "", "nocopts"),
        defines=defines(ctx, "defines"),
        local_defines=(*defines(ctx, "local_defines"), *current_repository(ctx)),
        system_includes=include_directories(ctx),
        include_prefix=given(ctx, "include_prefix") or "",
        strip_include_prefix=strip if ctx.is_explicit("strip_include_prefix") else None,
        contexts=contexts,
        implementation_contexts=implementation_contexts,
        additional_inputs=files_of(ctx, "additional_compiler_inputs"),
        features=features,
    )

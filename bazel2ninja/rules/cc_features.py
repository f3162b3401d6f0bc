"""C++ toolchains as data, and the features that a target switches on or off.

https://bazel.build/docs/cc-toolchain-config-reference tells what features are.  A description (toolchains/*.toml)
lists the toolchain's own flags by compilation mode and language, in order; those of position "last" stand after the
project's flags.
"""

from __future__ import annotations

import functools
import os
import tomllib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from bazel2ninja.analysis.depset import Depset
from bazel2ninja.configuration.configuration import Settings
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError, suggestion
from bazel2ninja.records import dataclass, replace
from bazel2ninja.rules.cc_project_toolchain import ProjectToolchain, placed
from bazel2ninja.rules.cc_project_toolchain import requested as described
from bazel2ninja.rules.cc_toolchain_features import COMPILES
from bazel2ninja.starlark import EvalError

DESCRIPTION_OPTION = "cc_toolchain_description"
"""Name, among `Settings.other`, of the description in use; without it the distribution's."""

DEFAULT_DESCRIPTION = "debian"
_DIRECTORY = os.path.join(os.path.dirname(__file__), "toolchains")

_REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "thin_lto": "link-time optimisation by per-object index files is not supported",
        "full_lto": "use the compiler flag -flto instead",
        "cpp_modules": "C++20 modules are not supported",
        "per_object_debug_info": "debug fission is not supported",
        "fdo_optimize": "feedback directed optimisation is not supported",
        "autofdo": "feedback directed optimisation is not supported",
    }
)

COMPILE_ACTIONS: Mapping[str, str] = MappingProxyType(
    {"c": "c-compile", "c++": "c++-compile", "assembler": "assemble", "assembler-with-cpp": "preprocess-assemble"}
)
"""Language -> the name of the action."""
LINK_ACTIONS: Mapping[str, str] = MappingProxyType(
    {"executable": "c++-link-executable", "shared": "c++-link-dynamic-library"}
)
"""Kind of result -> the name of the action."""

# Features of our descriptions that say how a release behaves, whatever the toolchain.
_OF_RELEASES = frozenset(("shared_libraries_drop_flags_of_empty_targets",))

# What every unix toolchain of Bazel's own can do, whether or not it has a name in the description.
_ALWAYS = frozenset(
    {
        "c++-compile",
        "c-compile",
        "assemble",
        "preprocess-assemble",
        "c++-link-executable",
        "c++-link-dynamic-library",
        "c++-link-nodeps-dynamic-library",
        "c++-link-static-library",
        "strip",
        "pic",
        "default_compile_flags",
        "default_link_flags",
        "dependency_file",
        "random_seed",
        "include_paths",
        "preprocessor_defines",
        "user_compile_flags",
        "user_link_flags",
        "libraries_to_link",
        "unfiltered_compile_flags",
        "static_libgcc",
        "fdo_instrument",
        "legacy_compile_flags",
        "legacy_link_flags",
    }
)


@dataclass(frozen=True, slots=True)
class FlagGroup:
    """Flags that belong together; empty `modes`, `languages` or `kinds` mean all of them."""

    flags: tuple[str, ...]
    modes: frozenset[str] = frozenset()
    languages: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    compilers: frozenset[str] = frozenset()
    position: str = "first"

    def applies(self, mode: str, compiler: str, language: str | None, kind: str | None) -> bool:
        return (
            (not self.modes or mode in self.modes)
            and (not self.compilers or compiler in self.compilers)
            and (language is None or not self.languages or language in self.languages)
            and (kind is None or not self.kinds or kind in self.kinds)
        )


@dataclass(frozen=True, slots=True)
class FeatureFlags:
    """What a feature adds when it is enabled."""

    compile: tuple[str, ...] = ()
    link: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ToolchainDescription:
    """One file of toolchains/."""

    name: str
    compile: tuple[FlagGroup, ...]
    link: tuple[FlagGroup, ...]
    enabled: frozenset[str]
    supported: frozenset[str]
    features: Mapping[str, FeatureFlags]


class Flags(NamedTuple):
    """A toolchain's own flags: those that come first, those right before the project's, and those after these."""

    first: tuple[str, ...]
    middle: tuple[str, ...]
    last: tuple[str, ...]


class Tool(NamedTuple):
    """What runs an action; program: an exec path or an absolute one, "" for what the environment names.

    files: what the program needs.  environment: variables and their values.
    """

    program: str
    files: Depset
    environment: tuple[tuple[str, str], ...]

    @property
    def file_sets(self) -> tuple[Depset, ...]:
        """The files as an action takes them."""
        return (self.files,) if self.program else ()


NO_TOOL = Tool("", Depset(), ())


@dataclass(frozen=True, slots=True)
class FeatureConfiguration:
    """The features in force for one target.  In Starlark: FeatureConfiguration.

    requested and disabled: as the command line, the package and the target say, the later one winning.
    """

    description: ToolchainDescription
    mode: str
    compiler: str
    enabled: frozenset[str]
    requested: frozenset[str] = frozenset()
    disabled: frozenset[str] = frozenset()
    tool_prefix: str = ""  # of a compiler for another machine than the one that builds
    toolchain: ProjectToolchain | None = None

    starlark_type = "FeatureConfiguration"

    def is_enabled(self, feature: str) -> bool:
        return feature in self.enabled

    def requesting(self, feature: str) -> FeatureConfiguration:
        """The same with one more feature asked for, unless it is disabled."""
        return self if feature in self.disabled else replace(self, requested=self.requested | {feature})

    def compile_flags(self, language: str) -> Flags:
        """The toolchain's flags; raises WorkspaceError for a description of the project's that we cannot follow."""
        if self.toolchain is not None:
            return _described(self, COMPILE_ACTIONS[language])
        return _flags(self, "compile", language, None)

    def link_flags(self, kind: str) -> Flags:
        """Likewise, for a link whose result is an "executable" or "shared"."""
        if self.toolchain is not None:
            return _described(self, LINK_ACTIONS[kind])
        return _flags(self, "link", None, kind)

    def tool(self, action: str) -> Tool:
        """What runs an action, as the project's toolchain says, if there is one."""
        return NO_TOOL if self.toolchain is None else _tool(self, action)


@functools.lru_cache(maxsize=4096)
def _described(configuration: FeatureConfiguration, action: str) -> Flags:
    toolchain = configuration.toolchain
    assert toolchain is not None
    give = toolchain.features.compile_flags if action in COMPILES else toolchain.features.link_flags
    try:
        return Flags(*map(tuple, give(action, configuration.enabled)))
    except EvalError as error:
        raise placed(error, toolchain.label) from None


@functools.lru_cache(maxsize=4096)
def _tool(configuration: FeatureConfiguration, action: str) -> Tool:
    toolchain = configuration.toolchain
    assert toolchain is not None
    program = toolchain.program(action, configuration.enabled)
    environment = toolchain.features.environment(action, configuration.enabled)
    return Tool(program, toolchain.files_of(action), tuple(environment.items()))


@functools.lru_cache(maxsize=4096)
def _flags(configuration: FeatureConfiguration, phase: str, language: str | None, kind: str | None) -> Flags:
    description = configuration.description
    first: list[str] = []
    last: list[str] = []
    for group in description.compile if phase == "compile" else description.link:
        if group.applies(configuration.mode, configuration.compiler, language, kind):
            (last if group.position == "last" else first).extend(group.flags)
    for name, feature in description.features.items():
        if name in configuration.enabled:
            first.extend(feature.compile if phase == "compile" else feature.link)
    return Flags(tuple(first), (), tuple(last))


def _group(table: Mapping[str, object], path: str) -> FlagGroup:
    known = {"flags", "modes", "languages", "kinds", "compilers", "position", "reason"}
    for key in table:
        if key not in known:
            raise WorkspaceError(Diagnostic(f"{path}: unknown key {key!r}", help=suggestion(key, known)))

    def texts(key: str) -> list[str]:
        value = table.get(key, [])
        assert isinstance(value, list)
        return value

    return FlagGroup(
        tuple(texts("flags")),
        frozenset(texts("modes")),
        frozenset(texts("languages")),
        frozenset(texts("kinds")),
        frozenset(texts("compilers")),
        str(table.get("position", "first")),
    )


def descriptions() -> tuple[str, ...]:
    """The names of all toolchain descriptions, sorted."""
    return tuple(sorted(name.removesuffix(".toml") for name in os.listdir(_DIRECTORY) if ".toml" in name))


@functools.cache
def toolchain_description(name: str) -> ToolchainDescription:
    """The description called `name`; raises WorkspaceError when there is none."""
    if name not in descriptions():
        raise WorkspaceError(
            Diagnostic(f"no C++ toolchain description {name!r}", help=suggestion(name, descriptions()))
        )
    path = f"{name}.toml"
    with open(os.path.join(_DIRECTORY, path), "rb") as file:
        table = tomllib.load(file)
    features = table.get("features", {})
    return ToolchainDescription(
        table["name"],
        tuple(_group(group, path) for group in table.get("compile", [])),
        tuple(_group(group, path) for group in table.get("link", [])),
        frozenset(features.get("enabled", [])),
        frozenset(features.get("supported", [])),
        {
            key: FeatureFlags(tuple(value.get("compile", ())), tuple(value.get("link", ())))
            for key, value in table.get("feature", {}).items()
        },
    )


def description_of(settings: Settings) -> ToolchainDescription:
    """The toolchain description that these settings choose."""
    return toolchain_description(str(dict(settings.other).get(DESCRIPTION_OPTION, DEFAULT_DESCRIPTION)))


def split_features(*layers: Iterable[str]) -> tuple[frozenset[str], frozenset[str]]:
    """(requested, disabled) of lists of feature names, "-NAME" disabling; a later list wins over an earlier one."""
    state: dict[str, bool] = {}
    for layer in layers:
        names = list(layer)
        state.update({name: True for name in names if not name.startswith("-")})
        state.update({name[1:]: False for name in names if name.startswith("-")})
    return (
        frozenset(name for name, wanted in state.items() if wanted),
        frozenset(name for name, wanted in state.items() if not wanted),
    )


def feature_configuration(
    settings: Settings,
    requested: Iterable[str] = (),
    disabled: Iterable[str] = (),
    toolchain: ProjectToolchain | None = None,
) -> FeatureConfiguration:
    """The features in force; those that the toolchain does not know are ignored, as in Bazel.

    Raises WorkspaceError for a feature whose absence would give another program than the one asked for.
    """
    wanted, unwanted = frozenset(requested), frozenset(disabled)
    if toolchain is not None:
        return _of_project(settings, wanted, unwanted, toolchain)
    for name in sorted(wanted - unwanted):
        if name in _REFUSED:
            raise WorkspaceError(Diagnostic(f"the C++ feature {name!r} is not available", help=_REFUSED[name]))
    description = description_of(settings)
    known = description.enabled | description.supported | description.features.keys()
    mode = {settings.compilation_mode}
    enabled = (description.enabled | (wanted & known) | _ALWAYS | mode) - unwanted
    return FeatureConfiguration(description, settings.compilation_mode, settings.compiler, enabled, wanted, unwanted)


def _of_project(
    settings: Settings, wanted: frozenset[str], unwanted: frozenset[str], toolchain: ProjectToolchain
) -> FeatureConfiguration:
    """The features of a toolchain that the project describes; raises WorkspaceError when two exclude each other."""
    mode = settings.compilation_mode
    description = description_of(settings)
    try:
        enabled = toolchain.features.select(described(wanted, mode), unwanted)
    except EvalError as error:
        raise placed(error, toolchain.label) from None
    if toolchain.features.legacy:
        enabled |= _ALWAYS - unwanted
    enabled |= description.enabled & _OF_RELEASES
    return FeatureConfiguration(description, mode, settings.compiler, enabled, wanted, unwanted, toolchain=toolchain)

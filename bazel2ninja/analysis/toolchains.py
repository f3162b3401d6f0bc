"""Toolchain resolution: https://bazel.build/extending/toolchains#toolchain-resolution"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.providers_builtin import (
    DeclaredToolchainInfo,
    TemplateVariableInfo,
    ToolchainInfo,
    ToolchainTypeInfo,
)
from bazel2ninja.configuration.configuration import Configuration
from bazel2ninja.diagnostics import Diagnostic, Location, Note, WorkspaceError
from bazel2ninja.labels import Label, PackageIdentifier, RepositoryMapping, parse_label, parse_target_pattern
from bazel2ninja.loading.repository import AbsentRepositoryError
from bazel2ninja.loading.target import RuleTarget
from bazel2ninja.loading.transition import ExecGroup, ToolchainType
from bazel2ninja.records import dataclass
from bazel2ninja.starlark import EvalError, type_name

if TYPE_CHECKING:
    from bazel2ninja.analysis.analyzer import Analyzer
    from bazel2ninja.analysis.rule_context import RuleContext

BuiltinToolchain = Callable[[Any, Configuration], Any]
"""function(analyzer, configuration) -> ToolchainInfo instance, or None when there is none for the configuration."""

Registration = tuple[str, str, Location | None]
"""(canonical name of the repository whose file says it, target pattern, place)."""


class ToolchainContext:
    """ctx.toolchains: toolchain type -> ToolchainInfo, None for an optional type without a toolchain."""

    __slots__ = ("_base", "_mapping", "_resolved", "_types", "template_variables")
    starlark_type = "ToolchainContext"

    def __init__(
        self,
        resolved: Mapping[Label, Any],
        types: Mapping[Label, Label],
        template_variables: Mapping[str, str],
        base: PackageIdentifier,
        mapping: RepositoryMapping,
    ):
        self._resolved = resolved
        self._types = types  # as the rule writes the type -> the type behind aliases
        self.template_variables = template_variables
        self._base = base
        self._mapping = mapping

    def restricted(self, types: Iterable[Label], defined_in: Label | None) -> ToolchainContext:
        """The same with these types only, and texts read as in the file `defined_in`."""
        kept = {written: self._types.get(written, written) for written in types}
        resolved = {actual: self._resolved[actual] for actual in kept.values()}
        base = self._base if defined_in is None else defined_in.package
        return ToolchainContext(resolved, kept, {}, base, self._mapping)

    def find(self, type: Label) -> Any:
        """The toolchain of a type; raises EvalError for a type that the rule does not ask for."""
        actual = self._types.get(type, type)
        if actual not in self._resolved:
            known = ", ".join(str(each) for each in self._types)
            raise EvalError(f"toolchain type {type} was requested but only types [{known}] are configured")
        return self._resolved[actual]

    def _label(self, key: object) -> Label:
        if isinstance(key, Label):
            return key
        if isinstance(key, str):
            return parse_label(key, self._base, self._mapping)
        if isinstance(key, ToolchainType):
            return key.label
        provider = getattr(key, "provider", None)
        if provider is ToolchainTypeInfo:
            return key.s_type_label  # type: ignore[attr-defined,no-any-return]
        raise EvalError(f"toolchains require a Label or a string as key, but got {type_name(key)}")

    def __getitem__(self, key: object) -> Any:
        return self.find(self._label(key))

    def __contains__(self, key: object) -> bool:
        label = self._label(key)
        return self._types.get(label, label) in self._resolved

    def starlark_repr(self) -> str:
        return f"<toolchain_context.resolved_labels: {', '.join(str(each) for each in self._types)}>"


@dataclass(frozen=True, slots=True)
class _Chosen:
    """toolchain: label of what implements the type; None with `info` when it is built in, or there is none."""

    type: Label
    toolchain: Label | None = None
    info: Any = None
    rejected: tuple[str, ...] = ()


class Registry:
    """The registered toolchains of a run, in the order in which they are tried.

    registered: called when a toolchain is first wanted; gives (repository whose file says it, target pattern, place).
    Toolchains in repositories that are absent are passed over; the error of a type without a toolchain names them.
    """

    def __init__(self, analyzer: Analyzer, registered: Callable[[], Iterable[Registration]]):
        self._analyzer = analyzer
        self._registered = registered
        self._labels: dict[Label, Location | None] | None = None  # with the place of the registration
        self._absent: list[str] = []
        self._chosen: dict[tuple[Label, Configuration], _Chosen] = {}

    def labels(self) -> dict[Label, Location | None]:
        """The toolchain() targets, in order, each with the place that registers it: None for the command line."""
        if self._labels is None:
            found: dict[Label, Location | None] = {}
            for repository, text, location in self._registered():
                try:
                    for label in self._expand(repository, text):
                        found.setdefault(label, location)
                except AbsentRepositoryError:
                    self._absent.append(text)
                except WorkspaceError as error:
                    raise error.at(location) from None
            self._labels = found
        return self._labels

    def _expand(self, repository: str, text: str) -> list[Label]:
        loader = self._analyzer.loader
        mapping = loader.repository(repository).mapping
        pattern = parse_target_pattern(text, PackageIdentifier(repository, ""), mapping)
        if pattern.name is not None:
            return [Label(pattern.package, pattern.name)]
        packages = loader.packages_below(pattern.package) if pattern.recursive else (pattern.package,)
        return [
            target.label
            for package in packages
            for _, target in sorted(loader.package(package).targets.items())
            if isinstance(target, RuleTarget) and "toolchain_type" in target.rule_class.attributes
        ]

    def choose(self, type: Label, configuration: Configuration) -> Generator[Any, Any, _Chosen]:
        """The first registered toolchain of a type that fits, else the built-in one."""
        key = type, configuration
        if key not in self._chosen:
            self._chosen[key] = yield from self._choose(type, configuration)
        return self._chosen[key]

    def _choose(self, type: Label, configuration: Configuration) -> Generator[Any, Any, _Chosen]:
        analyzer = self._analyzer
        execution = analyzer.exec_configuration(configuration)
        labels = self.labels()
        rejected = [f"{text} is in a repository that is absent" for text in self._absent]
        for label, location in labels.items():
            analyzer.steps.nested.add(("target", label, configuration))  # what it says counts for all who choose
            try:
                declared = (yield ("target", label, configuration)).get(DeclaredToolchainInfo)
            except AbsentRepositoryError as error:
                rejected.append(f"{label} cannot be read: {error.diagnostic.message}")
                continue
            except WorkspaceError as error:
                how = "registered as a toolchain here" if location else "named by '--extra_toolchains'"
                raise error.at(location, Note(f"'{label}' is {how}", location)) from error.__cause__
            if declared is None or declared.s_toolchain_type is not type:
                continue
            if not all(analyzer.has_constraint(execution, each) for each in declared.s_exec_compatible_with):
                rejected.append(f"{label} does not run on the execution platform")
            elif not all(analyzer.has_constraint(configuration, each) for each in declared.s_target_compatible_with):
                rejected.append(f"{label} is not for the target platform")
            elif not all(analyzer.conditions.matches(each, configuration) for each in declared.s_target_settings):
                rejected.append(f"{label} is not for this configuration")
            else:
                return _Chosen(type, declared.s_toolchain)
        builtin = analyzer.builtin_toolchains.get(type)
        info = builtin(analyzer, configuration) if builtin is not None else None
        return _Chosen(type, None, info, tuple(rejected))


def resolve(analyzer: Analyzer, context: RuleContext) -> Generator[Any, Any, None]:
    """Finds the toolchains that the rule (or aspect) asks for, and those of its execution groups."""
    definition = context.definition
    context.toolchain_contexts[""] = yield from _resolve_group(analyzer, context, definition.toolchains)
    for name, group in definition.exec_groups.items():
        assert isinstance(group, ExecGroup)
        wanted = definition.toolchains if group.copy_from_rule else group.toolchains
        context.toolchain_contexts[name] = yield from _resolve_group(analyzer, context, wanted)


def _resolve_group(
    analyzer: Analyzer, context: RuleContext, wanted: Iterable[Any]
) -> Generator[Any, Any, ToolchainContext]:
    resolved: dict[Label, Any] = {}
    types: dict[Label, Label] = {}
    variables: dict[str, str] = {}
    missing = []
    for written, mandatory in wanted:
        actual = yield from _type(context, written)
        types[written] = actual
        if actual in resolved:
            continue
        chosen = yield from analyzer.toolchains.choose(actual, context.configuration)
        info = chosen.info
        if chosen.toolchain is not None:
            target = yield ("target", chosen.toolchain, context.configuration)
            info = target.get(ToolchainInfo)
            if info is None:
                raise context.error(f"toolchain '{chosen.toolchain}' does not provide ToolchainInfo")
            given = target.get(TemplateVariableInfo)
            if given is not None:
                variables.update(given.s_variables)
        resolved[actual] = info
        if info is None and mandatory:
            missing.append((actual, chosen))
    if missing:
        names = ", ".join(str(type) for type, _ in missing)
        rejected = [text for _, chosen in missing for text in chosen.rejected]
        raise context.error(
            Diagnostic(f"No matching toolchains found for types {names}", help="; ".join(rejected) or None)
        )
    defined_in = getattr(context.definition, "defined_in", None)
    base = defined_in.package if isinstance(defined_in, Label) else context.label.package
    mapping = analyzer.loader.mapping(base.repository)
    return ToolchainContext(resolved, types, variables, base, mapping)


def _type(context: RuleContext, label: Label) -> Generator[Any, Any, Label]:
    """The toolchain type behind aliases; a built-in one needs no target."""
    if label in context.analyzer.builtin_toolchains:
        return label
    info = (yield ("target", label, context.configuration)).get(ToolchainTypeInfo)
    if info is None:
        raise context.error(f"target {label} was referenced as a toolchain type, but is no toolchain_type")
    return info.s_type_label  # type: ignore[no-any-return]

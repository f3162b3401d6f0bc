"""From targets to configured targets: the analysis phase, https://bazel.build/extending/rules#evaluation_model.

Each (target, configuration) is analysed once, on demand.  The kinds of rules are not known here: a rule class says what
runs.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from bazel2ninja.analysis import aspects, dependencies, fragments, leaves, results, subrules, toolchains
from bazel2ninja.analysis.action import Action, WriteAction
from bazel2ninja.analysis.artifact import Artifact, ArtifactRoot
from bazel2ninja.analysis.attribute_values import AttributeValues
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.providers_builtin import (
    DefaultInfo,
    FeatureFlagInfo,
    FilesToRun,
    Forwarded,
    IncompatiblePlatformInfo,
    PackageSpecification,
    PackageSpecificationInfo,
    complete_default_info,
)
from bazel2ninja.analysis.requests import Key, Scheduler, Step
from bazel2ninja.analysis.rule_context import RuleContext
from bazel2ninja.analysis.runfiles import EMPTY_RUNFILES
from bazel2ninja.analysis.toolchains import BuiltinToolchain
from bazel2ninja.configuration import build_settings, transitions
from bazel2ninja.configuration.configuration import Configuration, Configurations
from bazel2ninja.configuration.platforms import HostPlatform
from bazel2ninja.diagnostics import Diagnostic, InternalError, Location, WorkspaceError
from bazel2ninja.labels import Label, PackageIdentifier
from bazel2ninja.loading.macro_scope import MacroScope
from bazel2ninja.loading.rule_class import Attribute, ConfigurationField, RuleClass
from bazel2ninja.loading.target import OutputFile, PackageGroup, RuleTarget, SourceFile
from bazel2ninja.loading.transition import AspectClass, Transition
from bazel2ninja.starlark import Semantics, Thread

SOURCE_ROOT = ArtifactRoot("")

NO_TOOLCHAINS: Mapping[Label, BuiltinToolchain] = MappingProxyType({})


class Analyzer:
    """Analyses targets; `actions` lists what their rules made, in the order made, `makers` the step that made each.

    A maker is None where steps share an action by design; `shared` are the outputs of which another step declared an
    interchangeable action as well.
    loader, conditions: see docs/design.md.  host: the platform that tools run on, None when it is the target platform.
    workspace_name: of the main repository's directory in runfiles trees.  registered_toolchains: gives those of
    --extra_toolchains, then of register_toolchains().  builtin_toolchains: label of a toolchain type ->
    function(analyzer, configuration) that gives its ToolchainInfo when none is registered.  make_variables: what "Make"
    variables a configuration has besides the language-neutral ones.  given_options: name -> last value that the command
    line or .bazelrc gives, be it the default.
    """

    def __init__(
        self,
        loader: Any,
        configurations: Configurations,
        conditions: Any,
        *,
        host: HostPlatform | None = None,
        workspace_name: str = "__main__",
        semantics: Semantics | None = None,
        registered_toolchains: Callable[[], Iterable[toolchains.Registration]] = tuple,
        builtin_toolchains: Mapping[Label, BuiltinToolchain] = NO_TOOLCHAINS,
        make_variables: Callable[[Configuration], Mapping[str, str]] | None = None,
        given_options: Mapping[str, object] = MappingProxyType({}),
    ):
        self.loader = loader
        self.workspace_name = workspace_name
        self._host = host
        self.configurations = configurations
        self.conditions = conditions
        self.semantics = semantics or Semantics()
        self.actions: list[Action] = []
        self.makers: list[Key | None] = []
        self.shared: set[Artifact] = set()
        self.builtin_toolchains = builtin_toolchains
        self.toolchains = toolchains.Registry(self, registered_toolchains)
        self._make_variables = make_variables
        self.given_options = given_options
        self._artifacts: dict[str, Artifact] = {}
        self._roots: dict[str, ArtifactRoot] = {}
        self._generating: dict[Artifact, Action] = {}
        self._contexts: dict[tuple[Label, Configuration], RuleContext] = {}
        self.leaves: dict[Label, tuple[Label | None, Diagnostic]] = {}
        """Targets that are as good as absent: the absent one that they need, and what it lacks for them."""
        self._variables: dict[Configuration, dict[str, str]] = {}
        self.project_toolchains: dict[Configuration, Any] = {}
        """For rules: what they have found out of the toolchain of a configuration."""
        self.notices: list[Diagnostic] = []  # warnings, for whoever talks to the user
        self._dependency_attributes: dict[int, tuple[Any, tuple[Attribute, ...]]] = {}
        self.visible: set[tuple[PackageIdentifier | MacroScope, Label]] = set()  # what a place has been found to see
        self.transition_results: dict[Any, list[tuple[Any, Configuration]]] = {}
        self.steps = Scheduler(self._start, self._describe, frozenset(("rule", "aspect")))
        conditions.feature_flag = self.feature_flag

    # Asking.

    def configured_target(self, label: Label, configuration: Configuration) -> ConfiguredTarget:
        """The target in the configuration; raises WorkspaceError, and again whenever it is asked for."""
        return self.steps.get(("target", label, configuration))  # type: ignore[no-any-return]

    def analysed_repositories(self) -> set[str]:
        """Names of the repositories of all rules that have been analysed."""
        return {label.repository for label, _ in self._contexts}

    def context(self, target: ConfiguredTarget) -> RuleContext:
        """The context that the rule behind `target` was analysed with (ctx.rule of aspects, reports)."""
        assert target.configuration is not None
        return self._contexts[target.actual, target.configuration]

    def with_aspects(self, target: ConfiguredTarget, applied: Iterable[Any]) -> ConfiguredTarget:
        """`target` with what aspects (AspectClass, without parameters) add to it, as --aspects does."""
        key = ("aspects", target, tuple(aspects.Application(aspect) for aspect in applied))
        return self.steps.get(key)  # type: ignore[no-any-return]

    def generating_action(self, artifact: Artifact) -> Action | None:
        """The action that makes a file; None for a source file."""
        return self._generating.get(artifact)

    def artifact(
        self, configuration: Configuration, path: str, owner: Label, *, directory: bool = False, symlink: bool = False
    ) -> Artifact:
        """The file at `path` below the configuration's directory of generated files; one object per path."""
        exec_path = f"{configuration.bin}/{path}"
        found = self._artifacts.get(exec_path)
        if found is None:
            root = self.root(configuration.bin)
            found = Artifact(exec_path, root, owner, is_directory=directory, is_symlink=symlink)
            self._artifacts[exec_path] = found
        elif found.is_directory != directory or found.is_symlink != symlink:
            raise WorkspaceError(Diagnostic(f"'{exec_path}' is declared both as a file and as another kind of output"))
        return found

    def root(self, path: str) -> ArtifactRoot:
        """The root at `path`; one object per path."""
        found = self._roots.get(path)
        if found is None:
            found = self._roots[path] = ArtifactRoot(path)
        return found

    def _file_below(self, root: str, path: str, owner: Label) -> Artifact:
        found = self._artifacts.get(f"{root}/{path}")
        if found is None:
            found = self._artifacts[f"{root}/{path}"] = Artifact(f"{root}/{path}", self.root(root), owner)
        return found

    def test_log(self, configuration: Configuration, label: Label) -> Artifact:
        """The log that running a test writes."""
        directory = label.package.exec_path
        path = f"{directory}/{label.name}/test.log" if directory else f"{label.name}/test.log"
        return self._file_below(configuration.output + "/testlogs", path, label)

    def status_file(self, name: str, owner: Label) -> Artifact:
        """A file with the workspace's status (--workspace_status_command), which is always empty: builds repeat."""
        file = self._file_below("bazel-out", name, owner)
        if file not in self._generating:
            self.register(
                WriteAction(
                    mnemonic="BazelWorkspaceStatusAction",
                    owner=owner,
                    configuration=self.configurations.target.mnemonic,
                    outputs=(file,),
                    content="",
                )
            )
            self.makers[-1] = None
        return file

    def source_artifact(self, label: Label) -> Artifact:
        """The source file that a label names."""
        path = label.exec_path
        found = self._artifacts.get(path)
        if found is None:
            found = self._artifacts[path] = Artifact(path, SOURCE_ROOT, label)
        return found

    def register(self, action: Action) -> None:
        """Adds an action; raises WorkspaceError when another one of the same target makes the same file."""
        for output in action.outputs:
            other = self._generating.get(output)
            if other is not None and not _interchangeable(other, action):
                raise WorkspaceError(
                    Diagnostic(
                        f"file '{output.exec_path}' is generated by two actions: {other.mnemonic} of {other.owner} and "
                        f"{action.mnemonic} of {action.owner}",
                        action.location,
                    )
                )
            if other is not None:
                self.shared.update(other.outputs)
                self.shared.update(action.outputs)
                return
        for output in action.outputs:
            self._generating[output] = action
        self.actions.append(action)
        self.makers.append(self.steps.current)

    def variables(self, configuration: Configuration) -> Mapping[str, str]:
        """The "Make" variables of a configuration: predefined ones, the toolchain's, then those of --define."""
        found = self._variables.get(configuration)
        if found is None:
            settings = configuration.settings
            found = {
                "BINDIR": configuration.bin,
                "GENDIR": configuration.bin,
                "TARGET_CPU": settings.cpu,
                "COMPILATION_MODE": settings.compilation_mode,
            }
            if self._make_variables is not None:
                found.update(self._make_variables(configuration))
            found.update(settings.defines)
            self._variables[configuration] = found
        return found

    def forget_variables(self, configuration: Configuration) -> None:
        """Has `variables` ask again."""
        self._variables.pop(configuration, None)

    def exec_configuration(self, configuration: Configuration) -> Configuration:
        """The configuration of the tools that targets in `configuration` need."""
        if self._host is None or configuration.settings.is_exec:
            return configuration if configuration.settings.is_exec else self.configurations.target
        settings = transitions.exec_settings(configuration.settings, self.configurations.top, self._host)
        return self.configurations.of(settings)

    def has_constraint(self, configuration: Configuration, value: Label) -> bool:
        """Whether the configuration's platform has a constraint value."""
        return bool(self.conditions.matches(value, configuration))

    def feature_flag(self, label: Label, configuration: Configuration) -> str | None:
        """The value that a flag's rule gives as FeatureFlagInfo, None when it gives none (for flag_values)."""
        info = self.configured_target(label, configuration).get(FeatureFlagInfo)
        return None if info is None else str(info.s_value)

    def build_setting(self, target: RuleTarget, configuration: Configuration) -> Any:
        """The value of a build setting in a configuration."""
        setting = build_settings.setting_of(target)
        assert setting is not None
        return build_settings.value_of(configuration.settings, setting)

    def fragments(self, configuration: Configuration) -> fragments.Fragments:
        """ctx.fragments."""
        return fragments.Fragments(configuration)

    def dependency_attributes(self, definition: RuleClass | AspectClass) -> tuple[Attribute, ...]:
        """The attributes of a rule kind, or an aspect, whose labels are followed."""
        found = self._dependency_attributes.get(id(definition))
        if found is None:
            found = definition, dependencies.dependency_attributes(definition.attributes)
            self._dependency_attributes[id(definition)] = found
        return found[1]

    def thread(self, **data: Any) -> Thread:
        """A Starlark thread for one implementation function."""
        return Thread(self.semantics, data=data)

    def call(self, function: Any, *args: Any) -> Any:
        """Calls a function of a .bzl file (or a Python one) outside of any rule's implementation."""
        return self.thread().call(function, args)

    # The steps.

    def _describe(self, key: Key) -> tuple[str, Location | None]:
        kind, subject = key[0], key[1]
        label = subject.label if isinstance(subject, ConfiguredTarget) else subject
        assert isinstance(label, Label)
        location: Location | None = None
        with contextlib.suppress(WorkspaceError):
            location = self.loader.subject(label).location
        text = str(label)
        if kind == "aspect":
            path = key[3]
            assert isinstance(path, tuple)
            text = f"{text} with aspect {path[-1].aspect.name}"
        return text, location

    def _start(self, key: Key) -> Step:
        kind, *arguments = key
        if kind == "target":
            return self._target(*arguments)  # type: ignore[arg-type]
        if kind == "rule":
            return self._rule(*arguments)  # type: ignore[arg-type]
        if kind == "aspect":
            return aspects.evaluate(self, *arguments)  # type: ignore[arg-type]
        if kind == "aspects":
            return aspects.apply(self, *arguments)  # type: ignore[arg-type]
        raise InternalError(f"unknown step of the analysis: {kind}")

    def _target(self, label: Label, configuration: Configuration) -> Step:
        target = self.loader.subject(label)
        if isinstance(target, RuleTarget):
            transition = target.rule_class.cfg
            if isinstance(transition, Transition):
                attributes = self.attributes(target, configuration)
                configuration = dependencies.incoming(self, target, transition, attributes, configuration)
            return (yield ("rule", label, configuration))
        if isinstance(target, SourceFile):
            file = self.source_artifact(label)
            return ConfiguredTarget(target, None, {DefaultInfo: file_info(file)})
        if isinstance(target, OutputFile):
            rule = yield ("target", target.generating_rule, configuration)
            return self._output_file(target, rule)
        assert isinstance(target, PackageGroup)
        included = []
        for each in target.includes:
            included.append((yield ("target", each, configuration)).get(PackageSpecificationInfo))
        specification = PackageSpecification(target, tuple(included))
        return ConfiguredTarget(
            target, None, {PackageSpecificationInfo: specification, DefaultInfo: complete_default_info(Depset())}
        )

    def _output_file(self, target: OutputFile, rule: ConfiguredTarget) -> ConfiguredTarget:
        assert rule.configuration is not None
        providers: dict[object, object] = {}
        reason = rule.get(IncompatiblePlatformInfo)
        if reason is not None:
            providers[IncompatiblePlatformInfo] = reason
        package = target.label.package.exec_path
        path = f"{package}/{target.label.name}" if package else target.label.name
        file = self.artifact(rule.configuration, path, rule.actual)
        providers[DefaultInfo] = file_info(file, rule.files_to_run)
        return ConfiguredTarget(target, rule.configuration, providers)

    def attributes(self, target: RuleTarget, configuration: Configuration) -> AttributeValues:
        """The resolver of a target's attributes."""
        return AttributeValues(
            target,
            configuration,
            target.rule_class.attributes,
            target.attributes,
            self.conditions.resolve,
            self.configuration_field,
            self.call,
        )

    def configuration_field(self, field: ConfigurationField, configuration: Configuration) -> object:
        """The label that a fragment's option holds; raises WorkspaceError for an unknown field."""
        return fragments.configuration_field(field, configuration)

    def _rule(self, label: Label, configuration: Configuration) -> Step:
        target = self.loader.subject(label)
        attributes = self.attributes(target, configuration)
        context = RuleContext(self, target, configuration, attributes)
        self._contexts[label, configuration] = context
        reason = dependencies.platform_incompatibility(self, target, attributes, configuration)
        if reason is not None:
            return _incompatible(target, configuration, reason)
        yield from dependencies.collect(self, context)
        if context.unfit is not None:
            return (yield from self._leaf(context, context.unfit))
        reason = dependencies.incompatible_dependency(context)
        if reason is not None:
            return _incompatible(target, configuration, reason)
        if context.may_fail:
            causes = [results.failure(context, error) for error in context.failures]
            causes += dependencies.failures(context)
            if causes:
                return results.failed_target(context, causes)
        yield from toolchains.resolve(self, context)
        try:
            made = self._run_implementation(context, target.rule_class)
        except WorkspaceError as error:
            if context.may_fail:
                return results.failed_target(context, [results.failure(context, error)])
            if not any(leaves.needed(self.loader, context)):
                raise
            return (yield from self._leaf(context, error))
        if isinstance(made, Forwarded):
            other = made.target
            if isinstance(other, Label):
                other = yield ("target", other, configuration)
            return other.renamed(label)
        return made

    def _run_implementation(self, context: RuleContext, rule_class: RuleClass) -> ConfiguredTarget | Forwarded:
        implementation: Any = rule_class.implementation
        try:
            if rule_class.native:
                returned = implementation(context)
                if returned is not None and not isinstance(returned, Forwarded):
                    returned = list(returned)
            else:
                returned = self.thread(context=context, call_subrule=partial(subrules.call, context)).call(
                    implementation, (context,)
                )
            if isinstance(returned, Forwarded):
                return returned
            return results.configured_target(context, returned)
        except WorkspaceError as error:
            raise context.located(error) from error.__cause__
        finally:
            context.finish()

    def _leaf(self, context: RuleContext, error: WorkspaceError) -> Step:
        """The target as one that is absent, because of the absent ones that it needs."""
        target = leaves.leaf_instead(self.loader, context.target, error)
        self.leaves[target.label] = leaves.reason(self.loader, context, error)
        attributes = self.attributes(target, context.configuration)
        other = RuleContext(self, target, context.configuration, attributes)
        self._contexts[target.label, context.configuration] = other
        yield from toolchains.resolve(self, other)
        made = self._run_implementation(other, target.rule_class)
        assert isinstance(made, ConfiguredTarget)
        return made


def file_info(file: Artifact, run: FilesToRun | None = None) -> Any:
    """The DefaultInfo of a file by itself: it can be executed, and is a runfile of who names it in `data` only."""
    files = Depset((file,))
    runfiles = EMPTY_RUNFILES
    if run is None or run.executable is not file:
        run = FilesToRun(file)
    return complete_default_info(files, runfiles, runfiles, run)


def _incompatible(target: RuleTarget, configuration: Configuration, reason: str) -> ConfiguredTarget:
    providers: dict[object, object] = {
        IncompatiblePlatformInfo: IncompatiblePlatformInfo(reason=reason),
        DefaultInfo: complete_default_info(Depset()),
    }
    return ConfiguredTarget(target, configuration, providers)


def _interchangeable(first: Action, second: Action) -> bool:
    """Whether two actions are the same: aspects and shared helpers may declare one twice."""
    if first is second:
        return True
    if type(first) is not type(second) or first.outputs != second.outputs or first.inputs != second.inputs:
        return False
    for name in ("arguments", "content", "substitutions", "target", "copts", "defines", "members", "flags"):
        if getattr(first, name, None) != getattr(second, name, None):
            return False
    return True

"""`ctx` as rules and aspects of .bzl files see it: https://bazel.build/rules/lib/builtins/ctx"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis import expansion
from bazel2ninja.analysis.artifact import Artifact, ArtifactRoot
from bazel2ninja.analysis.attribute_values import starlark_value
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.providers_builtin import ConstraintValueInfo
from bazel2ninja.analysis.runfiles import Runfiles
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.labels import Label
from bazel2ninja.loading.rule_class import Attribute, AttributeType
from bazel2ninja.loading.transition import AnalysisTestTransition, BuildSetting, Transition
from bazel2ninja.starlark import Dict, EvalError, List, Struct, called, current_thread, freeze, type_name

if TYPE_CHECKING:
    from bazel2ninja.analysis.dependencies import Dependency
    from bazel2ninja.analysis.rule_context import RuleContext

_T = AttributeType


class StarlarkContext:
    """The fields and methods of ctx; RuleContext has what they rest on."""

    starlark_type = "ctx"
    _views: dict[str, Any]

    def starlark_repr(self: RuleContext) -> str:  # type: ignore[misc]
        what = f"aspect {self.aspect.name} on {self.label}" if self.aspect else str(self.label)
        return f"<{'aspect' if self.aspect else 'rule'} context for {what}>"

    def check_open(self: RuleContext, name: str) -> None:  # type: ignore[misc]
        """Raises EvalError when the field or method `name` is used after the implementation, or in a subrule's."""
        if self.is_finished or self.running_subrule is not None:
            raise EvalError(
                f"cannot access field or method '{name}' of rule context for '{self.label}' outside of its own rule "
                "implementation function"
            )

    def _view(self: RuleContext, name: str, make: Any) -> Any:  # type: ignore[misc]
        self.check_open(name)
        views = self.__dict__.setdefault("_views", {})
        if name not in views:
            views[name] = make()
        return views[name]

    # Attributes.

    @property
    def s_attr(self: RuleContext) -> Struct:  # type: ignore[misc]
        return self._view("attr", lambda: attribute_struct(self, self.prerequisites))  # type: ignore[no-any-return]

    @property
    def s_split_attr(self: RuleContext) -> Struct:  # type: ignore[misc]
        return self._view("split_attr", lambda: _split_struct(self))  # type: ignore[no-any-return]

    @property
    def s_files(self: RuleContext) -> Struct:  # type: ignore[misc]
        return self._view("files", lambda: files_struct(self, self.prerequisites))  # type: ignore[no-any-return]

    @property
    def s_file(self: RuleContext) -> Struct:  # type: ignore[misc]
        return self._view("file", lambda: file_struct(self, self.prerequisites))  # type: ignore[no-any-return]

    @property
    def s_executable(self: RuleContext) -> Struct:  # type: ignore[misc]
        return self._view("executable", lambda: executable_struct(self, self.prerequisites))  # type: ignore[no-any-return]

    @property
    def s_outputs(self: RuleContext) -> Struct:  # type: ignore[misc]
        if self.aspect is not None:
            raise EvalError("'outputs' is not defined for aspects")
        return self._view("outputs", lambda: _outputs_struct(self))  # type: ignore[no-any-return]

    @property
    def s_rule(self: RuleContext) -> Struct:  # type: ignore[misc]
        if self.rule is None:
            raise EvalError("'rule' is only available in aspect implementations")
        return self._view("rule", lambda: rule_struct(self.rule, self.rule_prerequisites))  # type: ignore[no-any-return]

    def starlark_rule(self: RuleContext) -> Struct:  # type: ignore[misc]
        """What a function for attr_aspects gets: kind, label and attributes of the rule."""
        return Struct(label=self.label, rule_kind=self.kind, attr=attribute_struct(self, self.prerequisites))

    # What it is.

    @property
    def s_label(self: RuleContext) -> Label:  # type: ignore[misc]
        return self.label

    @property
    def s_workspace_name(self: RuleContext) -> str:  # type: ignore[misc]
        return self.workspace_name

    @property
    def s_build_file_path(self: RuleContext) -> str:  # type: ignore[misc]
        return self.analyzer.loader.own_package(self.label.package).build_file.exec_path  # type: ignore[no-any-return]

    @property
    def s_aspect_ids(self: RuleContext) -> List:  # type: ignore[misc]
        if self.aspect is None:
            raise EvalError("'aspect_ids' is only available in aspect implementations")
        return List(f"{each.aspect.defined_in}%{each.aspect.name}" for each in self.aspect_path)

    @property
    def s_bin_dir(self: RuleContext) -> ArtifactRoot:  # type: ignore[misc]
        return self.analyzer.root(self.configuration.bin)

    @property
    def s_genfiles_dir(self: RuleContext) -> ArtifactRoot:  # type: ignore[misc]
        return self.analyzer.root(self.configuration.bin)

    @property
    def s_configuration(self: RuleContext) -> BuildConfiguration:  # type: ignore[misc]
        return BuildConfiguration(self)

    @property
    def s_host_configuration(self: RuleContext) -> BuildConfiguration:  # type: ignore[misc]
        return BuildConfiguration(self)

    @property
    def s_fragments(self: RuleContext) -> Any:  # type: ignore[misc]
        return self._view("fragments", lambda: self.analyzer.fragments(self.configuration))

    @property
    def s_host_fragments(self: RuleContext) -> Any:  # type: ignore[misc]
        return self.analyzer.fragments(self.analyzer.exec_configuration(self.configuration))

    @property
    def s_features(self: RuleContext) -> List:  # type: ignore[misc]
        return List(each for each in self.features() if not each.startswith("-"))

    @property
    def s_disabled_features(self: RuleContext) -> List:  # type: ignore[misc]
        return List(each[1:] for each in self.features() if each.startswith("-"))

    @property
    def s_var(self: RuleContext) -> Dict:  # type: ignore[misc]
        return self._view("var", lambda: freeze(Dict(self.all_variables())))  # type: ignore[no-any-return]

    @property
    def s_info_file(self: RuleContext) -> Artifact:  # type: ignore[misc]
        return self.analyzer.status_file("stable-status.txt", self.label)

    @property
    def s_version_file(self: RuleContext) -> Artifact:  # type: ignore[misc]
        return self.analyzer.status_file("volatile-status.txt", self.label)

    @property
    def s_build_setting_value(self: RuleContext) -> Any:  # type: ignore[misc]
        if not isinstance(self.target.rule_class.build_setting, BuildSetting):
            raise EvalError("attempting to access 'build_setting_value' of non-build setting " + str(self.label))
        return starlark_value(self.analyzer.build_setting(self.target, self.configuration))

    # Toolchains.

    @property
    def s_toolchains(self: RuleContext) -> Any:  # type: ignore[misc]
        return self.toolchain_contexts[""]

    @property
    def s_exec_groups(self: RuleContext) -> Any:  # type: ignore[misc]
        return ExecGroups(self)

    def s_target_platform_has_constraint(self: RuleContext, constraintValue: Any) -> bool:  # type: ignore[misc]
        if getattr(constraintValue, "provider", None) is not ConstraintValueInfo:
            raise EvalError(
                "in call to target_platform_has_constraint(), parameter 'constraintValue' got value of type "
                f"'{type_name(constraintValue)}', want 'ConstraintValueInfo'"
            )
        return self.analyzer.has_constraint(self.configuration, constraintValue.s_label)

    def s_coverage_instrumented(self, target: Any = None) -> bool:
        return False  # coverage is never collected

    # Actions.

    @property
    def s_actions(self: RuleContext) -> Any:  # type: ignore[misc]
        from bazel2ninja.analysis.actions import Actions

        return self._view("actions", lambda: Actions(self))

    def s_created_actions(self) -> Any:
        raise EvalError("ctx.created_actions() is not supported")

    def s_runfiles(  # type: ignore[misc]
        self: RuleContext,
        files: Any = (),
        transitive_files: Any = None,
        collect_data: Any = False,
        collect_default: Any = False,
        symlinks: Any = None,
        root_symlinks: Any = None,
        skip_conflict_checking: Any = False,
    ) -> Runfiles:
        if isinstance(files, Depset) and self.analyzer.semantics.depset_operators:
            files = files.flatten()
        if not isinstance(files, list | tuple) or not all(isinstance(file, Artifact) for file in files):
            raise EvalError("in call to runfiles(), parameter 'files' must be a sequence of Files")
        if transitive_files is not None and not isinstance(transitive_files, Depset):
            raise EvalError(
                "in call to runfiles(), parameter 'transitive_files' got value of type "
                f"'{type_name(transitive_files)}', want 'depset of Files or NoneType'"
            )
        return self.runfiles(
            tuple(files),
            transitive_files=transitive_files,
            collect_data=bool(collect_data),
            collect_default=bool(collect_default),
            symlinks=symlinks or {},
            root_symlinks=root_symlinks or {},
        )

    # Text.

    def s_tokenize(self: RuleContext, option: Any) -> List:  # type: ignore[misc]
        if not isinstance(option, str):
            raise EvalError(
                f"in call to tokenize(), parameter 'option' got value of type '{type_name(option)}', want 'string'"
            )
        return List(self.tokenize(option))

    def s_expand(  # type: ignore[misc]
        self: RuleContext, expression: Any, artifacts: Any, label_resolver: Any
    ) -> str:
        raise EvalError("ctx.expand() is not supported; use ctx.expand_location()")

    def s_expand_location(self: RuleContext, input: Any, targets: Any = (), short_paths: Any = False) -> str:  # type: ignore[misc]
        if not isinstance(input, str):
            raise EvalError(
                f"in call to expand_location(), parameter 'input' got value of type '{type_name(input)}', want 'string'"
            )
        for target in targets:
            if not isinstance(target, ConfiguredTarget):
                raise EvalError(
                    f"in call to expand_location(), 'targets' holds an element of type "
                    f"'{type_name(target)}', want 'Target'"
                )
        return self.location_expander(targets, runfiles=bool(short_paths)).expand(input)

    def s_expand_make_variables(  # type: ignore[misc]
        self: RuleContext, attribute_name: Any, command: Any, additional_substitutions: Any
    ) -> str:
        if not isinstance(additional_substitutions, Mapping):
            raise EvalError("in call to expand_make_variables(), parameter 'additional_substitutions' must be a dict")

        def variable(name: str) -> str:
            value = additional_substitutions.get(name)
            return self.variable(name) if value is None else value

        try:
            return expansion.expand(command, variable)
        except WorkspaceError as error:
            raise self.error(error.diagnostic, attribute_name) from None

    def s_resolve_command(  # type: ignore[misc]
        self: RuleContext,
        *,
        command: Any = "",
        attribute: Any = None,
        expand_locations: Any = False,
        make_variables: Any = None,
        tools: Any = (),
        label_dict: Any = None,
        execution_requirements: Any = None,
    ) -> tuple[Any, ...]:
        files: dict[Label, tuple[Artifact, ...]] = {}
        for label, given in (label_dict or {}).items():
            files[label] = tuple(given)
        text = command
        if expand_locations:
            expander = self.location_expander(tools)
            if files:
                known = {**self.location_files(), **files}
                expander = expansion.LocationExpander(known, self.parse_label, self.workspace_name)
            text = expander.expand(text)
        if make_variables:
            text = expansion.expand(text, lambda name: make_variables.get(name) or self.variable(name))
        inputs, manifests = self._resolved_tools(tools)
        return List(inputs), List(["/bin/bash", "-c", text]), List(manifests)

    def s_resolve_tools(self: RuleContext, *, tools: Any = ()) -> tuple[Any, ...]:  # type: ignore[misc]
        inputs, manifests = self._resolved_tools(tools)
        return Depset(inputs), List(manifests)

    def _resolved_tools(self: RuleContext, tools: Iterable[Any]) -> tuple[list[Artifact], list[Any]]:  # type: ignore[misc]
        inputs: dict[Artifact, None] = {}
        for tool in tools:
            inputs.update(dict.fromkeys(tool.files.flatten()))
            run = tool.files_to_run
            if run.executable is not None:
                inputs[run.executable] = None
            if run.manifest is not None:
                inputs[run.manifest] = None
                inputs.update(dict.fromkeys(run.runfiles.files.flatten()))
        return list(inputs), []

    # Extended rules.

    def s_super(self: RuleContext) -> Any:  # type: ignore[misc]
        kind = self.running_rule_class
        parent = kind.parent
        if parent is None:
            raise EvalError("Can't use super call, the rule is not extending another rule")
        self.running_rule_class = parent
        try:
            implementation: Any = parent.implementation
            if parent.native:
                return List(implementation(self))
            return called(implementation, (self,), {})
        finally:
            self.running_rule_class = kind


class BuildConfiguration:
    """ctx.configuration: https://bazel.build/rules/lib/builtins/configuration"""

    __slots__ = ("_context",)
    starlark_type = "configuration"

    def __init__(self, context: RuleContext):
        self._context = context

    @property
    def s_default_shell_env(self) -> Dict:
        environment = self._context.settings.action_environment
        return freeze(Dict((name, value) for name, value in environment if value is not None))  # type: ignore[no-any-return]

    @property
    def s_test_env(self) -> Dict:
        environment = self._context.settings.test_environment
        return freeze(Dict((name, value) for name, value in environment if value is not None))  # type: ignore[no-any-return]

    @property
    def s_coverage_enabled(self) -> bool:
        return False

    @property
    def s_host_path_separator(self) -> str:
        return ":"

    @property
    def s_short_id(self) -> str:
        return self._context.configuration.mnemonic

    def s_is_tool_configuration(self) -> bool:
        return self._context.settings.is_exec

    def s_is_sibling_repository_layout(self) -> bool:
        return False

    def s_stamp_binaries(self) -> bool:
        return False

    def s_has_separate_genfiles_directory(self) -> bool:
        return False

    def s_runfiles_enabled(self) -> bool:
        return True


class ExecGroups:
    """ctx.exec_groups[NAME].toolchains"""

    __slots__ = ("_context",)
    starlark_type = "exec_groups"

    def __init__(self, context: RuleContext):
        self._context = context

    def __getitem__(self, name: object) -> Struct:
        found = self._context.toolchain_contexts.get(name) if isinstance(name, str) and name else None
        if found is None:
            raise EvalError(f"unrecognized exec group '{name}' requested")
        return Struct(toolchains=found)

    def __contains__(self, name: object) -> bool:
        return bool(name) and name in self._context.toolchain_contexts


# The structs of ctx: attribute name -> value.


def _is_listed(attribute: Attribute) -> bool:
    """A transition on the edge makes a single label a list of targets."""
    return isinstance(attribute.cfg, Transition | AnalysisTestTransition)


def _visible(context: RuleContext) -> Iterable[Attribute]:
    return (attribute for attribute in context.values.attributes.values() if not attribute.of_subrule)


def attribute_struct(context: RuleContext, prerequisites: Mapping[str, list[Dependency]]) -> Struct:
    """ctx.attr: dependencies as targets, everything else as plain values; private names keep their underscore."""
    fields: dict[str, Any] = {}
    for attribute in _visible(context):
        if attribute.type.is_dependency:
            fields[attribute.name] = _targets(attribute, prerequisites.get(attribute.name, ()), context)
        elif attribute.name == "name":
            fields["name"] = context.label.name
        elif attribute.name == "testonly":
            fields["testonly"] = context.testonly
        else:
            value = context.values[attribute.name]
            if attribute.type in (_T.NODEP_LABEL_LIST, _T.OUTPUT_LIST) and value is None:
                value = ()
            fields[attribute.name] = starlark_value(value, attribute)
    return Struct(**fields)


def _targets(attribute: Attribute, group: Iterable[Dependency], context: RuleContext) -> Any:
    kind = attribute.type
    targets = [dependency.target for dependency in group]
    if kind is _T.LABEL:
        if _is_listed(attribute):
            return freeze(List(targets))
        return targets[0] if targets else None
    if kind is _T.LABEL_LIST:
        if attribute.name == "target_compatible_with":
            return freeze(List(context.values[attribute.name] or ()))
        return freeze(List(targets))
    if kind is _T.LABEL_KEYED_STRING_DICT:
        return freeze(Dict((dependency.target, dependency.entry) for dependency in group))
    if kind is _T.STRING_KEYED_LABEL_DICT:
        return freeze(Dict((dependency.entry, dependency.target) for dependency in group))
    found: dict[str, Any] = {}
    for dependency in group:
        found.setdefault(dependency.entry, List()).append(dependency.target)
    return freeze(Dict(found))


def _split_struct(context: RuleContext) -> Struct:
    fields: dict[str, Any] = {}
    for attribute in _visible(context):
        if not attribute.type.is_dependency or not _is_listed(attribute):
            continue
        found: dict[Any, list[Dependency]] = {}
        for dependency in context.prerequisites.get(attribute.name, ()):
            found.setdefault(dependency.split, []).append(dependency)
        fields[attribute.name] = freeze(
            Dict(
                (split, group[0].target if attribute.type is _T.LABEL else List(each.target for each in group))
                for split, group in found.items()
            )
        )
    return Struct(**fields)


def files_struct(context: RuleContext, prerequisites: Mapping[str, list[Dependency]]) -> Struct:
    """ctx.files: the files of each attribute's targets, each once."""
    fields: dict[str, Any] = {}
    for attribute in _visible(context):
        if attribute.type.is_dependency:
            files: dict[Artifact, None] = {}
            for dependency in prerequisites.get(attribute.name, ()):
                files.update(dict.fromkeys(dependency.target.files.flatten()))
            fields[attribute.name] = freeze(List(files))
    return Struct(**fields)


def file_struct(context: RuleContext, prerequisites: Mapping[str, list[Dependency]]) -> Struct:
    """ctx.file: the one file of each attribute that takes a single file."""
    fields: dict[str, Any] = {}
    for attribute in _visible(context):
        if attribute.type is _T.LABEL and attribute.single_file:
            group = prerequisites.get(attribute.name)
            files = group[0].target.files.flatten() if group else ()
            fields[attribute.name] = files[0] if files else None
    return Struct(**fields)


def executable_struct(context: RuleContext, prerequisites: Mapping[str, list[Dependency]]) -> Struct:
    """ctx.executable: the program of each attribute that takes an executable."""
    fields: dict[str, Any] = {}
    for attribute in _visible(context):
        if attribute.type is _T.LABEL and attribute.executable:
            group = prerequisites.get(attribute.name)
            fields[attribute.name] = group[0].target.executable if group else None
    return Struct(**fields)


def _outputs_struct(context: RuleContext) -> Struct:
    rule = context.target
    fields: dict[str, Any] = {}
    for name, labels in rule.outputs.items():
        fields[name] = context.output(labels[0]) if labels else None
    for attribute in rule.rule_class.attributes.values():
        if attribute.type is _T.OUTPUT:
            labels = rule.outputs.get(attribute.name, ())
            fields[attribute.name] = context.output(labels[0]) if labels else None
        elif attribute.type is _T.OUTPUT_LIST:
            fields[attribute.name] = freeze(List(context.outputs(attribute.name)))
    if rule.rule_class.executable or rule.rule_class.test:
        fields.setdefault("executable", context.default_executable())
    return Struct(**fields)


def rule_struct(context: RuleContext, prerequisites: Mapping[str, list[Dependency]]) -> Struct:
    """ctx.rule of an aspect: https://bazel.build/rules/lib/builtins/rule_attributes"""
    return Struct(
        attr=attribute_struct(context, prerequisites),
        files=files_struct(context, prerequisites),
        file=file_struct(context, prerequisites),
        executable=executable_struct(context, prerequisites),
        kind=context.kind,
        toolchains=context.toolchain_contexts[""],
        exec_groups=ExecGroups(context),
        var=freeze(Dict(context.all_variables())),
    )


def running_context(function: str) -> RuleContext:
    """The context of the implementation that runs; raises EvalError when none does."""
    context = current_thread().data.get("context")
    if context is None:
        raise EvalError(f"{function}() can only be called from a rule's or aspect's implementation")
    return context  # type: ignore[no-any-return]


def refuse(message: str) -> EvalError:
    """An error of what is not supported."""
    return EvalError(Diagnostic(message))

"""What a .bzl file is relative to, and the functions of its top level that depend on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bazel2ninja.diagnostics import Location
from bazel2ninja.labels import Label
from bazel2ninja.loading import arguments
from bazel2ninja.loading.attr_module import AttrModule, provider_alternatives
from bazel2ninja.loading.attributes import LabelConverter
from bazel2ninja.loading.common_attributes import common_attributes
from bazel2ninja.loading.macro_class import MacroClass, macro_class
from bazel2ninja.loading.rule_class import Attribute, AttributeType, RuleClass
from bazel2ninja.loading.rule_function import RuleFunction, named_attributes
from bazel2ninja.loading.subrule import check_attributes, check_toolchains, subrules_argument, take_over
from bazel2ninja.loading.transition import (
    AnalysisTestTransition,
    AspectClass,
    BuildSetting,
    ExecGroup,
    ExecTransition,
    PlainTransition,
    Subrule,
    ToolchainType,
    Transition,
)
from bazel2ninja.loading.visibility import parse_package_specifications, specification_matches
from bazel2ninja.starlark import EvalError, Struct, call_stack, caller_location, is_callable, to_repr, type_name


class BzlFile:
    """One .bzl file while it runs: its label, how it reads labels, and who may load it."""

    def __init__(self, label: Label, labels: LabelConverter):
        self.label = label
        self.labels = labels
        self.public = True
        self.visible_to: tuple[tuple[Any, bool, bool], ...] = ()
        self.visibility_location: Location | None = None

    def is_visible_from(self, package: Any) -> bool:
        return package is self.label.package or specification_matches(self.public, self.visible_to, package)

    def functions(self) -> dict[str, object]:
        """The names of a .bzl file's environment that are bound to the file."""
        return {
            "Label": LabelFunction(self.labels),
            "attr": AttrModule(self.labels),
            "rule": self.rule,
            "aspect": self.aspect,
            "macro": self.macro,
            "transition": self.transition,
            "analysis_test_transition": self.analysis_test_transition,
            "exec_group": self.exec_group,
            "subrule": self.subrule,
            "visibility": self.visibility,
        }

    # https://bazel.build/rules/lib/globals/bzl

    def rule(
        self,
        implementation: Any,
        test: Any = None,
        attrs: Any = None,
        outputs: Any = None,
        executable: Any = None,
        output_to_genfiles: Any = False,
        fragments: Any = (),
        host_fragments: Any = (),
        _skylark_testable: Any = False,
        toolchains: Any = (),
        incompatible_use_toolchain_transition: Any = False,
        doc: Any = None,
        provides: Any = (),
        dependency_resolution_rule: Any = False,
        exec_compatible_with: Any = (),
        analysis_test: Any = False,
        build_setting: Any = None,
        cfg: Any = None,
        exec_groups: Any = None,
        initializer: Any = None,
        parent: Any = None,
        extendable: Any = None,
        subrules: Any = (),
        **internal: Any,
    ) -> RuleFunction:
        for name in internal:
            if not name.startswith("_"):
                raise EvalError(f"rule() got unexpected keyword argument '{name}'")
        if parent is not None and not isinstance(parent, RuleFunction):
            raise EvalError(
                f"in call to rule(), parameter 'parent' got value of type '{type_name(parent)}', want 'rule'"
            )
        base = parent.rule_class if parent is not None else None
        if dependency_resolution_rule:
            raise EvalError("rule(dependency_resolution_rule = True) is not supported")
        arguments.function(implementation, "rule", "implementation")
        if initializer is not None:
            arguments.function(initializer, "rule", "initializer")
        if build_setting is not None and not isinstance(build_setting, BuildSetting):
            raise EvalError(
                f"in call to rule(), parameter 'build_setting' got value of type '{type_name(build_setting)}',"
                " want 'BuildSetting or NoneType'"
            )
        is_test = bool(test or analysis_test) if base is None or test is not None else base.test
        is_executable = is_test or bool(executable if base is None or executable is not None else base.executable)
        own = named_attributes(attrs, "rule")
        if not analysis_test and any(isinstance(each.cfg, AnalysisTestTransition) for each in own.values()):
            raise EvalError(
                "Only rule definitions with analysis_test=True may have attributes with analysis_test_transition"
                " transitions"
            )
        attributes = common_attributes(executable=is_executable, test=is_test, native=False)
        if base is not None:
            attributes.update(base.attributes)
        elif own.keys() & attributes.keys() - _REPLACEABLE:
            taken = sorted(own.keys() & attributes.keys() - _REPLACEABLE)[0]
            raise EvalError(f"attribute `{taken}`: built-in attributes cannot be overridden.")
        for name, attribute in own.items():
            attributes[name] = attribute
        if build_setting is not None:
            for attribute in _build_setting_attributes(build_setting):
                attributes[attribute.name] = attribute
        location = caller_location()
        callable_subrules = subrules_argument(subrules, "rule")
        types = (*(base.toolchains if base else ()), *self._toolchains(toolchains, "rule"))
        types = take_over(callable_subrules, attributes, types)
        return RuleFunction(
            RuleClass(
                "",
                attributes,
                implementation,
                executable=is_executable,
                test=is_test,
                outputs=_outputs(outputs) if outputs is not None or base is None else base.outputs,
                output_to_genfiles=bool(output_to_genfiles),
                toolchains=types,
                exec_compatible_with=self._labels(exec_compatible_with, "rule", "exec_compatible_with"),
                exec_groups={
                    **(base.exec_groups if base else {}),
                    **arguments.mapping(exec_groups, "rule", "exec_groups", ExecGroup),
                },
                cfg=cfg if cfg is not None or base is None else base.cfg,
                build_setting=build_setting,
                provides=(*(base.provides if base else ()), *arguments.sequence(provides, "rule", "provides")),
                fragments=(*(base.fragments if base else ()), *arguments.strings(fragments, "rule", "fragments")),
                initializer=initializer,
                subrules=callable_subrules,
                location=location,
                doc=arguments.text(doc, "rule", "doc"),
                analysis_test=bool(analysis_test),
                exposes_actions=bool(_skylark_testable),
                parent=base,
                own_attributes=frozenset(own) | (base.own_attributes if base else frozenset()),
            )
        )

    def aspect(
        self,
        implementation: Any,
        attr_aspects: Any = (),
        toolchains_aspects: Any = (),
        attrs: Any = None,
        required_providers: Any = (),
        required_aspect_providers: Any = (),
        provides: Any = (),
        requires: Any = (),
        propagation_predicate: Any = None,
        fragments: Any = (),
        host_fragments: Any = (),
        toolchains: Any = (),
        incompatible_use_toolchain_transition: Any = False,
        doc: Any = None,
        *,
        apply_to_generating_rules: Any = False,
        exec_compatible_with: Any = (),
        exec_groups: Any = None,
        subrules: Any = (),
    ) -> AspectClass:
        if propagation_predicate is not None:
            raise EvalError("aspect(propagation_predicate = ...) is not supported")
        required = provider_alternatives(required_providers, "aspect", "required_providers")
        required_aspects = provider_alternatives(required_aspect_providers, "aspect", "required_aspect_providers")
        attributes = named_attributes(attrs, "aspect")
        callable_subrules = subrules_argument(subrules, "aspect")
        types = take_over(callable_subrules, attributes, self._toolchains(toolchains, "aspect"))
        return AspectClass(
            arguments.function(implementation, "aspect", "implementation"),
            attr_aspects if is_callable(attr_aspects) else arguments.strings(attr_aspects, "aspect", "attr_aspects"),
            toolchains_aspects
            if is_callable(toolchains_aspects)
            else self._labels(toolchains_aspects, "aspect", "toolchains_aspects"),
            attributes,
            required,
            required_aspects,
            arguments.sequence(provides, "aspect", "provides"),
            arguments.sequence(requires, "aspect", "requires"),
            arguments.strings(fragments, "aspect", "fragments"),
            types,
            self._labels(exec_compatible_with, "aspect", "exec_compatible_with"),
            arguments.mapping(exec_groups, "aspect", "exec_groups", ExecGroup),
            bool(apply_to_generating_rules),
            callable_subrules,
            arguments.text(doc, "aspect", "doc"),
            caller_location(),
        )

    def macro(
        self,
        *,
        implementation: Any,
        attrs: Any = None,
        inherit_attrs: Any = None,
        finalizer: Any = False,
        doc: Any = None,
    ) -> MacroClass:
        return macro_class(
            implementation,
            attrs,
            inherit_attrs,
            bool(finalizer),
            arguments.text(doc, "macro", "doc"),
            caller_location(),
        )

    def transition(self, *, implementation: Any, inputs: Any, outputs: Any) -> Transition:
        arguments.function(implementation, "transition", "implementation")
        return Transition(
            implementation,
            self._settings(arguments.strings(inputs, "transition", "inputs"), "transition", "inputs"),
            self._settings(arguments.strings(outputs, "transition", "outputs"), "transition", "outputs"),
            caller_location(),
        )

    def analysis_test_transition(self, *, settings: Any) -> AnalysisTestTransition:
        found = arguments.mapping(settings, "analysis_test_transition", "settings")
        return AnalysisTestTransition(found, self._settings(found, "analysis_test_transition", "settings"))

    def exec_group(
        self, toolchains: Any = (), exec_compatible_with: Any = (), copy_from_rule: Any = False
    ) -> ExecGroup:
        return ExecGroup(
            self._toolchains(toolchains, "exec_group"),
            self._labels(exec_compatible_with, "exec_group", "exec_compatible_with"),
            bool(copy_from_rule),
        )

    def subrule(
        self, *, implementation: Any, attrs: Any = None, toolchains: Any = (), fragments: Any = (), subrules: Any = ()
    ) -> Subrule:
        attributes = named_attributes(attrs, "subrule")
        check_attributes(attributes)
        types = self._toolchains(toolchains, "subrule")
        check_toolchains(types)
        return Subrule(
            arguments.function(implementation, "subrule", "implementation"),
            attributes,
            types,
            arguments.strings(fragments, "subrule", "fragments"),
            subrules_argument(subrules, "subrule"),
            caller_location(),
        )

    def visibility(self, value: Any) -> None:
        """visibility() of a .bzl file: who may load it."""
        if len(call_stack()) != 1:
            raise EvalError(".bzl visibility may only be set at the top level of a .bzl file")
        if self.visibility_location is not None:
            raise EvalError(".bzl visibility may not be set more than once")
        self.visibility_location = caller_location()
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list | tuple):
            raise EvalError(f"invalid .bzl-visibility: got {type_name(value)}, want string or list")
        self.public, self.visible_to = parse_package_specifications(
            texts, self.label.package, self.labels.mapping, "visibility()"
        )

    def _labels(self, value: Any, function: str, parameter: str) -> tuple[Label, ...]:
        return arguments.labels(value, function, parameter, self.labels)

    def _settings(self, names: Iterable[str], function: str, parameter: str) -> dict[str, Label]:
        return {name: arguments.label(name, function, parameter, self.labels) for name in names}

    def _toolchains(self, value: Any, function: str) -> tuple[tuple[Label, bool], ...]:
        return tuple(
            (one.label, one.mandatory)
            if isinstance(one, ToolchainType)
            else (arguments.label(one, function, "toolchains", self.labels), True)
            for one in arguments.sequence(value, function, "toolchains")
        )


class LabelFunction:
    """The function Label() of one .bzl file, https://bazel.build/rules/lib/builtins/Label."""

    starlark_type = "builtin_function_or_method"
    __name__ = "Label"

    def __init__(self, labels: LabelConverter):
        self._labels = labels

    def starlark_repr(self) -> str:
        return "<built-in function Label>"

    def __call__(self, input: Any, relative_to_caller_repository: Any = False) -> Label:
        if not isinstance(input, str | Label):
            raise EvalError(
                f"in call to Label(), parameter 'input' got value of type '{type_name(input)}', want 'string or Label'"
            )
        return self._labels(input)

    __call__.__qualname__ = "call.Label"  # which messages about its arguments show


_REPLACEABLE = frozenset(("licenses", "distribs", "output_licenses", "args"))
"""Common attributes that a rule of a .bzl file may declare anew."""

_SETTING_TYPES = {
    "bool": AttributeType.BOOLEAN,
    "int": AttributeType.INTEGER,
    "string": AttributeType.STRING,
    "string_list": AttributeType.STRING_LIST,
    "string_set": AttributeType.STRING_LIST,
}


def _build_setting_attributes(setting: BuildSetting) -> list[Attribute]:
    return [
        Attribute("build_setting_default", _SETTING_TYPES[setting.type], mandatory=True, configurable=False),
        Attribute("help", AttributeType.STRING, configurable=False, irrelevant="it is documentation"),
        Attribute("scope", AttributeType.STRING, "universal", configurable=False),
        Attribute("on_leave_scope", _SETTING_TYPES[setting.type], configurable=False),
    ]


def _outputs(value: Any) -> object:
    if value is None:
        return None
    if not isinstance(value, Mapping):
        return arguments.function(value, "rule", "outputs")
    for name, template in arguments.mapping(value, "rule", "outputs").items():
        if not isinstance(template, str):
            raise EvalError(f"rule(outputs = ...): got {to_repr(template)} for '{name}', want a string")
    return dict(value.items())


def config_module() -> Struct:
    """The module `config`: https://bazel.build/rules/lib/toplevel/config."""

    def setting(type: str) -> Any:
        def make(*, flag: Any = False, allow_multiple: Any = False, repeatable: Any = False) -> BuildSetting:
            return BuildSetting(type, bool(flag), bool(allow_multiple), bool(repeatable))

        make.__name__ = make.__qualname__ = type
        return make

    def execution(exec_group: Any = None) -> ExecTransition:
        return ExecTransition(exec_group)

    execution.__name__ = execution.__qualname__ = "exec"

    def target() -> PlainTransition:
        return PlainTransition("target")

    def none() -> PlainTransition:
        return PlainTransition("none")

    return Struct(**{name: setting(name) for name in _SETTING_TYPES}, exec=execution, target=target, none=none)

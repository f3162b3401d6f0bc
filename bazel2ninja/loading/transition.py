"""What .bzl files say about configurations, toolchains and aspects: plain values that analysis/ interprets.

https://bazel.build/rules/lib/globals/bzl (transition, aspect, exec_group, subrule, configuration_field),
https://bazel.build/rules/lib/toplevel/config and config_common.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from bazel2ninja.diagnostics import Location
from bazel2ninja.labels import Label
from bazel2ninja.loading.rule_class import Attribute
from bazel2ninja.records import dataclass, field
from bazel2ninja.starlark import EvalError, current_thread, outermost_module

_NO_ATTRIBUTES: Mapping[str, Attribute] = MappingProxyType({})


@dataclass(frozen=True, slots=True, eq=False)
class Transition:
    """transition(): `implementation(settings, attr)` gives new values of `outputs`, or a dict or list of such dicts.

    inputs, outputs: the setting as written ("//command_line_option:copt" for native options) -> its label.
    """

    implementation: object
    inputs: Mapping[str, Label]
    outputs: Mapping[str, Label]
    location: Location | None = None

    starlark_type = "transition"


@dataclass(frozen=True, slots=True, eq=False)
class AnalysisTestTransition:
    """analysis_test_transition(settings = {...}): fixed values, setting as written -> value."""

    settings: Mapping[str, object]
    labels: Mapping[str, Label]

    starlark_type = "transition"


@dataclass(frozen=True, slots=True)
class ExecTransition:
    """config.exec(exec_group = ...): the execution platform of an execution group, None for the rule's own."""

    exec_group: str | None = None

    starlark_type = "ExecTransitionFactory"


@dataclass(frozen=True, slots=True)
class PlainTransition:
    """config.target() and config.none(): `kind` is "target" or "none"."""

    kind: str

    starlark_type = "transition"


@dataclass(frozen=True, slots=True, eq=False)
class ToolchainType:
    """config_common.toolchain_type()."""

    label: Label
    mandatory: bool = True

    starlark_type = "toolchain_type"

    def starlark_repr(self) -> str:
        return f"toolchain_type({self.label}, mandatory = {self.mandatory})"

    @property
    def s_toolchain_type(self) -> Label:
        return self.label

    @property
    def s_mandatory(self) -> bool:
        return self.mandatory


@dataclass(frozen=True, slots=True, eq=False)
class ExecGroup:
    """exec_group()."""

    toolchains: tuple[tuple[Label, bool], ...] = ()
    exec_compatible_with: tuple[Label, ...] = ()
    copy_from_rule: bool = False

    starlark_type = "exec_group"


@dataclass(frozen=True, slots=True, eq=False)
class BuildSetting:
    """config.bool() and the like: what makes a rule a build setting.

    type: "bool", "int", "string", "string_list" or "string_set"; flag: may be set on the command line.
    """

    type: str
    flag: bool = False
    allow_multiple: bool = False
    repeatable: bool = False

    starlark_type = "BuildSetting"

    def starlark_repr(self) -> str:
        return f"<build_setting.{self.type}>"


@dataclass(slots=True, eq=False)
class AspectClass:
    """aspect().  Gets its name when the .bzl file that makes it has been loaded.

    providers: `required_providers` and `required_aspect_providers` are alternatives, each a tuple of provider keys that
    must all be there.
    """

    implementation: object
    attribute_aspects: tuple[str, ...] | object = ()  # or a function, or ("*",)
    toolchains_aspects: tuple[Label, ...] | object = ()
    attributes: Mapping[str, Attribute] = field(default_factory=lambda: _NO_ATTRIBUTES)
    required_providers: tuple[tuple[object, ...], ...] = ()
    required_aspect_providers: tuple[tuple[object, ...], ...] = ()
    provides: tuple[object, ...] = ()
    requires: tuple[AspectClass, ...] = ()
    fragments: tuple[str, ...] = ()
    toolchains: tuple[tuple[Label, bool], ...] = ()
    exec_compatible_with: tuple[Label, ...] = ()
    exec_groups: Mapping[str, ExecGroup] = field(default_factory=lambda: MappingProxyType({}))
    apply_to_generating_rules: bool = False
    subrules: tuple[Subrule, ...] = ()
    doc: str = ""
    location: Location | None = None
    name: str = ""
    defined_in: Label | None = None

    starlark_type = "Aspect"

    def starlark_repr(self) -> str:
        return f"<aspect {self.name or 'not exported'}>"

    def starlark_export(self, module: Label, name: str) -> None:
        if not self.name:
            self.name, self.defined_in = name, module


@dataclass(slots=True, eq=False)
class Subrule:
    """subrule(): a part of a rule's implementation with implicit attributes of its own.

    The running analysis says how one is called: a callable under "call_subrule" in the data of the thread.
    """

    implementation: object
    attributes: Mapping[str, Attribute]
    toolchains: tuple[tuple[Label, bool], ...] = ()
    fragments: tuple[str, ...] = ()
    subrules: tuple[Subrule, ...] = ()
    location: Location | None = None
    name: str = ""
    defined_in: Label | None = None

    starlark_type = "Subrule"

    def starlark_repr(self) -> str:
        return f"<subrule {self.name or 'unexported subrule'}>"

    def starlark_export(self, module: Label, name: str) -> None:
        if not self.name:
            self.name, self.defined_in = name, module

    def lifted(self, attribute: str) -> str:
        """The name that an attribute has in the rule kinds and aspects that use the subrule."""
        return f"${self.defined_in}%{self.name}%{attribute}"

    def check_exported(self) -> None:
        """Raises EvalError while no global has been assigned the subrule; a file that runs may have one already."""
        module = outermost_module()
        if not self.name and module is not None:
            for name, value in module.all_globals().items():
                if value is self:
                    self.starlark_export(module.label, name)
                    return
        if not self.name:
            raise EvalError("Invalid subrule hasn't been exported by a bzl file")

    def __call__(self, *args: object, **kwargs: object) -> object:
        self.check_exported()
        call = current_thread().data.get("call_subrule")
        if call is None:
            raise EvalError(f"{self.name} can only be called from a rule or aspect implementation")
        return call(self, args, kwargs)


def transitive(subrules: Iterable[Subrule]) -> list[Subrule]:
    """The subrules and those that they may call, each once."""
    found: dict[Subrule, None] = dict.fromkeys(subrules)
    pending = list(found)
    for subrule in pending:
        for other in subrule.subrules:
            if other not in found:
                found[other] = None
                pending.append(other)
    return pending

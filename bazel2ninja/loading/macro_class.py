"""Symbolic macros: macro() of https://bazel.build/extending/macros."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bazel2ninja.diagnostics import Diagnostic, Location, suggestion
from bazel2ninja.labels import Label, PackageIdentifier
from bazel2ninja.loading import arguments
from bazel2ninja.loading.attributes import convert, labels_and_conditions_in
from bazel2ninja.loading.common_attributes import common_attributes
from bazel2ninja.loading.macro_scope import MacroScope
from bazel2ninja.loading.package_builder import PackageBuilder, current_package
from bazel2ninja.loading.rule_class import Attribute, AttributeType, ComputedDefault, ConfigurationField
from bazel2ninja.loading.rule_function import RuleFunction, named_attributes
from bazel2ninja.loading.select import DEFAULT_CONDITION, Select, SelectList
from bazel2ninja.records import dataclass, replace
from bazel2ninja.starlark import EvalError, List, call_stack, to_starlark, type_name

_NAME = Attribute("name", AttributeType.STRING, mandatory=True, configurable=False)
_PRIVATE = Label(PackageIdentifier("", "visibility"), "private")
_VISIBILITY = Attribute("visibility", AttributeType.NODEP_LABEL_LIST, configurable=False)


@dataclass(slots=True, eq=False)
class MacroClass:
    """What macro() returns.  `inherited`: attributes that are passed on as None when the caller does not give them."""

    implementation: Any
    attributes: Mapping[str, Attribute]
    finalizer: bool = False
    doc: str = ""
    location: Location | None = None
    name: str = ""
    defined_in: Label | None = None
    inherited: frozenset[str] = frozenset()

    starlark_type = "macro"

    def starlark_repr(self) -> str:
        return f"<macro {self.name or 'not exported'}>"

    def starlark_export(self, module: Label, name: str) -> None:
        if not self.name:
            self.name, self.defined_in = name, module

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        if args:
            raise EvalError(f"unexpected positional arguments in a call of the macro '{self.name}'")
        if self.defined_in is None:
            raise EvalError(
                "a macro can be used in a BUILD file only after the .bzl file that makes it has exported it"
            )
        builder = current_package(self.name)
        arguments, passed = self._arguments(builder, kwargs)
        name = arguments["name"]
        if builder.macro is not None:
            builder.macro.check_name(name, self.name)
        frames = call_stack()
        scope = MacroScope(name, self.name, self.defined_in.package, builder.macro, len(frames) == 1, passed)

        def expand() -> None:
            outer, builder.macro = builder.macro, scope
            try:
                self.implementation(**arguments)
            finally:
                builder.macro = outer

        def expand_later() -> None:
            builder.called_from = frames
            try:
                expand()
            finally:
                builder.called_from = ()

        if self.finalizer:
            builder.finalizers.append(expand_later)
        else:
            expand()

    def _arguments(self, builder: PackageBuilder, given: Mapping[str, Any]) -> tuple[dict[str, Any], frozenset[Label]]:
        """What the implementation is called with, and the labels therein that the caller gave."""
        name = given.get("name")
        if not isinstance(name, str):
            raise EvalError(f"{self.name} macro has no 'name' attribute")
        for key in given:
            if key not in self.attributes or key.startswith("_"):
                raise EvalError(
                    Diagnostic(
                        f"no such attribute '{key}' in '{self.name}' macro",
                        help=suggestion(key, [known for known in self.attributes if not known.startswith("_")]),
                    )
                )
        arguments: dict[str, Any] = {"name": name}
        passed: set[Label] = set()
        for key, attribute in self.attributes.items():
            if key == "name":
                continue
            value = convert(given.get(key), attribute, builder.labels, self.name, name)
            if key == "visibility":
                arguments[key] = List(_visibility(builder, value))  # type: ignore[arg-type]
            elif value is not None:
                passed.update(labels_and_conditions_in(value))
                arguments[key] = _shown(value, attribute)
            elif attribute.mandatory:
                raise EvalError(f"missing value for mandatory attribute '{key}' in '{self.name}' macro")
            elif key in self.inherited:
                arguments[key] = None
            else:
                default = attribute.default
                if isinstance(default, ComputedDefault | ConfigurationField):
                    default = None
                arguments[key] = None if default is None else _shown(default, attribute)
        return arguments, frozenset(passed)


def _visibility(builder: PackageBuilder, given: tuple[Label, ...] | None) -> tuple[Label, ...]:
    """The argument `visibility`: what the call or package() says, and the place of the call, which sees it anyway."""
    caller = builder.identifier if builder.macro is None else builder.macro.defined_in
    if given is None:
        given = builder.default_visibility if builder.macro is None else ()
    if any(str(label) == "//visibility:public" for label in given):
        return given
    place = Label(caller, "__pkg__")
    return (*(label for label in given if label != _PRIVATE and label != place), place)


def _shown(value: object, attribute: Attribute) -> object:
    """A value as a macro's implementation gets it: a configurable one is a select() even if nothing is chosen."""
    if isinstance(value, SelectList):
        return value
    plain = to_starlark(list(value) if isinstance(value, tuple) else value)
    if not attribute.configurable or attribute.type.is_output or attribute.is_private:
        return plain
    return SelectList((Select({DEFAULT_CONDITION: plain}),))


def macro_class(
    implementation: Any, attrs: Any, inherit_attrs: Any, finalizer: bool, doc: str, location: Location
) -> MacroClass:
    """macro() after its arguments have been bound; raises EvalError."""
    arguments.function(implementation, "macro", "implementation")
    inherited: dict[str, Attribute] = {}
    if isinstance(inherit_attrs, RuleFunction):
        inherited = dict(inherit_attrs.rule_class.attributes)
    elif isinstance(inherit_attrs, MacroClass):
        inherited = dict(inherit_attrs.attributes)
    elif inherit_attrs == "common":
        inherited = common_attributes()
    elif inherit_attrs is not None:
        raise EvalError("invalid 'inherit_attrs' value: expected a rule, a macro, or \"common\"")
    inherited = {
        name: attribute if attribute.mandatory else replace(attribute, allow_empty=True)
        for name, attribute in inherited.items()
        if not name.startswith(("_", "$", ":", "generator_")) and name not in ("name", "visibility")
    }
    own: dict[str, Attribute] = {}
    if isinstance(attrs, Mapping):
        for name, attribute in attrs.items():
            if attribute is None:  # an inherited attribute that is not taken
                inherited.pop(name, None)
        own = named_attributes(attrs, "macro")
    elif attrs is not None:
        raise EvalError(f"in call to macro(), parameter 'attrs' got value of type '{type_name(attrs)}', want 'dict'")
    for reserved in ("name", "visibility"):
        if reserved in own:
            raise EvalError(f"cannot declare a macro attribute named '{reserved}'")
    attributes = {"name": _NAME, "visibility": _VISIBILITY, **inherited, **own}
    return MacroClass(
        implementation, attributes, finalizer, doc, location, inherited=frozenset(inherited) - frozenset(own)
    )

"""Rules as functions: what rule() returns and what a native rule's name stands for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bazel2ninja.labels import Label
from bazel2ninja.loading.package_builder import current_package
from bazel2ninja.loading.rule_class import Attribute, RuleClass
from bazel2ninja.records import replace
from bazel2ninja.starlark import EvalError, type_name

_ATTRIBUTE_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class RuleFunction:
    """A callable rule.  In Starlark: `rule`, https://bazel.build/rules/lib/builtins/rule."""

    __slots__ = ("rule_class",)
    starlark_type = "rule"

    def __init__(self, rule_class: RuleClass):
        self.rule_class = rule_class

    @property
    def __name__(self) -> str:
        return self.rule_class.name

    def starlark_repr(self) -> str:
        if self.rule_class.native:
            return f"<built-in rule {self.rule_class.name}>"
        return f"<rule {self.rule_class.name}>" if self.rule_class.name else "<rule>"

    def starlark_export(self, module: Label, name: str) -> None:
        """The rule gets the name of the global that it is assigned to."""
        kind = self.rule_class
        if kind.name:
            return
        if kind.test != name.endswith("_test"):
            raise EvalError(
                f"invalid rule class name '{name}', test rule class names must end with '_test' and other rule classes"
                " must not"
            )
        kind.name, kind.defined_in = name, module

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        kind = self.rule_class
        if args:
            raise EvalError(f"unexpected positional arguments in a call of the rule '{kind.name}'")
        if not kind.name:
            raise EvalError("a rule can be used in a BUILD file only after the .bzl file that makes it has exported it")
        current_package(kind.name).add_rule(kind, kwargs)


def named_attributes(attrs: Any, function: str) -> dict[str, Attribute]:
    """The parameter `attrs` of rule(), aspect() and macro(): attributes with their names."""
    if attrs is None:
        return {}
    if not isinstance(attrs, Mapping):
        raise EvalError(
            f"in call to {function}(), parameter 'attrs' got value of type '{type_name(attrs)}', want 'dict'"
        )
    found = {}
    for name, attribute in attrs.items():
        if not isinstance(name, str) or not _ATTRIBUTE_NAME.fullmatch(name):
            raise EvalError(f"attribute name '{name}' is not a valid identifier")
        if attribute is None:
            continue
        if not isinstance(attribute, Attribute):
            raise EvalError(
                f"in call to {function}(), expected an attribute for '{name}' in 'attrs',"
                f" but got {type_name(attribute)}"
            )
        found[name] = replace(attribute, name=name)
    return found

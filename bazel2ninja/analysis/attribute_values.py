"""The values of a target's attributes in one configuration: branches chosen, defaults computed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bazel2ninja.configuration.configuration import Configuration
from bazel2ninja.labels import Label
from bazel2ninja.loading.rule_class import Attribute, AttributeType, ComputedDefault, ConfigurationField
from bazel2ninja.loading.select import SelectList
from bazel2ninja.loading.target import RuleTarget
from bazel2ninja.starlark import Dict, List
from bazel2ninja.starlark.structs import freeze


class AttributeValues:
    """Resolves on demand; each attribute once.

    attributes: those of the rule kind (or of an aspect); given: name -> value of those that were set.
    resolve: takes a SelectList's branches, as Conditions.resolve; field: what a configuration_field() is; call: runs
    the function of a Starlark ComputedDefault.
    """

    __slots__ = ("_call", "_configuration", "_field", "_given", "_known", "_resolve", "attributes", "target")

    def __init__(
        self,
        target: RuleTarget,
        configuration: Configuration,
        attributes: Mapping[str, Attribute],
        given: Mapping[str, Any],
        resolve: Callable[..., Any],
        field: Callable[[ConfigurationField, Configuration], Any],
        call: Callable[..., Any],
    ):
        self.target = target
        self.attributes = attributes
        self._given = given
        self._configuration = configuration
        self._resolve = resolve
        self._field = field
        self._call = call
        self._known: dict[str, Any] = {}

    def __contains__(self, name: str) -> bool:
        return name in self.attributes

    def __getitem__(self, name: str) -> Any:
        """The value, as plain Python data; raises KeyError for an unknown attribute, WorkspaceError without match."""
        try:
            return self._known[name]
        except KeyError:
            pass
        attribute = self.attributes[name]
        value = self._given.get(name)
        if value is None:
            value = self._default(attribute)
        elif value.__class__ is SelectList:
            value = self._resolve(value, attribute, self._configuration, self._default(attribute), self.target)
        self._known[name] = value
        return value

    def get(self, name: str, default: Any = None) -> Any:
        """The value, or `default` when there is no such attribute."""
        return self[name] if name in self.attributes else default

    def is_explicit(self, name: str) -> bool:
        """Whether the BUILD file gave a value (not None)."""
        return self._given.get(name) is not None

    def _default(self, attribute: Attribute) -> Any:
        default = attribute.default
        if isinstance(default, ComputedDefault):
            values = [starlark_value(self[name], self.attributes[name]) for name in default.attributes]
            return plain_value(self._call(default.compute, *values))
        if isinstance(default, ConfigurationField):
            return self._field(default, self._configuration)
        return default


def plain_value(value: Any) -> Any:
    """Starlark lists as tuples, as attributes hold them."""
    if isinstance(value, list):
        return tuple(value)
    return value


def starlark_value(value: Any, attribute: Attribute | None = None) -> Any:
    """An attribute's value as Starlark sees it (labels stay labels): tuples are lists; all frozen."""
    if isinstance(value, tuple):
        return freeze(List(starlark_value(each) for each in value))
    if isinstance(value, Mapping):
        return freeze(Dict((key, starlark_value(each)) for key, each in value.items()))
    if attribute is not None and attribute.type is AttributeType.BOOLEAN:
        return bool(value)
    return value


def labels_of(value: Any, attribute: Attribute) -> list[tuple[Label, Any]]:
    """The labels of a dependency attribute: (label, the other half of the dict entry or None)."""
    if value is None:
        return []
    kind = attribute.type
    if kind is AttributeType.LABEL:
        return [(value, None)]
    if kind is AttributeType.LABEL_LIST:
        return [(label, None) for label in value]
    if kind is AttributeType.LABEL_KEYED_STRING_DICT:
        return list(value.items())
    if kind is AttributeType.STRING_KEYED_LABEL_DICT:
        return [(label, key) for key, label in value.items()]
    return [(label, key) for key, labels in value.items() for label in labels]

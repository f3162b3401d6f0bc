"""What the analysis of a target gives to those who depend on it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bazel2ninja.configuration.configuration import Configuration
from bazel2ninja.labels import Label
from bazel2ninja.loading.target import Target


class ConfiguredTarget:
    """A target in a configuration, with its providers (provider key -> instance).  In Starlark: Target.

    https://bazel.build/rules/lib/builtins/Target.  Source files and package groups have no configuration.
    `label` is what the dependent wrote (an alias keeps its own label); `actual` the label behind aliases.
    """

    __slots__ = ("actual", "configuration", "label", "legacy", "providers", "target")
    starlark_type = "Target"

    def __init__(
        self,
        target: Target,
        configuration: Configuration | None,
        providers: Mapping[object, object],
        *,
        label: Label | None = None,
        legacy: Mapping[str, object] = MappingProxyType({}),
    ):
        self.target = target
        self.actual = target.label
        self.label = label or target.label
        self.configuration = configuration
        self.providers = providers
        self.legacy = legacy  # fields of a struct() that an old rule returned: dep.foo

    def __repr__(self) -> str:
        return f"ConfiguredTarget({self.label}, {self.configuration})"

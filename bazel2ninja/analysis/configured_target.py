"""What the analysis of a target gives to those who depend on it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.providers_builtin import (
    NOTHING_TO_RUN,
    DefaultInfo,
    FilesToRun,
    IncompatiblePlatformInfo,
    OutputGroupInfo,
    OutputGroups,
)
from bazel2ninja.analysis.runfiles import EMPTY_RUNFILES, EMPTY_SET, Runfiles
from bazel2ninja.configuration.configuration import Configuration
from bazel2ninja.labels import Label
from bazel2ninja.loading.target import OutputFile, RuleTarget, SourceFile, Target
from bazel2ninja.starlark.errors import error
from bazel2ninja.starlark.protocol import type_name

NO_LEGACY: Mapping[str, object] = MappingProxyType({})


class ConfiguredTarget:
    """A target in a configuration, with its providers (provider key -> instance).  In Starlark: Target.

    https://bazel.build/rules/lib/builtins/Target.  Source files and package groups have no configuration.
    `label` is what the dependent wrote (an alias keeps its own label); `actual` the label behind aliases.
    """

    # __dict__ holds what old rules returned as fields of their own; most targets have none
    __slots__ = ("__dict__", "actual", "configuration", "label", "legacy", "providers", "target")
    starlark_type = "Target"

    def __init__(
        self,
        target: Target,
        configuration: Configuration | None,
        providers: Mapping[object, object],
        *,
        label: Label | None = None,
        legacy: Mapping[str, object] = NO_LEGACY,
    ):
        self.target = target
        self.actual = target.label
        self.label = label or target.label
        self.configuration = configuration
        self.providers = providers
        self.legacy = legacy  # fields of a struct() that an old rule returned: dep.foo
        if legacy:
            self.__dict__.update((f"s_{name}", value) for name, value in legacy.items())

    def __repr__(self) -> str:
        return f"ConfiguredTarget({self.label}, {self.configuration})"

    def renamed(self, label: Label) -> ConfiguredTarget:
        """The same under an alias's label."""
        if label is self.label:
            return self
        return ConfiguredTarget(self.target, self.configuration, self.providers, label=label, legacy=self.legacy)

    def with_providers(
        self, providers: Mapping[object, object], legacy: Mapping[str, object] = NO_LEGACY
    ) -> ConfiguredTarget:
        """The same with what aspects add."""
        return ConfiguredTarget(
            self.target,
            self.configuration,
            {**self.providers, **providers},
            label=self.label,
            legacy={**self.legacy, **legacy} if legacy else self.legacy,
        )

    def get(self, provider: object) -> Any:
        """The instance of a provider, or None."""
        return self.providers.get(provider)

    @property
    def is_rule(self) -> bool:
        return isinstance(self.target, RuleTarget)

    @property
    def kind(self) -> str:
        """The rule kind's name, "" for files."""
        return self.target.rule_class.name if isinstance(self.target, RuleTarget) else ""

    @property
    def incompatibility(self) -> str | None:
        """Why the target is not for the target platform; None when it is."""
        info = self.providers.get(IncompatiblePlatformInfo)
        return None if info is None else info.s_reason  # type: ignore[attr-defined]

    @property
    def default_info(self) -> Any:
        return self.providers.get(DefaultInfo)

    @property
    def files(self) -> Depset:
        """What building the target makes."""
        info = self.default_info
        return EMPTY_SET if info is None else info.s_files

    @property
    def data_runfiles(self) -> Runfiles:
        """What a dependent needs that names the target in `data`."""
        info = self.default_info
        return EMPTY_RUNFILES if info is None else info.s_data_runfiles

    @property
    def default_runfiles(self) -> Runfiles:
        info = self.default_info
        return EMPTY_RUNFILES if info is None else info.s_default_runfiles

    @property
    def files_to_run(self) -> FilesToRun:
        info = self.default_info
        return NOTHING_TO_RUN if info is None else info.s_files_to_run

    @property
    def executable(self) -> Artifact | None:
        return self.files_to_run.executable

    @property
    def output_groups(self) -> Mapping[str, Depset]:
        groups = self.providers.get(OutputGroupInfo)
        return groups.groups if isinstance(groups, OutputGroups) else {}

    # What Starlark sees.
    def starlark_repr(self) -> str:
        if isinstance(self.target, SourceFile | OutputFile):
            return f"<{'input' if isinstance(self.target, SourceFile) else 'output'} file target {self.label}>"
        return f"<target {self.label}>"

    @property
    def s_label(self) -> Label:
        return self.actual

    @property
    def s_files(self) -> Depset:
        return self.files

    @property
    def s_files_to_run(self) -> FilesToRun:
        return self.files_to_run

    @property
    def s_data_runfiles(self) -> Runfiles:
        return self.data_runfiles

    @property
    def s_default_runfiles(self) -> Runfiles:
        return self.default_runfiles

    @property
    def s_output_groups(self) -> object:
        groups = self.providers.get(OutputGroupInfo)
        return OutputGroups({}) if groups is None else groups

    def __getitem__(self, key: object) -> object:
        try:
            found = self.providers.get(key)
        except TypeError:
            found = None
        if found is None:
            self._check_key(key)
            name = getattr(key, "name", None) or "a provider"
            raise error(
                f"{self.starlark_repr()} (rule '{self.kind or self.target.kind}') doesn't contain declared "
                f"provider '{name}'"
            )
        return found

    def __contains__(self, key: object) -> bool:
        self._check_key(key)
        return key in self.providers

    def _check_key(self, key: object) -> None:
        if getattr(key, "starlark_type", "") != "Provider":
            raise error(f"type Target only supports indexing by object constructors, got {type_name(key)} instead")

    def starlark_dir(self) -> list[str]:
        return sorted({"data_runfiles", "default_runfiles", "files", "files_to_run", "label", *self.legacy})

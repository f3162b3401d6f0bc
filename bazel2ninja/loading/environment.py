"""What BUILD and .bzl files find predeclared: https://bazel.build/rules/lib/globals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from bazel2ninja.loading.analysis_test import analysis_test_function
from bazel2ninja.loading.arguments import label, text
from bazel2ninja.loading.bzl_file import BzlFile, config_module
from bazel2ninja.loading.package_functions import BUILD_FUNCTIONS, NATIVE_FUNCTIONS
from bazel2ninja.loading.rule_class import ConfigurationField, RuleClass
from bazel2ninja.loading.rule_function import RuleFunction
from bazel2ninja.loading.select import select
from bazel2ninja.loading.transition import ToolchainType
from bazel2ninja.records import dataclass
from bazel2ninja.starlark import Environment, Semantics, Struct, environment

NO_PRELUDE: Mapping[str, object] = MappingProxyType({})

_EVERYWHERE = ("depset", "json", "proto")
"""What upper layers add to .bzl files that BUILD files have, too."""


@dataclass(frozen=True, slots=True)
class PerFile:
    """A global of upper layers that each .bzl file gets anew: `make(file)`."""

    make: Callable[[BzlFile], object]


class Environments:
    """The environments of one run.

    `additions` are the globals that upper layers add to .bzl files.  An addition that is a mapping or a struct and has
    the name of a module of ours (native, config, config_common, testing) adds to that module.
    """

    def __init__(self, natives: Mapping[str, RuleClass], additions: Mapping[str, object]):
        rules = {name: RuleFunction(rule_class) for name, rule_class in natives.items()}
        self._per_file = {name: value for name, value in additions.items() if isinstance(value, PerFile)}
        plain = {name: value for name, value in additions.items() if name not in self._per_file}
        variables = {
            "PACKAGE_NAME": NATIVE_FUNCTIONS["package_name"],
            "REPOSITORY_NAME": NATIVE_FUNCTIONS["repository_name"],
        }
        self._build: dict[str, Any] = {**rules, **BUILD_FUNCTIONS, **variables}
        for name in _EVERYWHERE:
            if name in plain:
                self._build[name] = plain[name]
        configuration_values = config_module()
        self._bzl: dict[str, Any] = {
            **plain,
            **variables,
            "select": select,
            "native": Struct(**{**rules, **NATIVE_FUNCTIONS, **_fields(plain.get("native"))}),
            "config": Struct(**{**_fields(configuration_values), **_fields(plain.get("config"))}),
            "configuration_field": configuration_field,
        }
        self._config_common = _fields(plain.get("config_common"))
        self._testing = _fields(plain.get("testing"))
        self._build_names = frozenset(self._build)
        self.bzl_names = frozenset((*self._bzl, *self._per_file, "config_common", "testing", *_FILE_FUNCTIONS))
        self._prepared: dict[tuple[str, bool], dict[str, Any]] = {}

    def build_names(self, semantics: Semantics) -> frozenset[str]:
        """What is predeclared in BUILD files."""
        return self._build_names | {"native"} if semantics.native_in_build_files else self._build_names

    def build(self, semantics: Semantics, prelude: Mapping[str, object] = NO_PRELUDE) -> Environment:
        """For BUILD files; `prelude`: what the repository's prelude adds."""
        base = self._base(semantics, False)
        return Environment({**base, **prelude} if prelude else base)

    def bzl(self, file: BzlFile, semantics: Semantics) -> Environment:
        """For one .bzl file."""

        def toolchain_type(name: Any, *, mandatory: Any = True) -> ToolchainType:
            return ToolchainType(label(name, "toolchain_type", "name", file.labels), bool(mandatory))

        found = {name: value.make(file) for name, value in self._per_file.items()}
        common = Struct(**{**self._config_common, "toolchain_type": toolchain_type})
        testing = Struct(**{**self._testing, "analysis_test": analysis_test_function(file)})
        bound = {"config_common": common, "testing": testing}
        return Environment({**self._base(semantics, True), **file.functions(), **bound, **found})

    def _base(self, semantics: Semantics, bzl: bool) -> dict[str, Any]:
        key = semantics.key(), bzl
        if key not in self._prepared:
            names = self._bzl if bzl else self._build
            if not bzl and semantics.native_in_build_files:
                names = {**names, "native": self._bzl["native"]}
            self._prepared[key] = environment(semantics, names)
        return self._prepared[key]


_FILE_FUNCTIONS = (
    "Label",
    "attr",
    "rule",
    "aspect",
    "macro",
    "transition",
    "analysis_test_transition",
    "exec_group",
    "subrule",
    "visibility",
)


def _fields(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if isinstance(value, Struct):
        return {name: value.get(name) for name in value.field_names()}
    return dict(value)


def configuration_field(fragment: Any, name: Any) -> ConfigurationField:
    """configuration_field(): a label that the configuration gives, as the default of an attribute."""
    return ConfigurationField(
        text(fragment, "configuration_field", "fragment"), text(name, "configuration_field", "name")
    )

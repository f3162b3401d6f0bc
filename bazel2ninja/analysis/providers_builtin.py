"""The providers that Bazel itself defines and that belong to no language.

https://bazel.build/rules/lib/providers.  Native rules make instances as Starlark does: `DefaultInfo(files = ...)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.provider import Provider
from bazel2ninja.analysis.runfiles import EMPTY_RUNFILES, EMPTY_SET, Runfiles
from bazel2ninja.labels import Label
from bazel2ninja.loading.target import PackageGroup
from bazel2ninja.starlark import Dict, List
from bazel2ninja.starlark.errors import error
from bazel2ninja.starlark.protocol import type_name


class FilesToRun:
    """How to run a target: its executable, and the manifest of its runfiles tree when it has one.

    In Starlark: FilesToRunProvider, https://bazel.build/rules/lib/providers/FilesToRunProvider
    """

    __slots__ = ("executable", "manifest", "runfiles")
    starlark_type = "FilesToRunProvider"

    def __init__(
        self, executable: Artifact | None, manifest: Artifact | None = None, runfiles: Runfiles = EMPTY_RUNFILES
    ):
        self.executable = executable
        self.manifest = manifest
        self.runfiles = runfiles

    @property
    def s_executable(self) -> Artifact | None:
        return self.executable

    @property
    def s_runfiles_manifest(self) -> Artifact | None:
        return self.manifest

    @property
    def s_repo_mapping_manifest(self) -> None:
        return None

    def starlark_repr(self) -> str:
        return "<FilesToRunProvider>"


NOTHING_TO_RUN = FilesToRun(None)


def _typed(function: str, parameter: str, value: Any, kind: type, name: str) -> Any:
    if value is not None and not isinstance(value, kind):
        raise error(
            f"in call to {function}(), parameter '{parameter}' got value of type '{type_name(value)}', want '{name}'"
        )
    return value


def _default_info(
    *,
    files: Any = None,
    runfiles: Any = None,
    data_runfiles: Any = None,
    default_runfiles: Any = None,
    executable: Any = None,
) -> dict[str, Any]:
    _typed("DefaultInfo", "files", files, Depset, "depset")
    _typed("DefaultInfo", "runfiles", runfiles, Runfiles, "runfiles")
    _typed("DefaultInfo", "data_runfiles", data_runfiles, Runfiles, "runfiles")
    _typed("DefaultInfo", "default_runfiles", default_runfiles, Runfiles, "runfiles")
    _typed("DefaultInfo", "executable", executable, Artifact, "File")
    if runfiles is not None and (data_runfiles is not None or default_runfiles is not None):
        raise error("Cannot specify the provider 'runfiles' together with 'data_runfiles' or 'default_runfiles'")
    return {
        "files": files,
        "runfiles": runfiles,
        "data_runfiles": data_runfiles,
        "default_runfiles": default_runfiles,
        "executable": executable,
        "files_to_run": None,
    }


DefaultInfo = Provider(
    "DefaultInfo",
    ("files", "runfiles", "data_runfiles", "default_runfiles", "executable", "files_to_run"),
    _default_info,
)
"""https://bazel.build/rules/lib/providers/DefaultInfo"""


def complete_default_info(
    files: Depset,
    data_runfiles: Runfiles = EMPTY_RUNFILES,
    default_runfiles: Runfiles = EMPTY_RUNFILES,
    files_to_run: FilesToRun = NOTHING_TO_RUN,
) -> Any:
    """The DefaultInfo that dependents see."""
    return DefaultInfo.instance(
        {
            "files": files,
            "data_runfiles": data_runfiles,
            "default_runfiles": default_runfiles,
            "files_to_run": files_to_run,
        }
    )


class OutputGroups:
    """An instance of OutputGroupInfo: name -> depset of files, by attribute, by index and in iteration."""

    starlark_type = "OutputGroupInfo"

    def __init__(self, groups: Mapping[str, Depset]):
        self.groups = dict(sorted(groups.items()))
        self.__dict__.update((f"s_{name}", files) for name, files in groups.items())

    @property
    def provider(self) -> Any:
        return OutputGroupInfo

    def __getitem__(self, name: object) -> Depset:
        if name not in self.groups:
            raise error(f"Output group {name} not present")
        return self.groups[name]

    def __contains__(self, name: object) -> bool:
        return name in self.groups

    def starlark_iterate(self) -> Any:
        return iter(tuple(self.groups))

    def starlark_dir(self) -> list[str]:
        return list(self.groups)

    def starlark_repr(self) -> str:
        return "<OutputGroupInfo>"


class OutputGroupInfoProvider:
    """OutputGroupInfo(name = depset or list of files, ...); https://bazel.build/rules/lib/providers/OutputGroupInfo"""

    __slots__ = ()
    starlark_type = "Provider"
    name = "OutputGroupInfo"

    def __call__(self, **groups: Any) -> OutputGroups:
        return OutputGroups({name: _files(name, value) for name, value in groups.items()})

    __call__.__qualname__ = "call.OutputGroupInfo"  # which messages about its arguments show

    def starlark_repr(self) -> str:
        return "<function OutputGroupInfo>"


def _files(name: str, value: Any) -> Depset:
    if isinstance(value, Depset):
        return value
    if isinstance(value, list | tuple):
        for each in value:
            if not isinstance(each, Artifact):
                raise error(
                    f"Output group '{name}' must be a depset or list of Files, got an element of type "
                    f"'{type_name(each)}'"
                )
        return Depset(direct=tuple(value))
    raise error(f"expected depset or list of Files for output group '{name}' but got '{type_name(value)}'")


OutputGroupInfo = OutputGroupInfoProvider()


def merge_output_groups(first: OutputGroups | None, second: OutputGroups) -> OutputGroups:
    """The groups of both; a group that both have is their union."""
    if first is None:
        return second
    merged = dict(first.groups)
    for name, files in second.groups.items():
        merged[name] = Depset(transitive=(merged[name], files)) if name in merged else files
    return OutputGroups(merged)


def _texts(value: Any, parameter: str) -> Any:
    """A dict of strings, for a parameter of a constructor."""
    if not isinstance(value, dict):
        raise error(f"got {type_name(value)} for '{parameter}', want dict")
    for key, text in value.items():
        if key.__class__ is not str or text.__class__ is not str:
            raise error(f"got dict<{type_name(key)}, {type_name(text)}> for '{parameter}', want dict<string, string>")
    return value


def _run_environment(environment: Any = None, inherited_environment: Any = None) -> dict[str, Any]:
    inherited = List() if inherited_environment is None else inherited_environment
    if not isinstance(inherited, list | tuple):
        raise error(f"got {type_name(inherited)} for 'inherited_environment', want sequence")
    for position, name in enumerate(inherited):
        if name.__class__ is not str:
            raise error(
                f"at index {position} of inherited_environment, got element of type {type_name(name)}, want string"
            )
    return {
        "environment": Dict() if environment is None else _texts(environment, "environment"),
        "inherited_environment": inherited,
    }


RunEnvironmentInfo = Provider("RunEnvironmentInfo", ("environment", "inherited_environment"), _run_environment)
"""https://bazel.build/rules/lib/providers/RunEnvironmentInfo"""


def for_any_rule(instance: Any) -> Any:
    """A RunEnvironmentInfo that rules which make no program may return, too: of testing.TestEnvironment()."""
    instance.__dict__["for_any_rule"] = True  # no name that Starlark could see
    return instance


def _execution_info(requirements: Any = None, exec_group: Any = "test") -> dict[str, Any]:
    _typed("ExecutionInfo", "exec_group", exec_group, str, "string")
    return {
        "requirements": Dict() if requirements is None else _texts(requirements, "requirements"),
        "exec_group": exec_group,
    }


ExecutionInfo = Provider("ExecutionInfo", ("requirements", "exec_group"), _execution_info)
"""https://bazel.build/rules/lib/providers/ExecutionInfo"""


def _instrumented_files(instrumented_files: Any = EMPTY_SET, metadata_files: Any = EMPTY_SET) -> dict[str, Any]:
    return {"instrumented_files": instrumented_files, "metadata_files": metadata_files}


InstrumentedFilesInfo = Provider("InstrumentedFilesInfo", ("instrumented_files", "metadata_files"), _instrumented_files)
"""https://bazel.build/rules/lib/providers/InstrumentedFilesInfo; coverage is never collected, so they are empty."""


def _template_variables(variables: Any) -> dict[str, Any]:
    if not isinstance(variables, dict) or not all(
        isinstance(key, str) and isinstance(value, str) for key, value in variables.items()
    ):
        raise error("in call to TemplateVariableInfo(), parameter 'variables' must be a dict of strings")
    return {"variables": variables}


TemplateVariableInfo = Provider("TemplateVariableInfo", ("variables",), _template_variables)
"""https://bazel.build/rules/lib/toplevel/platform_common#TemplateVariableInfo"""

ToolchainInfo = Provider("ToolchainInfo")
"""https://bazel.build/rules/lib/providers/ToolchainInfo"""

ConstraintSettingInfo = Provider("ConstraintSettingInfo", ("label", "default_constraint_value"))
ConstraintValueInfo = Provider("ConstraintValueInfo", ("label", "constraint"))
PlatformInfo = Provider("PlatformInfo", ("label", "constraints"))
DeclaredToolchainInfo = Provider(
    "DeclaredToolchainInfo",
    ("toolchain_type", "toolchain", "exec_compatible_with", "target_compatible_with", "target_settings"),
)
"""What a toolchain() says, as labels."""

ToolchainTypeInfo = Provider("ToolchainTypeInfo", ("type_label",))
FeatureFlagInfo = Provider("FeatureFlagInfo", ("value",))
"""config_common.FeatureFlagInfo: the value of a flag, for config_setting(flag_values = ...)"""

ConfigSettingInfo = Provider("ConfigSettingInfo", ("label",))
BuildSettingInfo = Provider("BuildSettingInfo", ("label", "value"))


def _analysis_test_result(success: Any, message: Any) -> dict[str, Any]:
    if success.__class__ is not bool:
        raise error(
            f"in call to AnalysisTestResultInfo(), parameter 'success' got value of type '{type_name(success)}', "
            "want 'bool'"
        )
    _typed("AnalysisTestResultInfo", "message", "" if message is None else message, str, "string")
    return {"success": success, "message": message}


AnalysisTestResultInfo = Provider("AnalysisTestResultInfo", ("success", "message"), _analysis_test_result)
"""https://bazel.build/rules/lib/providers/AnalysisTestResultInfo"""

AnalysisFailure = Provider("AnalysisFailure", ("label", "message"))
AnalysisFailureInfo = Provider("AnalysisFailureInfo", ("causes",))
"""Of a target that cannot be analysed where --allow_analysis_failures is set: a depset of AnalysisFailure."""

IncompatiblePlatformInfo = Provider("IncompatiblePlatformProvider", ("reason",))
"""Present when target_compatible_with rules the target out; `reason` says why."""


class PackageSpecification:
    """What package groups and visibilities say of packages.  In Starlark: PackageSpecificationInfo."""

    __slots__ = ("_includes", "group")
    starlark_type = "PackageSpecificationInfo"

    def __init__(self, group: PackageGroup, includes: tuple[PackageSpecification, ...] = ()):
        self.group = group
        self._includes = includes

    @property
    def provider(self) -> Any:
        return PackageSpecificationInfo

    def s_contains(self, target: Any) -> bool:
        """Whether the group holds the package of a Label (or of a label's text)."""
        if not isinstance(target, Label):
            raise error(
                f"in call to contains(), parameter 'target' got value of type '{type_name(target)}', want 'Label'"
            )
        return self.contains(target)

    def contains(self, label: Label) -> bool:
        included = self.group.public
        for package, below, negated in self.group.specifications:
            matches = package is label.package or (
                below
                and package.repository == label.repository
                and (not package.path or label.package.path.startswith(package.path + "/"))
            )
            if matches and negated:
                return False
            included = included or matches
        return included or any(each.contains(label) for each in self._includes)


PackageSpecificationInfo = Provider("PackageSpecificationInfo", ("group",))


class Forwarded:
    """What the implementation of an alias returns: the target (or its label) that it stands for."""

    __slots__ = ("target",)

    def __init__(self, target: Any):
        self.target = target


def forwarding(implementation: Callable[[Any], Forwarded]) -> Callable[[Any], Forwarded]:
    """Marks the implementation of a kind whose targets stand for others."""
    implementation.forwards = True  # type: ignore[attr-defined]
    return implementation


class LegacyField:
    """Returned by a native rule among its providers: dependents read `value` as dep.NAME, as old .bzl files do."""

    __slots__ = ("name", "value")

    def __init__(self, name: str, value: Any):
        self.name = name
        self.value = value


class TestResult:
    """What makes a target a test: the action that runs it.  Not visible to Starlark."""

    __slots__ = ("action",)
    __test__ = False

    def __init__(self, action: Any):
        self.action = action

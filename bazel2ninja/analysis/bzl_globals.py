"""What the analysis adds to the environment of .bzl files: https://bazel.build/rules/lib/toplevel and .../providers"""

from __future__ import annotations

from typing import Any

from bazel2ninja.analysis.depset import Depset, depset
from bazel2ninja.analysis.provider import Provider, provider
from bazel2ninja.analysis.providers_builtin import (
    AnalysisFailureInfo,
    AnalysisTestResultInfo,
    ConstraintValueInfo,
    DefaultInfo,
    ExecutionInfo,
    FeatureFlagInfo,
    InstrumentedFilesInfo,
    OutputGroupInfo,
    PackageSpecificationInfo,
    PlatformInfo,
    RunEnvironmentInfo,
    TemplateVariableInfo,
    ToolchainInfo,
    for_any_rule,
)
from bazel2ninja.analysis.starlark_context import running_context
from bazel2ninja.starlark import EvalError, Struct, builtin, type_name


class Unsupported:
    """A global that exists in Bazel and not here: an error as soon as a field of it is read or it is called."""

    starlark_type = "module"

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("s_"):
            raise AttributeError(name)
        raise EvalError(f"{self._name}.{name[2:]} is not supported")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise EvalError(f"{self._name} is not supported")

    def starlark_repr(self) -> str:
        return f"<{self._name}>"


@builtin("instrumented_files_info")
def _instrumented_files_info(
    ctx: Any,
    *,
    source_attributes: Any = (),
    dependency_attributes: Any = (),
    extensions: Any = None,
    metadata_files: Any = (),
    baseline_coverage_files: Any = None,
    **internal: Any,
) -> Any:
    return InstrumentedFilesInfo(Depset(), Depset())  # coverage is never collected


@builtin("TestEnvironment")
def _test_environment(environment: Any, inherited_environment: Any = None) -> Any:
    return for_any_rule(RunEnvironmentInfo(environment, inherited_environment))


@builtin("package_relative_label")
def _package_relative_label(input: Any) -> Any:
    if not isinstance(input, str):
        return input
    return running_context("package_relative_label").parse_label(input)


@builtin("FileType")
def _file_type(types: Any) -> Any:
    return FileType(types)


class FileType:
    """FileType([".cc"]): how allow_files was given before Bazel 0.25."""

    starlark_type = "FileType"

    def __init__(self, types: Any):
        if not isinstance(types, list | tuple) or not all(isinstance(each, str) for each in types):
            raise EvalError(
                f"in call to FileType(), parameter 'types' got value of type '{type_name(types)}', "
                "want 'sequence of strings'"
            )
        self.file_types = tuple(types)

    def s_filter(self, items: Any) -> Any:
        from bazel2ninja.starlark import List

        return List(item for item in items if item.exec_path.endswith(self.file_types))


def words(text: str) -> tuple[str, ...]:
    """The names in a text, in order."""
    return tuple(text.split())


_UNSUPPORTED_MODULES = ("apple_common", "android_common", "java_common", "js_common")
_UNSUPPORTED_PROVIDERS = words(
    "JavaInfo JavaPluginInfo JavaToolchainInfo JavaRuntimeInfo ProguardSpecProvider AndroidIdeInfo "
    "AndroidSdkInfo AndroidResourcesInfo AndroidManifestInfo AndroidAssetsInfo AndroidLibraryAarInfo "
    "AndroidNativeLibsInfo ObjcInfo AppleDynamicFramework ApplePlatform XcodeVersionInfo "
    "GeneratedExtensionRegistryProvider Actions"
)


def _unsupported_provider(name: str) -> Provider:
    """A provider that no target has: asking for it is answered, making one is an error."""

    def init(*args: Any, **kwargs: Any) -> Any:
        raise EvalError(f"{name} is not supported")

    return Provider(name, None, init)


def bzl_globals() -> dict[str, object]:
    """Name -> value; values are frozen and may be shared by all files."""
    found: dict[str, object] = {
        "provider": provider,
        "depset": depset,
        "DefaultInfo": DefaultInfo,
        "OutputGroupInfo": OutputGroupInfo,
        "RunEnvironmentInfo": RunEnvironmentInfo,
        "InstrumentedFilesInfo": InstrumentedFilesInfo,
        "AnalysisTestResultInfo": AnalysisTestResultInfo,
        "AnalysisFailureInfo": AnalysisFailureInfo,
        "PackageSpecificationInfo": PackageSpecificationInfo,
        "platform_common": Struct(
            ToolchainInfo=ToolchainInfo,
            TemplateVariableInfo=TemplateVariableInfo,
            PlatformInfo=PlatformInfo,
            ConstraintValueInfo=ConstraintValueInfo,
        ),
        "config_common": {
            "FeatureFlagInfo": FeatureFlagInfo,
            "config_feature_flag_transition": Unsupported("config_common.config_feature_flag_transition"),
        },
        "coverage_common": Struct(instrumented_files_info=_instrumented_files_info),
        "testing": {"ExecutionInfo": ExecutionInfo, "TestEnvironment": _test_environment},
        "FileType": _file_type,
    }
    found.update((name, Unsupported(name)) for name in _UNSUPPORTED_MODULES)
    found.update((name, _unsupported_provider(name)) for name in _UNSUPPORTED_PROVIDERS)
    return found

"""ctx.fragments: the options of a language, https://bazel.build/rules/lib/fragments, and configuration_field()."""

from __future__ import annotations

from typing import Any

from bazel2ninja.configuration.configuration import Configuration
from bazel2ninja.configuration.option_table import native_options
from bazel2ninja.configuration.option_values import value_in
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError, suggestion
from bazel2ninja.labels import Label, parse_label
from bazel2ninja.loading.rule_class import ConfigurationField
from bazel2ninja.starlark import EvalError, List, freeze


def option(configuration: Configuration, name: str) -> Any:
    """The value of a native option, under Bazel's name for it, in a configuration."""
    return value_in(configuration.settings, native_options()[name])


def _list(values: Any) -> List:
    return freeze(List(values))  # type: ignore[no-any-return]


class CppFragment:
    """ctx.fragments.cpp"""

    __slots__ = ("_configuration",)
    starlark_type = "cpp"

    def __init__(self, configuration: Configuration):
        self._configuration = configuration

    @property
    def s_copts(self) -> List:
        return _list(self._configuration.settings.copts)

    @property
    def s_cxxopts(self) -> List:
        return _list(self._configuration.settings.cxxopts)

    @property
    def s_conlyopts(self) -> List:
        return _list(self._configuration.settings.conlyopts)

    @property
    def s_linkopts(self) -> List:
        return _list(self._configuration.settings.linkopts)

    @property
    def s_objccopts(self) -> List:
        return _list(())

    @property
    def s_custom_malloc(self) -> Any:
        return option(self._configuration, "custom_malloc")

    def s_compilation_mode(self) -> str:
        return self._configuration.settings.compilation_mode

    def s_cpu(self) -> str:
        return self._configuration.settings.cpu

    def s_compiler(self) -> str:
        return self._configuration.settings.compiler

    def s_force_pic(self) -> bool:
        return True  # objects are always position independent

    def s_dynamic_mode(self) -> str:
        return self._configuration.settings.dynamic_mode

    def s_fission_active_for_current_compilation_mode(self) -> bool:
        return False

    def s_generate_llvm_lcov(self) -> bool:
        return False

    def s_save_feature_state(self) -> bool:
        return False

    def s_strip_opts(self) -> List:
        return _list(())

    def s_minimum_os_version(self) -> None:
        return None


class PyFragment:
    """ctx.fragments.py"""

    __slots__ = ("_configuration",)
    starlark_type = "py"

    def __init__(self, configuration: Configuration):
        self._configuration = configuration

    @property
    def s_default_python_version(self) -> str:
        return "PY3"

    @property
    def s_build_python_zip(self) -> bool:
        return False

    @property
    def s_default_to_explicit_init_py(self) -> bool:
        return bool(option(self._configuration, "incompatible_default_to_explicit_init_py"))

    @property
    def s_use_toolchains(self) -> bool:
        return True

    @property
    def s_disable_py2(self) -> bool:
        return True

    @property
    def s_include_label_in_linkstamp(self) -> bool:
        return False


class PlatformFragment:
    """ctx.fragments.platform"""

    __slots__ = ("_configuration",)
    starlark_type = "platform"

    def __init__(self, configuration: Configuration):
        self._configuration = configuration

    @property
    def s_platform(self) -> Label | None:
        platforms = self._configuration.settings.platforms
        return platforms[0] if platforms else None

    @property
    def s_host_platform(self) -> Any:
        return option(self._configuration, "host_platform")


class ProtoFragment:
    """ctx.fragments.proto"""

    __slots__ = ("_configuration",)
    starlark_type = "proto"

    def __init__(self, configuration: Configuration):
        self._configuration = configuration

    @property
    def s_experimental_protoc_opts(self) -> List:
        return _list(option(self._configuration, "protocopt"))

    @property
    def s_cc_proto_library_header_suffixes(self) -> List:
        return _list(option(self._configuration, "cc_proto_library_header_suffixes"))

    @property
    def s_cc_proto_library_source_suffixes(self) -> List:
        return _list(option(self._configuration, "cc_proto_library_source_suffixes"))

    def s_strict_public_imports(self) -> str:
        return str(option(self._configuration, "strict_public_imports"))

    def s_strict_proto_deps(self) -> str:
        return str(option(self._configuration, "strict_proto_deps"))


class CoverageFragment:
    """ctx.fragments.coverage"""

    __slots__ = ()
    starlark_type = "coverage"
    s_output_generator = None


class Fragments:
    """ctx.fragments: fragments of languages that are not supported are errors when they are read."""

    starlark_type = "fragments"

    def __init__(self, configuration: Configuration):
        self._configuration = configuration

    @property
    def s_cpp(self) -> CppFragment:
        return CppFragment(self._configuration)

    @property
    def s_py(self) -> PyFragment:
        return PyFragment(self._configuration)

    @property
    def s_platform(self) -> PlatformFragment:
        return PlatformFragment(self._configuration)

    @property
    def s_proto(self) -> ProtoFragment:
        return ProtoFragment(self._configuration)

    @property
    def s_coverage(self) -> CoverageFragment:
        return CoverageFragment()

    @property
    def s_java(self) -> Any:
        raise EvalError("the configuration fragment 'java' is not supported")

    @property
    def s_apple(self) -> Any:
        raise EvalError("the configuration fragment 'apple' is not supported")

    @property
    def s_objc(self) -> Any:
        raise EvalError("the configuration fragment 'objc' is not supported")


_NONE = object()
# (fragment, field) -> option that holds the label, or a label's text, or _NONE
_FIELDS: dict[tuple[str, str], object] = {
    ("cpp", "cc_toolchain"): "@bazel_tools//tools/cpp:current_cc_toolchain",
    ("cpp", "custom_malloc"): ("custom_malloc",),
    ("cpp", "libc_top"): _NONE,
    ("cpp", "target_libc_top_DO_NOT_USE_ONLY_FOR_CC_TOOLCHAIN"): _NONE,
    ("cpp", "fdo_optimize"): _NONE,
    ("cpp", "fdo_profile"): _NONE,
    ("cpp", "fdo_prefetch_hints"): _NONE,
    ("cpp", "propeller_optimize"): _NONE,
    ("cpp", "memprof_profile"): _NONE,
    ("cpp", "xbinary_fdo"): _NONE,
    ("cpp", "cs_fdo_profile"): _NONE,
    ("cpp", "proto_profile_path"): _NONE,
    ("cpp", "zipper"): _NONE,
    ("proto", "proto_compiler"): ("proto_compiler",),
    ("proto", "proto_toolchain_for_cc"): ("proto_toolchain_for_cc",),
    ("proto", "proto_toolchain_for_java"): ("proto_toolchain_for_java",),
    ("proto", "proto_toolchain_for_java_lite"): ("proto_toolchain_for_javalite",),
    ("coverage", "output_generator"): _NONE,
    ("bazel_py", "python_top"): ("python_top",),
    ("py", "native_rules_allowlist"): _NONE,
}


def configuration_field(field: ConfigurationField, configuration: Configuration) -> Label | None:
    """The label that configuration_field(fragment, name) stands for; raises WorkspaceError for an unknown one."""
    key = field.fragment, field.name
    if key not in _FIELDS:
        known = [name for fragment, name in _FIELDS if fragment == field.fragment]
        raise WorkspaceError(
            Diagnostic(
                f"invalid configuration field name '{field.name}' on fragment '{field.fragment}'",
                help=suggestion(field.name, known),
            )
        )
    value = _FIELDS[key]
    if value is _NONE:
        return None
    if isinstance(value, tuple):
        value = option(configuration, value[0])
    if value is None or isinstance(value, Label):
        return value
    return parse_label(str(value)) if value else None

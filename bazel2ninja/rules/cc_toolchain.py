"""The C++ toolchain as targets and rules see it: cc_toolchain and its relatives, CcToolchainInfo, "Make" variables.

https://bazel.build/rules/lib/providers/CcToolchainInfo and https://bazel.build/reference/be/c-cpp#cc_toolchain.  What
the compiler is and which flags it gets is decided by the settings and a toolchain description, not by these targets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.providers_builtin import DefaultInfo, TemplateVariableInfo, ToolchainInfo
from bazel2ninja.configuration.configuration import Configuration
from bazel2ninja.configuration.platforms import gnu_type
from bazel2ninja.labels import Label
from bazel2ninja.loading.rule_class import Attribute, AttributeType
from bazel2ninja.rules import cc_crosstool
from bazel2ninja.rules.cc_features import description_of
from bazel2ninja.rules.cc_project_toolchain import ProjectToolchain
from bazel2ninja.rules.cc_toolchain_info import CcToolchainInfo
from bazel2ninja.starlark import Dict, EvalError, List, builtin

if TYPE_CHECKING:
    from bazel2ninja.analysis.analyzer import Analyzer
    from bazel2ninja.analysis.rule_context import RuleContext

_T = AttributeType
TOOLCHAIN_TYPE = cc_crosstool.TOOLCHAIN_TYPE
_FROM_SETTINGS = "the compiler and its flags come from the command line and the environment"

_TOOL_VARIABLES = ("AR", "LD", "NM", "OBJCOPY", "STRIP")
_TOOLS = ("ar", "ld", "nm", "objcopy", "objdump", "strip", "gcov")
_FILE_SETS = (
    "all_files",
    "_all_files_including_libc",
    "_ar_files",
    "_as_files",
    "_compiler_files",
    "_compiler_files_without_includes",
    "_coverage_files",
    "_dwp_files",
    "_linker_files",
    "_objcopy_files",
    "_strip_files",
)


@builtin("needs_pic_for_dynamic_libraries")
def _needs_pic(*, feature_configuration: Any) -> bool:
    return True


@builtin("dynamic_runtime_lib")
def _dynamic_runtime(*, feature_configuration: Any) -> Depset:
    return Depset()


@builtin("static_runtime_lib")
def _static_runtime(*, feature_configuration: Any) -> Depset:
    return Depset()


def compiler_path(compiler: str, prefix: str) -> str:
    """The C compiler as programs that are told about it find it; clang is one program for all machines."""
    return tool_path("" if compiler == "clang" else prefix, compiler)


def tool_path(prefix: str, name: str) -> str:
    """A program of the binutils, "strip" for instance; prefix as of Configuration.tool_prefix."""
    return f"/usr/bin/{prefix}{name}"


def _project_fields(toolchain: ProjectToolchain) -> dict[str, Any]:
    """What a toolchain of the project says otherwise."""
    given = {f"{name}_executable": path for name, path in toolchain.tools.items() if name in _TOOLS}
    if "gcc" in toolchain.tools:
        given["compiler_executable"] = toolchain.tools["gcc"]
    if "cpp" in toolchain.tools:
        given["preprocessor_executable"] = toolchain.tools["cpp"]
    everything = toolchain.files.get("all_files", Depset())
    files = {f"_{name}": group for name, group in toolchain.files.items() if name != "all_files"}
    config = toolchain.config
    return {
        **given,
        **{name: group for name, group in files.items() if name in _FILE_SETS},
        "all_files": everything,
        "_all_files_including_libc": everything,
        "compiler": toolchain.text("compiler"),
        "libc": toolchain.text("target_libc"),
        "target_gnu_system_name": toolchain.text("target_system_name"),
        "toolchain_id": toolchain.text("toolchain_identifier"),
        "sysroot": config.get("builtin_sysroot"),
        "built_in_include_directories": List(config.get("cxx_builtin_include_directories") or ()),
    }


def cc_toolchain_fields(configuration: Configuration, toolchain: ProjectToolchain | None = None) -> dict[str, Any]:
    """What CcToolchainInfo has in a configuration, with the project's toolchain or the machine's."""
    settings = configuration.settings
    compiler = compiler_path(configuration.settings.compiler, configuration.tool_prefix)
    return {
        **{name: Depset() for name in _FILE_SETS},
        **{f"{name}_executable": tool_path(configuration.tool_prefix, name) for name in _TOOLS},
        "compiler": settings.compiler,
        "cpu": settings.cpu,
        "compiler_executable": compiler,
        "preprocessor_executable": "/usr/bin/cpp",
        "libc": "glibc",
        "target_gnu_system_name": gnu_type(settings.constraints) or settings.cpu,
        "toolchain_id": f"local-{description_of(settings).name}",
        "sysroot": None,
        "built_in_include_directories": List(),
        "dynamic_runtime_solib_dir": f"{configuration.bin}/_solib_{settings.cpu}",
        "_solib_dir": f"_solib_{settings.cpu}",
        "_supports_header_parsing": False,
        "_supports_param_files": True,
        "_if_so_builder": None,
        "_legacy_cc_flags_make_variable": "",
        "needs_pic_for_dynamic_libraries": _needs_pic,
        "dynamic_runtime_lib": _dynamic_runtime,
        "static_runtime_lib": _static_runtime,
        **(_project_fields(toolchain) if toolchain is not None else {}),
    }


def make_variables(configuration: Configuration, toolchain: ProjectToolchain | None = None) -> Mapping[str, str]:
    """The "Make" variables that the C++ toolchain defines."""
    found = _machine_variables(configuration)
    if toolchain is not None:
        names = {"CC": "gcc", "GCOVTOOL": "gcov", **{name: name.lower() for name in _TOOL_VARIABLES}}
        found |= {name: toolchain.tools[tool] for name, tool in names.items() if tool in toolchain.tools}
        found["C_COMPILER"] = toolchain.text("compiler")
        found["ABI"] = toolchain.text("abi_version")
        found["ABI_GLIBC_VERSION"] = toolchain.text("abi_libc_version")
        found["CROSSTOOLTOP"] = toolchain.label.package.exec_path
        found |= {
            str(each.get("name")): str(each.get("value")) for each in toolchain.config.get("make_variables") or ()
        }
    return found


def _machine_variables(configuration: Configuration) -> dict[str, str]:
    return {
        "CC": compiler_path(configuration.settings.compiler, configuration.tool_prefix),
        "C_COMPILER": configuration.settings.compiler,
        "AR": tool_path(configuration.tool_prefix, "ar"),
        "LD": tool_path(configuration.tool_prefix, "ld"),
        "NM": tool_path(configuration.tool_prefix, "nm"),
        "OBJCOPY": tool_path(configuration.tool_prefix, "objcopy"),
        "STRIP": tool_path(configuration.tool_prefix, "strip"),
        "GCOVTOOL": tool_path(configuration.tool_prefix, "gcov"),
        "CC_FLAGS": "",
        "STACK_FRAME_UNLIMITED": "",
        "ABI": "local",
        "ABI_GLIBC_VERSION": "local",
        "CROSSTOOLTOP": "external/local_config_cc",
    }


def toolchain_info(analyzer: Analyzer, configuration: Configuration) -> tuple[Any, Any]:
    """(CcToolchainInfo, ToolchainInfo): a toolchain is found under its own provider, and as field `cc` of the other."""
    fields = cc_toolchain_fields(configuration, cc_crosstool.find(analyzer, configuration))
    info = CcToolchainInfo.instance(fields)
    return info, ToolchainInfo(cc=info, cc_provider_in_toolchain=True, **fields)


def builtin_toolchain(analyzer: Analyzer, configuration: Configuration) -> Any:
    """The ToolchainInfo of --crosstool_top or of the machine's compiler, for when the project registers none."""
    return toolchain_info(analyzer, configuration)[1]


BUILTIN_TOOLCHAINS: Mapping[Label, Any] = MappingProxyType({TOOLCHAIN_TYPE: builtin_toolchain})
"""Toolchain type -> what finds its toolchain when the project registers none."""


def _toolchain(ctx: RuleContext) -> Iterable[Any]:
    info, found = toolchain_info(ctx.analyzer, ctx.configuration)
    return [
        DefaultInfo(files=Depset()),
        info,
        found,
        TemplateVariableInfo(
            Dict(make_variables(ctx.configuration, ctx.analyzer.project_toolchains.get(ctx.configuration)))
        ),
    ]


def _nothing(ctx: RuleContext) -> Iterable[Any]:
    return [DefaultInfo(files=Depset())]


def _irrelevant(*names: str, type: AttributeType = _T.LABEL) -> list[Attribute]:
    return [Attribute(name, type, irrelevant=_FROM_SETTINGS, allow_files=True) for name in names]


_CC_TOOLCHAIN_ATTRIBUTES = (
    *_irrelevant(
        *("all_files", "ar_files", "as_files", "compiler_files", "compiler_files_without_includes", "coverage_files"),
        *("dwp_files", "linker_files", "objcopy_files", "strip_files", "dynamic_runtime_lib", "static_runtime_lib"),
        *("libc_top", "module_map", "toolchain_config"),
    ),
    *_irrelevant("dynamic_runtime_libs", "static_runtime_libs", type=_T.LABEL_LIST),
    *_irrelevant("supports_header_parsing", "supports_param_files", type=_T.BOOLEAN),
    *_irrelevant("toolchain_identifier", "cpu", "compiler", type=_T.STRING),
    *_irrelevant("exec_transition_for_inputs", type=_T.BOOLEAN),
    *_irrelevant("output_licenses", type=_T.LICENSE),
)

# name -> (attributes, implementation)
TOOLCHAIN_RULES: Mapping[str, tuple[Iterable[Attribute], Any]] = MappingProxyType(
    {
        "cc_toolchain": (_CC_TOOLCHAIN_ATTRIBUTES, _toolchain),
        "cc_toolchain_alias": (_irrelevant("mandatory", type=_T.BOOLEAN), _toolchain),
        "cc_host_toolchain_alias": ((), _toolchain),
        "cc_toolchain_suite": (
            (
                Attribute("toolchains", _T.STRING_DICT, irrelevant=_FROM_SETTINGS),
                *_irrelevant("proto", type=_T.STRING),
            ),
            _toolchain,
        ),
        "cc_libc_top_alias": ((), _nothing),
        "fdo_profile": (
            (*_irrelevant("profile", "proto_profile"), *_irrelevant("absolute_path_profile", type=_T.STRING)),
            _nothing,
        ),
        "fdo_prefetch_hints": (
            (*_irrelevant("profile"), *_irrelevant("absolute_path_profile", type=_T.STRING)),
            _nothing,
        ),
        "propeller_optimize": (_irrelevant("cc_profile", "ld_profile"), _nothing),
    }
)


def require_toolchain(value: Any, function: str) -> None:
    """Raises EvalError unless `value` is a C++ toolchain (or None, which some callers pass for the default)."""
    if value is None or getattr(value, "provider", None) in (CcToolchainInfo, ToolchainInfo):
        return
    raise EvalError(f"in call to {function}(), parameter 'cc_toolchain' is not a C++ toolchain")

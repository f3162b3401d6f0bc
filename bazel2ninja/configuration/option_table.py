"""The native options of Bazel as data: name, type, and what becomes of a value.

https://bazel.build/reference/command-line-reference, releases 0.17 to 8.  Options with an effect are listed here; those
without one are in irrelevant_options.toml, each group with the reason.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from bazel2ninja.records import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """One native option.

    type: boolean, tristate, integer, string, words (comma-separated), label, labels (comma-separated), assignment
    (NAME=VALUE), variable (NAME=VALUE or NAME), per_file, void, optional (a text, or nothing).
    effect: "settings" (Settings.FIELD), "other" (Settings.other), "run" (Options.FIELD or Options.run), "test"
    (concerns running tests only), "semantics" (the switch FIELD, "!FIELD" for the opposite), "irrelevant" (accepted,
    `reason` says why nothing follows), "unsupported" (an error when it differs from its default).
    repeatable: values add up.  default: the converted value.  since, until: releases of Bazel, until exclusive.
    builds: false for an option that `build` does not take, only other commands.
    """

    name: str
    type: str = "string"
    effect: str = "irrelevant"
    field: str = ""
    default: object = None
    repeatable: bool = False
    abbreviation: str = ""
    choices: tuple[str, ...] = ()
    since: tuple[int, ...] = ()
    until: tuple[int, ...] = ()
    reason: str = ""
    builds: bool = True

    @property
    def negatable(self) -> bool:
        return self.type in ("boolean", "tristate", "optional")

    @property
    def selectable(self) -> bool:
        """config_setting(values = ...) and transitions may name it."""
        return self.effect in ("settings", "other", "unsupported")


def _settings() -> Iterator[Option]:
    def option(name: str, kind: str, field: str, default: object, repeatable: bool = False, **more: object) -> Option:
        return Option(name, kind, "settings", field, default, repeatable, **more)  # type: ignore[arg-type]

    modes = ("fastbuild", "dbg", "opt")
    yield option("compilation_mode", "string", "compilation_mode", "fastbuild", abbreviation="c", choices=modes)
    yield option("cpu", "string", "cpu", None)
    yield option("copt", "string", "copts", (), True)
    yield option("conlyopt", "string", "conlyopts", (), True)
    yield option("cxxopt", "string", "cxxopts", (), True)
    yield option("linkopt", "string", "linkopts", (), True)
    yield option("per_file_copt", "per_file", "per_file_copts", (), True)
    yield option("define", "assignment", "defines", (), True)
    yield option("features", "string", "features", (), True)
    yield option("dynamic_mode", "string", "dynamic_mode", "default", choices=("off", "default", "fully"))
    yield option("force_pic", "boolean", "force_pic", False)
    yield option("action_env", "variable", "action_environment", (), True)
    yield option("test_env", "variable", "test_environment", (), True)
    yield option("platforms", "labels", "platforms", ())


# name, type, default; "*" after the type: repeatable
_OTHER = """
compiler string
host_copt string*
host_conlyopt string*
host_cxxopt string*
host_linkopt string*
host_per_file_copt per_file*
host_features string*
host_action_env variable*
host_compilation_mode string opt
host_cpu string
host_compiler string
host_platform label
crosstool_top label @bazel_tools//tools/cpp:toolchain
host_crosstool_top label
apple_crosstool_top label @bazel_tools//tools/cpp:toolchain
android_crosstool_top label
grte_top label
host_grte_top label
fat_apk_cpu words
android_cpu string
android_compiler string
android_platforms labels
apple_platform_type string macos
apple_split_cpu string
ios_multi_cpus words*
ios_cpu string
ios_minimum_os string
macos_cpus words*
macos_minimum_os string
tvos_cpus words*
watchos_cpus words*
visionos_cpus words*
xcode_version string
apple_compiler string
apple_bitcode string*
strip string sometimes
stripopt string*
stamp boolean false
start_end_lib boolean true
legacy_whole_archive boolean true
interface_shared_objects boolean true
fission words no
build_test_dwp boolean false
save_temps boolean false
cc_output_directory_tag string
platform_suffix string
protocopt string*
proto_compiler label @bazel_tools//tools/proto:protoc
proto_toolchain_for_cc label @bazel_tools//tools/proto:cc_toolchain
proto_toolchain_for_java label @bazel_tools//tools/proto:java_toolchain
proto_toolchain_for_javalite label @bazel_tools//tools/proto:javalite_toolchain
strict_proto_deps string error
strict_public_imports string off
experimental_proto_descriptor_sets_include_source_info boolean false
cc_proto_library_header_suffixes words .pb.h
cc_proto_library_source_suffixes words .pb.cc
python_path string
python_top label
python_version string
python2_path string
python3_path string
force_python string
host_force_python string
build_python_zip tristate auto
incompatible_default_to_explicit_init_py boolean false
incompatible_py3_is_default boolean true
incompatible_use_python_toolchains boolean true
incompatible_strict_action_env boolean true
incompatible_remove_legacy_whole_archive boolean true
incompatible_dont_emit_static_libgcc boolean true
incompatible_linkopts_in_user_link_flags boolean true
incompatible_disable_nocopts boolean true
incompatible_enable_cc_toolchain_resolution boolean true
experimental_link_static_libraries_once boolean true
collapse_duplicate_defines boolean true
java_language_version string
java_runtime_version string
tool_java_language_version string
tool_java_runtime_version string
javacopt string*
host_javacopt string*
jvmopt string*
host_jvmopt string*
java_toolchain label
host_java_toolchain label
javabase label
host_javabase label
java_launcher label
objccopt string*
swiftcopt string*
minimum_os_version string
embed_label string
legacy_external_runfiles boolean false
allow_analysis_failures boolean false
incompatible_auto_exec_groups boolean false
build_runfile_links boolean true
build_runfile_manifests boolean true
enable_runfiles tristate auto
shell_executable string
run_under string
target_environment label*
auto_cpu_environment_group label
experimental_output_paths string off
incompatible_merge_genfiles_directory boolean true
distinct_host_configuration boolean true
incompatible_target_cpu_from_platform boolean true
instrumentation_filter string
coverage_report_generator label
coverage_support label
copy_headers boolean false
experimental_omitfp boolean false
test_runner_fail_fast boolean false
"""

_UNSUPPORTED = """
fdo_instrument string
fdo_optimize string
fdo_profile label
fdo_prefetch_hints label
xbinary_fdo label
cs_fdo_instrument string
cs_fdo_profile label
cs_fdo_absolute_path string
fdo_absolute_path string
memprof_profile label
propeller_optimize label
propeller_optimize_absolute_cc_profile string
propeller_optimize_absolute_ld_profile string
custom_malloc label
collect_code_coverage boolean false
ltobackendopt string*
ltoindexopt string*
per_file_ltobackendopt per_file*
compile_one_dependency boolean false
experimental_resolved_file_instead_of_workspace string
package_path string %workspace%
experimental_sibling_repository_layout boolean false
"""

_RUN = """
override_repository assignment*
inject_repository assignment*
override_module assignment*
vendor string*
vendor_dir string
system-libraries string*
allow-missing-repositories boolean false
allow-unsandboxed boolean false
no-execute string*
distdir string*
repo_env variable*
registry string*
extra_toolchains words*
extra_execution_platforms words*
toolchain_resolution_override string*
platform_mappings string
aspects words*
build_tag_filters words
build_manual_tests boolean false
build_tests_only boolean false
check_visibility boolean true
deleted_packages words*
enable_bzlmod boolean
enable_workspace boolean
enable_platform_specific_config boolean false
expand_test_suites boolean true
output_groups words*
target_pattern_file string
workspace_status_command string
keep_going boolean false
flag_alias assignment*
experimental_repository_disable_download boolean true
incompatible_enforce_config_setting_visibility boolean true
incompatible_config_setting_private_default_visibility boolean false
incompatible_disallow_empty_glob boolean
incompatible_no_implicit_file_export boolean
incompatible_autoload_externally words
incompatible_use_platforms_repo_for_constraints boolean
incompatible_generated_protos_in_virtual_imports boolean
"""

_TEST = """
test_arg string*
test_filter string
test_tag_filters words
test_size_filters words
test_timeout_filters words
test_lang_filters words
test_timeout string
runs_per_test string*
flaky_test_attempts string*
test_sharding_strategy string
test_tmpdir string
test_output string
local_test_jobs string
zip_undeclared_test_outputs boolean false
"""

# option, switch of Semantics ("!" before it: the option turns it off)
_SEMANTICS = """
incompatible_depset_union !depset_operators
incompatible_depset_is_not_iterable !depset_is_iterable
incompatible_disallow_dict_plus !dict_plus
incompatible_string_is_not_iterable !string_iteration
incompatible_restrict_string_escapes restrict_string_escapes
incompatible_disallow_old_octal_notation !legacy_octal
incompatible_bzl_disallow_load_after_statement !load_anywhere
incompatible_disallow_load_labels_to_cross_package_boundaries -
incompatible_struct_has_no_methods !struct_to_json
incompatible_disallow_struct_provider_syntax !legacy_struct_providers
incompatible_disable_depset_items !depset_is_iterable
experimental_starlark_types type_annotations
incompatible_unambiguous_label_stringification unambiguous_labels
experimental_enable_starlark_set set_type
"""

ABBREVIATIONS = {
    "compilation_mode": "c",
    "jobs": "j",
    "keep_going": "k",
    "subcommands": "s",
    "cache_test_results": "t",
    "dump": "d",
    "long": "l",
}

OLD_NAMES = MappingProxyType(
    {
        "experimental_strict_action_env": "incompatible_strict_action_env",
        "experimental_repository_cache": "repository_cache",
        "experimental_external_repositories": "fetch",
    }
)
"""Names that options had before, and that Bazel still takes."""

OLD_DEFAULTS: Mapping[str, tuple[object, tuple[int, ...]]] = MappingProxyType(
    {
        "incompatible_remove_legacy_whole_archive": (False, (1,)),
        "incompatible_use_python_toolchains": (False, (0, 27)),
        "incompatible_py3_is_default": (False, (0, 25)),
        "incompatible_merge_genfiles_directory": (False, (0, 25)),
        "incompatible_disable_nocopts": (False, (1,)),
        "incompatible_dont_emit_static_libgcc": (False, (1,)),
        "incompatible_linkopts_in_user_link_flags": (False, (1,)),
        "incompatible_enforce_config_setting_visibility": (False, (6,)),
        "incompatible_enable_cc_toolchain_resolution": (False, (7,)),
        "incompatible_strict_action_env": (False, (8,)),
        "legacy_external_runfiles": (True, (8,)),
        "experimental_link_static_libraries_once": (False, (6,)),
    }
)
"""Defaults that changed: option -> (value before, release that changed it)."""

_RELEASES: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]] = {
    "vendor_dir": ((7, 1), ()),
    "inject_repository": ((8,), ()),
    "enable_workspace": ((7,), (9,)),
    "host_per_file_copt": ((6,), ()),
    "host_features": ((6, 2), ()),
    "distinct_host_configuration": ((), (7,)),
    "javabase": ((), (5,)),
    "host_javabase": ((), (5,)),
    "incompatible_autoload_externally": ((8,), ()),
}


def _default(kind: str, text: str, repeatable: bool) -> object:
    if repeatable:
        return ()
    if kind in ("boolean", "tristate"):
        return {"true": True, "false": False, "auto": "auto"}.get(text)
    if kind in ("words", "labels"):
        return tuple(text.split(",")) if text else ()
    return text or None


def _rows(text: str, effect: str) -> Iterator[Option]:
    for row in text.split("\n"):
        if row:
            name, kind, *default = row.split(" ")
            repeatable = kind.endswith("*")
            kind = kind.rstrip("*")
            yield Option(name, kind, effect, "", _default(kind, default[0] if default else "", repeatable), repeatable)


def _semantics() -> Iterator[Option]:
    for row in _SEMANTICS.split("\n"):
        if row:
            name, switch = row.split(" ")
            if switch == "-":
                yield Option(name, "boolean", reason="labels of load() are checked in the newest way")
            else:
                yield Option(name, "boolean", "semantics", switch)


# "*": may be repeated; "?": a boolean in some releases, a text in others
_MARKS = {"~": "boolean", "!": "void", "?": "optional", "*": "string"}


def _irrelevant() -> Iterator[Option]:
    import tomllib  # which takes its time to load

    with open(os.path.join(os.path.dirname(__file__), "irrelevant_options.toml"), "rb") as file:
        groups = tomllib.load(file)["group"]
    for group in groups:
        for word in group["names"].split():
            name = word.rstrip("".join(_MARKS))
            kind = next((kind for mark, kind in _MARKS.items() if mark in word), "string")
            yield Option(
                name,
                kind,
                default=() if "*" in word else None,
                repeatable="*" in word,
                abbreviation=ABBREVIATIONS.get(name, ""),
                reason=group["reason"],
                builds=group.get("builds", True),
            )


class _Options(Mapping[str, Option]):
    """Options by name; those without an effect, which are most, are read when one of them is asked for."""

    def __init__(self) -> None:
        found: dict[str, Option] = {}
        _add(
            found,
            (
                *_settings(),
                *_rows(_OTHER, "other"),
                *_rows(_UNSUPPORTED, "unsupported"),
                *_rows(_RUN, "run"),
                *_rows(_TEST, "test"),
                *_semantics(),
            ),
        )
        self._found = found
        self._complete = False

    def _all(self) -> dict[str, Option]:
        if not self._complete:
            _add(self._found, _irrelevant())
            self._complete = True
        return self._found

    def __getitem__(self, name: str) -> Option:
        found = self._found.get(name)
        return self._all()[name] if found is None else found

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())


def _add(found: dict[str, Option], options: Iterable[Option]) -> None:
    for option in options:
        assert option.name not in found, option.name
        found[option.name] = option
        since, until = _RELEASES.get(option.name, ((), ()))
        if since or until or option.name in ABBREVIATIONS:
            found[option.name] = Option(
                **{
                    **{slot: getattr(option, slot) for slot in Option.__slots__},
                    "since": since,
                    "until": until,
                    "abbreviation": ABBREVIATIONS.get(option.name, ""),
                }
            )


@functools.cache
def native_options() -> Mapping[str, Option]:
    """Every native option by name."""
    return _Options()


@functools.cache
def effective_options() -> tuple[Option, ...]:
    """Those that have an effect here."""
    return tuple(option for option in _Options()._found.values())


def abbreviated(letter: str) -> Option | None:
    """The option with this one-letter form."""
    return next((native_options()[name] for name, known in ABBREVIATIONS.items() if known == letter), None)


def is_known(name: str) -> bool:
    """Whether `name` is a native option's name."""
    return name in native_options()

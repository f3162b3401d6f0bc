"""Dialects of the language and the named switches for what Bazel changed over the years.

Sources: the Starlark specification (bazelbuild/starlark, spec.md) and the `--incompatible_*` and `--experimental_*`
flags of Bazel's command-line reference, release by release.
"""

from __future__ import annotations

import enum

from ..records import dataclass, fields, replace


class Dialect(enum.Enum):
    """Which statements a kind of file may contain."""

    BUILD = "build"  # no def, lambda, if or for statement; globals may be assigned again
    BZL = "bzl"  # if and for only inside functions; each global is assigned once
    WORKSPACE = "workspace"  # as BUILD; load() may follow other statements
    PLAIN = "plain"  # the specification's core, with if and for at top level and globals assigned again


@dataclass(frozen=True, slots=True)
class Semantics:
    """Behaviours that differ between Bazel releases; the defaults are those of the newest one."""

    depset_operators: bool = False  # depset + x and depset | x (removed in 0.27: --incompatible_depset_union)
    depset_is_iterable: bool = False  # for, len, in, list() on a depset (--incompatible_depset_is_not_iterable)
    dict_plus: bool = False  # dict + dict (--incompatible_disallow_dict_plus)
    dict_union: bool = True  # dict | dict (since Bazel 5)
    integer_slash: bool = False  # / divides integers, as // (until floating point came, Bazel 4)
    floats: bool = True  # the float type and its literals (since Bazel 4)
    string_iteration: bool = False  # strings are sequences of characters (--incompatible_string_is_not_iterable)
    set_type: bool = True  # the set built-in (since Bazel 8.1)
    nested_functions: bool = True  # def inside def, lambda (since Bazel 5)
    restrict_string_escapes: bool = True  # an unknown escape is an error (--incompatible_restrict_string_escapes)
    legacy_octal: bool = False  # 0755 is octal (--incompatible_disallow_old_octal_notation)
    toplevel_rebinding: bool = False  # a .bzl global may be assigned again
    type_annotations: bool = True  # annotations are parsed and ignored (Bazel 8.? --experimental_starlark_types)
    struct_to_json: bool = False  # struct.to_json() (--incompatible_struct_has_no_methods)
    build_star_arguments: bool = False  # *args and **kwargs in the calls of a BUILD file (Bazel < 0.6)
    load_anywhere: bool = (
        False  # load() after other statements of a .bzl (--incompatible_bzl_disallow_load_after_statement)
    )
    transitive_loads: bool = False  # what load() binds is exported, too (--incompatible_no_transitive_loads)
    path_loads: bool = False  # load("/a/b", ...), load("b", ...) (--incompatible_load_argument_is_label; host's use)
    old_actions_api: bool = False  # ctx.action, ctx.new_file ... (--incompatible_new_actions_api; host's use)
    legacy_struct_providers: bool = False  # a rule may return struct(files = ...) (host's use)
    empty_glob: bool = False  # glob() may match nothing (--incompatible_disallow_empty_glob, since Bazel 8; host's use)
    package_name_variables: bool = False  # PACKAGE_NAME, REPOSITORY_NAME (--incompatible_package_name_is_a_function)
    legacy_native_fields: bool = False  # dep.cc and dep.proto (--incompatible_disable_legacy_cc_provider, _proto_)
    native_in_build_files: bool = False  # native.* in BUILD files (0.26.1 has it, 2.1.0 does not; host's use)
    tools_rc_file: bool = False  # tools/bazel.rc is read (until 0.18; host's use)
    tools_defaults_package: bool = False  # //tools/defaults:crosstool (until 0.23; host's use)
    empty_linker_inputs: bool = True  # a library without code has a linker input of its own (since Bazel 3; host's use)
    current_repository: bool = True  # BAZEL_CURRENT_REPOSITORY for who has the runfiles library (since 6; host's use)
    unambiguous_labels: bool = True  # str(Label) begins with "@" (--incompatible_unambiguous_label_stringification)
    module_labels: bool = False  # ... with "@@", where MODULE.bazel names repositories (host's use)
    frozen_dict_reads: bool = False  # pop(k, d) without k, setdefault(k) with k: a frozen dict answers (before Bazel 5)
    stripped_headers: bool = True  # strip_include_prefix leaves files beside the links (since Bazel 3; host's use)
    needed_members: bool = True  # cc_shared_library takes no archive whole unless told to (since Bazel 6; host's use)
    shared_malloc: bool = False  # linkshared programs compile with malloc's directories (Bazel < 6; host's use)
    specified_strings: bool = True  # \\x, \\u and \\U, "%c", split() without separator: specified, in no Bazel release
    recursion: bool = False  # functions may call themselves (no Bazel release; starlark-go's -recursion)

    @classmethod
    def for_bazel(cls, version: str) -> Semantics:
        """The defaults of a Bazel release, "0.26.1" for instance; anything after the numbers is ignored."""
        parts: list[int] = []
        for part in version.strip().split("."):
            digits = ""
            for character in part:
                if not character.isdigit():
                    break
                digits += character
            if not digits:
                break
            parts.append(int(digits))
        release = tuple(parts) if parts else (9999,)
        old: dict[str, bool] = {}
        for name, value, since in _HISTORY:
            if release < since:
                old[name] = value
        return replace(cls(), specified_strings=False, **old)

    @classmethod
    def tolerant(cls) -> Semantics:
        """For a tree that names no Bazel release: the newest, with what was removed as far as it fits in."""
        return replace(
            cls(), restrict_string_escapes=False, unambiguous_labels=False, **dict.fromkeys(_COMPATIBLE, True)
        )

    def key(self) -> str:
        """A text that differs for different semantics."""
        return ",".join(f.name for f in fields(self) if getattr(self, f.name))


# removed features that change no program which the newest release accepts; "/" of integers would, so would strings as
# sequences
_COMPATIBLE = (
    "depset_operators",
    "depset_is_iterable",
    "dict_plus",
    "load_anywhere",
    "struct_to_json",
    "legacy_struct_providers",
    "empty_glob",
    "package_name_variables",
    "frozen_dict_reads",
    "native_in_build_files",
)

# switch, its value before, the release that changed it
_HISTORY: tuple[tuple[str, bool, tuple[int, ...]], ...] = (
    ("dict_plus", True, (0, 23)),
    ("string_iteration", True, (0, 25)),
    ("depset_is_iterable", True, (0, 25)),
    ("depset_operators", True, (1, 0)),
    ("legacy_octal", True, (0, 29)),
    ("restrict_string_escapes", False, (4, 0)),
    ("integer_slash", True, (4, 0)),
    ("floats", False, (4, 0)),
    ("dict_union", False, (5, 0)),
    ("nested_functions", False, (5, 0)),
    ("set_type", False, (8, 1)),
    ("type_annotations", False, (8, 3)),
    ("build_star_arguments", True, (0, 6)),
    ("load_anywhere", True, (0, 25)),
    ("tools_rc_file", True, (0, 19)),
    ("tools_defaults_package", True, (0, 23)),
    ("path_loads", True, (0, 9)),
    ("transitive_loads", True, (0, 25)),
    ("struct_to_json", True, (8, 0)),
    ("old_actions_api", True, (1, 0)),
    ("legacy_struct_providers", True, (8, 0)),
    ("legacy_native_fields", True, (0, 27)),
    ("empty_glob", True, (8, 0)),
    ("package_name_variables", True, (1, 0)),
    ("native_in_build_files", True, (1, 0)),
    ("empty_linker_inputs", False, (3, 0)),
    ("current_repository", False, (6, 0)),
    ("frozen_dict_reads", True, (5, 0)),
    ("unambiguous_labels", False, (6, 0)),
    ("stripped_headers", False, (3, 0)),
    ("needed_members", False, (6, 0)),
    ("shared_malloc", True, (6, 0)),
)

"""Command lines as .bzl files ask for them, to run the compiler or the linker themselves.

https://bazel.build/rules/lib/toplevel/cc_common#create_compile_variables and the functions beside it.
"""

from __future__ import annotations

from typing import Any

from bazel2ninja.records import dataclass
from bazel2ninja.rules import cc_arguments as arguments
from bazel2ninja.rules.cc_features import FeatureConfiguration
from bazel2ninja.starlark import Dict, EvalError, List, to_str

_LANGUAGES = {
    "c-compile": "c",
    "c++-compile": "c++",
    "c++-header-parsing": "c++",
    "linkstamp-compile": "c++",
    "assemble": "assembler",
    "preprocess-assemble": "assembler-with-cpp",
}
_LINKS = {
    "c++-link-executable": "executable",
    "c++-link-dynamic-library": "shared",
    "c++-link-nodeps-dynamic-library": "shared",
}


@dataclass(frozen=True, slots=True)
class Variables:
    """What a command line is made of.  In Starlark: Variables."""

    before: tuple[str, ...] = ()
    user_flags: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    output: str = ""

    starlark_type = "Variables"


def _path(value: Any) -> str:
    return value if isinstance(value, str) else value.exec_path


def command_line(features: FeatureConfiguration, action: str, variables: Variables) -> list[str]:
    """The arguments, the program apart, of an action of the toolchain."""
    if action in _LANGUAGES:
        first, middle, last = features.compile_flags(_LANGUAGES[action])
        return [*first, *variables.before, *middle, *variables.user_flags, *last, *variables.after]
    if action in _LINKS:
        kind = _LINKS[action]
        first, middle, last = features.link_flags(kind)
        shared = ["-shared"] if kind == "shared" else []
        return [*shared, *variables.before, *first, *middle, *variables.user_flags, *last, *variables.after]
    if action == "c++-link-static-library":
        return ["rcsD", variables.output] if variables.output else ["rcsD"]
    if action == "strip":
        return ["-S", "-p", *variables.user_flags]
    if action == "cc-flags-make-variable":  # $(CC_FLAGS): no toolchain of ours has flags for it
        return []
    raise EvalError(f"the toolchain has no action '{action}'")


class CommandLineFunctions:
    """A base of CcCommon."""

    def s_create_compile_variables(
        self,
        *,
        cc_toolchain: Any,
        feature_configuration: Any,
        source_file: Any = None,
        output_file: Any = None,
        user_compile_flags: Any = None,
        include_directories: Any = None,
        quote_include_directories: Any = None,
        system_include_directories: Any = None,
        framework_include_directories: Any = None,
        preprocessor_defines: Any = None,
        use_pic: Any = False,
        variables_extension: Any = None,
        input_file: Any = None,
        # without effect here
        thinlto_index: Any = None,
        thinlto_input_bitcode_file: Any = None,
        thinlto_output_object_file: Any = None,
        add_legacy_cxx_options: Any = False,
        strip_opts: Any = None,
    ) -> Variables:
        function = "create_compile_variables"
        words: list[str] = []
        if use_pic:
            words.append("-fPIC")
        words += [f"-D{text}" for text in arguments.strings(function, "preprocessor_defines", preprocessor_defines)]
        for flag, parameter, value in (
            ("-iquote", "quote_include_directories", quote_include_directories),
            ("-I", "include_directories", include_directories),
            ("-isystem", "system_include_directories", system_include_directories),
            ("-F", "framework_include_directories", framework_include_directories),
        ):
            for directory in arguments.strings(function, parameter, value):
                words += [flag + directory] if flag in ("-I", "-F") else [flag, directory]
        tail = ["-c", _path(source_file)] if source_file else []
        if output_file:
            tail += ["-o", _path(output_file)]
        return Variables(
            tuple(words), arguments.strings(function, "user_compile_flags", user_compile_flags), tuple(tail)
        )

    def s_create_link_variables(
        self,
        *,
        cc_toolchain: Any,
        feature_configuration: Any,
        library_search_directories: Any = None,
        runtime_library_search_directories: Any = None,
        user_link_flags: Any = None,
        output_file: Any = None,
        is_using_linker: Any = True,
        is_linking_dynamic_library: Any = False,
        # without effect here
        param_file: Any = None,
        def_file: Any = None,
        must_keep_debug: Any = True,
        use_test_only_flags: Any = False,
        is_static_linking_mode: Any = True,
        **others: Any,
    ) -> Variables:
        function = "create_link_variables"
        words: list[str] = []
        if output_file:
            words += ["-o", _path(output_file)]
        runtime = arguments.strings(function, "runtime_library_search_directories", runtime_library_search_directories)
        words += [f"-Wl,-rpath,$ORIGIN/{directory}" for directory in runtime]
        search = arguments.strings(function, "library_search_directories", library_search_directories)
        words += [f"-L{directory}" for directory in search]
        flags = arguments.strings(function, "user_link_flags", user_link_flags)
        return Variables(tuple(words), flags, output=_path(output_file) if output_file else "")

    def s_empty_variables(self) -> Variables:
        return Variables()

    def s_get_memory_inefficient_command_line(
        self, *, feature_configuration: Any, action_name: Any, variables: Any
    ) -> List:
        configuration = arguments.features("get_memory_inefficient_command_line", feature_configuration)
        if not isinstance(variables, Variables):
            raise EvalError(
                "in call to get_memory_inefficient_command_line(), parameter 'variables' got "
                f"{to_str(variables)}, want 'Variables'"
            )
        return List(command_line(configuration, action_name, variables))

    def s_get_environment_variables(self, *, feature_configuration: Any, action_name: Any, variables: Any) -> Dict:
        return Dict()

    def s_get_execution_requirements(self, *, feature_configuration: Any, action_name: Any) -> List:
        return List()

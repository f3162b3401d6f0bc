"""The module cc_common of .bzl files: https://bazel.build/rules/lib/toplevel/cc_common.

Parameters that Bazel's own rules pass and that change nothing here are taken and dropped; those that would are refused.
"""

from __future__ import annotations

from typing import Any

from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.starlark_context import running_context
from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.records import replace
from bazel2ninja.rules import cc_arguments as arguments
from bazel2ninja.rules import cc_crosstool
from bazel2ninja.rules.cc_command_line import CommandLineFunctions
from bazel2ninja.rules.cc_common_link import LinkFunctions
from bazel2ninja.rules.cc_compile import Compilation, compile_sources, kind_of
from bazel2ninja.rules.cc_features import FeatureConfiguration, feature_configuration
from bazel2ninja.rules.cc_info import (
    CcInfo,
    CcLauncherInfo,
    CcNativeLibraryInfo,
    CompilationContext,
    CompilationOutputs,
    DebugPackageInfo,
    merge_cc_infos,
    merge_compilation_contexts,
)
from bazel2ninja.rules.cc_shared_library import CcSharedLibraryHintInfo, CcSharedLibraryInfo
from bazel2ninja.rules.cc_sources import FileKind
from bazel2ninja.rules.cc_toolchain import compiler_path, require_toolchain, tool_path
from bazel2ninja.rules.cc_toolchain_info import CcToolchainConfigInfo, CcToolchainInfo
from bazel2ninja.rules.proto_rules import proto_bzl_globals
from bazel2ninja.starlark import EvalError, Struct


class CcCommon(LinkFunctions, CommandLineFunctions):
    """See the documentation of the module; each function is named as there."""

    starlark_type = "cc_common"

    def starlark_repr(self) -> str:
        return "<cc_common>"

    def starlark_missing(self, name: str) -> str:
        return f"cc_common.{name} is not supported"

    s_do_not_use_tools_cpp_compiler_present = True
    """Only its presence is asked for, by hasattr()."""

    @property
    def s_CcToolchainInfo(self) -> Any:
        return CcToolchainInfo

    @property
    def s_CcToolchainConfigInfo(self) -> Any:
        return CcToolchainConfigInfo

    # Features.

    def s_configure_features(
        self,
        *,
        ctx: Any = None,
        cc_toolchain: Any,
        language: Any = None,
        requested_features: Any = (),
        unsupported_features: Any = (),
    ) -> FeatureConfiguration:
        require_toolchain(cc_toolchain, "configure_features")
        context = running_context("configure_features") if ctx is None else ctx
        name = "configure_features"
        try:
            found = feature_configuration(
                context.settings,
                arguments.strings(name, "requested_features", requested_features),
                arguments.strings(name, "unsupported_features", unsupported_features),
                cc_crosstool.find(context.analyzer, context.configuration),
            )
            return replace(found, tool_prefix=context.configuration.tool_prefix)
        except WorkspaceError as error:
            raise EvalError(*error.diagnostics) from None

    def s_is_enabled(self, *, feature_configuration: Any, feature_name: Any) -> bool:
        return arguments.features("is_enabled", feature_configuration).is_enabled(feature_name)

    def s_action_is_enabled(self, *, feature_configuration: Any, action_name: Any) -> bool:
        return arguments.features("action_is_enabled", feature_configuration).is_enabled(action_name)

    # Compiling.

    def s_compile(
        self,
        *,
        actions: Any,
        feature_configuration: Any,
        cc_toolchain: Any,
        name: Any,
        srcs: Any = (),
        public_hdrs: Any = (),
        private_hdrs: Any = (),
        textual_hdrs: Any = (),
        includes: Any = (),
        quote_includes: Any = (),
        system_includes: Any = (),
        framework_includes: Any = (),
        defines: Any = (),
        local_defines: Any = (),
        include_prefix: Any = "",
        strip_include_prefix: Any = "",
        user_compile_flags: Any = (),
        conly_flags: Any = (),
        cxx_flags: Any = (),
        compilation_contexts: Any = (),
        implementation_compilation_contexts: Any = (),
        additional_inputs: Any = (),
        module_interfaces: Any = (),
        copts_filter: Any = None,
        variables_extension: Any = None,
        # without effect here
        loose_includes: Any = None,
        disallow_pic_outputs: Any = False,
        disallow_nopic_outputs: Any = False,
        module_map: Any = None,
        additional_module_maps: Any = None,
        propagate_module_map_to_compile_action: Any = None,
        do_not_generate_module_map: Any = None,
        code_coverage_enabled: Any = None,
        hdrs_checking_mode: Any = None,
        language: Any = None,
        purpose: Any = None,
        grep_includes: Any = None,
        separate_module_headers: Any = None,
        non_compilation_additional_inputs: Any = None,
        additional_include_scanning_roots: Any = None,
        additional_exported_hdrs: Any = None,
    ) -> tuple[CompilationContext, CompilationOutputs]:
        def strings(parameter: str, value: Any) -> tuple[str, ...]:
            return arguments.strings("compile", parameter, value)

        require_toolchain(cc_toolchain, "compile")
        arguments.unsupported("compile", module_interfaces=module_interfaces, variables_extension=variables_extension)
        ctx = actions._open("compile")
        sources = []
        headers = list(arguments.files("compile", "private_hdrs", private_hdrs))
        for file in arguments.files("compile", "srcs", srcs):
            kind = kind_of(file)
            if kind is FileKind.SOURCE:
                sources.append((file, file.owner))
            elif kind is FileKind.HEADER:
                headers.append(file)
            else:
                raise EvalError(f"in call to compile(), '{file.exec_path}' of 'srcs' is no C++ source or header")
        compilation = Compilation(
            name=name,
            sources=sources,
            public_headers=arguments.files("compile", "public_hdrs", public_hdrs),
            private_headers=headers,
            textual_headers=arguments.files("compile", "textual_hdrs", textual_hdrs),
            copts=strings("user_compile_flags", user_compile_flags),
            c_only_copts=strings("conly_flags", conly_flags),
            cxx_copts=strings("cxx_flags", cxx_flags),
            copts_filter=copts_filter or "",
            defines=strings("defines", defines),
            local_defines=strings("local_defines", local_defines),
            quote_includes=strings("quote_includes", quote_includes),
            includes=strings("includes", includes),
            system_includes=strings("system_includes", system_includes),
            framework_includes=strings("framework_includes", framework_includes),
            include_prefix=include_prefix or "",
            strip_include_prefix=strip_include_prefix or None,
            contexts=arguments.typed("compile", "compilation_contexts", compilation_contexts, CompilationContext),
            implementation_contexts=arguments.typed(
                "compile",
                "implementation_compilation_contexts",
                implementation_compilation_contexts,
                CompilationContext,
            ),
            additional_inputs=arguments.files("compile", "additional_inputs", additional_inputs),
            features=arguments.features("compile", feature_configuration),
        )
        return compile_sources(ctx, compilation)

    def s_create_compilation_context(
        self,
        *,
        headers: Any = None,
        system_includes: Any = None,
        includes: Any = None,
        quote_includes: Any = None,
        framework_includes: Any = None,
        external_includes: Any = None,
        defines: Any = None,
        local_defines: Any = None,
        textual_hdrs: Any = None,
        direct_textual_headers: Any = None,
        direct_public_headers: Any = None,
        direct_private_headers: Any = None,
        dependent_cc_compilation_contexts: Any = (),
        # without effect here
        actions: Any = None,
        label: Any = None,
        purpose: Any = None,
        non_code_inputs: Any = None,
        loose_hdrs_dirs: Any = None,
        headers_checking_mode: Any = None,
        propagate_module_map_to_compile_action: Any = None,
        pic_header_module: Any = None,
        header_module: Any = None,
        separate_module_headers: Any = None,
        separate_module: Any = None,
        separate_pic_module: Any = None,
        add_public_headers_to_modules_map: Any = None,
        virtual_to_original_headers: Any = None,
        module_map: Any = None,
        exported_dependent_module_maps: Any = None,
    ) -> CompilationContext:
        function = "create_compilation_context"

        def strings(parameter: str, value: Any) -> tuple[str, ...]:
            return arguments.strings(function, parameter, value)

        files = headers if isinstance(headers, Depset) else Depset(arguments.files(function, "headers", headers))
        every = arguments.files(function, "headers", files)
        own = CompilationContext(
            headers=files,
            generated_headers=Depset(tuple(file for file in every if not file.is_source)),
            quote_includes=strings("quote_includes", quote_includes),
            includes=strings("includes", includes),
            system_includes=strings("system_includes", system_includes),
            external_includes=strings("external_includes", external_includes),
            framework_includes=strings("framework_includes", framework_includes),
            defines=strings("defines", defines),
            local_defines=strings("local_defines", local_defines),
            direct_public_headers=arguments.files(function, "direct_public_headers", direct_public_headers) or every,
            direct_private_headers=arguments.files(function, "direct_private_headers", direct_private_headers),
            direct_textual_headers=arguments.files(
                function, "direct_textual_headers", direct_textual_headers or textual_hdrs
            ),
        )
        below = arguments.typed(
            function, "dependent_cc_compilation_contexts", dependent_cc_compilation_contexts, CompilationContext
        )
        return merge_compilation_contexts(below, [own]) if below else own

    def s_merge_compilation_contexts(
        self, *, compilation_contexts: Any = (), non_exported_compilation_contexts: Any = ()
    ) -> CompilationContext:
        function = "merge_compilation_contexts"
        return merge_compilation_contexts(
            arguments.typed(
                function, "non_exported_compilation_contexts", non_exported_compilation_contexts, CompilationContext
            ),
            arguments.typed(function, "compilation_contexts", compilation_contexts, CompilationContext),
        )

    def s_create_compilation_outputs(
        self, *, objects: Any = None, pic_objects: Any = None, lto_compilation_context: Any = None
    ) -> CompilationOutputs:
        function = "create_compilation_outputs"
        pic = arguments.files(function, "pic_objects", pic_objects)
        return CompilationOutputs(pic or arguments.files(function, "objects", objects))

    def s_merge_compilation_outputs(self, *, compilation_outputs: Any = ()) -> CompilationOutputs:
        every = arguments.typed(
            "merge_compilation_outputs", "compilation_outputs", compilation_outputs, CompilationOutputs
        )
        return CompilationOutputs(tuple(dict.fromkeys(file for outputs in every for file in outputs.objects)))

    def s_merge_cc_infos(self, *, direct_cc_infos: Any = (), cc_infos: Any = ()) -> Any:
        return merge_cc_infos(
            arguments.instances("merge_cc_infos", "cc_infos", cc_infos, CcInfo),
            arguments.instances("merge_cc_infos", "direct_cc_infos", direct_cc_infos, CcInfo),
        )

    # Debug information is never split off.

    def s_create_debug_context(self, *compilation_outputs: Any) -> Struct:
        return Struct()

    def s_merge_debug_context(self, debug_contexts: Any = ()) -> Struct:
        return Struct()

    # Toolchains of .bzl files.

    def s_create_cc_toolchain_config_info(self, *, ctx: Any, **described: Any) -> Any:
        """A toolchain that a project describes: kept as it is, and read when --crosstool_top leads to it."""
        return CcToolchainConfigInfo(**described)

    def s_is_cc_toolchain_resolution_enabled_do_not_use(self, *, ctx: Any) -> bool:
        return True

    def s_legacy_cc_flags_make_variable_do_not_use(self, *, cc_toolchain: Any) -> str:
        return ""

    def s_implementation_deps_allowed_by_allowlist(self, *, ctx: Any) -> bool:
        return True

    def s_check_experimental_cc_shared_library(self) -> bool:
        return True

    def s_incompatible_disable_objc_library_transition(self) -> bool:
        return True

    def s_is_package_headers_checking_mode_set(self, *, ctx: Any) -> bool:
        return False

    def s_register_linkstamp_compile_action(self, **described: Any) -> None:
        raise EvalError("link stamps are not supported")

    def s_get_tool_for_action(self, *, feature_configuration: Any, action_name: Any) -> str:
        configuration = arguments.features("get_tool_for_action", feature_configuration)
        if configuration.toolchain is not None:
            return configuration.tool(action_name).program
        if "static-library" in action_name:
            return tool_path(configuration.tool_prefix, "ar")
        if action_name == "strip":
            return tool_path(configuration.tool_prefix, "strip")
        return compiler_path(configuration.compiler, configuration.tool_prefix)

    def s_get_tool_requirement_for_action(self, *, feature_configuration: Any, action_name: Any) -> list[str]:
        return self.s_get_execution_requirements(feature_configuration=feature_configuration, action_name=action_name)


def cc_bzl_globals() -> dict[str, object]:
    """What .bzl files see of C++ and of the protocol buffers that C++ code is generated from."""
    return {
        "cc_common": CcCommon(),
        "CcInfo": CcInfo,
        "CcToolchainConfigInfo": CcToolchainConfigInfo,
        "CcSharedLibraryHintInfo": CcSharedLibraryHintInfo,
        "CcSharedLibraryInfo": CcSharedLibraryInfo,
        "CcLauncherInfo": CcLauncherInfo,
        "CcNativeLibraryInfo": CcNativeLibraryInfo,
        "DebugPackageInfo": DebugPackageInfo,
        **proto_bzl_globals(),
    }

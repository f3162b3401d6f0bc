"""The part of cc_common that makes and describes libraries: https://bazel.build/rules/lib/toplevel/cc_common."""

from __future__ import annotations

from typing import Any

from bazel2ninja.analysis.starlark_context import running_context
from bazel2ninja.rules import cc_arguments as arguments
from bazel2ninja.rules.cc_info import (
    CompilationOutputs,
    LibraryToLink,
    LinkerInput,
    LinkingContext,
    LinkingOutputs,
    linking_context,
)
from bazel2ninja.rules.cc_link import library_of_objects, link, output_name, solib_link, takes_whole_archives
from bazel2ninja.rules.cc_toolchain import require_toolchain
from bazel2ninja.starlark import EvalError


def _truth(value: Any) -> bool:
    return value is True or (isinstance(value, int) and value != 0)


class LinkFunctions:
    """A base of CcCommon."""

    def s_create_library_to_link(
        self,
        *,
        actions: Any,
        feature_configuration: Any = None,
        cc_toolchain: Any = None,
        static_library: Any = None,
        pic_static_library: Any = None,
        dynamic_library: Any = None,
        interface_library: Any = None,
        objects: Any = None,
        pic_objects: Any = None,
        alwayslink: Any = False,
        dynamic_library_symlink_path: Any = "",
        interface_library_symlink_path: Any = "",
        must_keep_debug: Any = False,
        lto_compilation_context: Any = None,
    ) -> LibraryToLink:
        function = "create_library_to_link"
        ctx = actions._open(function)
        static = arguments.file(function, "static_library", static_library)
        pic = arguments.file(function, "pic_static_library", pic_static_library)
        shared = arguments.file(function, "dynamic_library", dynamic_library)
        interface = arguments.file(function, "interface_library", interface_library)
        known = pic or static or shared or interface
        if known is None:
            raise EvalError(
                "in call to create_library_to_link(), one of 'static_library', 'pic_static_library', 'dynamic_library' "
                "and 'interface_library' must be given"
            )
        made = None
        if shared is not None:
            made = solib_link(ctx, shared, keep_name=True)
        return LibraryToLink(
            name=known.exec_path,
            static_library=static,
            pic_static_library=pic,
            dynamic_library=made,
            resolved_dynamic_library=shared,
            interface_library=interface,
            resolved_interface_library=interface,
            objects=arguments.files(function, "pic_objects", pic_objects)
            or arguments.files(function, "objects", objects),
            alwayslink=_truth(alwayslink),
            must_keep_debug=_truth(must_keep_debug),
        )

    def s_create_linker_input(
        self,
        *,
        owner: Any,
        libraries: Any = None,
        user_link_flags: Any = None,
        additional_inputs: Any = None,
        linkstamps: Any = None,
    ) -> LinkerInput:
        function = "create_linker_input"
        arguments.unsupported(function, linkstamps=arguments.elements(function, "linkstamps", linkstamps))
        return LinkerInput(
            owner=owner,
            libraries=arguments.typed(function, "libraries", libraries, LibraryToLink),
            user_link_flags=arguments.strings(function, "user_link_flags", user_link_flags),
            additional_inputs=arguments.files(function, "additional_inputs", additional_inputs),
        )

    def s_create_linking_context(
        self,
        *,
        linker_inputs: Any = None,
        libraries_to_link: Any = None,
        user_link_flags: Any = None,
        additional_inputs: Any = None,
        extra_link_time_library: Any = None,
        owner: Any = None,
    ) -> LinkingContext:
        function = "create_linking_context"
        if linker_inputs is not None:
            return linking_context(arguments.typed(function, "linker_inputs", linker_inputs, LinkerInput))
        # the form before Bazel 4
        own = LinkerInput(
            owner=owner or running_context(function).label,
            libraries=arguments.typed(function, "libraries_to_link", libraries_to_link, LibraryToLink),
            user_link_flags=arguments.strings(function, "user_link_flags", user_link_flags),
            additional_inputs=arguments.files(function, "additional_inputs", additional_inputs),
        )
        return linking_context((own,))

    def s_merge_linking_contexts(self, *, linking_contexts: Any = ()) -> LinkingContext:
        every = arguments.typed("merge_linking_contexts", "linking_contexts", linking_contexts, LinkingContext)
        return linking_context((), every)

    def s_create_linking_context_from_compilation_outputs(
        self,
        *,
        actions: Any,
        feature_configuration: Any,
        cc_toolchain: Any,
        compilation_outputs: Any,
        name: Any,
        user_link_flags: Any = (),
        linking_contexts: Any = (),
        alwayslink: Any = False,
        additional_inputs: Any = (),
        disallow_static_libraries: Any = False,
        disallow_dynamic_library: Any = False,
        variables_extension: Any = None,
        # without effect here
        language: Any = None,
        grep_includes: Any = None,
        stamp: Any = None,
        linked_dll_name_suffix: Any = None,
        test_only_target: Any = None,
    ) -> tuple[LinkingContext, LinkingOutputs]:
        function = "create_linking_context_from_compilation_outputs"
        require_toolchain(cc_toolchain, function)
        arguments.unsupported(function, variables_extension=variables_extension)
        (outputs,) = arguments.typed(function, "compilation_outputs", [compilation_outputs], CompilationOutputs)
        ctx = actions._open(function)
        flags = arguments.strings(function, "user_link_flags", user_link_flags)
        inputs = arguments.files(function, "additional_inputs", additional_inputs)
        library = None
        if outputs.objects:
            library = library_of_objects(
                ctx,
                name,
                arguments.features(function, feature_configuration),
                outputs.objects,
                alwayslink=_truth(alwayslink),
                static_only=_truth(disallow_dynamic_library),
                flags=flags,
                additional_inputs=inputs,
                static=not _truth(disallow_static_libraries),
            )
        own = LinkerInput(
            owner=ctx.label,
            libraries=(library,) if library is not None else (),
            user_link_flags=flags,
            additional_inputs=inputs,
        )
        below = arguments.typed(function, "linking_contexts", linking_contexts, LinkingContext)
        return linking_context((own,), below), LinkingOutputs(library)

    def s_link(
        self,
        *,
        actions: Any,
        feature_configuration: Any,
        cc_toolchain: Any,
        name: Any,
        compilation_outputs: Any = None,
        user_link_flags: Any = (),
        linking_contexts: Any = (),
        output_type: Any = "executable",
        link_deps_statically: Any = True,
        additional_inputs: Any = (),
        main_output: Any = None,
        additional_outputs: Any = (),
        variables_extension: Any = None,
        # without effect here
        stamp: Any = 0,
        language: Any = None,
        grep_includes: Any = None,
        never_link: Any = None,
        always_link: Any = None,
        test_only_target: Any = None,
        native_deps: Any = None,
        whole_archive: Any = False,
        link_artifact_name_suffix: Any = None,
        use_test_only_flags: Any = None,
        emit_interface_shared_library: Any = None,
        pdb_file: Any = None,
        win_def_file: Any = None,
        use_shareable_artifact_factory: Any = None,
        build_config: Any = None,
    ) -> LinkingOutputs:
        require_toolchain(cc_toolchain, "link")
        arguments.unsupported(
            "link", additional_outputs=tuple(additional_outputs or ()), variables_extension=variables_extension
        )
        if output_type not in ("executable", "dynamic_library"):
            raise EvalError(
                f"in call to link(), 'output_type' must be 'executable' or 'dynamic_library', not '{output_type}'"
            )
        shared = output_type == "dynamic_library"
        ctx = actions._open("link")
        features = arguments.features("link", feature_configuration)
        output = arguments.file("link", "main_output", main_output)
        if output is None:
            output = ctx.declare(output_name(name, "lib", ".so") if shared else name)
        objects = () if compilation_outputs is None else compilation_outputs.objects
        static = _truth(link_deps_statically)
        wanted_whole = shared and static and takes_whole_archives(ctx, features)
        link(
            ctx,
            output,
            features,
            kind="shared" if shared else "executable",
            objects=objects,
            context=linking_context((), arguments.typed("link", "linking_contexts", linking_contexts, LinkingContext)),
            prefer_shared=not static,
            flags=arguments.strings("link", "user_link_flags", user_link_flags),
            additional_inputs=arguments.files("link", "additional_inputs", additional_inputs),
            whole_archives=_truth(whole_archive) or wanted_whole,
        )
        if not shared:
            return LinkingOutputs(None, output)
        library = LibraryToLink(
            name=output_name(name, "lib", ""),
            dynamic_library=solib_link(ctx, output, keep_name=main_output is not None),
            resolved_dynamic_library=output,
        )
        return LinkingOutputs(library, None)

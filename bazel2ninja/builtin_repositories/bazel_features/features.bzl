"""What .bzl files ask before they use something that not every release of Bazel has.

The answers say what is there in this program, whatever release the workspace names.
"""

load(":globals.bzl", _globals = "symbols")

bazel_features = struct(
    apple = struct(xcode_config_migrated = True),
    cc = struct(
        cc_common_is_in_rules_cc = False,
        cc_toolchain_has_generate_modmap = False,
        find_cpp_toolchain_has_mandatory_param = True,
        fixed_dsym_path_quoting = True,
        grep_includes_is_optional = True,
        objc_linking_info_migrated = True,
        protobuf_on_allowlist = True,
        rules_support_extension = False,
        supports_path_variable_patterns = False,
        supports_starlarkified_toolchains = False,
        swift_fragment_removed = True,
        treat_warnings_as_errors_works_on_macos = True,
        undefined_dynamic_lookup = False,
    ),
    docs = struct(
        kwargs_name_with_double_star = True,
        utf8_enabled = True,
    ),
    external_deps = struct(
        bazel_mod_tidy = True,
        download_has_block_param = True,
        download_has_headers_param = True,
        extension_metadata_has_reproducible = True,
        extract_supports_unicode_filenames = True,
        has_facts = False,
        # the name of a module's repository ends so, that of one from a WORKSPACE file does not
        is_bzlmod_enabled = Label("//:BUILD").repo_name.endswith("+"),
        module_extension_has_os_arch_dependent = True,
        repo_metadata_has_reproducible = True,
        repo_rules_relativize_symlinks = False,
        repository_ctx_has_getenv = True,
    ),
    flags = struct(allow_unresolved_symlinks = "allow_unresolved_symlinks"),
    globals = _globals,
    java = struct(java_info_constructor_module_flags = True),
    proto = struct(starlark_proto_info = True),
    rules = struct(
        all_characters_allowed_in_runfiles = True,
        analysis_tests_can_transition_on_experimental_incompatible_flags = True,
        aspect_propagation_context = False,
        expand_template_has_computed_substitutions = True,
        instrumented_files_info_has_baseline_coverage_files = True,
        instrumented_files_info_has_metadata_files = True,
        is_tool_configuration_public = True,
        merkle_cache_v2 = False,
        no_struct_field_denylist = True,
        permits_treeartifact_uplevel_symlinks = True,
        rule_extension_apis_available = False,
        symlink_action_has_target_type = True,
        template_dict_map_each_can_return_list = True,
        write_action_has_execution_requirements = True,
        write_action_has_mnemonic = True,
    ),
    toolchains = struct(
        genrule_accepts_toolchain_types = False,
        has_default_test_toolchain_type = True,
        has_optional_toolchains = True,
        has_use_target_platform_constraints = True,
    ),
)

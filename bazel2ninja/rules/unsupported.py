"""Native rule kinds for other platforms: declared, so that BUILD files with them load; analysing one is an error."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from bazel2ninja.loading.rule_class import Attribute, AttributeType, RuleClass
from bazel2ninja.rules.general import native_rule, refused

T = AttributeType


def words(text: str) -> tuple[str, ...]:
    """The names in a text, in order."""
    return tuple(text.split())


# names of https://bazel.build/reference/be/java, .../android and .../objective-c

_LABEL_LISTS = words(
    "srcs deps data exports plugins exported_plugins runtime_deps resources proguard_specs bootclasspath "
    "jars classpath_resources deploy_env tools extclasspath package_configuration hermetic_srcs "
    "hermetic_static_libs javabuilder_data turbine_data reduced_classpath_incompatible_processors "
    "resource_files assets idl_srcs idl_parcelables debug_signing_keys main_dex_proguard_specs "
    "startup_profiles instruments support_apks hdrs non_arc_srcs dylibs frameworks jre_deps versions"
)
_LABELS = words(
    "launcher srcjar javabuilder singlejar genclass ijar header_compiler header_compiler_direct "
    "java_runtime jacocorunner oneversion oneversion_whitelist oneversion_allowlist deps_checker "
    "proguard_allowlister timezone_data java lib_modules lib_ct_sym default_cds javac resourcejar "
    "manifest aar debug_key main_dex_list proguard_apply_mapping proguard_apply_dictionary test_app "
    "target_device aapt aapt2 adb android_jar apkbuilder apksigner dx framework_aidl main_dex_classes "
    "shrinked_android_jar zipalign aidl proguard bundle_loader default local_versions remote_versions"
)
_STRING_LISTS = words(
    "javacopts jvm_flags add_exports add_opens constraints deploy_manifest_lines javabuilder_jvm_flags "
    "misc xlint jvm_opts turbine_jvm_opts javabuilder_jvm_opts header_compiler_builtin_processors "
    "turbine_incompatible_processors densities dexopts nocompress_extensions "
    "resource_configuration_filters copts defines includes linkopts sdk_frameworks weak_sdk_frameworks "
    "sdk_dylibs entry_classes aliases"
)
_STRINGS = words(
    "main_class test_class resource_strip_prefix processor_class source_version target_version encoding "
    "java_home custom_package assets_dir idl_import_root multidex manifest_merger min_sdk_version "
    "key_rotation_min_sdk build_tools_version proguard_generate_mapping_mode platform_type "
    "minimum_os_version binary_type version default_ios_sdk_version default_macos_sdk_version "
    "default_tvos_sdk_version default_watchos_sdk_version"
)
_BOOLEANS = words(
    "neverlink create_executable use_testrunner generates_api javac_supports_workers "
    "javac_supports_multiplex_workers forcibly_disable_header_compilation exports_manifest "
    "enable_data_binding inline_constants crunch_png proguard_generate_mapping idl_preprocessed"
)

_JAVA = words(
    "java_library java_binary java_test java_import java_plugin java_toolchain java_runtime "
    "java_package_configuration java_proto_library java_lite_proto_library java_runtime_alias "
    "java_toolchain_alias java_host_runtime_alias"
)
_ANDROID = words(
    "aar_import android_binary android_library android_local_test android_instrumentation_test "
    "android_device android_sdk android_tools_defaults_jar"
)
_APPLE = words(
    "apple_binary apple_static_library j2objc_library objc_proto_library xcode_config xcode_config_alias "
    "xcode_version available_xcodes"
)
_TESTS = ("java_test", "android_local_test", "android_instrumentation_test")


def _attributes() -> Iterable[Attribute]:
    why = "the rule kind is not supported at all"
    for names, kind in (
        (_LABEL_LISTS, T.LABEL_LIST),
        (_LABELS, T.LABEL),
        (_STRING_LISTS, T.STRING_LIST),
        (_STRINGS, T.STRING),
        (_BOOLEANS, T.BOOLEAN),
    ):
        for name in names:
            yield Attribute(name, kind, irrelevant=why)
    for name in ("stamp", "use_launcher", "incremental_dexing", "shrink_resources"):
        yield Attribute(name, T.TRISTATE, irrelevant=why)
    yield Attribute("dex_shards", T.INTEGER, irrelevant=why)
    yield Attribute("manifest_values", T.STRING_DICT, irrelevant=why)


def _table() -> dict[str, RuleClass]:
    attributes = tuple(_attributes())
    return {
        name: native_rule(
            name, attributes, refused(f"{name} is not supported"), executable=name in _TESTS, test=name in _TESTS
        )
        for name in (*_JAVA, *_ANDROID, *_APPLE)
    }


UNSUPPORTED_RULES: Mapping[str, RuleClass] = MappingProxyType(_table())

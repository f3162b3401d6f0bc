"""Java rules: targets that are an error when they are needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")
load("//java/common:java_common.bzl", _java_common = "java_common")
load("//java/common:java_info.bzl", _JavaInfo = "JavaInfo")
load("//java/common:java_plugin_info.bzl", _JavaPluginInfo = "JavaPluginInfo")

_REASON = "Java targets are not built"

java_binary = unsupported_rule("java_binary of rules_java", _REASON)
java_import = unsupported_rule("java_import of rules_java", _REASON)
java_library = unsupported_rule("java_library of rules_java", _REASON)
java_plugin = unsupported_rule("java_plugin of rules_java", _REASON)
java_test = unsupported_rule("java_test of rules_java", _REASON)
java_package_configuration = unsupported_rule("java_package_configuration of rules_java", _REASON)
java_runtime = unsupported_rule("java_runtime of rules_java", _REASON)
java_toolchain = unsupported_rule("java_toolchain of rules_java", _REASON)
java_proto_library = unsupported_rule("java_proto_library of rules_java", _REASON)
java_lite_proto_library = unsupported_rule("java_lite_proto_library of rules_java", _REASON)
java_single_jar = unsupported_rule("java_single_jar of rules_java", _REASON)
java_common = _java_common
JavaInfo = _JavaInfo
JavaPluginInfo = _JavaPluginInfo

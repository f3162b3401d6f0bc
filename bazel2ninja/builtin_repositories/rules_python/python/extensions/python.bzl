"""The module extension for a Python of the project's own: its repositories are errors when needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unavailable_repository")

_REASON = "nothing is downloaded, and the machine's Python is used; provide the repository with --override_repository"

def _python_impl(module_ctx):
    names = {"pythons_hub": None, "python_versions": None}
    for module in module_ctx.modules:
        for toolchain in module.tags.toolchain:
            names["python_" + toolchain.python_version.replace(".", "_")] = None
            names["python_" + toolchain.python_version.replace(".", "_") + "_host"] = None
    for name in names:
        unavailable_repository(name = name, kind = "a Python toolchain of rules_python", reason = _REASON)

_OVERRIDE = {
    "patch_strip": attr.int(),
    "patches": attr.label_list(),
    "python_version": attr.string(),
    "strip_prefix": attr.string(),
    "urls": attr.string_list(),
}

python = module_extension(
    implementation = _python_impl,
    tag_classes = {
        "toolchain": tag_class(attrs = {
            "python_version": attr.string(mandatory = True),
            "is_default": attr.bool(),
            "ignore_root_user_error": attr.bool(),
            "configure_coverage_tool": attr.bool(),
        }),
        "override": tag_class(attrs = {
            "available_python_versions": attr.string_list(),
            "base_url": attr.string(),
            "ignore_root_user_error": attr.bool(),
            "minor_mapping": attr.string_dict(),
            "register_all_versions": attr.bool(),
        }),
        "single_version_override": tag_class(attrs = {
            "distutils": attr.label(),
            "distutils_content": attr.string(),
        } | _OVERRIDE | {"sha256": attr.string_dict()}),
        "single_version_platform_override": tag_class(attrs = {
            "coverage_tool": attr.label(),
            "platform": attr.string(),
        } | _OVERRIDE | {"sha256": attr.string()}),
        "defaults": tag_class(attrs = {
            "python_version": attr.string(),
            "python_version_env": attr.string(),
            "python_version_file": attr.label(),
        }),
    },
)

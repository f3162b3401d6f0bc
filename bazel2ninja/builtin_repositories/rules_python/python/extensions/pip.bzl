"""The module extension for Python packages from an index: its repositories are errors when needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unavailable_repository")

def _pip_impl(module_ctx):
    names = {}
    for module in module_ctx.modules:
        for hub in module.tags.parse:
            names[hub.hub_name] = None
    for name in names:
        unavailable_repository(
            name = name,
            kind = "pip.parse() of rules_python",
            reason = "nothing is downloaded; provide the repository with --override_repository",
        )

pip = module_extension(
    implementation = _pip_impl,
    tag_classes = {
        "parse": tag_class(attrs = {
            "hub_name": attr.string(mandatory = True),
            "python_version": attr.string(),
            "requirements_lock": attr.label(),
            "requirements_by_platform": attr.label_keyed_string_dict(),
            "requirements_linux": attr.label(),
            "requirements_darwin": attr.label(),
            "requirements_windows": attr.label(),
            "extra_pip_args": attr.string_list(),
            "experimental_requirement_cycles": attr.string_list_dict(),
            "download_only": attr.bool(),
        }),
    },
)

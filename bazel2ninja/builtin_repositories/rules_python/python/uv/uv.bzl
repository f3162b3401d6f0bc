"""The module extension for the program uv: its repositories are errors when needed."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unavailable_repository")

_TAG = tag_class(attrs = {
    "base_url": attr.string(),
    "manifest_filename": attr.string(),
    "version": attr.string(),
    "platform": attr.string(),
    "compatible_with": attr.label_list(),
    "target_settings": attr.label_list(),
    "netrc": attr.string(),
    "auth_patterns": attr.string_dict(),
    "sha256": attr.string(),
    "urls": attr.string_list(),
})

def _uv_impl(module_ctx):
    unavailable_repository(name = "uv", kind = "uv of rules_python", reason = "nothing is downloaded")

uv = module_extension(
    implementation = _uv_impl,
    tag_classes = {
        "configure": _TAG,
        "default": _TAG,
    },
)

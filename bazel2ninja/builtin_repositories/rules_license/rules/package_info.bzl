"""package_info(): name, version and origin of a package."""

load(":providers.bzl", "PackageInfo")

def _package_info_impl(ctx):
    return [PackageInfo(
        type = "package_info",
        label = ctx.label,
        package_name = ctx.attr.package_name or ctx.label.package,
        package_url = ctx.attr.package_url,
        package_version = ctx.attr.package_version,
        purl = ctx.attr.purl,
    )]

_package_info = rule(
    implementation = _package_info_impl,
    attrs = {
        "package_name": attr.string(),
        "package_url": attr.string(),
        "package_version": attr.string(),
        "purl": attr.string(),
    },
)

def package_info(name, visibility = ["//visibility:public"], **kwargs):
    """Name, version and origin of a package."""
    _package_info(name = name, applicable_licenses = [], visibility = visibility, **kwargs)

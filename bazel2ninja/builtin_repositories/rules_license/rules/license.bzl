"""license(): the licence of a package."""

load(":providers.bzl", "LicenseInfo", "LicenseKindInfo")

def _license_impl(ctx):
    return [LicenseInfo(
        label = ctx.label,
        license_kinds = [kind[LicenseKindInfo] for kind in ctx.attr.license_kinds],
        license_text = ctx.file.license_text,
        copyright_notice = ctx.attr.copyright_notice,
        package_name = ctx.attr.package_name or ctx.label.package,
        package_url = ctx.attr.package_url,
        package_version = ctx.attr.package_version,
    )]

_license = rule(
    implementation = _license_impl,
    attrs = {
        "license_kinds": attr.label_list(providers = [LicenseKindInfo], cfg = "exec"),
        "copyright_notice": attr.string(),
        "license_text": attr.label(allow_single_file = True),
        "package_name": attr.string(),
        "package_url": attr.string(),
        "package_version": attr.string(),
        "namespace": attr.string(),
    },
)

def license(name, license_text = "LICENSE", license_kind = None, license_kinds = None, visibility = ["//visibility:public"], **kwargs):
    """The licence of a package.

    Args:
      name: name of the target
      license_text: file with the text
      license_kind: one kind of licence
      license_kinds: several kinds of licence
      visibility: who may name it
      **kwargs: further attributes of the rule
    """
    if license_kind and license_kinds:
        fail("license(name = %r): only one of license_kind and license_kinds may be given" % name)
    _license(
        name = name,
        license_kinds = [license_kind] if license_kind else license_kinds or [],
        license_text = license_text,
        applicable_licenses = [],
        visibility = visibility,
        **kwargs
    )

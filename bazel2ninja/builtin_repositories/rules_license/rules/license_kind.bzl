"""license_kind(): a kind of licence."""

load(":providers.bzl", "LicenseKindInfo")

def _license_kind_impl(ctx):
    return [LicenseKindInfo(
        label = ctx.label,
        name = "%s:%s" % (ctx.label.package, ctx.label.name),
        long_name = ctx.attr.long_name,
        conditions = ctx.attr.conditions,
    )]

_license_kind = rule(
    implementation = _license_kind_impl,
    attrs = {
        "canonical_text": attr.label(allow_single_file = True),
        "conditions": attr.string_list(),
        "long_name": attr.string(),
        "url": attr.string(),
    },
)

def license_kind(name, **kwargs):
    """A kind of licence."""
    kwargs.setdefault("conditions", [])
    _license_kind(name = name, applicable_licenses = [], **kwargs)

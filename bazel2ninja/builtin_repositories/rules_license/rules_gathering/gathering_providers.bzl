"""What is gathered of the licences of a target and its dependencies."""

_GATHERED = {
    "deps": "A depset of LicensedTargetInfo.",
    "licenses": "A depset of LicenseInfo.",
    "target_under_license": "The label of the target.",
    "traces": "A list of texts, for people.",
}

def licenses_info():
    """A provider for licences of a target and its dependencies."""
    return provider(doc = "Licences of a target and its dependencies.", fields = _GATHERED)

LicensedTargetInfo = provider(
    doc = "The licences of one target.",
    fields = {
        "licenses": "Labels of its licence targets.",
        "target_under_license": "The label of the target.",
    },
)

TransitiveLicensesInfo = licenses_info()

TransitiveMetadataInfo = provider(
    doc = "Licences and further facts of a target and its dependencies.",
    fields = _GATHERED | {
        "other_metadata": "A depset of other facts.",
        "package_info": "A depset of PackageInfo.",
        "top_level_target": "The label of the target that was asked about.",
    },
)

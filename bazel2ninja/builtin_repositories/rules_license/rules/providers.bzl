"""What licence targets provide."""

LicenseKindInfo = provider(
    doc = "A kind of licence.",
    fields = {
        "label": "The target.",
        "name": "Its name.",
        "long_name": "Its name for people.",
        "conditions": "What it demands.",
    },
)

LicenseInfo = provider(
    doc = "The licence of a package.",
    fields = {
        "label": "The target.",
        "license_kinds": "A list of LicenseKindInfo.",
        "license_text": "The file with its text.",
        "copyright_notice": "Who holds the rights.",
        "package_name": "The package that is licensed.",
        "package_url": "Where the package comes from.",
        "package_version": "Its version.",
    },
)

PackageInfo = provider(
    doc = "A package.",
    fields = {
        "type": "The type of the information.",
        "label": "The target.",
        "package_name": "Its name.",
        "package_url": "Where it comes from.",
        "package_version": "Its version.",
        "purl": "Its package URL.",
    },
)

"""What packaging targets provide: https://bazelbuild.github.io/rules_pkg/."""

PackageArtifactInfo = provider(fields = ["file_name", "label"])
PackageVariablesInfo = provider(
    doc = "Values for the names of packages.",
    fields = {"values": "Name to value."},
)
PackageFilesInfo = provider(
    doc = "Files and where they are to be.",
    fields = {
        "attributes": "What is known of all of them, mode for instance.",
        "dest_src_map": "Destination path to file.",
    },
)
PackageDirsInfo = provider(fields = ["attributes", "dirs"])
PackageSymlinkInfo = provider(fields = ["attributes", "destination", "target"])
PackageFilegroupInfo = provider(
    doc = "Several of the others: each field is a list of (info, label).",
    fields = {
        "pkg_files": "PackageFilesInfo",
        "pkg_dirs": "PackageDirsInfo",
        "pkg_symlinks": "PackageSymlinkInfo",
    },
)

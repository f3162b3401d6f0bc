"""The symbols of //:providers.bzl."""

load(
    "//:providers.bzl",
    _PackageArtifactInfo = "PackageArtifactInfo",
    _PackageDirsInfo = "PackageDirsInfo",
    _PackageFilegroupInfo = "PackageFilegroupInfo",
    _PackageFilesInfo = "PackageFilesInfo",
    _PackageSymlinkInfo = "PackageSymlinkInfo",
    _PackageVariablesInfo = "PackageVariablesInfo",
)

PackageArtifactInfo = _PackageArtifactInfo
PackageDirsInfo = _PackageDirsInfo
PackageFilegroupInfo = _PackageFilegroupInfo
PackageFilesInfo = _PackageFilesInfo
PackageSymlinkInfo = _PackageSymlinkInfo
PackageVariablesInfo = _PackageVariablesInfo

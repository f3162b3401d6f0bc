"""Where files are to be in a package: https://bazelbuild.github.io/rules_pkg/."""

load("@bazel_tools//tools/unsupported:unsupported.bzl", "unsupported_rule")
load(":providers.bzl", "PackageDirsInfo", "PackageFilegroupInfo", "PackageFilesInfo", "PackageSymlinkInfo")

_FILES_ONLY = "."

def _files_only():
    """Only the name of the file counts."""
    return _FILES_ONLY

def _from_pkg(path = ""):
    """The path below the package (and below `path` in it)."""
    return path or ""

def _from_root(path = ""):
    """The path below the root of the repository (and below `path` in it)."""
    return "/" + path

strip_prefix = struct(
    files_only = _files_only,
    from_pkg = _from_pkg,
    from_root = _from_root,
)

def pkg_attributes(mode = None, user = None, group = None, uid = None, gid = None, **kwargs):
    """Attributes of files, as the text that rules take."""
    result = dict(kwargs)
    for name, value in (("mode", mode), ("user", user), ("group", group), ("uid", uid), ("gid", gid)):
        if value != None:
            result[name] = value
    return json.encode(result)

REMOVE_BASE_DIRECTORY = "\0"

def _below(path, directory):
    if not directory:
        return path
    return path[len(directory) + 1:] if path.startswith(directory + "/") else None

def _path_of(file):
    """The path below the root of its repository."""
    path = file.short_path
    return path.split("/", 2)[2] if path.startswith("../") else path

def _destination(ctx, file):
    prefix = ctx.attr.strip_prefix
    path = _path_of(file)
    if prefix == _FILES_ONLY:
        found = file.basename
    elif prefix.startswith("/"):
        found = _below(path, prefix[1:].rstrip("/"))
    else:
        package = file.owner.package if file.owner else ctx.label.package
        found = _below(path, package)
        if found != None and prefix:
            found = _below(found, prefix.rstrip("/"))
    return file.basename if found == None else found

def _join(directory, path):
    return directory.rstrip("/") + "/" + path if directory.strip("/") else path

def _attributes(ctx):
    return json.decode(ctx.attr.attributes) if ctx.attr.attributes else {"mode": "0644"}

def _pkg_files_impl(ctx):
    excluded = {file: None for file in ctx.files.excludes}
    renames = {}
    for target, name in ctx.attr.renames.items():
        for file in target.files.to_list():
            renames[file] = name
    destinations = {}
    for source in ctx.attr.srcs:
        files = [file for file in source.files.to_list() if file not in excluded]
        if ctx.attr.include_runfiles:
            files += [file for file in source[DefaultInfo].default_runfiles.files.to_list() if file not in files]
        for file in files:
            if renames.get(file) == REMOVE_BASE_DIRECTORY:
                fail("pkg_files(renames = REMOVE_BASE_DIRECTORY) is not supported")
            destination = _join(ctx.attr.prefix, renames.get(file) or _destination(ctx, file))
            if destination in destinations and destinations[destination] != file:
                fail("{}: {} and {} would both be {}".format(ctx.label, destinations[destination].path, file.path, destination))
            destinations[destination] = file
    return [
        PackageFilesInfo(dest_src_map = destinations, attributes = _attributes(ctx)),
        DefaultInfo(files = depset(destinations.values())),
    ]

pkg_files = rule(
    implementation = _pkg_files_impl,
    attrs = {
        "srcs": attr.label_list(mandatory = True, allow_files = True),
        "attributes": attr.string(),
        "prefix": attr.string(),
        "strip_prefix": attr.string(default = _FILES_ONLY),
        "excludes": attr.label_list(allow_files = True),
        "renames": attr.label_keyed_string_dict(allow_files = True),
        "include_runfiles": attr.bool(),
    },
    provides = [PackageFilesInfo],
    doc = "Files and where they are to be.",
)

def _pkg_mkdirs_impl(ctx):
    return [PackageDirsInfo(
        dirs = ctx.attr.dirs,
        attributes = json.decode(ctx.attr.attributes) if ctx.attr.attributes else {"mode": "0755"},
    )]

pkg_mkdirs = rule(
    implementation = _pkg_mkdirs_impl,
    attrs = {
        "dirs": attr.string_list(mandatory = True),
        "attributes": attr.string(),
    },
    provides = [PackageDirsInfo],
    doc = "Empty directories.",
)

def _pkg_mklink_impl(ctx):
    return [PackageSymlinkInfo(
        destination = ctx.attr.link_name,
        target = ctx.attr.target,
        attributes = json.decode(ctx.attr.attributes) if ctx.attr.attributes else {"mode": "0777"},
    )]

pkg_mklink_impl = rule(
    implementation = _pkg_mklink_impl,
    attrs = {
        "link_name": attr.string(mandatory = True),
        "target": attr.string(mandatory = True),
        "attributes": attr.string(),
    },
    provides = [PackageSymlinkInfo],
    doc = "A symbolic link.",
)

def pkg_mklink(name, link_name, target, attributes = None, src = None, **kwargs):
    """A symbolic link."""
    pkg_mklink_impl(name = name, link_name = link_name, target = target or src, attributes = attributes or "", **kwargs)

def _placed(prefix, info):
    return PackageFilesInfo(
        dest_src_map = {_join(prefix, path): file for path, file in info.dest_src_map.items()},
        attributes = info.attributes,
    )

def _pkg_filegroup_impl(ctx):
    files = []
    dirs = []
    links = []
    prefix = ctx.attr.prefix
    for source in ctx.attr.srcs:
        if PackageFilegroupInfo in source:
            group = source[PackageFilegroupInfo]
            files += [(_placed(prefix, info), origin) for info, origin in group.pkg_files]
            dirs += group.pkg_dirs
            links += group.pkg_symlinks
        if PackageFilesInfo in source:
            files.append((_placed(prefix, source[PackageFilesInfo]), source.label))
        if PackageDirsInfo in source:
            info = source[PackageDirsInfo]
            dirs.append((PackageDirsInfo(dirs = [_join(prefix, path) for path in info.dirs], attributes = info.attributes), source.label))
        if PackageSymlinkInfo in source:
            info = source[PackageSymlinkInfo]
            links.append((PackageSymlinkInfo(destination = _join(prefix, info.destination), target = info.target, attributes = info.attributes), source.label))
    return [
        PackageFilegroupInfo(pkg_files = files, pkg_dirs = dirs, pkg_symlinks = links),
        DefaultInfo(files = depset(transitive = [source.files for source in ctx.attr.srcs])),
    ]

pkg_filegroup = rule(
    implementation = _pkg_filegroup_impl,
    attrs = {
        "srcs": attr.label_list(mandatory = True),
        "prefix": attr.string(),
    },
    provides = [PackageFilegroupInfo],
    doc = "Several mappings as one.",
)

filter_directory = unsupported_rule("filter_directory of rules_pkg")

"""directory(): files of a package as a directory that other rules can look into."""

load(":providers.bzl", "DirectoryInfo", "create_directory_info")

def _root(ctx):
    """The path of the package's directory: among sources or among outputs, never both."""
    package = [part for part in (ctx.label.workspace_root, ctx.label.package) if part]
    generated = "/".join([ctx.bin_dir.path] + package)
    source = "/".join(package)
    found = {}
    for file in ctx.files.srcs:
        roots = [root for root in (generated, source) if not root or file.path.startswith(root + "/")]
        if not roots:
            fail("{} is not in package {}".format(file.path, ctx.label.package))
        found.setdefault(roots[0], file)
    if len(found) > 1:
        fail("a directory is of source files or of generated ones, but there are {} and {}".format(*found.values()))
    return list(found)[0] if found else source

def _directory_impl(ctx):
    root = _root(ctx)
    children = {"": {}}
    for file in ctx.files.srcs:
        path = file.path[len(root) + 1:] if root else file.path
        place = ""
        for name in path.split("/")[:-1]:
            inner = place + "/" + name if place else name
            children.setdefault(inner, {})
            children[place][name] = inner
            place = inner
        children[place][file.basename] = file
    made = {}
    for place in reversed(sorted(children, key = lambda place: len(place.split("/")) if place else 0)):
        entries = {}
        for name, entry in sorted(children[place].items(), key = lambda item: item[0]):
            entries[name] = made[entry] if type(entry) == "string" else entry
        made[place] = create_directory_info(
            entries = entries,
            transitive_files = depset(
                [entry for entry in entries.values() if type(entry) == "File"],
                transitive = [entry.transitive_files for entry in entries.values() if type(entry) != "File"],
                order = "preorder",
            ),
            path = "/".join([part for part in (root, place) if part]),
            human_readable = "/".join([part for part in (str(ctx.label), place) if part]),
        )
    return [made[""], DefaultInfo(files = made[""].transitive_files)]

directory = rule(
    implementation = _directory_impl,
    attrs = {"srcs": attr.label_list(allow_files = True)},
    provides = [DirectoryInfo],
)

"""A shell library that is found under a second name in runfiles trees."""

def _root_symlinks(ctx):
    links = {path: target.files.to_list()[0] for target, path in ctx.attr.links.items()}
    files = depset(links.values())
    return [DefaultInfo(files = files, runfiles = ctx.runfiles(transitive_files = files, root_symlinks = links))]

root_symlinks = rule(
    implementation = _root_symlinks,
    attrs = {"links": attr.label_keyed_string_dict(allow_files = True, doc = "file -> runfiles path")},
)

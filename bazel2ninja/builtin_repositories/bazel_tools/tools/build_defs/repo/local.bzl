"""Repositories that are directories of this machine: https://bazel.build/rules/lib/repo/local."""

def _under_workspace(ctx):
    """The directory that `path` means: relative paths start at the root of the workspace."""
    path = ctx.attr.path
    if path[:1] == "/":
        return ctx.path(path)
    return ctx.path(str(ctx.workspace_root) + "/" + path)

def _local_repository_impl(ctx):
    directory = _under_workspace(ctx)
    if not directory.is_dir:
        fail("no directory {}".format(directory))
    ctx.symlink(directory, "")

local_repository = repository_rule(
    implementation = _local_repository_impl,
    attrs = {"path": attr.string(mandatory = True)},
    local = True,
    doc = "A directory that is a Bazel repository.",
)

def _new_local_repository_impl(ctx):
    if (ctx.attr.build_file == None) == (not ctx.attr.build_file_content):
        fail("exactly one of build_file and build_file_content must be given")
    directory = _under_workspace(ctx)
    if not directory.is_dir:
        fail("no directory {}".format(directory))
    for child in directory.readdir():
        if child.basename not in ("BUILD", "BUILD.bazel", "WORKSPACE", "WORKSPACE.bazel"):
            ctx.symlink(child, child.basename)
    if ctx.attr.workspace_file:
        ctx.file("WORKSPACE", ctx.read(ctx.attr.workspace_file))
    else:
        ctx.file("WORKSPACE", ctx.attr.workspace_file_content or 'workspace(name = "{}")\n'.format(ctx.name))
    ctx.file("BUILD.bazel", ctx.read(ctx.attr.build_file) if ctx.attr.build_file else ctx.attr.build_file_content)

new_local_repository = repository_rule(
    implementation = _new_local_repository_impl,
    attrs = {
        "path": attr.string(mandatory = True),
        "build_file": attr.label(allow_single_file = True),
        "build_file_content": attr.string(),
        "workspace_file": attr.label(),
        "workspace_file_content": attr.string(),
    },
    local = True,
    doc = "A directory with a BUILD file that is kept elsewhere.",
)

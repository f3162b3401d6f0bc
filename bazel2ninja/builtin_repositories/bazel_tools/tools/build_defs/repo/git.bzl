"""Repositories that Bazel would clone with git: https://bazel.build/rules/lib/repo/git.

Here they come from the directories given with --vendor.
"""

load(":utils.bzl", "patch", "update_attrs", "workspace_and_buildfile")

_ATTRIBUTES = {
    "remote": attr.string(mandatory = True),
    "commit": attr.string(default = ""),
    "tag": attr.string(default = ""),
    "branch": attr.string(default = ""),
    "shallow_since": attr.string(default = ""),
    "init_submodules": attr.bool(default = False),
    "recursive_init_submodules": attr.bool(default = False),
    "strip_prefix": attr.string(default = ""),
    "verbose": attr.bool(default = False),
    "sparse_checkout_patterns": attr.string_list(default = []),
    "sparse_checkout_file": attr.label(),
    "patches": attr.label_list(default = []),
    "patch_tool": attr.string(default = ""),
    "patch_args": attr.string_list(default = []),
    "patch_strip": attr.int(default = 0),
    "patch_cmds": attr.string_list(default = []),
    "patch_cmds_win": attr.string_list(default = []),
    "remote_module_file_urls": attr.string_list(default = []),
    "remote_module_file_integrity": attr.string(default = ""),
    "build_file": attr.label(allow_single_file = True),
    "build_file_content": attr.string(),
    "workspace_file": attr.label(),
    "workspace_file_content": attr.string(),
}

def _git_repository_impl(ctx):
    if len([given for given in (ctx.attr.commit, ctx.attr.tag, ctx.attr.branch) if given]) != 1:
        fail("exactly one of commit, tag and branch must be given")
    revision = ctx.attr.commit or ctx.attr.tag or ctx.attr.branch
    remote = ctx.attr.remote
    if remote.endswith(".git"):
        remote = remote[:-len(".git")]
    ctx.download_and_extract(
        ["%s/archive/%s.%s" % (remote, revision, ending) for ending in ("tar.gz", "zip")],
        stripPrefix = ctx.attr.strip_prefix,
    )
    workspace_and_buildfile(ctx)
    patch(ctx, patch_args = ctx.attr.patch_args or (["-p%d" % ctx.attr.patch_strip] if ctx.attr.patch_strip else []))
    return update_attrs(ctx.attr, _ATTRIBUTES.keys(), {})

git_repository = repository_rule(
    implementation = _git_repository_impl,
    attrs = _ATTRIBUTES,
    doc = "A repository from a git repository.",
)

new_git_repository = repository_rule(
    implementation = _git_repository_impl,
    attrs = _ATTRIBUTES,
    doc = "A repository from a git repository, with a BUILD file of its own.",
)

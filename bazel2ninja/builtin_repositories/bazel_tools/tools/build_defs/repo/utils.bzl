"""What repository rules share: https://bazel.build/rules/lib/repo/utils."""

def maybe(repo_rule, name, **kwargs):
    """Declares a repository unless one of that name has been declared."""
    if not native.existing_rule(name):
        repo_rule(name = name, **kwargs)

def workspace_and_buildfile(ctx):
    """Writes the WORKSPACE and BUILD files that the attributes of the rule ask for."""
    if ctx.attr.build_file and ctx.attr.build_file_content:
        fail("only one of build_file and build_file_content may be given")
    workspace_file = getattr(ctx.attr, "workspace_file", None)
    workspace_file_content = getattr(ctx.attr, "workspace_file_content", "")
    if workspace_file and workspace_file_content:
        fail("only one of workspace_file and workspace_file_content may be given")
    if workspace_file:
        ctx.file("WORKSPACE", ctx.read(workspace_file))
    elif workspace_file_content:
        ctx.file("WORKSPACE", workspace_file_content)
    elif not ctx.path("WORKSPACE").exists and not ctx.path("WORKSPACE.bazel").exists:
        ctx.file("WORKSPACE", 'workspace(name = "{}")\n'.format(ctx.name))
    if ctx.attr.build_file:
        ctx.delete("BUILD.bazel")
        ctx.file("BUILD.bazel", ctx.read(ctx.attr.build_file))
    elif ctx.attr.build_file_content:
        ctx.delete("BUILD.bazel")
        ctx.file("BUILD.bazel", ctx.attr.build_file_content)

def patch(ctx, patches = None, patch_cmds = None, patch_cmds_win = None, patch_tool = None, patch_args = None, auth = None):
    """Applies patch files, then runs the shell commands, as the attributes of the rule say."""
    if patches == None:
        patches = getattr(ctx.attr, "patches", [])
    if patch_cmds == None:
        patch_cmds = getattr(ctx.attr, "patch_cmds", [])
    if patch_args == None:
        patch_args = getattr(ctx.attr, "patch_args", [])
    if patch_tool == None:
        patch_tool = getattr(ctx.attr, "patch_tool", "")
    if getattr(ctx.attr, "remote_patches", {}):
        for url, integrity in ctx.attr.remote_patches.items():
            file = "remote_" + url.split("/")[-1]
            ctx.download(url = url, output = file, integrity = integrity)
            ctx.patch(file, getattr(ctx.attr, "remote_patch_strip", 0))
            ctx.delete(file)
    strip = _strip_of(patch_args)
    for file in patches:
        if patch_tool or strip == None:
            result = ctx.execute(["sh", "-c", '"$0" "$@" < "$PATCH_FILE"', patch_tool or "patch"] + patch_args, environment = {"PATCH_FILE": str(ctx.path(file))})
            if result.return_code:
                fail("{} failed with {}:\n{}{}".format(patch_tool or "patch", file, result.stdout, result.stderr))
        else:
            ctx.patch(file, strip)
    for command in patch_cmds:
        result = ctx.execute(["bash", "-c", command])
        if result.return_code:
            fail("patch command {} failed:\n{}{}".format(repr(command), result.stdout, result.stderr))

def _strip_of(arguments):
    """The N of -pN when that is all that is asked for, else None."""
    if not arguments:
        return 0
    if len(arguments) == 1 and arguments[0][:2] == "-p" and arguments[0][2:].isdigit():
        return int(arguments[0][2:])
    return None

def update_attrs(orig, keys, override):
    """The attributes `keys` of `orig`, with those of `override`: what a rule returns to say how to repeat it."""
    result = {}
    for key in keys:
        if getattr(orig, key, None) != None:
            result[key] = getattr(orig, key)
    result["name"] = orig.name
    result.update(override)
    return result

def get_auth(ctx, urls):
    """Credentials for the URLs: none, because nothing is downloaded."""
    return {}

def use_netrc(netrc, urls, patterns):
    """Credentials for the URLs: none, because nothing is downloaded."""
    return {}

def read_netrc(ctx, filename):
    """Credentials of a .netrc file: none, because nothing is downloaded."""
    return {}

def read_user_netrc(ctx):
    """Credentials of the user's .netrc file: none, because nothing is downloaded."""
    return {}

def parse_netrc(contents, filename = "a .netrc file"):
    """Credentials of a .netrc file: none, because nothing is downloaded."""
    return {}

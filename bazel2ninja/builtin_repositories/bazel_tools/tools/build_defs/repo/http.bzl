"""Repositories and files that Bazel would download: https://bazel.build/rules/lib/repo/http.

Here they come from the directories given with --vendor.
"""

load(":utils.bzl", "patch", "update_attrs", "workspace_and_buildfile")

def _union(*dictionaries):
    result = {}
    for dictionary in dictionaries:
        result.update(dictionary)
    return result

_URL_ATTRIBUTES = {
    "url": attr.string(),
    "urls": attr.string_list(),
    "sha256": attr.string(),
    "integrity": attr.string(),
    "netrc": attr.string(),
    "auth_patterns": attr.string_dict(),
    "canonical_id": attr.string(),
}

_PATCH_ATTRIBUTES = {
    "patches": attr.label_list(default = []),
    "patch_tool": attr.string(default = ""),
    "patch_args": attr.string_list(default = []),
    "patch_strip": attr.int(default = 0),
    "patch_cmds": attr.string_list(default = []),
    "patch_cmds_win": attr.string_list(default = []),
    "remote_patches": attr.string_dict(default = {}),
    "remote_patch_strip": attr.int(default = 0),
}

_ARCHIVE_ATTRIBUTES = _union(_URL_ATTRIBUTES, _PATCH_ATTRIBUTES, {
    "strip_prefix": attr.string(),
    "add_prefix": attr.string(default = ""),
    "type": attr.string(),
    "files": attr.string_keyed_label_dict(),
    "remote_file_urls": attr.string_list_dict(default = {}),
    "remote_file_integrity": attr.string_dict(default = {}),
    "remote_module_file_urls": attr.string_list(default = []),
    "remote_module_file_integrity": attr.string(default = ""),
    "build_file": attr.label(allow_single_file = True),
    "build_file_content": attr.string(),
    "workspace_file": attr.label(),
    "workspace_file_content": attr.string(),
})

def _urls(ctx):
    urls = list(ctx.attr.urls)
    if ctx.attr.url:
        urls = [ctx.attr.url] + urls
    if not urls:
        fail("at least one of url and urls must be given")
    return urls

def _http_archive_impl(ctx):
    if ctx.attr.build_file and ctx.attr.build_file_content:
        fail("only one of build_file and build_file_content may be given")
    ctx.download_and_extract(
        _urls(ctx),
        ctx.attr.add_prefix,
        ctx.attr.sha256,
        ctx.attr.type,
        ctx.attr.strip_prefix,
        canonical_id = ctx.attr.canonical_id,
        integrity = ctx.attr.integrity,
    )
    workspace_and_buildfile(ctx)
    for path, label in ctx.attr.files.items():
        ctx.delete(path)
        ctx.symlink(label, path)
    for path, urls in ctx.attr.remote_file_urls.items():
        ctx.download(urls, path, integrity = ctx.attr.remote_file_integrity.get(path, ""))
    patch(ctx, patch_args = ctx.attr.patch_args or (["-p%d" % ctx.attr.patch_strip] if ctx.attr.patch_strip else []))
    return update_attrs(ctx.attr, _ARCHIVE_ATTRIBUTES.keys(), {})

http_archive = repository_rule(
    implementation = _http_archive_impl,
    attrs = _ARCHIVE_ATTRIBUTES,
    doc = "A repository from an archive.",
)

def _http_file_impl(ctx):
    ctx.file("WORKSPACE", 'workspace(name = "{}")\n'.format(ctx.name))
    ctx.download(
        _urls(ctx),
        "file/" + ctx.attr.downloaded_file_path,
        ctx.attr.sha256,
        ctx.attr.executable,
        canonical_id = ctx.attr.canonical_id,
        integrity = ctx.attr.integrity,
    )
    ctx.file("file/BUILD", """\
package(default_visibility = ["//visibility:public"])

filegroup(
    name = "file",
    srcs = [%s],
)
""" % repr(ctx.attr.downloaded_file_path))

http_file = repository_rule(
    implementation = _http_file_impl,
    attrs = _union(_URL_ATTRIBUTES, {
        "executable": attr.bool(),
        "downloaded_file_path": attr.string(default = "downloaded"),
    }),
    doc = "A repository with one file, @NAME//file.",
)

def _http_jar_impl(ctx):
    ctx.file("WORKSPACE", 'workspace(name = "{}")\n'.format(ctx.name))
    ctx.download(
        _urls(ctx),
        "jar/" + ctx.attr.downloaded_file_name,
        ctx.attr.sha256,
        canonical_id = ctx.attr.canonical_id,
        integrity = ctx.attr.integrity,
    )
    ctx.file("jar/BUILD", """\
package(default_visibility = ["//visibility:public"])

filegroup(
    name = "file",
    srcs = [%s],
)
""" % repr(ctx.attr.downloaded_file_name))

http_jar = repository_rule(
    implementation = _http_jar_impl,
    attrs = _union(_URL_ATTRIBUTES, {"downloaded_file_name": attr.string(default = "downloaded.jar")}),
    doc = "A repository with one Java archive; @NAME//jar:file is the file.",
)

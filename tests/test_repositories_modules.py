"""MODULE.bazel: modules, overrides, module extensions and the names that each repository sees."""

from __future__ import annotations

from pathlib import Path

import pytest
from repositories_support import Printed, failure, make_tar, open_workspace, write_tree

from bazel2ninja.diagnostics import WorkspaceError, render
from bazel2ninja.labels import parse_label
from bazel2ninja.loading.repository import OriginKind


def modules(root: Path, text: str, **options: object):  # type: ignore[no-untyped-def]
    files = {"MODULE.bazel": text, "BUILD": "", **options.pop("files", {})}  # type: ignore[dict-item]
    return open_workspace(root, files, **options)  # type: ignore[arg-type]


def canonical(workspace, text: str, seen_from: str = "") -> str:  # type: ignore[no-untyped-def]
    return parse_label(text, None, workspace.repository(seen_from).mapping).repository


def test_names(tmp_path: Path) -> None:
    text = """
module(name = "me", version = "1", repo_name = "myself")
bazel_dep(name = "lib", version = "1.0", repo_name = "its_lib")
bazel_dep(name = "hidden", version = "1.0", repo_name = None)
bazel_dep(name = "platforms", version = "0.0.10")
"""
    workspace = modules(tmp_path, text)
    assert workspace.name == "_main"
    assert canonical(workspace, "@myself//:x") == ""
    assert canonical(workspace, "@its_lib//:x") == "lib+"
    assert canonical(workspace, "@platforms//os") == "platforms"
    assert canonical(workspace, "@bazel_tools//:x") == "bazel_tools"
    for unseen in ("lib", "hidden", "me", "zlib"):
        found = failure(workspace, canonical(workspace, f"@{unseen}//:x"))
        assert f"no repository visible as '@{unseen}' from the main repository" in found


def test_a_module_sees_its_own_dependencies(tmp_path: Path) -> None:
    lib = """
module(name = "lib", version = "1.0")
bazel_dep(name = "deep", version = "1", repo_name = "d")
bazel_dep(name = "me", version = "1")
bazel_dep(name = "only_for_tests", version = "1", dev_dependency = True)
local_path_override(module_name = "deep", path = "/nowhere")
"""
    write_tree(tmp_path, {"vendor/lib/MODULE.bazel": lib, "vendor/deep/MODULE.bazel": 'module(name = "deep")'})
    text = 'module(name = "me")\nbazel_dep(name = "lib", version = "1.0")'
    workspace = modules(tmp_path, text, vendor=[str(tmp_path / "vendor")])
    assert workspace.repository("lib+").origin.kind is OriginKind.VENDOR
    assert canonical(workspace, "@d//:x", "lib+") == "deep+"
    assert canonical(workspace, "@me//:x", "lib+") == ""
    assert canonical(workspace, "@lib//:x", "lib+") == "lib+"
    assert workspace.repository("deep+").directory.endswith("external/deep+")
    unseen = canonical(workspace, "@only_for_tests//:x", "lib+")
    assert "no repository visible as '@only_for_tests' from repository '@lib+'" in failure(workspace, unseen)


def test_overrides_of_the_root_module(tmp_path: Path) -> None:
    write_tree(tmp_path, {"src/third_party/lib/BUILD": "", "src/fix.patch": "--- f\n+++ f\n@@ -1 +1 @@\n-1\n+2\n"})
    (tmp_path / "vendor").mkdir()
    make_tar(tmp_path / "vendor/other-1.tar.gz", [("other-1/f", "1\n")])
    text = """
bazel_dep(name = "lib", version = "1.0")
local_path_override(module_name = "lib", path = "third_party/lib")
bazel_dep(name = "other", version = "1.0")
archive_override(
    module_name = "other",
    urls = ["http://x/other-1.tar.gz"],
    strip_prefix = "other-1",
    patches = ["//:fix.patch"],
)
"""
    workspace = modules(tmp_path, text, vendor=[str(tmp_path / "vendor")])
    assert Path(workspace.repository("lib+").directory, "BUILD").exists()
    assert Path(workspace.repository("other+").directory, "f").read_text() == "2\n"


def test_patches_of_single_version_override_apply_to_vendored_sources(tmp_path: Path) -> None:
    patch = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-1\n+2\n"
    write_tree(tmp_path, {"vendor/lib/f": "1\n", "vendor/lib/BUILD": "", "src/p": patch})
    text = 'bazel_dep(name = "lib", version = "1")\n'
    override = 'single_version_override(module_name = "lib", patches = ["//:p"], patch_strip = 1)'
    workspace = modules(tmp_path, text + override, vendor=[str(tmp_path / "vendor")])
    assert Path(workspace.repository("lib+").directory, "f").read_text() == "2\n"
    assert (tmp_path / "vendor/lib/f").read_text() == "1\n"


def test_several_versions(tmp_path: Path) -> None:
    text = """
bazel_dep(name = "lib", version = "1.0", repo_name = "lib1")
bazel_dep(name = "lib", version = "1.5", repo_name = "lib2")
multiple_version_override(module_name = "lib", versions = ["1.0", "2.0"])
"""
    write_tree(tmp_path, {"vendor/lib+1.0/BUILD": "", "vendor/lib+2.0/BUILD": ""})
    workspace = modules(tmp_path, text, vendor=[str(tmp_path / "vendor")])
    assert canonical(workspace, "@lib1//:x") == "lib+1.0"
    assert canonical(workspace, "@lib2//:x") == "lib+2.0"
    assert workspace.repository("lib+2.0").target == str(tmp_path / "vendor/lib+2.0")


def test_an_override_by_any_name(tmp_path: Path) -> None:
    write_tree(tmp_path, {"theirs/BUILD": ""})
    text = 'bazel_dep(name = "lib", version = "1.0", repo_name = "com_lib")'
    for case, name in enumerate(("lib", "com_lib", "lib+")):
        workspace = modules(tmp_path / str(case), text, overrides={name: str(tmp_path / "theirs")})
        assert workspace.repository("lib+").origin.kind is OriginKind.OVERRIDE


def test_built_in_modules(tmp_path: Path) -> None:
    workspace = modules(
        tmp_path, 'bazel_dep(name = "bazel_skylib", version = "1.7.1")\nbazel_dep(name = "rules_cc", version = "1")'
    )
    assert workspace.repository("bazel_skylib+").builtin and workspace.repository("rules_cc+").builtin
    symbols = workspace.load_symbols(parse_label("@@bazel_skylib+//lib:paths.bzl"))
    assert "paths" in symbols
    assert canonical(workspace, "@bazel_tools//:x", "rules_cc+") == "bazel_tools"
    assert canonical(workspace, "@bazel_skylib//:x", "bazel_tools") == "bazel_skylib+"


def test_an_older_version_on_disk_is_told(tmp_path: Path) -> None:
    write_tree(tmp_path, {"vendor/lib/MODULE.bazel": 'module(name = "lib", version = "1.9")'})
    text = 'bazel_dep(name = "lib", version = "1.10.rc1")'
    workspace = modules(tmp_path, text, vendor=[str(tmp_path / "vendor")])
    workspace.repository("lib+")
    assert [notice.message for notice in workspace.notices] == [
        "module 'lib' is wanted in version 1.10.rc1 and is on disk in version 1.9"
    ]


@pytest.mark.parametrize(
    "text",
    [
        'bazel_dep(name = "lib")',
        'bazel_dep(name = "lib", version = "")',
        'bazel_dep(name = "lib", version = "2.0")\nlocal_path_override(module_name = "lib", path = "lib")',
        'bazel_dep(name = "lib", version = "2.0")\nsingle_version_override(module_name = "lib", version = "1.9")',
    ],
    ids=["no version", "empty version", "local path", "single version"],
)
def test_versions_that_are_not_compared(tmp_path: Path, text: str) -> None:
    module = 'module(name = "lib", version = "1.9")'
    write_tree(tmp_path, {"vendor/lib/MODULE.bazel": module, "src/lib/MODULE.bazel": module})
    workspace = modules(tmp_path, text, vendor=[str(tmp_path / "vendor")])
    workspace.repository("lib+")
    assert not workspace.notices


def test_who_wanted_what_is_missing(tmp_path: Path) -> None:
    workspace = modules(tmp_path, 'module(name = "me")\n\nbazel_dep(name = "zlib", version = "1.3")')
    text = failure(workspace, "zlib+")
    assert "no repository '@zlib+'" in text and "module 'me' depends on it" in text and "MODULE.bazel:3:1" in text
    assert "DIR/zlib holds it" in text and "source package zlib" in text


def test_who_wanted_it_when_the_root_module_has_no_name(tmp_path: Path) -> None:
    text = failure(modules(tmp_path, 'bazel_dep(name = "zlib", version = "1.3")'), "zlib+")
    assert "note: the root module depends on it" in text


EXTENSION = """
def _repo_impl(ctx):
    ctx.file("BUILD", ctx.attr.content)

repo = repository_rule(_repo_impl, attrs = {"content": attr.string(), "file": attr.label()})

def _ext_impl(module_ctx):
    for module in module_ctx.modules:
        for tag in module.tags.make:
            print(module.name, module.is_root, tag.name, module_ctx.is_dev_dependency(tag), tag.file)
            repo(name = tag.name, content = "# " + tag.name, file = "//:BUILD")

ext = module_extension(
    implementation = _ext_impl,
    tag_classes = {"make": tag_class(attrs = {"name": attr.string(mandatory = True), "file": attr.label()})},
)
"""


def test_module_extensions(tmp_path: Path) -> None:
    text = """
module(name = "me")
bazel_dep(name = "lib", version = "1")
ext = use_extension("//:ext.bzl", "ext")
ext.make(name = "a", file = "@lib//:f")
use_repo(ext, "a", renamed = "b")
dev = use_extension("//:ext.bzl", "ext", dev_dependency = True)
dev.make(name = "b")
"""
    lib = """
module(name = "lib")
bazel_dep(name = "me", version = "1")
ext = use_extension("@me//:ext.bzl", "ext")
ext.make(name = "c")
use_repo(ext, "c")
dev = use_extension("@me//:ext.bzl", "ext", dev_dependency = True)
dev.make(name = "never")
"""
    write_tree(tmp_path, {"vendor/lib/MODULE.bazel": lib})
    printed = Printed()
    workspace = modules(tmp_path, text, files={"ext.bzl": EXTENSION}, vendor=[str(tmp_path / "vendor")], print=printed)
    assert canonical(workspace, "@renamed//:x") == "+ext+b"
    assert Path(workspace.repository("+ext+a").directory, "BUILD").read_text() == "# a"
    assert Path(workspace.repository("+ext+b").directory, "BUILD").read_text() == "# b"
    assert canonical(workspace, "@c//:x", "lib+") == "+ext+c"
    assert Path(workspace.repository("+ext+c").directory, "BUILD").read_text() == "# c"
    assert canonical(workspace, "@lib//:x", "+ext+a") == "lib+"
    assert canonical(workspace, "@c//:x", "+ext+a") == "+ext+c"
    assert printed == ["me True a False @lib+//:f", "me True b True None", "lib False c False None"]


def test_an_extension_that_does_not_make_what_is_used(tmp_path: Path) -> None:
    text = 'ext = use_extension("//:ext.bzl", "ext")\nuse_repo(ext, "other")'
    workspace = modules(tmp_path, text, files={"ext.bzl": EXTENSION})
    assert "the module extension 'ext' of '//:ext.bzl' did not make it" in failure(workspace, "+ext+other")


def test_a_wrong_tag(tmp_path: Path) -> None:
    text = 'ext = use_extension("//:ext.bzl", "ext")\n%s\nuse_repo(ext, "a")'
    for case, (tag, message) in enumerate(
        [
            ('ext.mak(name = "a")', "the extension has no tag class 'mak'"),
            ("ext.make()", "lacks the mandatory attribute 'name'"),
            ('ext.make(name = "a", x = 1)', "make has no attribute 'x'"),
        ]
    ):
        workspace = modules(tmp_path / str(case), text % tag, files={"ext.bzl": EXTENSION})
        found = failure(workspace, "+ext+a")
        assert message in found and "MODULE.bazel:2:" in found


def test_an_extension_of_an_absent_module_only_matters_to_who_needs_it(tmp_path: Path) -> None:
    text = 'bazel_dep(name = "gone", version = "1")\ne = use_extension("@gone//:e.bzl", "e")\nuse_repo(e, "x")'
    workspace = modules(tmp_path, text)
    assert canonical(workspace, "@x//:y") == "gone++e+x"
    assert "gone" in failure(workspace, "gone++e+x")
    write_tree(tmp_path, {"theirs/BUILD": ""})
    workspace = modules(tmp_path, text, overrides={"x": str(tmp_path / "theirs")})
    assert workspace.repository("gone++e+x").origin.kind is OriginKind.OVERRIDE


def test_use_repo_rule(tmp_path: Path) -> None:
    text = 'repo = use_repo_rule("//:ext.bzl", "repo")\nrepo(name = "r", content = "# r")'
    workspace = modules(tmp_path, text, files={"ext.bzl": EXTENSION})
    name = canonical(workspace, "@r//:x")
    assert Path(workspace.repository(name).directory, "BUILD").read_text() == "# r"


def test_use_repo_rule_of_something_absent(tmp_path: Path) -> None:
    """The name in the error is the one that users of the repository have, and the declaration has a place."""
    load = 'use_repo_rule("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive")'
    workspace = modules(tmp_path, f'archive = {load}\narchive(name = "r", urls = ["http://localhost/r.zip"])')
    name = canonical(workspace, "@r//:x")
    message = failure(workspace, name)
    assert f"repository '@{name}' is not on disk" in message and "DIR/r holds it" in message
    assert f"note: it is declared here, with http_archive() ({tmp_path}/src/MODULE.bazel:2:1)" in message


def test_an_extension_of_a_module_that_is_absent(tmp_path: Path) -> None:
    text = 'bazel_dep(name = "gone", version = "1")\ne = use_extension("@gone//:e.bzl", "e")\nuse_repo(e, "made")'
    workspace = modules(tmp_path, text)
    message = failure(workspace, canonical(workspace, "@made//:x"))
    assert "error: no repository '@gone+'" in message and "'e' would have been defined there" in message


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("@gone//:rules.bzl", "no repository '@gone+'"),
        ("@rules_python//nowhere:rules.bzl", "has no file '@rules_python+//nowhere:rules.bzl'"),
        ("//:ext.bzl", "'//:ext.bzl' has no repository rule 'made'"),
    ],
)
def test_a_repository_rule_that_is_not_there(file: str, message: str, tmp_path: Path) -> None:
    text = 'bazel_dep(name = "gone", version = "1")\nbazel_dep(name = "rules_python", version = "1")\n'
    text += f'made = use_repo_rule("{file}", "made")\nmade(name = "r")'
    workspace = modules(tmp_path, text, files={"ext.bzl": EXTENSION})
    assert message in failure(workspace, canonical(workspace, "@r//:x"))


def test_include_and_registrations(tmp_path: Path) -> None:
    text = 'include("//:more.MODULE.bazel")\nregister_toolchains("//t:all")\nregister_execution_platforms("//p")'
    files = {"more.MODULE.bazel": 'bazel_dep(name = "lib", version = "1")\nregister_toolchains("@lib//t")'}
    lib = 'module(name = "lib")\nregister_toolchains("//l")\nregister_toolchains("//dev", dev_dependency = True)'
    write_tree(tmp_path, {"vendor/lib/MODULE.bazel": lib})
    workspace = modules(tmp_path, text, files=files, vendor=[str(tmp_path / "vendor")])
    assert [(owner, pattern) for owner, pattern, _ in workspace.toolchains] == [
        ("", "//t:all"),
        ("", "@lib//t"),
        ("lib+", "//l"),
    ]
    assert [pattern for _, pattern, _ in workspace.execution_platforms] == ["//p"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('module(name = "a")\nmodule(name = "b")', "can only be called once"),
        ("bazel_dep(name = 1)", "parameter 'name' got value of type 'int'"),
        ('bazel_dep(name = "a", repo_name = "x")\nbazel_dep(name = "b", repo_name = "x")', "'@x' is given twice"),
        ('load("//:x.bzl", "x")', "load() is not allowed"),
        ("override_repo(1)", "override_repo() is not supported"),
        ('local_path_override(module_name="a", path="b")\ngit_override(module_name="a")', "multiple overrides"),
        ('use_repo(1, "a")', "want what use_extension() returned"),
    ],
)
def test_wrong_module_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(WorkspaceError) as caught:
        modules(tmp_path, text).mapping  # noqa: B018
    assert message in render(caught.value.diagnostic)

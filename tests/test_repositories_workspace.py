"""WORKSPACE files: what they declare, who wins, and what an absent repository leads to."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from repositories_support import failure, open_workspace, write_tree

from bazel2ninja.diagnostics import WorkspaceError, render
from bazel2ninja.filesystem import MemoryFileSystem
from bazel2ninja.labels import parse_label
from bazel2ninja.loading.repository import AbsentRepositoryError, OriginKind, Overlay
from bazel2ninja.loading.repository_placeholder import Placeholder
from bazel2ninja.repositories.external import NoSystem
from bazel2ninja.repositories.workspace import Workspace
from bazel2ninja.starlark import Thread

HTTP = 'load("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive")\n'


def test_workspace_bazel_wins_over_workspace(tmp_path: Path) -> None:
    files = {"WORKSPACE": 'workspace(name = "old")', "WORKSPACE.bazel": 'workspace(name = "new")'}
    assert open_workspace(tmp_path, files).name == "new"


def test_a_directory_without_a_boundary_file_is_no_workspace(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match=r"no WORKSPACE or MODULE\.bazel file"):
        open_workspace(tmp_path, {"BUILD": ""})


def test_module_file_counts_only_without_workspace_or_when_asked_for(tmp_path: Path) -> None:
    files = {"WORKSPACE": "", "MODULE.bazel": 'module(name = "m")'}
    assert open_workspace(tmp_path / "a", files).name == "__main__"
    assert open_workspace(tmp_path / "b", files, enable_bzlmod=True).name == "_main"
    assert open_workspace(tmp_path / "c", {"MODULE.bazel": ""}).name == "_main"


LIBRARY = """
def _archive(ctx):
    ctx.download_and_extract(ctx.attr.urls, "", "")
    if ctx.execute(["false"]).return_code != 0:
        fail("nobody is here")
    ctx.patch(Label("//:absent.patch"))
    if ctx.attr.build_file:
        ctx.template("BUILD.bazel", ctx.attr.build_file, {})

archive = repository_rule(_archive, attrs = {"urls": attr.string_list(), "build_file": attr.label()})
"""


def test_a_repository_of_build_files_only(tmp_path: Path) -> None:
    files = {
        "WORKSPACE": 'load("//:m.bzl", "archive")\n'
        'archive(name = "known", urls = ["https://x/y.tar.gz"], build_file = "//:y.BUILD")\n'
        'archive(name = "unknown", urls = ["https://x/z.tar.gz"])\n',
        "BUILD": "",
        "m.bzl": LIBRARY,
        "y.BUILD": "cc_library(name = 'y', srcs = ['y.cc'])\n",
    }
    strict = open_workspace(tmp_path, files)
    for name in ("known", "unknown"):
        assert f"repository '@{name}' is not on disk" in failure(strict, name)
    lenient = open_workspace(tmp_path, files, build_files_only=True)
    repository = lenient.repository("known")
    assert repository.origin.kind is OriginKind.BUILD_ONLY
    assert (Path(repository.directory) / "BUILD.bazel").read_text() == files["y.BUILD"]
    assert "repository '@unknown' is not on disk" in failure(lenient, "unknown")
    # its .bzl files are those of an absent repository
    symbols = lenient.load_symbols(parse_label("@known//a:b.bzl"))
    assert isinstance(symbols["macro"], Placeholder)
    # what is on disk wins
    write_tree(tmp_path / "vendor/known", {"y.cc": ""})
    vendored = open_workspace(tmp_path, files, build_files_only=True, vendor=[str(tmp_path / "vendor")])
    assert "false" not in repository.origin.reason
    why = failure(vendored, "known")
    assert "nobody is here" in why or "cannot confine the programs" in why  # a machine without namespaces


def test_an_override_must_be_a_directory(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="--override_repository x: no directory"):
        open_workspace(tmp_path, {"WORKSPACE": ""}, overrides={"x": str(tmp_path / "none")})


def test_own_name_means_the_main_repository(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path, {"WORKSPACE": 'workspace(name = "me")\nlocal_repository(name="o", path="o")'})
    write_tree(tmp_path / "src/o", {"WORKSPACE": ""})
    assert parse_label("@me//a:b", None, workspace.mapping).repository == ""
    assert parse_label("@me//a:b", None, workspace.repository("o").mapping).repository == ""


def test_repo_mapping(tmp_path: Path) -> None:
    text = 'local_repository(name = "o", path = "o", repo_mapping = {"@theirs": "@ours"})'
    workspace = open_workspace(tmp_path, {"WORKSPACE": text, "o/WORKSPACE": ""})
    assert parse_label("@theirs//:x", None, workspace.repository("o").mapping).repository == "ours"


def test_local_repository_is_one_relative_link(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path, {"WORKSPACE": 'local_repository(name="o", path="o")', "o/WORKSPACE": "x"})
    repository = workspace.repository("o")
    assert os.readlink(repository.directory) == "../../src/o"
    assert (Path(repository.directory) / "WORKSPACE").read_text() == "x"
    assert repository.origin.kind is OriginKind.DECLARATION


def test_new_local_repository_has_links_and_a_build_file(tmp_path: Path) -> None:
    text = 'new_local_repository(name="o", path="o", build_file_content="filegroup(name = \'all\')")'
    workspace = open_workspace(tmp_path, {"WORKSPACE": text, "o/BUILD": "wrong(", "o/a.h": "A"})
    directory = Path(workspace.repository("o").directory)
    assert sorted(os.listdir(directory)) == ["BUILD.bazel", "WORKSPACE", "a.h"]
    assert (directory / "a.h").is_symlink()
    assert "filegroup" in (directory / "BUILD.bazel").read_text()


class _Shelf(NoSystem):
    """A library of the system for every repository that nothing else provides."""

    def __init__(self, directory: Path):
        self.directory = write_tree(directory, {"BUILD.bazel": "", "of_the_system": ""})

    def available(self, names: Sequence[str]) -> Overlay | None:
        return Overlay(str(self.directory), "nothing else provides it")


@pytest.mark.parametrize("left_out", ["absent", "empty"])
@pytest.mark.parametrize(
    "files",
    [
        {"WORKSPACE": 'local_repository(name = "o", path = "third_party/o")'},
        {"WORKSPACE": 'new_local_repository(name = "o", path = "third_party/o", build_file_content = "x = 1")'},
        {
            "MODULE.bazel": 'bazel_dep(name = "o", version = "1")\n'
            'local_path_override(module_name = "o", path = "third_party/o")'
        },
    ],
    ids=["local_repository", "new_local_repository", "local_path_override"],
)
def test_a_local_repository_that_the_source_package_leaves_out(
    files: dict[str, str], left_out: str, tmp_path: Path
) -> None:
    if left_out == "empty":
        (tmp_path / "src/third_party/o").mkdir(parents=True)
    workspace = open_workspace(tmp_path, files)
    name = workspace.mapping.canonical("o")
    what = "there is no directory 'third_party/o'" if left_out == "absent" else "the directory 'third_party/o' is empty"
    with pytest.raises(AbsentRepositoryError, match=what):
        workspace.repository(name)
    served = open_workspace(tmp_path / "2", files, system=_Shelf(tmp_path / "shelf"))
    assert (Path(served.repository(name).directory) / "of_the_system").exists()


def test_a_load_finds_what_was_declared_above(tmp_path: Path) -> None:
    files = {
        "WORKSPACE": 'local_repository(name = "o", path = "o")\nload("@o//:defs.bzl", "more")\nmore()',
        "o/WORKSPACE": "",
        "o/BUILD": "",
        "o/defs.bzl": 'def more():\n    native.local_repository(name = "p", path = "p")',
        "p/WORKSPACE": "",
    }
    assert open_workspace(tmp_path, files).repository("p").directory.endswith("external/p")


def test_the_last_declaration_of_the_first_chunk_counts(tmp_path: Path) -> None:
    files = {
        "WORKSPACE": 'local_repository(name = "o", path = "a")\nlocal_repository(name = "o", path = "b")\n'
        'load("//:x.bzl", "X")\nlocal_repository(name = "o", path = "c")',
        "BUILD": "",
        "x.bzl": "X = 1",
        **{f"{name}/WORKSPACE": "" for name in "abc"},
    }
    repository = open_workspace(tmp_path, files).repository("o")
    assert os.readlink(repository.directory).endswith("/b")


def test_existing_rules(tmp_path: Path) -> None:
    files = {
        "WORKSPACE": 'local_repository(name = "o", path = "a")\nload("//:x.bzl", "x")\nx()',
        "BUILD": "",
        "x.bzl": 'def x():\n    print(native.existing_rule("o")["path"], native.existing_rule("no"))\n'
        '    print(native.existing_rules().keys(), native.existing_rule("o")["kind"])',
    }
    workspace = open_workspace(tmp_path, files)
    workspace.mapping  # noqa: B018 - evaluates the file
    assert workspace.print == ["a None", '["o"] local_repository']


def test_bind_and_registrations(tmp_path: Path) -> None:
    text = 'bind(name = "x", actual = "//a:b")\nbind(name = "y")\nregister_toolchains("//t:all", "//u:t")\n'
    workspace = open_workspace(tmp_path, {"WORKSPACE": text + 'register_execution_platforms("//p")'})
    assert workspace.bindings["x"][0] is parse_label("//a:b")
    assert workspace.bindings["y"][0] is None
    assert [(owner, pattern) for owner, pattern, _ in workspace.toolchains] == [("", "//t:all"), ("", "//u:t")]
    assert [pattern for _, pattern, _ in workspace.execution_platforms] == ["//p"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('local_repository(name = "o", pth = "a")', "local_repository has no attribute 'pth'"),
        ('local_repository(name = "o")', "lacks the mandatory attribute 'path'"),
        ('local_repository(name = "o", path = 1)', "expected value of type 'string'"),
        ('local_repository(name = "../o", path = "a")', "invalid repository name '../o'"),
        ('local_repository(path = "a")', "needs the argument 'name'"),
        ('workspace(name = "a")\nworkspace(name = "b")', "workspace() may only be called once"),
        ('workspace(name = "1")', "not a legal workspace name"),
        ('local_repository(name = "o", path = "a", repo_mapping = {"a": "@b"})', "must start with '@'"),
    ],
)
def test_wrong_declarations(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(WorkspaceError) as caught:
        open_workspace(tmp_path, {"WORKSPACE": text}).mapping  # noqa: B018
    assert message in render(caught.value.diagnostic)
    assert caught.value.diagnostic.location is not None


def test_in_memory_workspaces_use_directories_where_they_are() -> None:
    tree = MemoryFileSystem({"src/WORKSPACE": "", "other/BUILD": ""})
    workspace = Workspace.open(tree, "src", None, overrides={"o": "other"})
    assert workspace.repository("o").directory == "other"
    with pytest.raises(WorkspaceError, match="no directory to make it in"):
        workspace.repository("local_config_platform") if workspace.registry.find("x") else workspace.store.directory(
            "x"
        )


# Who wins


def test_precedence(tmp_path: Path) -> None:
    declared = HTTP + 'http_archive(name = "bazel_skylib", urls = ["http://x/a.tar.gz"])'
    write_tree(tmp_path, {"theirs/BUILD": "", "vendor/bazel_skylib/BUILD": "", "vendor/other/BUILD": ""})
    theirs, vendor = str(tmp_path / "theirs"), str(tmp_path / "vendor")

    def kind(case: str, text: str, **options: object) -> OriginKind:
        workspace = open_workspace(tmp_path / case, {"WORKSPACE": text}, **options)  # type: ignore[arg-type]
        return workspace.repository("bazel_skylib").origin.kind

    assert kind("a", declared, overrides={"bazel_skylib": theirs}, vendor=[vendor]) is OriginKind.OVERRIDE
    assert kind("b", declared, vendor=[vendor]) is OriginKind.VENDOR
    assert kind("c", "", vendor=[vendor]) is OriginKind.VENDOR
    assert kind("d", declared) is OriginKind.BUILTIN
    assert kind("e", f'local_repository(name = "bazel_skylib", path = "{theirs}")') is OriginKind.DECLARATION
    assert kind("f", "") is OriginKind.BUILTIN


def test_an_overlay_stands_between_declared_and_built_in_repositories(tmp_path: Path) -> None:
    write_tree(tmp_path, {"overlay/BUILD": "", "vendor/bazel_skylib/BUILD": ""})
    overlays = {"bazel_skylib": Overlay(str(tmp_path / "overlay"), "the system has it")}
    declared = HTTP + 'http_archive(name = "bazel_skylib", urls = ["http://x/a.tar.gz"])'
    origin = (
        open_workspace(tmp_path / "a", {"WORKSPACE": declared}, overlay=overlays.get).repository("bazel_skylib").origin
    )
    assert (origin.kind, str(origin)) == (OriginKind.OVERLAY, "the system has it")
    local = 'local_repository(name = "bazel_skylib", path = "../../overlay")'
    workspace = open_workspace(tmp_path / "b", {"WORKSPACE": local}, overlay=overlays.get)
    assert workspace.repository("bazel_skylib").origin.kind is OriginKind.DECLARATION
    workspace = open_workspace(
        tmp_path / "c", {"WORKSPACE": ""}, overlay=overlays.get, vendor=[str(tmp_path / "vendor")]
    )
    assert workspace.repository("bazel_skylib").origin.kind is OriginKind.VENDOR


def test_the_reason_is_told(tmp_path: Path) -> None:
    declared = HTTP + 'http_archive(name = "bazel_skylib", urls = ["http://x/a.tar.gz"])'
    workspace = open_workspace(tmp_path, {"WORKSPACE": declared})
    origin = workspace.repository("bazel_skylib").origin
    assert str(origin) == "built in, because what http_archive() would download is not on disk"
    assert origin.location is not None and origin.location.line == 2


def test_other_names_of_the_same_repository_count(tmp_path: Path) -> None:
    known = next(
        known
        for known in open_workspace(tmp_path, {"WORKSPACE": ""}).registry.known.values()
        if known.module != known.name
    )
    write_tree(tmp_path, {f"vendor/{known.module}/BUILD": ""})
    workspace = open_workspace(tmp_path, {"WORKSPACE": ""}, vendor=[str(tmp_path / "vendor")])
    assert workspace.repository(known.name).origin.kind is OriginKind.VENDOR


# What is absent

ABSENT = """
load("@gone//:defs.bzl", "setup", "VERSION", "make")
setup()
make(name = "theirs", version = VERSION + "-1", parts = [VERSION.major])
load("//:rule.bzl", "needs")
needs(name = "broken", value = VERSION)
needs(name = "fine", value = "x")
"""
ABSENT_FILES = {
    "WORKSPACE": ABSENT,
    "BUILD": "",
    "rule.bzl": 'def _i(ctx):\n    ctx.file("BUILD", ctx.attr.value)\n\n'
    'needs = repository_rule(_i, attrs = {"value": attr.string()})',
}


def test_symbols_of_an_absent_repository_do_nothing(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path, ABSENT_FILES)
    assert (Path(workspace.repository("fine").directory) / "BUILD").read_text() == "x"
    assert workspace.workspace_file is not None
    calls = workspace.workspace_file.declarations.placeholder_calls
    assert [(call.symbol, call.name, call.location.line) for call in calls] == [
        ("setup", "", 3),
        ("make", "theirs", 4),
        ("VERSION", "broken", 6),
    ]


def test_a_missing_repository_names_the_call_that_would_have_declared_it(tmp_path: Path) -> None:
    text = failure(open_workspace(tmp_path, ABSENT_FILES), "theirs")
    assert "no repository '@theirs'" in text
    assert "'make' of the absent repository '@gone' was called for 'theirs'" in text
    assert "WORKSPACE:4:1" in text and "setup" not in text
    assert "--override_repository theirs=PATH" in text and "--vendor DIR" in text


def test_a_placeholder_argument_makes_the_repository_absent(tmp_path: Path) -> None:
    assert "'VERSION' of the absent repository '@gone'" in failure(open_workspace(tmp_path, ABSENT_FILES), "broken")


def test_the_debian_package_is_named(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path, {"WORKSPACE": ""})
    assert "Debian has it as source package zlib (libraries: zlib1g-dev)" in failure(workspace, "zlib")


def test_a_declared_repository_that_is_not_on_disk(tmp_path: Path) -> None:
    text = HTTP + 'http_archive(\n    name = "o",\n    urls = ["http://x/y-1.tar.gz"],\n)'
    found = failure(open_workspace(tmp_path, {"WORKSPACE": text}), "o")
    assert "repository '@o' is not on disk" in found and "y-1.tar.gz" in found
    assert "it is declared here, with http_archive()" in found and "WORKSPACE:2:1" in found


def test_calling_a_placeholder_elsewhere_is_the_error(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path, ABSENT_FILES)
    symbol = workspace.load_symbols(parse_label("@gone//:defs.bzl"))["setup"]
    assert isinstance(symbol, Placeholder)
    with pytest.raises(AbsentRepositoryError, match="no repository '@gone'"):
        Thread().call(symbol)


def test_a_failing_rule_only_matters_to_who_needs_it(tmp_path: Path) -> None:
    files = {
        "WORKSPACE": 'load("//:rule.bzl", "bad")\nbad(name = "b")\nload("@b//:x.bzl", "x")\nx(name = "later")\n'
        'local_repository(name = "o", path = "o")',
        "BUILD": "",
        "rule.bzl": 'def _i(ctx):\n    fail("no luck")\n\nbad = repository_rule(_i)',
        "o/BUILD": "",
    }
    workspace = open_workspace(tmp_path, files)
    assert workspace.repository("o").directory
    assert [notice.message for notice in workspace.notices] == ["no luck"]
    assert "no luck" in failure(workspace, "b")
    assert "repository '@b' is made by bad()" in failure(workspace, "b")
    assert not (tmp_path / "side/external/b").exists()


def test_a_repository_that_needs_itself(tmp_path: Path) -> None:
    files = {
        "WORKSPACE": 'load("//:rule.bzl", "r")\nr(name = "a", file = "@b//:x")\nr(name = "b", file = "@a//:x")',
        "BUILD": "",
        "rule.bzl": "def _i(ctx):\n    ctx.read(ctx.attr.file)\n\n"
        'r = repository_rule(_i, attrs = {"file": attr.label()})',
    }
    assert "needed to make itself: @a -> @b -> @a" in failure(open_workspace(tmp_path, files), "a")


def test_a_built_in_repository_lacks_a_file(tmp_path: Path) -> None:
    text = 'load("@rules_cc//no/such:file.bzl", "x")\nx()\nload("@rules_cc//cc:repositories.bzl", "nothing")\nnothing()'
    workspace = open_workspace(tmp_path, {"WORKSPACE": text})
    assert workspace.name == "__main__"
    symbol = workspace.load_symbols(parse_label("@rules_cc//cc:repositories.bzl"))["nothing"]
    with pytest.raises(AbsentRepositoryError, match="the built-in repository '@rules_cc' has no symbol 'nothing'"):
        Thread().call(symbol)

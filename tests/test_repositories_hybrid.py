"""MODULE.bazel and WORKSPACE in one workspace, both enabled."""

from __future__ import annotations

from pathlib import Path

import pytest
from repositories_support import open_workspace
from robust_support import lay, run

from bazel2ninja.labels import PackageIdentifier
from bazel2ninja.loading.repository import AbsentRepositoryError

MODULE = 'module(name = "m")\nbazel_dep(name = "dep", version = "1.0")\n'
WORKSPACE = 'local_repository(name = "old", path = "third_party/old")\nlocal_repository(name = "dep", path = "other")\n'
TREE = {
    "MODULE.bazel": MODULE + 'local_path_override(module_name = "dep", path = "third_party/dep")\n',
    "WORKSPACE": WORKSPACE,
    "third_party/dep/MODULE.bazel": 'module(name = "dep", version = "1.0")\n',
    "third_party/dep/BUILD": "",
    "third_party/old/WORKSPACE": "",
    "third_party/old/BUILD": "",
    "other/WORKSPACE": "",
    "other/BUILD": "",
}


def directory(workspace: object, name: str) -> str:
    label = workspace.label(f"@{name}//:x", PackageIdentifier("", ""))  # type: ignore[attr-defined]
    return str(workspace.repository(label.repository).target)  # type: ignore[attr-defined]


def test_modules_come_first_and_the_workspace_file_after_them(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path, TREE, enable_bzlmod=True)
    assert directory(workspace, "dep").endswith("third_party/dep")
    assert directory(workspace, "old").endswith("third_party/old")
    assert workspace.name == "_main"
    with pytest.raises(AbsentRepositoryError, match="no repository visible as '@nowhere'"):
        directory(workspace, "nowhere")


def test_the_workspace_file_can_be_left_out(tmp_path: Path) -> None:
    workspace = open_workspace(tmp_path, TREE, enable_bzlmod=True, enable_workspace=False)
    with pytest.raises(AbsentRepositoryError, match="no repository visible as '@old'"):
        directory(workspace, "old")


def test_a_workspace_file_for_modules_replaces_the_other(tmp_path: Path) -> None:
    files = {**TREE, "WORKSPACE.bzlmod": 'local_repository(name = "newer", path = "other")'}
    workspace = open_workspace(tmp_path, files, enable_bzlmod=True)
    assert directory(workspace, "newer").endswith("other")
    with pytest.raises(AbsentRepositoryError, match="no repository visible as '@old'"):
        directory(workspace, "old")


@pytest.mark.parametrize(
    ("version", "words", "status"),
    [
        ("6.4.0", (), 0),  # the WORKSPACE file alone: it has @old
        ("7.1.0", (), 0),
        ("7.1.0", ("--noenable_workspace",), 1),
        ("8.0.0", (), 1),
        ("8.0.0", ("--enable_workspace",), 0),
    ],
)
def test_what_a_release_does_by_default(
    version: str, words: tuple[str, ...], status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    files = {**TREE, ".bazelversion": version, "BUILD": 'filegroup(name = "f", srcs = ["@old//:f"])'}
    files["third_party/old/BUILD"] = 'filegroup(name = "f", visibility = ["//visibility:public"])'
    lay(tmp_path / "src", files)
    result = run("generate", "-o", "build.ninja", *words, "src", "//:f")
    assert result.status == status, result.err
    assert (status == 1) == ("no repository visible as '@old' from the main repository" in result.err)


def test_what_modules_know_is_one_repository_on_both_sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A project whose MODULE.bazel forgets @platforms, which its WORKSPACE file has."""
    monkeypatch.chdir(tmp_path)
    build = 'config_setting(name = "x", constraint_values = ["@platforms//os:linux"])\n'
    build += 'filegroup(name = "f", srcs = select({":x": ["a.txt"]}))\n'
    lay(tmp_path / "src", {"MODULE.bazel": "", "WORKSPACE": "", "BUILD": build, "a.txt": ""})
    result = run("generate", "-o", "build.ninja", "--enable_bzlmod", "src", "//:f")
    assert result.status == 0, result.err


def test_a_tree_that_names_no_release_gets_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest release reads the modules, and what only its WORKSPACE file has would be missing."""
    monkeypatch.chdir(tmp_path)
    group = 'filegroup(name = "f", visibility = ["//visibility:public"])'
    files = {**TREE, "BUILD": 'filegroup(name = "f", srcs = ["@old//:f", "@dep//:f"])'}
    lay(tmp_path / "src", {**files, "third_party/old/BUILD": group, "third_party/dep/BUILD": group})
    result = run("generate", "-o", "build.ninja", "src", "//:f")
    assert result.status == 0, result.err
    result = run("generate", "-o", "build.ninja", "--noenable_bzlmod", "src", "//:f")
    assert "no such target '@dep//:f'" in result.err

"""The built-in repositories: every file loads, the libraries do what their documentation says, nothing is left out."""

from __future__ import annotations

import configparser
import fnmatch
import tomllib
from pathlib import Path
from typing import Any

import pytest
from repositories_support import Printed, open_workspace

from bazel2ninja.analysis.bzl_globals import bzl_globals
from bazel2ninja.diagnostics import WorkspaceError, render
from bazel2ninja.filesystem import Disk
from bazel2ninja.labels import Label, PackageIdentifier, parse_label
from bazel2ninja.loading.loader import Loader
from bazel2ninja.loading.target import RuleTarget
from bazel2ninja.repositories import registry
from bazel2ninja.repositories.registry import Registry
from bazel2ninja.repositories.workspace import Workspace
from bazel2ninja.rules.cc_common import cc_bzl_globals
from bazel2ninja.rules.native import NATIVE
from bazel2ninja.starlark import Semantics, to_repr, to_starlark

DIRECTORY = Path(registry.DIRECTORY)
FILES = sorted(path for path in DIRECTORY.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def package_of(path: Path) -> PackageIdentifier:
    """The package that a file of a built-in repository belongs to."""
    directory = path.parent
    while not (directory / "BUILD").exists():
        directory = directory.parent
    repository, *parts = directory.relative_to(DIRECTORY).parts
    return PackageIdentifier(repository, "/".join(parts))


@pytest.fixture(scope="module")
def loader(tmp_path_factory: pytest.TempPathFactory) -> Loader:
    """With the rule kinds and globals of the real thing."""
    root = tmp_path_factory.mktemp("builtin")
    (root / "WORKSPACE").write_text("")
    workspace = Workspace.open(Disk(), str(root), str(root / "side"), environment={"PATH": "/usr/bin:/bin"})
    names = {**bzl_globals(), **cc_bzl_globals(), **workspace.bzl_globals()}
    return Loader(workspace, NATIVE, names, Semantics())


@pytest.mark.parametrize("path", [p for p in FILES if p.suffix == ".bzl"], ids=lambda p: str(p.relative_to(DIRECTORY)))
def test_files_load(loader: Loader, path: Path) -> None:
    package = package_of(path)
    name = str(path.relative_to(DIRECTORY / package.repository / package.path))
    module = loader.module(Label(package, name))
    assert module.globals
    assert module.doc, "a file says what it is"


@pytest.mark.parametrize("path", [p for p in FILES if p.name == "BUILD"], ids=lambda p: str(p.relative_to(DIRECTORY)))
def test_packages_load(loader: Loader, path: Path) -> None:
    package = loader.package(package_of(path))
    for target in package.targets.values():
        if isinstance(target, RuleTarget) and target.rule_class.name == "alias":
            actual = target.attributes["actual"]
            if isinstance(actual, Label) and (DIRECTORY / actual.repository).is_dir():
                loader.target(actual)


def test_the_registry_and_the_directories_agree() -> None:
    known = Registry.read().known
    built_in = {repository.directory for repository in known.values() if repository.directory}
    assert built_in == {str(path) for path in DIRECTORY.iterdir() if path.is_dir() and path.name != "__pycache__"}
    names = [name for repository in known.values() for name in repository.names]
    assert len(names) == len(set(names)), "a name stands for two repositories"


def test_the_registry_is_sound() -> None:
    for entry in tomllib.loads((DIRECTORY / "registry.toml").read_text()).values():
        assert set(entry) <= {"module", "aliases", "directory", "rule", "debian", "library"}
        assert "library" not in entry or "debian" in entry


def test_every_file_is_packaged() -> None:
    setup = configparser.ConfigParser()
    setup.read(DIRECTORY.parent.parent / "setup.cfg")
    patterns = [p.strip() for p in setup["options.package_data"]["*"].split(",")]
    for path in FILES:
        assert path.suffix == ".py" or any(fnmatch.fnmatch(path.name, pattern) for pattern in patterns), path


def test_the_host_platform(loader: Loader) -> None:
    target = loader.target(parse_label("@platforms//host:host"))
    assert isinstance(target, RuleTarget)
    constraints = target.attributes["constraint_values"]
    assert parse_label("@platforms//os:linux") in constraints  # type: ignore[operator]
    for label in constraints:  # type: ignore[attr-defined]
        loader.target(label)


def test_loads_of_real_workspaces(loader: Loader) -> None:
    wanted = {
        "@bazel_tools//tools/build_defs/cc:action_names.bzl": ["ACTION_NAMES"],
        "@bazel_tools//tools/build_defs/repo:git.bzl": ["git_repository", "new_git_repository"],
        "@bazel_tools//tools/build_defs/repo:http.bzl": ["http_archive", "http_file", "http_jar"],
        "@bazel_tools//tools/build_defs/repo:java.bzl": ["java_import_external"],
        "@bazel_tools//tools/jdk:default_java_toolchain.bzl": ["default_java_toolchain"],
        "@bazel_tools//tools/build_defs/repo:utils.bzl": ["maybe"],
        "@bazel_tools//tools/cpp:cc_toolchain_config_lib.bzl": ["feature", "flag_group", "flag_set", "tool_path"],
        "@bazel_tools//tools/cpp:lib_cc_configure.bzl": ["auto_configure_fail", "escape_string", "get_env_var"],
        "@bazel_tools//tools/cpp:toolchain_utils.bzl": ["find_cpp_toolchain", "use_cpp_toolchain"],
        "@bazel_tools//tools/python:toolchain.bzl": ["py_runtime_pair"],
        "@bazel_skylib//lib:unittest.bzl": ["asserts", "unittest", "analysistest"],
        "@bazel_skylib//rules:common_settings.bzl": ["BuildSettingInfo", "bool_flag", "bool_setting", "string_flag"],
        "@rules_cc//cc:defs.bzl": ["cc_binary", "cc_library", "cc_proto_library", "cc_test", "objc_library"],
        "@rules_cc//cc/common:cc_info.bzl": ["CcInfo"],
        "@rules_java//java:defs.bzl": ["java_binary", "java_library", "java_lite_proto_library"],
        "@rules_license//rules:license.bzl": ["license"],
        "@rules_pkg//:mappings.bzl": ["pkg_attributes", "pkg_filegroup", "pkg_files", "strip_prefix"],
        "@rules_pkg//:pkg.bzl": ["pkg_tar", "pkg_zip"],
        "@rules_proto//proto:defs.bzl": ["ProtoInfo", "proto_lang_toolchain", "proto_library"],
        "@rules_python//python:defs.bzl": ["py_binary", "py_library", "py_test"],
        "@rules_python//python:pip.bzl": ["package_annotation", "pip_install", "pip_parse"],
        "@rules_python//python:repositories.bzl": ["py_repositories", "python_register_toolchains"],
        "@rules_shell//shell:sh_test.bzl": ["sh_test"],
    }
    for label, names in wanted.items():
        found = loader.module(parse_label(label)).globals
        assert set(names) <= set(found), label


# Behaviour


def printed(root: Path, text: str, semantics: Semantics | None = None) -> list[str]:
    """What the top level of a .bzl file prints."""
    lines = Printed()
    files = {"WORKSPACE": 'load("//:x.bzl", "X")', "BUILD": "", "x.bzl": text + "\nX = 1\n"}
    workspace = open_workspace(root, files, print=lines, **({"semantics": semantics} if semantics else {}))
    loader = Loader(
        workspace, NATIVE, {**bzl_globals(), **workspace.bzl_globals()}, semantics or Semantics(), print=lines
    )
    loader.module(parse_label("//:x.bzl"))
    return list(lines)


LIBRARIES: list[tuple[str, str, str, Any]] = [
    ("paths", "paths", 'paths.basename("a/b.c")', "b.c"),
    ("paths", "paths", 'paths.basename("a/")', ""),
    ("paths", "paths", 'paths.dirname("a/b/c")', "a/b"),
    ("paths", "paths", 'paths.dirname("/a")', "/"),
    ("paths", "paths", 'paths.dirname("a")', ""),
    ("paths", "paths", 'paths.dirname("//a")', "//"),
    ("paths", "paths", 'paths.join("a", "b/", "c")', "a/b/c"),
    ("paths", "paths", 'paths.join("a", "/b", "c")', "/b/c"),
    ("paths", "paths", 'paths.join("", "b")', "b"),
    ("paths", "paths", 'paths.normalize("a//b/./../c/")', "a/c"),
    ("paths", "paths", 'paths.normalize("/../a")', "/a"),
    ("paths", "paths", 'paths.normalize("../../a/..")', "../.."),
    ("paths", "paths", 'paths.normalize("")', "."),
    ("paths", "paths", 'paths.normalize("///a")', "/a"),
    ("paths", "paths", 'paths.relativize("a/b/c", "a")', "b/c"),
    ("paths", "paths", 'paths.relativize("a/b", "a/b")', "."),
    ("paths", "paths", 'paths.replace_extension("a/b.tar.gz", ".x")', "a/b.tar.x"),
    ("paths", "paths", 'paths.split_extension("a.b/c")', ("a.b/c", "")),
    ("paths", "paths", 'paths.split_extension(".bashrc")', (".bashrc", "")),
    ("paths", "paths", 'paths.is_absolute("C:/x")', True),
    ("paths", "paths", 'paths.starts_with("a/b", "a")', True),
    ("paths", "paths", 'paths.starts_with("ab", "a")', False),
    ("dicts", "dicts", 'dicts.add({"a": 1}, {"a": 2}, b = 3)', {"a": 2, "b": 3}),
    ("dicts", "dicts", 'dicts.omit({"a": 1, "b": 2}, ["a", "c"])', {"b": 2}),
    ("dicts", "dicts", 'dicts.pick({"a": 1, "b": 2}, ["a"])', {"a": 1}),
    ("collections", "collections", 'collections.before_each("-I", ["a", "b"])', ["-I", "a", "-I", "b"]),
    ("collections", "collections", 'collections.after_each(",", ["a"])', ["a", ","]),
    ("collections", "collections", "collections.uniq([1, 2, 1])", [1, 2]),
    ("new_sets", "sets", "sets.to_list(sets.union(sets.make([1, 2]), sets.make([3, 1])))", [1, 2, 3]),
    ("new_sets", "sets", "sets.to_list(sets.difference(sets.make([1, 2]), sets.make([2])))", [1]),
    ("new_sets", "sets", "sets.to_list(sets.intersection(sets.make([1, 2]), sets.make([2])))", [2]),
    ("new_sets", "sets", "sets.is_equal(sets.make([1, 2]), sets.make([2, 1]))", True),
    ("new_sets", "sets", "sets.is_subset(sets.make([1]), sets.make([2]))", False),
    ("new_sets", "sets", "sets.disjoint(sets.make([1]), sets.make([2]))", True),
    ("new_sets", "sets", "sets.length(sets.insert(sets.make(), 1))", 1),
    ("shell", "shell", 'shell.quote("it\'s")', "'it'\\''s'"),
    ("shell", "shell", 'shell.array_literal(["a b", 1])', "('a b' '1')"),
    ("structs", "structs", "structs.to_dict(struct(a = 1, b = 2))", {"a": 1, "b": 2}),
    ("types", "types", "[types.is_list([]), types.is_list(()), types.is_dict({}), types.is_none(None)]", [1, 0, 1, 1]),
    ("types", "types", "[types.is_string(''), types.is_int(True), types.is_bool(True)]", [1, 0, 1]),
    ("versions", "versions", 'versions.parse("1.2.3rc4 (x)")', (1, 2, 3)),
    ("versions", "versions", 'versions.is_at_least("0.26", "0.3")', False),
    ("versions", "versions", 'versions.is_at_most("1.0.0", "0.29.1")', True),
    ("partial", "partial", "partial.call(partial.make(max, 1, 5), 3)", 5),
]


@pytest.fixture(scope="module")
def library_values(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    loads = {(file, symbol) for file, symbol, _, _ in LIBRARIES}
    text = "".join(f'load("@bazel_skylib//lib:{file}.bzl", "{symbol}")\n' for file, symbol in sorted(loads))
    text += "".join(f"print(repr({expression}))\n" for _, _, expression, _ in LIBRARIES)
    # the semantics of an old release: built-in files do not depend on them
    return printed(tmp_path_factory.mktemp("library"), text, Semantics.for_bazel("0.26.1"))


@pytest.mark.parametrize("position", range(len(LIBRARIES)), ids=[entry[2] for entry in LIBRARIES])
def test_libraries(library_values: list[str], position: int) -> None:
    wanted = LIBRARIES[position][3]
    if isinstance(wanted, list) and LIBRARIES[position][1] == "types":
        wanted = [bool(item) for item in wanted]
    assert library_values[position] == _text(wanted)


def _text(value: Any) -> str:
    return to_repr(to_starlark(value))


def build_failure(root: Path, build: str) -> str:
    workspace = open_workspace(root, {"WORKSPACE": "", "BUILD": build})
    loader = Loader(workspace, NATIVE, {**bzl_globals(), **cc_bzl_globals(), **workspace.bzl_globals()}, Semantics())
    with pytest.raises(WorkspaceError) as caught:
        loader.package(PackageIdentifier("", ""))
    return render(caught.value.diagnostic)


def test_conditions_that_are_groups_of_conditions(tmp_path: Path) -> None:
    build = 'load("@bazel_skylib//lib:selects.bzl", "selects")\n'
    workspace = open_workspace(
        tmp_path,
        {
            "WORKSPACE": "",
            "BUILD": build
            + 'selects.config_setting_group(name = "any", match_any = ["//a", "//b", "//c"])\n'
            + 'selects.config_setting_group(name = "one", match_all = ["//a"])\n',
        },
    )
    loader = Loader(workspace, NATIVE, {**bzl_globals(), **workspace.bzl_globals()}, Semantics())
    targets = loader.package(PackageIdentifier("", "")).targets
    assert {"any", "any_1", "one"} <= set(targets)
    assert build_failure(tmp_path / "b", build + 'selects.config_setting_group(name = "x")').count("match_any")
    assert "appears twice" in build_failure(tmp_path / "c", build + 'selects.with_or({("//a", "//b"): [], "//a": []})')


def test_unsupported_rules_are_an_error_only_when_needed(tmp_path: Path) -> None:
    build = (
        'load("@rules_java//java:defs.bzl", "java_library")\njava_library(name = "j", srcs = ["J.java"], x = 1)\n'
        'load("@bazel_tools//tools/jdk:default_java_toolchain.bzl", "default_java_toolchain")\n'
        'default_java_toolchain(name = "toolchain", source_version = "8")\n'
    )
    workspace = open_workspace(tmp_path, {"WORKSPACE": "", "BUILD": build})
    loader = Loader(workspace, NATIVE, {**bzl_globals(), **workspace.bzl_globals()}, Semantics())
    target = loader.target(parse_label("//:j"))
    assert isinstance(target, RuleTarget)
    assert target.attributes["kind"] == "java_library of rules_java"

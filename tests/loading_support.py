"""A workspace in memory and a few stub rule kinds for the tests of loading/."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError, render
from bazel2ninja.filesystem import Disk, FileSystem, MemoryFileSystem
from bazel2ninja.labels import Label, PackageIdentifier, RepositoryMapping, parse_label
from bazel2ninja.loading.common_attributes import with_common_attributes
from bazel2ninja.loading.loader import Loader
from bazel2ninja.loading.repository import AbsentRepositoryError, Origin, OriginKind, Repository
from bazel2ninja.loading.repository_placeholder import AbsentModule
from bazel2ninja.loading.rule_class import Attribute, AttributeType, RuleClass
from bazel2ninja.loading.target import Package, Target
from bazel2ninja.starlark import Module, Semantics

T = AttributeType
_LABEL_LISTS = ("srcs", "hdrs", "textual_hdrs", "deps", "data", "tools", "implementation_deps", "constraint_values")
_STRING_LISTS = ("copts", "linkopts", "defines", "local_defines", "includes")
_SPECIFIC = (
    *(Attribute(name, T.LABEL_LIST) for name in _LABEL_LISTS),
    *(Attribute(name, T.STRING_LIST) for name in _STRING_LISTS),
    Attribute("tests", T.NODEP_LABEL_LIST),
    Attribute("linkstatic", T.BOOLEAN),
    Attribute("alwayslink", T.BOOLEAN),
    Attribute("linkshared", T.BOOLEAN),
    Attribute("stamp", T.TRISTATE),
    Attribute("strip_include_prefix", T.STRING),
    Attribute("include_prefix", T.STRING),
    Attribute("malloc", T.LABEL),
    Attribute("actual", T.LABEL),
    Attribute("values", T.STRING_DICT, configurable=False),
    Attribute("define_values", T.STRING_DICT, configurable=False),
    Attribute("flag_values", T.LABEL_KEYED_STRING_DICT, configurable=False),
    Attribute("constraint_setting", T.LABEL),
)


def rule_class(name: str, *extra: Attribute, executable: bool = False, test: bool = False) -> RuleClass:
    return RuleClass(
        name,
        with_common_attributes((*_SPECIFIC, *extra), executable=executable, test=test),
        None,
        native=True,
        executable=executable,
        test=test,
    )


def natives() -> dict[str, RuleClass]:
    found = [
        *map(rule_class, ("cc_library", "filegroup", "alias", "config_setting", "test_suite", "py_library")),
        rule_class("cc_binary", executable=True),
        rule_class("cc_test", executable=True, test=True),
        rule_class("sh_test", executable=True, test=True),
        rule_class(
            "genrule", Attribute("outs", T.OUTPUT_LIST, mandatory=True, allow_empty=False), Attribute("cmd", T.STRING)
        ),
    ]
    return {kind.name: kind for kind in found}


class FakeWorkspace:
    """Repositories in directories: canonical name -> directory."""

    def __init__(
        self, filesystem: FileSystem, directories: Mapping[str, str], mappings: Mapping[str, RepositoryMapping]
    ):
        self.filesystem = filesystem
        self.source_directory = ""
        self._directories = directories
        self._mappings = mappings
        self.bindings: Mapping[str, tuple[Label | None, Location]] = {}

    def repository(self, name: str) -> Repository:
        if name not in self._directories:
            raise AbsentRepositoryError(name, Diagnostic(f"no repository '@{name}'"))
        mapping = self._mappings.get(name, RepositoryMapping(name))
        return Repository(name, self._directories[name], mapping, Origin(OriginKind.MAIN, "a test"))

    def lacking(self, repository: Repository, what: str) -> Diagnostic | None:
        return None

    def completion(self, name: str) -> Repository | None:
        return None

    def repositories_within(self) -> tuple[str, ...]:
        return ()

    def attach(self, load_module: Callable[[Label], Module]) -> None:
        self._load_module = load_module

    def load_symbols(self, label: Label) -> Mapping[str, object]:
        try:
            self.repository(label.repository)
        except AbsentRepositoryError as problem:
            return AbsentModule(label, problem)
        return self._load_module(label).globals


def make_loader(
    files: Mapping[str, str],
    repositories: Mapping[str, str] | None = None,
    semantics: Semantics | None = None,
    mappings: Mapping[str, RepositoryMapping] | None = None,
    bzl_globals: Mapping[str, object] | None = None,
    **options: object,
) -> Loader:
    """A loader of files in memory; the main repository is the directory "src"."""
    tree = MemoryFileSystem({(f"src/{path}" if not path.startswith("@") else path[1:]): t for path, t in files.items()})
    workspace = FakeWorkspace(tree, {"": "src", **(repositories or {})}, mappings or {})
    return Loader(workspace, natives(), bzl_globals or {}, semantics or Semantics(), **options)  # type: ignore[arg-type]


def disk_loader(directory: str, repositories: Mapping[str, str], bzl_globals: Mapping[str, object]) -> Loader:
    return Loader(
        FakeWorkspace(Disk(), {"": directory, **repositories}, {}), natives(), bzl_globals, Semantics.for_bazel("6.1.0")
    )


def package(build: str, path: str = "a", **files: str) -> Package:
    """The package `path` with a BUILD file and, by keyword, further files (BZL for defs.bzl)."""
    tree = {f"{path}/BUILD": build}
    if "BZL" in files:
        tree[f"{path}/defs.bzl"] = files["BZL"]
    return make_loader(tree).package(PackageIdentifier("", path))


def target(loader: Loader, label: str) -> Target:
    return loader.target(parse_label(label))


def failure(build: str, **files: str) -> str:
    """The rendered errors of a package that does not load."""
    with pytest.raises(WorkspaceError) as caught:
        package(build, **files)
    return "\n".join(render(diagnostic) for diagnostic in caught.value.diagnostics)

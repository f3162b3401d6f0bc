"""A workspace in memory, loaded and analysed with the real stages."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from loading_support import FakeWorkspace

from bazel2ninja.analysis.action import Action
from bazel2ninja.analysis.analyzer import Analyzer
from bazel2ninja.analysis.bzl_globals import bzl_globals
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.configuration.conditions import Conditions
from bazel2ninja.configuration.configuration import Configurations, Settings
from bazel2ninja.configuration.platforms import cpu_constraint, os_constraint
from bazel2ninja.diagnostics import WorkspaceError, render
from bazel2ninja.filesystem import MemoryFileSystem
from bazel2ninja.labels import parse_label
from bazel2ninja.loading.loader import Loader
from bazel2ninja.rules.native import NATIVE, native_bzl_globals
from bazel2ninja.starlark import Semantics

TOOLS = {
    "@bazel_tools/tools/genrule/BUILD": 'exports_files(["genrule-setup.sh"])',
    "@bazel_tools/tools/genrule/genrule-setup.sh": "",
    "@platforms/cpu/BUILD": 'package(default_visibility = ["//visibility:public"])\n'
    'constraint_setting(name = "cpu")\n'
    '[constraint_value(name = n, constraint_setting = ":cpu") for n in ("x86_64", "aarch64")]',
    "@platforms/os/BUILD": 'package(default_visibility = ["//visibility:public"])\n'
    'constraint_setting(name = "os")\n'
    '[constraint_value(name = n, constraint_setting = ":os") for n in ("linux", "windows")]',
}


class Analysis:
    """One run over files: {"a/BUILD": ..., "@repo/BUILD": ...}."""

    def __init__(
        self,
        files: Mapping[str, str],
        *,
        semantics: Semantics | None = None,
        settings: Settings | None = None,
        toolchains: tuple[str, ...] = (),
    ):
        tree = {
            (f"external/{path[1:]}" if path.startswith("@") else f"src/{path}"): text
            for path, text in {**TOOLS, **files}.items()
        }
        semantics = semantics or Semantics()
        names = {path.split("/")[1] for path in tree if path.startswith("external/")}
        workspace = FakeWorkspace(MemoryFileSystem(tree), {"": "src", **{n: f"external/{n}" for n in names}}, {})
        self.loader = Loader(workspace, NATIVE, {**bzl_globals(), **native_bzl_globals()}, semantics)
        settings = settings or Settings(constraints=(cpu_constraint("x86_64"), os_constraint("linux")))
        self.configurations = Configurations(settings)
        self.analyzer = Analyzer(
            self.loader,
            self.configurations,
            Conditions(self.loader, self.configurations),
            semantics=semantics,
            workspace_name="ws",
            registered_toolchains=lambda: [("", text, None) for text in toolchains],
        )

    def target(self, label: str) -> ConfiguredTarget:
        return self.analyzer.configured_target(parse_label(label), self.configurations.target)

    def files(self, label: str) -> list[str]:
        return [file.exec_path for file in self.target(label).files.flatten()]

    def actions(self, mnemonic: str = "") -> list[Action]:
        return [action for action in self.analyzer.actions if mnemonic in ("", action.mnemonic)]

    def action(self, mnemonic: str) -> Action:
        (found,) = self.actions(mnemonic)
        return found

    def failure(self, label: str) -> str:
        with pytest.raises(WorkspaceError) as caught:
            self.target(label)
        return "\n".join(render(diagnostic) for diagnostic in caught.value.diagnostics)


def analyse(build: str, bzl: str = "", **options: object) -> Analysis:
    """The package //a with a BUILD file and, if given, defs.bzl."""
    files = {"a/BUILD": build}
    if bzl:
        files["a/defs.bzl"] = bzl
    return Analysis(files, **options)  # type: ignore[arg-type]

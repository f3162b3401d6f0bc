"""A workspace in memory with C++ and protocol buffer rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from loading_support import FakeWorkspace

from bazel2ninja.analysis.action import CppArchiveAction, CppCompileAction, CppLinkAction
from bazel2ninja.analysis.analyzer import Analyzer
from bazel2ninja.analysis.bzl_globals import bzl_globals
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.configuration.conditions import Conditions
from bazel2ninja.configuration.configuration import Configurations, Settings
from bazel2ninja.diagnostics import WorkspaceError, render
from bazel2ninja.filesystem import MemoryFileSystem
from bazel2ninja.labels import parse_label
from bazel2ninja.loading.loader import Loader
from bazel2ninja.rules.cc_common import cc_bzl_globals
from bazel2ninja.rules.cc_features import DESCRIPTION_OPTION
from bazel2ninja.rules.cc_toolchain import BUILTIN_TOOLCHAINS, make_variables
from bazel2ninja.rules.native import NATIVE
from bazel2ninja.starlark import Semantics

BIN = "bazel-out/k8-fastbuild/bin"
_TOOLS = {
    "@bazel_tools/tools/genrule/BUILD": 'exports_files(["genrule-setup.sh"])',
    "@bazel_tools/tools/genrule/genrule-setup.sh": "",
    "@bazel_tools/tools/cpp/BUILD": """
package(default_visibility = ["//visibility:public"])
cc_library(name = "malloc")
cc_library(name = "link_extra_lib")
cc_toolchain_alias(name = "current_cc_toolchain")
""",
    "@com_google_protobuf/BUILD": """
package(default_visibility = ["//visibility:public"])
cc_binary(name = "protoc", srcs = ["protoc.cc"])
cc_library(name = "protobuf", srcs = ["message.cc"], hdrs = ["message.h"], includes = ["."])
proto_lang_toolchain(name = "cc_toolchain", command_line = "--cpp_out=$(OUT)", runtime = ":protobuf")
""",
    "@com_google_protobuf/protoc.cc": "",
    "@com_google_protobuf/message.cc": "",
    "@com_google_protobuf/message.h": "",
}


class CcAnalysis:
    """One run over files: {"a/BUILD": ..., "@repo/BUILD": ...}."""

    def __init__(
        self,
        files: Mapping[str, str],
        description: str = "bazel-4.2.3",
        semantics: Semantics | None = None,
        **settings: Any,
    ):
        tree = {
            (f"external/{path[1:]}" if path.startswith("@") else f"src/{path}"): text
            for path, text in {**_TOOLS, **files}.items()
        }
        names = {path.split("/")[1] for path in tree if path.startswith("external/")}
        places = {"": "src", **{name: f"external/{name}" for name in names}}
        other = {
            "proto_compiler": parse_label("@com_google_protobuf//:protoc"),
            "proto_toolchain_for_cc": parse_label("@com_google_protobuf//:cc_toolchain"),
            DESCRIPTION_OPTION: description,
            **settings.pop("other", {}),
        }
        chosen = replace(Settings(**settings), other=tuple(sorted(other.items())))
        self.loader = Loader(
            FakeWorkspace(MemoryFileSystem(tree), places, {}),
            NATIVE,
            {**bzl_globals(), **cc_bzl_globals()},
            semantics or Semantics(),
        )
        self.configurations = Configurations(chosen)
        self.analyzer = Analyzer(
            self.loader,
            self.configurations,
            Conditions(self.loader, self.configurations),
            workspace_name="ws",
            semantics=semantics,
            builtin_toolchains=BUILTIN_TOOLCHAINS,
            make_variables=lambda configuration: make_variables(
                configuration, self.analyzer.project_toolchains.get(configuration)
            ),
        )

    def target(self, label: str) -> ConfiguredTarget:
        return self.analyzer.configured_target(parse_label(label), self.configurations.target)

    def files(self, label: str) -> list[str]:
        return [file.exec_path.removeprefix(BIN + "/") for file in self.target(label).files.flatten()]

    def made(self, path: str) -> Any:
        """The action that makes the file at a path below `bin`."""
        root = self.configurations.target.bin
        (found,) = [
            action
            for action in self.analyzer.actions
            if any(output.exec_path == f"{root}/{path}" for output in action.outputs)
        ]
        return found

    def compile(self, label: str, path: str) -> CppCompileAction:
        """Analyses the target and gives the compile action of an object below `bin`."""
        self.target(label)
        action = self.made(path)
        assert isinstance(action, CppCompileAction)
        return action

    def link(self, label: str, path: str) -> CppLinkAction:
        self.target(label)
        action = self.made(path)
        assert isinstance(action, CppLinkAction)
        return action

    def archive(self, label: str, path: str) -> CppArchiveAction:
        self.target(label)
        action = self.made(path)
        assert isinstance(action, CppArchiveAction)
        return action

    def failure(self, label: str) -> str:
        with pytest.raises(WorkspaceError) as caught:
            self.target(label)
        return render(caught.value.diagnostic)


def items(action: CppLinkAction) -> list[str]:
    """The items of a link as "kind path", below `bin`."""
    return [f"{item.kind} {item.artifact.exec_path.removeprefix(BIN + '/')}" for item in action.items]

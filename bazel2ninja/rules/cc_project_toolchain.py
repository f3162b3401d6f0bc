"""A C++ toolchain that a project describes, with a cc_toolchain and a rule for its features and tools.

https://bazel.build/docs/cc-toolchain-config-reference; which one is used is decided in cc_crosstool.py.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from typing import Any

from bazel2ninja.analysis.depset import Depset
from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.labels import Label
from bazel2ninja.records import dataclass
from bazel2ninja.rules.cc_toolchain_features import COMPILES, LINKS, ToolchainFeatures
from bazel2ninja.starlark import EvalError

ARCHIVE = "c++-link-static-library"
STRIP = "strip"
_TOOL_OF_ACTION = {
    **dict.fromkeys((*COMPILES, *LINKS), "gcc"),
    ARCHIVE: "ar",
    STRIP: "strip",
}
_FILES_OF_ACTION = {
    **dict.fromkeys(COMPILES, "compiler_files"),
    "assemble": "as_files",
    "preprocess-assemble": "compiler_files",
    **dict.fromkeys(LINKS, "linker_files"),
    ARCHIVE: "ar_files",
    STRIP: "strip_files",
}
FILE_GROUPS = ("all_files", "ar_files", "as_files", "compiler_files", "linker_files", "strip_files")
"""The attributes of cc_toolchain that are read."""


@dataclass(frozen=True, slots=True, eq=False)
class ProjectToolchain:
    """label: of the cc_toolchain; config: its CcToolchainConfigInfo; tools: tool_path name -> exec path.

    files: attribute of cc_toolchain -> what it brings, for those that are given.
    """

    label: Label
    config: Any
    features: ToolchainFeatures
    tools: Mapping[str, str]
    files: Mapping[str, Depset]

    @classmethod
    def of(cls, label: Label, config: Any, files: Mapping[str, Depset]) -> ProjectToolchain:
        """Raises WorkspaceError, without a place, for a description that makes no sense."""
        package = label.package.exec_path
        tools = {
            str(each.get("name")): _below(package, str(each.get("path"))) for each in config.get("tool_paths") or ()
        }
        return cls(label, config, ToolchainFeatures.of(config), tools, files)

    def text(self, name: str) -> str:
        """A field of the description, "" when it is not given."""
        return str(self.config.get(name) or "")

    def program(self, action: str, enabled: frozenset[str]) -> str:
        """The exec path, or the absolute one, of what runs an action; raises EvalError when there is none."""
        tool = self.features.tool(action, enabled)
        if tool is not None:
            return (
                str(tool.file.exec_path) if tool.file is not None else _below(self.label.package.exec_path, tool.path)
            )
        name = _TOOL_OF_ACTION.get(action, "")
        if name not in self.tools:
            raise EvalError(
                f"the C++ toolchain '{self.label}' has no tool for the action '{action}': neither an action_config nor "
                f"a tool_path named '{name}'"
            )
        return self.tools[name]

    def files_of(self, action: str) -> Depset:
        """What the program of an action reads or consists of."""
        name = _FILES_OF_ACTION.get(action, "all_files")
        return self.files.get(name) or self.files.get("all_files") or Depset()


def _below(package: str, path: str) -> str:
    return path if path.startswith("/") else posixpath.normpath(posixpath.join(package, path))


def placed(error: WorkspaceError, label: Label) -> EvalError:
    """An error of a description, saying whose."""
    return EvalError(f"the C++ toolchain '{label}': {error.diagnostic.message}")


def requested(names: Iterable[str], mode: str) -> list[str]:
    """What is asked for besides the names: the compilation mode, and the actions that every toolchain has."""
    return [*names, mode, *sorted((*COMPILES, *LINKS)), ARCHIVE, STRIP]

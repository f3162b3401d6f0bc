"""MODULE.bazel and a WORKSPACE file together: what releases 6 and 7 do when both are enabled.

Modules come first.  What the root module does not see, and the WORKSPACE file declares, is taken from there, under
its own name.  https://bazel.build/versions/7.0.0/external/migration#hybrid-mode
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from bazel2ninja.diagnostics import Location, Note
from bazel2ninja.labels import MAIN_REPOSITORY, RepositoryMapping
from bazel2ninja.repositories.bzlmod import ModuleGraph
from bazel2ninja.repositories.rules import Declaration
from bazel2ninja.repositories.workspace_file import WorkspaceFile

BESIDE_MODULES = "WORKSPACE.bzlmod"
"""Where it exists, it is read instead of the WORKSPACE file."""


class ModulesAndWorkspace:
    """The external repositories of both."""

    def __init__(self, modules: ModuleGraph, workspace_file: WorkspaceFile):
        self.modules = modules
        self.workspace_file = workspace_file
        self._main = RepositoryMapping(MAIN_REPOSITORY, _Seen(self, modules.mapping(MAIN_REPOSITORY).names, {}))

    def from_workspace(self, name: str) -> str | None:
        """The canonical name for what modules do not see, None when the WORKSPACE file does not have it, either.

        A well-known repository, which WORKSPACE files have or load by custom, is the one that modules know.
        """
        return self.modules.of_known_name(name) or (name if self._declares(name) else None)

    def _declares(self, name: str) -> bool:
        return bool(name) and self.workspace_file.declaration(name) is not None

    def _side(self, name: str) -> ModuleGraph | WorkspaceFile:
        of_workspace = not self.modules.makes(name) and self._declares(name)
        return self.workspace_file if of_workspace else self.modules

    @property
    def name(self) -> str:
        """Of the main repository in runfiles paths."""
        return self.modules.name

    def declaration(self, name: str) -> Declaration | None:
        """The rule that makes a repository; see ModuleGraph and WorkspaceFile."""
        return self._side(name).declaration(name)

    def mapping(self, name: str, directory: str = "") -> RepositoryMapping:
        """What the names seen inside a repository stand for; one of the WORKSPACE file sees what the main one sees."""
        if name == MAIN_REPOSITORY:
            return self._main
        side = self._side(name)
        if side is self.modules:
            return side.mapping(name, directory)
        declaration = side.declaration(name)
        own = declaration.mapping if declaration is not None else {}
        return RepositoryMapping(name, _Seen(self, self._main.names, own))

    def common_names(self, name: str) -> tuple[str, ...]:
        """Names under which a user may speak of a repository, the shortest last."""
        return self._side(name).common_names(name)

    def absence_notes(self, name: str) -> tuple[Note, ...]:
        """What may have declared a repository that is missing."""
        return self._side(name).absence_notes(name)

    def wanted_version(self, name: str) -> str:
        """What modules say; see ModuleGraph."""
        return self.modules.wanted_version(name)

    @property
    def toolchains(self) -> Sequence[tuple[str, str, Location]]:
        """register_toolchains() of the modules, then of the WORKSPACE file."""
        own = self.workspace_file.evaluate().toolchains
        return [*self.modules.toolchains, *(("", pattern, where) for pattern, where in own)]

    @property
    def execution_platforms(self) -> Sequence[tuple[str, str, Location]]:
        """register_execution_platforms(), in the same order."""
        own = self.workspace_file.evaluate().execution_platforms
        return [*self.modules.execution_platforms, *(("", pattern, where) for pattern, where in own)]


class _Seen(Mapping[str, str]):
    """Apparent names: those of `own`, those of `visible`, and what the WORKSPACE file has besides."""

    def __init__(self, both: ModulesAndWorkspace, visible: Mapping[str, str], own: Mapping[str, str]):
        self._both = both
        self._visible = visible
        self._own = own

    def __getitem__(self, name: str) -> str:
        if name in self._own:
            return self._own[name]
        if name not in iter(self._visible):
            found = self._both.from_workspace(name)
            if found is not None:
                return found
        return self._visible[name]

    def __contains__(self, name: object) -> bool:
        return name in self._own or name in self._visible

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._own, *self._visible)))

    def __len__(self) -> int:
        return len(set(self._own) | set(self._visible))

"""The WORKSPACE file: which repositories it declares.

https://bazel.build/versions/7.0.0/reference/be/workspace and https://bazel.build/external/overview#workspace-system.
The file is run from top to bottom; what a load statement needs is found among the repositories declared above it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping
from types import MappingProxyType

from bazel2ninja.diagnostics import Location, Note
from bazel2ninja.filesystem import FileSystem
from bazel2ninja.labels import Label, PackageIdentifier, RepositoryMapping, parse_label
from bazel2ninja.loading.attributes import LabelConverter
from bazel2ninja.repositories.rules import WORKSPACE_FUNCTIONS, Declaration, Declarations, existing_rule, existing_rules
from bazel2ninja.starlark import CodeCache, Dialect, Semantics, Thread, compile_source, execute

_ROOT = PackageIdentifier("", "")
_MOST_NOTES = 8  # of one error
FILE_NAMES = ("WORKSPACE.bazel", "WORKSPACE")
_PREDECLARED: Mapping[str, object] = MappingProxyType(
    {**WORKSPACE_FUNCTIONS, "existing_rule": existing_rule, "existing_rules": existing_rules}
)


class WorkspaceFile:
    """The declarations of one WORKSPACE file, which is run when the first of them is asked for.

    path: as the process opens it.  load_symbols(label) gives what a load statement may bind.
    """

    def __init__(
        self,
        filesystem: FileSystem,
        path: str,
        load_symbols: Callable[[Label], Mapping[str, object]],
        semantics: Semantics,
        cache: CodeCache | None = None,
        print: Callable[[str, Location], None] | None = None,
    ):
        self._filesystem = filesystem
        self.path = path
        self._load_symbols = load_symbols
        self._semantics = semantics
        self._cache = cache
        self._print = print
        self._state = "unread"
        self._names: dict[str, str] = {}  # grows when workspace(name = ...) is reached
        self.main_mapping = RepositoryMapping("", MappingProxyType(self._names))
        self.declarations = Declarations(LabelConverter(_ROOT, self.main_mapping), names=self._names)

        def load_symbol(module: str, symbol: str) -> object:
            return self._load_symbols(parse_label(module, _ROOT, self.main_mapping))[symbol]

        self.declarations.load_symbol = load_symbol

    def evaluate(self) -> Declarations:
        """The declarations; while the file is being run, those so far.  Raises WorkspaceError, the first time only."""
        if self._state == "unread":
            self._state = "running"
            program = compile_source(
                self._filesystem.read(self.path),
                self.path,
                dialect=Dialect.WORKSPACE,
                semantics=self._semantics,
                predeclared=_PREDECLARED.keys(),
                cache=self._cache,
            )
            thread = Thread(self._semantics, self._print, {"declarations": self.declarations})
            execute(program, thread, _PREDECLARED, self._load)
            self._state = "done"
        return self.declarations

    @property
    def is_running(self) -> bool:
        """Whether the file is being evaluated."""
        return self._state == "running"

    def _load(self, module: str, location: Location) -> Mapping[str, object]:
        self.declarations.chunk += 1
        return self._load_symbols(parse_label(module, _ROOT, self.main_mapping))

    @property
    def name(self) -> str:
        """Of the main repository, as runfiles paths show it."""
        return self.evaluate().workspace_name or "__main__"

    def local_directories(self) -> frozenset[str]:
        """What local_repository() names: directories, relative to the WORKSPACE file's."""
        found = (
            declaration.attributes.get("path")
            for declaration in self.evaluate().by_name.values()
            if declaration.rule.name == "local_repository"
        )
        return frozenset(posixpath.normpath(path) for path in found if isinstance(path, str))

    def declaration(self, name: str) -> Declaration | None:
        return self.evaluate().by_name.get(name)

    def mapping(self, name: str, directory: str = "") -> RepositoryMapping:
        """What the names seen inside a repository stand for."""
        if not name:
            self.evaluate()
            return self.main_mapping
        declaration = self.declaration(name)
        names = dict(self._names)
        if declaration is not None:
            names.update(declaration.mapping)
        return RepositoryMapping(name, MappingProxyType(names))

    def common_names(self, name: str) -> tuple[str, ...]:
        """Names under which a user may speak of the repository."""
        return (name,)

    def absence_notes(self, name: str) -> tuple[Note, ...]:
        """What may have declared a repository that is missing."""
        calls = self.evaluate().placeholder_calls
        likely = [call for call in calls if call.name == name] or [call for call in calls if not call.name] or calls
        notes = [call.note() for call in likely[:_MOST_NOTES]]
        if len(likely) > _MOST_NOTES:
            notes.append(Note(f"{len(likely) - _MOST_NOTES} more calls of what absent repositories define"))
        return tuple(notes)

"""REPO.bazel: defaults for all packages of a repository, https://bazel.build/external/overview#repo.bazel."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from bazel2ninja.filesystem import FileSystem
from bazel2ninja.loading.arguments import strings
from bazel2ninja.starlark import (
    CodeCache,
    Dialect,
    EvalError,
    Semantics,
    Thread,
    compile_source,
    current_thread,
    execute,
)

FILE_NAME = "REPO.bazel"


class RepositoryDefaults:
    """What a REPO.bazel file says: `arguments` as of package(), `ignored` directories as of ignore_directories()."""

    def __init__(self) -> None:
        self.arguments: Mapping[str, Any] = MappingProxyType({})
        self.ignored: tuple[str, ...] = ()


def _repo(**arguments: Any) -> None:
    """repo(): https://bazel.build/rules/lib/globals/repo#repo."""
    data = current_thread().data
    if data["called"]:
        raise EvalError("'repo' can only be called once in the REPO.bazel file")
    data["called"] = True
    data["defaults"].arguments = arguments


def _ignore_directories(dirs: Any, /) -> None:
    """ignore_directories(): https://bazel.build/rules/lib/globals/repo#ignore_directories."""
    current_thread().data["defaults"].ignored += strings(dirs, "ignore_directories", "dirs")


_repo.__name__ = _repo.__qualname__ = "repo"
_ignore_directories.__name__ = _ignore_directories.__qualname__ = "ignore_directories"
_FUNCTIONS: Mapping[str, Any] = MappingProxyType({"repo": _repo, "ignore_directories": _ignore_directories})


def repository_defaults(
    filesystem: FileSystem, directory: str, semantics: Semantics, cache: CodeCache | None = None
) -> RepositoryDefaults:
    """What the REPO.bazel file in a repository's directory says; raises WorkspaceError."""
    defaults = RepositoryDefaults()
    path = FILE_NAME if directory in ("", ".") else f"{directory}/{FILE_NAME}"
    if filesystem.is_file(path):
        program = compile_source(
            filesystem.read(path),
            path,
            dialect=Dialect.BUILD,
            semantics=semantics,
            predeclared=_FUNCTIONS.keys(),
            cache=cache,
        )
        thread = Thread(semantics, data={"defaults": defaults, "called": False})
        execute(program, thread, _FUNCTIONS, _no_load)
    return defaults


def _no_load(module: str, location: object) -> Mapping[str, object]:
    raise EvalError("load() statements are not allowed in REPO.bazel files")

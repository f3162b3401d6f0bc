"""The values `path`, `repository_os` and `exec_result` that repository rules see."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from bazel2ninja.starlark import Dict, EvalError, List, Struct

if TYPE_CHECKING:
    from bazel2ninja.repositories.file_context import FileContext


class RepositoryPath:
    """https://bazel.build/rules/lib/builtins/path: an absolute, normalised path."""

    starlark_type = "path"

    def __init__(self, path: str, context: FileContext):
        self.path = os.path.normpath(path)
        self._context = context

    def __eq__(self, other: object) -> bool:
        return isinstance(other, RepositoryPath) and other.path == self.path

    def __hash__(self) -> int:
        return hash(self.path)

    def __lt__(self, other: RepositoryPath) -> bool:
        return self.path < other.path

    def __fspath__(self) -> str:
        return self.path

    def starlark_str(self, semantics: object) -> str:
        return self.path

    def starlark_repr(self) -> str:
        return self.path

    @property
    def s_basename(self) -> str:
        return os.path.basename(self.path)

    @property
    def s_dirname(self) -> RepositoryPath | None:
        parent = os.path.dirname(self.path)
        return None if parent == self.path else RepositoryPath(parent, self._context)

    @property
    def s_exists(self) -> bool:
        self._context.read_state(self.path)
        return os.path.exists(self.path)

    @property
    def s_is_dir(self) -> bool:
        self._context.read_state(self.path)
        return os.path.isdir(self.path)

    @property
    def s_realpath(self) -> RepositoryPath:
        return RepositoryPath(os.path.realpath(self.path), self._context)

    def s_get_child(self, *relative_paths: Any) -> RepositoryPath:
        return RepositoryPath(os.path.join(self.path, *map(str, relative_paths)), self._context)

    def s_readdir(self, watch: Any = "auto") -> List:
        self._context.read_listing(self.path)
        try:
            names = sorted(os.listdir(self.path))
        except OSError as error:
            raise EvalError(f"cannot list the directory {self.path!r}: {(error.strerror or '').lower()}") from None
        return List(self.s_get_child(name) for name in names)


class RepositoryOs:
    """https://bazel.build/rules/lib/builtins/repository_os."""

    starlark_type = "repository_os"

    def __init__(self, context: FileContext):
        self._context = context

    @property
    def s_name(self) -> str:
        system = os.uname().sysname.lower()
        return "mac os x" if system == "darwin" else system

    @property
    def s_arch(self) -> str:
        machine = os.uname().machine.lower()
        return {"x86_64": "amd64"}.get(machine, machine)

    @property
    def s_environ(self) -> Environ:
        return Environ(self._context)


class Environ(Dict):
    """repository_os.environ: a dictionary that remembers which variables were asked for."""

    def __init__(self, context: FileContext):
        super().__init__(context.environment)
        self._context = context

    def _ask(self, name: object) -> None:
        if isinstance(name, str):
            self._context.read_environment(name)

    def _ask_for_all(self) -> None:
        for name in dict.keys(self):
            self._ask(name)

    def __getitem__(self, name: Any) -> Any:
        self._ask(name)
        return dict.__getitem__(self, name)

    def __contains__(self, name: object) -> bool:
        self._ask(name)
        return dict.__contains__(self, name)

    def __iter__(self) -> Iterator[Any]:
        self._ask_for_all()
        return dict.__iter__(self)

    def s_get(self, key: Any, default: Any = None, /) -> Any:
        self._ask(key)
        return dict.get(self, key, default)

    def s_keys(self) -> List:
        return List(self)

    def s_values(self) -> List:
        self._ask_for_all()
        return List(dict.values(self))

    def s_items(self) -> List:
        self._ask_for_all()
        return List(dict.items(self))

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise EvalError("trying to mutate a frozen dict value")

    __setitem__ = __delitem__ = __ior__ = s_update = s_pop = s_popitem = s_setdefault = s_clear = _refuse


def exec_result(return_code: int, stdout: str, stderr: str) -> Struct:
    """https://bazel.build/rules/lib/builtins/exec_result."""
    return Struct(return_code=return_code, stdout=stdout, stderr=stderr)

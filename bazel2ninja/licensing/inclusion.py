"""Which headers a compile might read, from the include directives: for a build that has not run.

Conditions are not evaluated, so there are more of them than the compiler reads; macros are not expanded, so a directive
that names its header by one is not followed.  Headers of the system are left out.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator

from bazel2ninja.analysis.action import CppCompileAction, FailAction, SymlinkAction, TemplateAction
from bazel2ninja.graph.build import BuildGraph

_DIRECTIVE = re.compile(rb"^[ \t]*#[ \t]*(?:include|include_next|import)[ \t]*([<\"])([^<>\"\n]{1,500})[>\"]", re.M)
_LONGEST = 20_000_000  # bytes of a file; a longer one is data that somebody compiles

_OPTIONS = {"-I": False, "-isystem": False, "-idirafter": False, "-iquote": True}

Search = tuple[tuple[str, ...], tuple[str, ...]]
"""Directories for "quoted" names only, and those for both forms, as exec paths."""


class Inclusions:
    """For one closure: what was told once is not told again.

    disk: where the process opens an exec path. unmade: generated files that could not be looked into.
    """

    def __init__(self, graph: BuildGraph, disk: Callable[[str], str]):
        self._graph = graph
        self._disk = disk
        self._exists: dict[str, bool] = {}
        self._directives: dict[str, tuple[tuple[bool, str], ...]] = {}
        self._told: dict[Search, set[str]] = {}
        self._found: dict[Search, dict[tuple[bool, str], str]] = {}
        self._unmade: dict[str, None] = {}

    @property
    def unmade(self) -> tuple[str, ...]:
        return tuple(self._unmade)

    def of(self, action: CppCompileAction) -> Iterator[tuple[str, str]]:
        """(header, the file that includes it) for what no earlier compile with the same search path has reached."""
        search, forced = _search(action)
        told = self._told.setdefault(search, set())
        source = action.source.exec_path
        pending = [source]
        for name in forced:
            header = self._resolve(name, True, source, search)
            if header and header not in told:
                told.add(header)
                yield header, source
                pending.append(header)
        while pending:
            path = pending.pop()
            for quoted, name in self._read(path):
                header = self._resolve(name, quoted, path, search)
                if header and header not in told:
                    told.add(header)
                    yield header, path
                    pending.append(header)

    def _resolve(self, name: str, quoted: bool, includer: str, search: Search) -> str:
        """Exec path of a header, "" when no directory has it."""
        if quoted:
            beside = posixpath.normpath(posixpath.join(posixpath.dirname(includer), name))
            if self._is_there(beside):
                return beside
        known = self._found.setdefault(search, {})
        found = known.get((quoted, name))
        if found is None:
            directories = search[0] + search[1] if quoted else search[1]
            paths = (posixpath.normpath(posixpath.join(directory, name)) for directory in directories)
            found = known[quoted, name] = next((path for path in paths if self._is_there(path)), "")
        return found

    def _is_there(self, path: str) -> bool:
        found = self._exists.get(path)
        if found is None:
            found = self._graph.generator(path) is not None
            if not found and not path.startswith(("bazel-out/", "../", "/")):
                found = posixpath.isfile(self._disk(path))
            self._exists[path] = found
        return found

    def _read(self, path: str) -> tuple[tuple[bool, str], ...]:
        found = self._directives.get(path)
        if found is None:
            found = self._directives[path] = tuple(self._scan(path))
        return found

    def _scan(self, path: str) -> Iterator[tuple[bool, str]]:
        try:
            with open(self._disk(path), "rb") as file:
                data = file.read(_LONGEST)
        except OSError:
            action = self._graph.generator(path)
            if isinstance(action, SymlinkAction | TemplateAction) and action.inputs:
                yield from self._read(action.inputs[0].exec_path)
            elif action is not None and not isinstance(action, FailAction):
                self._unmade[path] = None
            return
        for match in _DIRECTIVE.finditer(data):
            yield match[1] == b'"', match[2].decode("utf-8", "surrogateescape").strip()


def _search(action: CppCompileAction) -> tuple[Search, list[str]]:
    """The search path of a compile, and the headers that -include puts before everything."""
    quote, both = list(action.quote_includes), [*action.includes, *action.system_includes]
    forced = []
    words = iter((*action.toolchain_flags, *action.copts, *action.last_flags))
    for word in words:
        if word == "-include":
            forced.append(next(words, ""))
            continue
        for option, quoted_only in _OPTIONS.items():
            if word.startswith(option):
                (quote if quoted_only else both).append(word[len(option) :] or next(words, ""))
                break
    return (tuple(dict.fromkeys(["", *quote])), tuple(dict.fromkeys(both))), [name for name in forced if name]

"""Which objects depend on the version of Python: those whose source includes Python.h or a header of numpy's."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence

from bazel2ninja.analysis.action import CppCompileAction

_INCLUDE = re.compile(r"""^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]""", re.MULTILINE)
_SYSTEM = "/usr/include"


class PythonObjects:
    """Follows #include lines, whatever #if says about them.

    read: the text of a file by exec path or absolute path, None for one that is not there or not made yet.
    """

    def __init__(self, read: Callable[[str], str | None]):
        self._read = read
        self._includes: dict[str, list[tuple[str, str]] | None] = {}
        self._answers: dict[tuple[str, tuple[str, ...], tuple[str, ...]], bool] = {}

    def depends(self, action: CppCompileAction) -> bool:
        quoted = action.quote_includes
        others = (*action.includes, *action.system_includes, *_directories(action.copts), _SYSTEM)
        if action.source.is_source or self._lines(action.source.exec_path) is not None:
            return self._reaches(action.source.exec_path, quoted, others)
        # what a generator will write is not known: it may, when it can
        return any(self._lines(posixpath.join(directory, "Python.h")) is not None for directory in others)

    def _reaches(self, path: str, quoted: tuple[str, ...], others: tuple[str, ...]) -> bool:
        key = (path, quoted, others)
        known = self._answers.get(key)
        if known is None:
            known = self._answers[key] = self._search(path, quoted, others)
        return known

    def _search(self, path: str, quoted: tuple[str, ...], others: tuple[str, ...]) -> bool:
        seen = {path}
        pending = [path]
        while pending:
            current = pending.pop()
            for mark, name in self._lines(current) or ():
                if name == "Python.h" or name.startswith("numpy/"):
                    return True
                beside = (posixpath.dirname(current), *quoted) if mark == '"' else ()
                for directory in (*beside, *others):
                    candidate = posixpath.normpath(posixpath.join(directory, name))
                    if candidate in seen:
                        break
                    if self._lines(candidate) is not None:
                        seen.add(candidate)
                        pending.append(candidate)
                        break
        return False

    def _lines(self, path: str) -> list[tuple[str, str]] | None:
        if path not in self._includes:
            text = self._read(path)
            self._includes[path] = None if text is None else [(m[1], m[2]) for m in _INCLUDE.finditer(text)]
        return self._includes[path]


def _directories(copts: Sequence[str]) -> tuple[str, ...]:
    """Those of -I and -isystem among a project's copts."""
    found = []
    for word, following in zip(copts, (*copts[1:], ""), strict=False):
        for option in ("-I", "-isystem"):
            if word == option and following:
                found.append(following)
            elif word.startswith(option) and len(word) > len(option):
                found.append(word[len(option) :])
    return tuple(found)

"""Where the calls of a BUILD file stand: read from its text only when a message or a query asks for it."""

from __future__ import annotations

import ast
import contextlib
import warnings

from bazel2ninja.diagnostics import Location


class CallSites:
    """The calls in a BUILD file by their line.  source: None where the file still has to be read for it."""

    __slots__ = ("_calls", "_source", "path")

    def __init__(self, path: str, source: bytes | None):
        self.path = path
        self._source = source
        self._calls: dict[int, list[ast.Call]] | None = None

    def name_argument(self, location: Location) -> str | None:
        """The text that the call at `location` gives for `name`, None when it is computed or absent."""
        for call in self._at(location):
            for keyword in call.keywords:
                if (
                    keyword.arg == "name"
                    and isinstance(keyword.value, ast.Constant)
                    and isinstance(keyword.value.value, str)
                ):
                    return keyword.value.value
        return None

    def keyword(self, location: Location, name: str) -> Location | None:
        """Where the call at `location` writes the argument `name`."""
        for call in self._at(location):
            for keyword in call.keywords:
                if keyword.arg == name:
                    return Location(self.path, keyword.lineno, keyword.col_offset + 1)
        return None

    def _at(self, location: Location) -> list[ast.Call]:
        if location.path != self.path:
            return []
        if self._calls is None:
            self._calls = {}
            if self._source is None:
                with contextlib.suppress(OSError), open(self.path, "rb") as file:
                    self._source = file.read()
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    tree = ast.parse(self._source or b"")
            except (SyntaxError, ValueError, RecursionError):  # the engine accepts a few texts that Python does not
                tree = ast.Module([], [])
            for node in ast.walk(tree):
                if isinstance(node, ast.Call):
                    self._calls.setdefault(node.lineno, []).append(node)
        calls = self._calls.get(location.line, [])
        exact = [call for call in calls if call.col_offset + 1 == location.column]
        return exact or calls

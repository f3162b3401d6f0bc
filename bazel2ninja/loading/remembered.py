"""Results that are made once, and errors that stay the same when asked for again."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Generic, TypeVar

from bazel2ninja.diagnostics import Diagnostic, WorkspaceError

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Remembered(Generic[K, V]):
    """Makes the value of each key at most once; a WorkspaceError is remembered as well.

    Callers add places and notes to the errors that they let through, so its diagnostics are kept as they were at first.
    """

    def __init__(self, make: Callable[[K], V]):
        self._make = make
        self._values: dict[K, V] = {}
        self._failures: dict[K, tuple[WorkspaceError, tuple[Diagnostic, ...]]] = {}

    @property
    def values(self) -> Mapping[K, V]:
        """What has been made so far."""
        return self._values

    @property
    def failed(self) -> bool:
        """Whether the value of a key could not be made."""
        return bool(self._failures)

    def __contains__(self, key: K) -> bool:
        return key in self._values or key in self._failures

    def __getitem__(self, key: K) -> V:
        """The value; raises WorkspaceError, for the same key always with the same diagnostics."""
        found = self._values.get(key)
        if found is not None:
            return found
        failure = self._failures.get(key)
        if failure is not None:
            error, diagnostics = failure
            error.diagnostics = diagnostics
            raise error.with_traceback(None)
        try:
            made = self._values[key] = self._make(key)
        except WorkspaceError as problem:
            self._failures[key] = problem, problem.diagnostics
            raise
        return made

"""What load() finds in a built-in .bzl file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from bazel2ninja.loading.repository import AbsentRepositoryError
from bazel2ninja.loading.repository_placeholder import Placeholder


class BuiltinSymbols(Mapping[str, object]):
    """The symbols of a built-in .bzl file; one that it lacks is a placeholder."""

    def __init__(self, symbols: Mapping[str, object], lacking: Callable[[str], AbsentRepositoryError]):
        """lacking: the error for a symbol that is not there."""
        self._symbols = symbols
        self._lacking = lacking

    def __getitem__(self, name: str) -> object:
        if name in self._symbols:
            return self._symbols[name]
        return Placeholder(name, self._lacking(name))

    def __contains__(self, name: object) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self._symbols)

    def __len__(self) -> int:
        return len(self._symbols)

"""What is known about repositories by name: the built-in ones, further names, and the Debian packages that would serve.

The data are in builtin_repositories/registry.toml; this module reads them and knows no name of its own.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping

from bazel2ninja.records import dataclass

DIRECTORY = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "builtin_repositories")


@dataclass(frozen=True, slots=True)
class KnownRepository:
    """One table of the registry; `directory` is absolute, and like `rule` is None where nothing is built in."""

    name: str
    module: str
    aliases: tuple[str, ...]
    directory: str | None
    rule: str | None
    debian: str | None
    library: str | None

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, the traditional one first."""
        return tuple(dict.fromkeys((self.name, self.module, *self.aliases)))

    @property
    def is_builtin(self) -> bool:
        return self.directory is not None or self.rule is not None


class Registry:
    """Known repositories by any of their names."""

    def __init__(self, known: Mapping[str, KnownRepository]):
        self.known = known
        self._by_name: dict[str, KnownRepository] = {}
        for repository in known.values():
            self._by_name.setdefault(repository.name, repository)
        for repository in known.values():
            for name in repository.names:
                self._by_name.setdefault(name, repository)

    def find(self, name: str) -> KnownRepository | None:
        return self._by_name.get(name)

    def names(self, name: str) -> tuple[str, ...]:
        """`name`, then the other names of the same repository."""
        known = self._by_name.get(name)
        return (name,) if known is None else tuple(dict.fromkeys((name, *known.names)))

    @classmethod
    def read(cls, directory: str = DIRECTORY) -> Registry:
        """The registry of a directory of built-in repositories."""
        known = {}
        with open(os.path.join(directory, "registry.toml"), "rb") as file:
            entries = tomllib.load(file)
        for name, entry in entries.items():
            files = entry.pop("directory", None)
            known[name] = KnownRepository(
                name,
                entry.pop("module", name),
                tuple(entry.pop("aliases", ())),
                None if files is None else os.path.join(directory, files),
                entry.pop("rule", None),
                entry.pop("debian", None),
                entry.pop("library", None),
            )
            assert not entry, f"registry.toml: unknown keys for {name}: {sorted(entry)}"
        return cls(known)

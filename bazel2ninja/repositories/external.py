"""What a workspace asks: the files that declare external repositories, and libraries of the system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from bazel2ninja.diagnostics import Note
from bazel2ninja.labels import RepositoryMapping
from bazel2ninja.loading.repository import Overlay
from bazel2ninja.repositories.rules import Declaration


class External(Protocol):
    """What WORKSPACE files and MODULE.bazel files have in common."""

    @property
    def name(self) -> str: ...

    def declaration(self, name: str) -> Declaration | None: ...

    def mapping(self, name: str, directory: str = "") -> RepositoryMapping: ...

    def common_names(self, name: str) -> tuple[str, ...]: ...

    def absence_notes(self, name: str) -> tuple[Note, ...]: ...


class OverlaySource(Protocol):
    """Overlays that stand for libraries of the system; the arguments are all names of one repository."""

    def demanded(self, names: Sequence[str]) -> Overlay | None:
        """One that the user asked for; raises WorkspaceError when it cannot serve."""
        ...

    def available(self, names: Sequence[str]) -> Overlay | None:
        """One that may serve, since nothing else does."""
        ...

    def absence_notes(self, names: Sequence[str]) -> tuple[Note, ...]:
        """Why there is none."""
        ...


class NoSystem:
    """Where no library of the system may serve."""

    def demanded(self, names: Sequence[str]) -> Overlay | None:
        return None

    def available(self, names: Sequence[str]) -> Overlay | None:
        return None

    def absence_notes(self, names: Sequence[str]) -> tuple[Note, ...]:
        return ()

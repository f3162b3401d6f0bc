"""Bazel projects in subdirectories: what may have been meant by a directory that is none."""

from __future__ import annotations

import os
from collections.abc import Sequence

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.filesystem import FileSystem

_LEVELS = 2
_SHOWN = 4


def name_a_project(filesystem: FileSystem, directory: str, files: Sequence[str]) -> str:
    """A help for who named `directory`, which has none of the `files` that make a project: where some are near it.

    Raises no error: directories that cannot be read hold nothing.
    """
    found: list[str] = []
    level = [directory]
    for _ in range(_LEVELS):
        below = [os.path.join(above, name) for above in level for name in _directories(filesystem, above)]
        roots = [path for path in below if any(filesystem.is_file(os.path.join(path, name)) for name in files)]
        found += roots
        level = [path for path in below if path not in roots]
    shown = ", ".join(repr(os.path.normpath(path)) for path in sorted(found)[:_SHOWN])
    return "name the root directory of a Bazel project" + (f"; here are some: {shown}" if shown else "")


def _directories(filesystem: FileSystem, path: str) -> list[str]:
    try:
        return [name for name, kind in filesystem.entries(path) if kind == "directory" and not name.startswith(".")]
    except (OSError, WorkspaceError):
        return []

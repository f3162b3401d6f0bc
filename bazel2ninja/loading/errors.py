"""What is wrong with a label, by the stage at which it fails."""

from __future__ import annotations

from bazel2ninja.diagnostics import WorkspaceError


class NoSuchPackageError(WorkspaceError):
    """There is no BUILD file where a label says."""


class NoSuchTargetError(WorkspaceError):
    """The package exists and declares no such target."""


class BrokenPackageError(WorkspaceError):
    """The package exists and its BUILD file, or what it loads, is wrong."""

"""Where the files are that a program needs at run time.

The protocol of Bazel's runfiles libraries: RUNFILES_DIR is a directory tree, RUNFILES_MANIFEST_FILE a list of them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping


class Runfiles:
    """Runfiles of a program."""

    def __init__(self, directory: str | None, manifest: Mapping[str, str]):
        self._directory = directory
        self._manifest = manifest

    def Rlocation(self, path: str, source_repo: str | None = None) -> str | None:
        """The path of a runfile, None when there is none; raises ValueError for a path that is not normalised."""
        if not path or path != os.path.normpath(path) or path.startswith(".."):
            raise ValueError(f"path is not normalized: {path!r}")
        if os.path.isabs(path):
            return path
        if path in self._manifest:
            return self._manifest[path]
        return os.path.join(self._directory, path) if self._directory else None

    def EnvVars(self) -> dict[str, str]:
        """What a program that this one starts needs to find its runfiles."""
        return {"RUNFILES_DIR": self._directory, "JAVA_RUNFILES": self._directory} if self._directory else {}


def Create(env: Mapping[str, str] | None = None) -> Runfiles | None:
    """The runfiles of this program, None when they cannot be found."""
    environment = os.environ if env is None else env
    directory = environment.get("RUNFILES_DIR") or environment.get("TEST_SRCDIR")
    manifest: dict[str, str] = {}
    listed = environment.get("RUNFILES_MANIFEST_FILE")
    if listed and os.path.isfile(listed):
        with open(listed, encoding="utf-8") as file:
            for line in file:
                name, _, path = line.rstrip("\n").partition(" ")
                manifest[name] = path or name
    return Runfiles(directory, manifest) if directory or manifest else None

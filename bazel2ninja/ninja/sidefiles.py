"""Files that the manifest refers to: written texts, parameter files, scripts, lists of runfiles, state.

They lie below `.bazel2ninja/` under the exec path of what they are for, and are written only when their content has
changed, so that ninja sees a change exactly when there is one.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from bazel2ninja.diagnostics import Diagnostic, InternalError, Location, WorkspaceError
from bazel2ninja.ninja.paths import SIDE

_KINDS = ("admission", "write", "expand", "commands", "params", "runfiles", "test-arguments", "directories")


class SideFiles:
    """Collected while the actions are lowered, written at once when the manifest is complete."""

    def __init__(self) -> None:
        self._files: dict[str, bytes] = {}
        self._kept: set[str] = set()
        self._executable: set[str] = set()

    def keep(self, paths: Iterable[str]) -> None:
        """Takes in files that an earlier manifest had, as they are on the disk."""
        self._kept.update(paths)

    @property
    def files(self) -> Mapping[str, bytes]:
        """Path relative to the output root -> content."""
        return self._files

    def add(self, kind: str, name: str, content: str | bytes, *, executable: bool = False) -> str:
        """Keeps a file of one of the kinds, or "" for a single one, and returns its path from the output root."""
        path = f"{SIDE}/{kind}/{name}" if kind else f"{SIDE}/{name}"
        data = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
        if self._files.setdefault(path, data) != data:
            raise InternalError(f"two contents for the side file {path}")
        if executable:
            self._executable.add(path)
        return path

    def write(self, output_root: str) -> int:
        """Writes what has changed, removes what an earlier manifest had, and returns how many files were written.

        Raises WorkspaceError when the disk refuses.
        """
        for kind in _KINDS:
            self._sweep(output_root, f"{SIDE}/{kind}")
        return sum(
            write_if_changed(os.path.join(output_root, path), data, 0o777 if path in self._executable else 0o666)
            for path, data in self._files.items()
        )

    def _sweep(self, output_root: str, directory: str) -> None:
        # a file that is no longer needed may be in the way of a directory that is
        start = len(os.path.join(output_root, ""))
        for place, _, names in os.walk(os.path.join(output_root, directory), topdown=False):
            for name in names:
                path = os.path.join(place, name)
                if path[start:] not in self._files and path[start:] not in self._kept:
                    os.unlink(path)
            if not os.listdir(place):
                os.rmdir(place)


def write_if_changed(path: str, data: bytes, mode: int = 0o666) -> bool:
    """Writes a file beside its place and renames it, unless it has this content already."""
    try:
        with open(path, "rb") as file:
            if file.read() == data:
                return False
    except OSError:
        pass
    write_atomically(path, data, mode)
    return True


def write_atomically(path: str, data: bytes, mode: int = 0o666, *, head: bytes = b"") -> None:
    """Nobody ever sees half of the file.  head: comes before `data`.  Raises WorkspaceError when that cannot be."""
    temporary = os.path.join(os.path.dirname(path), f".writing-{os.getpid()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    try:
        try:
            handle = os.open(temporary, flags, mode)
        except FileNotFoundError:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            handle = os.open(temporary, flags, mode)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(head)
                file.write(data)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise WorkspaceError(
            Diagnostic(f"cannot write the file: {(error.strerror or str(error)).lower()}", Location(path))
        ) from None

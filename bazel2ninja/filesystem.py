"""Reading the source tree: an interface, the disk, and a tree in memory for tests.

Every question asked of the disk is remembered in `FileSystem.reads` (path -> kind): that record makes the edge that
regenerates the manifest when a file, a directory's listing or a missing file has changed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from typing import Protocol

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError


class FileSystem(Protocol):
    """Paths are as the process would open them (relative to its working directory, or absolute)."""

    reads: dict[str, str]  # path -> "file" | "program" | "directory" | "absent"

    def read(self, path: str) -> bytes:
        """Content; raises WorkspaceError when the file is absent or cannot be read."""
        ...

    def read_program(self, path: str) -> bytes:
        """The same of a file that is run as Starlark and not looked at otherwise: its comments do not count."""
        ...

    def is_file(self, path: str) -> bool: ...

    def is_directory(self, path: str) -> bool: ...

    def entries(self, path: str) -> tuple[tuple[str, str], ...]:
        """Sorted (name, kind) of a directory; kind is "file", "directory" (links followed) or "other"."""
        ...

    def read_link(self, path: str) -> str | None:
        """Target of a symbolic link, None when `path` is not one."""
        ...


def source_line(location: Location) -> str | None:
    """The source line of a location, for messages; None when it cannot be read."""
    try:
        if not os.path.isfile(location.path):
            return None
        with open(location.path, "rb") as file:
            for number, line in enumerate(file, 1):
                if number == location.line:
                    return line.decode("utf-8", "replace").rstrip("\r\n")
    except (OSError, ValueError):
        pass
    return None


def _kind(entry: os.DirEntry[str]) -> str:
    try:
        return "directory" if entry.is_dir() else "file" if entry.is_file() else "other"
    except OSError:  # a link that leads to itself
        return "other"


class Disk:
    """The real file system."""

    def __init__(self) -> None:
        self.reads: dict[str, str] = {}
        self._entries: dict[str, tuple[tuple[str, str], ...]] = {}
        self._data: set[str] = set()  # files whose every byte counts

    def read_program(self, path: str) -> bytes:
        self.reads[path] = "file" if path in self._data else "program"
        return self._content(path)

    def read(self, path: str) -> bytes:
        self.reads[path] = "file"
        self._data.add(path)
        return self._content(path)

    def _content(self, path: str) -> bytes:
        try:
            # nobody writes to a named pipe in a source tree; /dev/fd/N is one that a shell has made for us
            if stat.S_ISFIFO(os.stat(path).st_mode) and not path.startswith(("/dev/", "/proc/")):
                raise WorkspaceError(Diagnostic("cannot read the file: it is a named pipe", Location(path)))
            with open(path, "rb") as file:
                return file.read()
        except OSError as error:
            raise WorkspaceError(
                Diagnostic(f"cannot read the file: {(error.strerror or str(error)).lower()}", Location(path))
            ) from None

    def is_file(self, path: str) -> bool:
        found = os.path.isfile(path)
        self.reads.setdefault(path, "file" if found else "absent")
        return found

    def is_directory(self, path: str) -> bool:
        found = os.path.isdir(path)
        if not found:
            self.reads.setdefault(path, "absent")
        return found

    def entries(self, path: str) -> tuple[tuple[str, str], ...]:
        known = self._entries.get(path)
        if known is not None:
            return known
        self.reads[path] = "directory"
        found: list[tuple[str, str]] = []
        try:
            with os.scandir(path) as listing:
                found.extend((entry.name, _kind(entry)) for entry in listing)
        except OSError as error:
            raise WorkspaceError(
                Diagnostic(f"cannot list the directory: {(error.strerror or str(error)).lower()}", Location(path))
            ) from None
        self._entries[path] = result = tuple(sorted(found))
        return result

    def read_link(self, path: str) -> str | None:
        try:
            return os.readlink(path)
        except OSError:
            return None


class MemoryFileSystem:
    """A tree for tests: {"a/BUILD": "text", ...}; parent directories exist of themselves."""

    def __init__(self, files: Mapping[str, str | bytes]):
        self.reads: dict[str, str] = {}
        self.files = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}

    def _directories(self) -> set[str]:
        found = {"", ".", "/"}
        for path in self.files:
            while "/" in path.strip("/"):
                path = os.path.dirname(path)
                found.add(path)
        return found

    def read(self, path: str) -> bytes:
        path = os.path.normpath(path)
        self.reads[path] = "file"
        if path not in self.files:
            raise WorkspaceError(Diagnostic("cannot read the file: no such file or directory", Location(path)))
        return self.files[path]

    def read_program(self, path: str) -> bytes:
        return self.read(path)

    def is_file(self, path: str) -> bool:
        path = os.path.normpath(path)
        found = path in self.files
        self.reads.setdefault(path, "file" if found else "absent")
        return found

    def is_directory(self, path: str) -> bool:
        path = os.path.normpath(path) if path else path
        return path in self._directories()

    def entries(self, path: str) -> tuple[tuple[str, str], ...]:
        path = os.path.normpath(path) if path else "."
        self.reads[path] = "directory"
        prefix = "" if path == "." else path + "/"
        found: dict[str, str] = {}
        for file in self.files:
            if file.startswith(prefix):
                name, slash, _ = file[len(prefix) :].partition("/")
                found[name] = "directory" if slash else found.get(name, "file")
        return tuple(sorted(found.items()))

    def read_link(self, path: str) -> str | None:
        return None

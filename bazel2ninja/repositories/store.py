"""External repositories on disk: SIDE/external/NAME, and the records of how they were made."""

from __future__ import annotations

import contextlib
import filecmp
import json
import os
from collections.abc import Mapping

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.filesystem import FileSystem


class RepositoryStore:
    """The directory that holds external repositories.

    side_directory None keeps nothing: repositories that are directories already are used where they are.
    """

    def __init__(self, filesystem: FileSystem, source_directory: str, side_directory: str | None):
        self.filesystem = filesystem
        self.source_directory = source_directory
        self.side_directory = side_directory

    def directory(self, name: str) -> str:
        """Where the repository is to be, as the process opens it; raises WorkspaceError when nothing is kept."""
        if self.side_directory is None:
            raise WorkspaceError(
                f"repository '@{name}' must be made by its rule, and there is no directory to make it in"
            )
        return os.path.join(self.side_directory, "external", name)

    def _record_path(self, name: str) -> str:
        assert self.side_directory is not None
        return os.path.join(self.side_directory, "repositories", name + ".json")

    def link(self, name: str, target: str) -> str:
        """Makes the repository a link to a directory; returns where it is."""
        if self.side_directory is None:
            return target
        place = self.directory(name)
        self.forget(name)
        self.place_link(target, place)
        return place

    def link_target(self, name: str) -> str | None:
        """What the repository is a link to, None when it is a directory of its own."""
        place = self.directory(name)
        return os.path.join(os.path.dirname(place), os.readlink(place)) if os.path.islink(place) else None

    def spelled(self, path: str) -> str:
        """A path as it should be written: relative below the source or the working directory, else absolute."""
        absolute = os.path.abspath(path)
        source = os.path.abspath(self.source_directory or ".")
        if absolute == source or absolute.startswith(source + "/"):
            relative = os.path.relpath(absolute, source)
            base = self.source_directory if not os.path.isabs(self.source_directory) else os.path.relpath(source)
            return os.path.normpath(os.path.join(base or ".", relative))
        current = os.getcwd()
        if absolute == current or absolute.startswith(current + "/"):
            return os.path.relpath(absolute, current)
        return absolute

    def place_link(self, target: str, place: str) -> None:
        """A symbolic link at `place` to `target`, both as the process opens them; nothing is done when it is there."""
        spelled = self.spelled(target)
        if not os.path.isabs(spelled):
            spelled = os.path.relpath(os.path.abspath(spelled), os.path.realpath(os.path.dirname(place)))
        if os.path.islink(place) and os.readlink(place) == spelled:
            return
        os.makedirs(os.path.dirname(place), exist_ok=True)
        remove(place)
        os.symlink(spelled, place)

    def record(self, name: str) -> Mapping[str, object] | None:
        """How the repository was made the last time, None when that is not known or it is not there."""
        try:
            with open(self._record_path(name), encoding="utf-8", errors="surrogateescape") as file:
                found = json.load(file)
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) and os.path.exists(self.directory(name)) else None

    def write_record(self, name: str, record: Mapping[str, object]) -> None:
        path = self._record_path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".new", "w", encoding="utf-8", errors="surrogateescape") as file:
            json.dump(record, file, indent=1, sort_keys=True)
            file.write("\n")
        os.replace(path + ".new", path)

    def scratch(self, name: str) -> str:
        """An empty directory in which a module extension may write; raises WorkspaceError when nothing is kept."""
        if self.side_directory is None:
            raise WorkspaceError(f"the module extension {name!r} must run, and there is no directory to run it in")
        place = os.path.join(self.side_directory, "extensions", name)
        remove(place)
        os.makedirs(place)
        return place

    def forget(self, name: str) -> None:
        """Drops the record of a repository: it is no longer what a rule made."""
        if self.side_directory is not None:
            remove(self._record_path(name))

    def clear(self, name: str) -> str:
        """An empty directory for the repository; returns where the earlier one was put, for `settle`."""
        place = self.directory(name)
        assert self.side_directory is not None
        earlier = os.path.join(self.side_directory, "earlier", name)
        self.forget(name)
        remove(earlier)
        if os.path.isdir(place) and not os.path.islink(place):
            os.makedirs(os.path.dirname(earlier), exist_ok=True)
            os.rename(place, earlier)
        remove(place)
        os.makedirs(place)
        return earlier

    def settle(self, name: str, earlier: str) -> None:
        """Gives files that are as they were in the earlier directory their times back, and removes that directory.

        What was built from a file need not be built again because others have changed.
        """
        place = self.directory(name)
        if os.path.isdir(place) and os.path.isdir(earlier):
            _keep_times(earlier, place)
        remove(earlier)
        with contextlib.suppress(OSError):
            os.rmdir(os.path.dirname(earlier))


def _keep_times(earlier: str, place: str) -> None:
    with os.scandir(place) as entries:
        for entry in entries:
            other = os.path.join(earlier, entry.name)
            if entry.is_symlink() or os.path.islink(other):
                continue
            if entry.is_dir():
                if os.path.isdir(other):
                    _keep_times(other, entry.path)
            elif entry.is_file() and os.path.isfile(other):
                new, old = entry.stat(), os.stat(other)
                same = (new.st_size, new.st_mode) == (old.st_size, old.st_mode)
                if same and filecmp.cmp(entry.path, other, shallow=False):
                    os.utime(entry.path, ns=(new.st_atime_ns, old.st_mtime_ns))


def remove(path: str) -> None:
    """Removes a file, a link or a whole directory, if it is there; links are not followed."""
    if os.path.islink(path) or os.path.isfile(path):
        os.unlink(path)
    elif os.path.isdir(path):
        import shutil  # which takes its time to load

        shutil.rmtree(path)

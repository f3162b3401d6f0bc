"""glob(): the files of one package that match patterns.

https://bazel.build/reference/be/functions#glob.  Each directory is listed at most once; a directory below that is a
package of its own, or that .bazelignore names, is not entered.  Matching is against paths relative to the package.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import posixpath
import re
from collections.abc import Callable, Collection, Sequence

from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.filesystem import FileSystem

BUILD_FILE_NAMES = ("BUILD.bazel", "BUILD")
"""Names of the file that makes a directory a package; the first one found counts."""


def pattern_error(pattern: str) -> str | None:
    """What is wrong with a glob pattern, or None."""
    if not pattern:
        return "pattern cannot be empty"
    if pattern.startswith("/"):
        return f"pattern cannot be absolute: {pattern!r}"
    for segment in pattern.split("/"):
        if not segment:
            return f"empty segment not permitted: {pattern!r}"
        if segment in (".", ".."):
            return f"segment {segment!r} not permitted: {pattern!r}"
        if "**" in segment and segment != "**":
            return f"recursive wildcard must be its own segment: {pattern!r}"
    if "?" in pattern:
        return f"wildcard ? forbidden: {pattern!r}"
    return None


@functools.lru_cache(maxsize=1 << 12)
def _segment(text: str) -> re.Pattern[str]:
    return re.compile(_expression(text), re.DOTALL)


def _expression(segment: str) -> str:
    """A segment with `*`.  A leading dot must be written, but for `*` and `**` alone, as in UnixGlob."""
    expression = "[^/]*".join(map(re.escape, segment.split("*")))
    if segment == "*":
        return "[^/]+"
    return r"(?!\.)" + expression if segment.startswith("*") else expression


@functools.lru_cache(maxsize=1 << 12)
def _whole(pattern: str) -> re.Pattern[str]:
    """The pattern over a whole relative path."""
    segments = pattern.split("/")
    parts = []
    for index, segment in enumerate(segments):
        last = index == len(segments) - 1
        if segment == "**":
            parts.append(".+" if last else "(?:[^/]+/)*")
        else:
            parts.append(_expression(segment) + ("" if last else "/"))
    return re.compile("".join(parts), re.DOTALL)


class _Directory:
    """One listed directory: path relative to the package, and what is in it."""

    __slots__ = ("_sorted", "directories", "files", "is_package", "prefix")

    def __init__(self, prefix: str, files: frozenset[str], directories: frozenset[str], is_package: bool):
        self.prefix = prefix  # "" or ending in "/"
        self.files = files
        self.directories = directories
        self.is_package = is_package
        self._sorted: list[str] | None = None

    def fitting(self, segment: str) -> list[str]:
        """The files that a segment with `*` matches.

        Only those that begin with its literal part are looked at: in a large directory each target has its pattern.
        """
        fits = _segment(segment).fullmatch
        beginning = segment.partition("*")[0]
        if not beginning:
            return [name for name in self.files if fits(name)]
        if self._sorted is None:
            self._sorted = sorted(self.files)
        first = bisect.bisect_left(self._sorted, beginning)
        found = []
        for name in itertools.islice(self._sorted, first, None):
            if not name.startswith(beginning):
                break
            if fits(name):
                found.append(name)
        return found


_ABSENT = _Directory("", frozenset(), frozenset(), False)


class Globber:
    """The files below the directory of one package.

    `is_border(relative directory)` says that a directory does not belong to the package whatever it holds (an
    ignored one); those with a BUILD file are found here, but for the `deleted` ones, which are no packages.
    """

    def __init__(
        self,
        filesystem: FileSystem,
        directory: str,
        is_border: Callable[[str], bool] = lambda path: False,
        deleted: Collection[str] = (),
    ):
        self._filesystem = filesystem
        self._root = directory
        self._is_border = is_border
        self._deleted = deleted
        self._directories: dict[str, _Directory] = {}
        self._matches: dict[tuple[str, bool], frozenset[str]] = {}

    def glob(self, include: Sequence[str], exclude: Sequence[str] = (), directories: bool = False) -> list[str]:
        """Sorted relative paths that match `include` and not `exclude`; raises WorkspaceError on a bad pattern.

        directories: directories that are no packages match, too (exclude_directories = 0).
        """
        found: set[str] = set()
        for pattern in include:
            found |= self.matches(pattern, directories)
        if exclude and found:
            for pattern in exclude:  # not checked, as in Bazel: "//a:b" excludes nothing
                if "*" in pattern:
                    fits = _whole(pattern).fullmatch
                    found = {path for path in found if not fits(path)}
                else:
                    found.discard(pattern)
        return sorted(found)

    def matches(self, pattern: str, directories: bool = False) -> frozenset[str]:
        """What one pattern matches."""
        known = self._matches.get((pattern, directories))
        if known is None:
            self._check(pattern)
            found: set[str] = set()
            self._walk("", pattern.split("/"), 0, directories, found)
            known = self._matches[pattern, directories] = frozenset(found)
        return known

    def subpackages(self, include: Sequence[str], exclude: Sequence[str] = ()) -> list[str]:
        """Sorted directories of the nearest packages below, whose relative paths match."""
        for pattern in (*include, *exclude):
            self._check(pattern)
        found = []
        pending = [""]
        while pending:
            listed = self._list(pending.pop())
            for name in listed.directories:
                path = listed.prefix + name
                if self._is_border(path):
                    continue
                if not self._list(path).is_package:
                    pending.append(path)
                elif any(_whole(p).fullmatch(path) for p in include) and not any(
                    _whole(p).fullmatch(path) for p in exclude
                ):
                    found.append(path)
        return sorted(found)

    def exists(self, path: str) -> bool:
        """Whether there is a file, by its path in the package."""
        return self._filesystem.is_file(posixpath.join(self._root, path))

    def crosses_border(self, path: str) -> str | None:
        """The directory that is a package of its own on the way to the relative `path`, or None."""
        parts = path.split("/")
        for count in range(1, len(parts)):
            directory = "/".join(parts[:count])
            listed = self._list(directory)
            if listed is _ABSENT:
                return None
            if listed.is_package:
                return directory
        return None

    def _check(self, pattern: str) -> None:
        wrong = pattern_error(pattern)
        if wrong:
            raise WorkspaceError(Diagnostic(f"invalid glob pattern: {wrong}"))

    def _walk(self, directory: str, segments: list[str], index: int, directories: bool, found: set[str]) -> None:
        listed = self._list(directory)
        if listed.is_package and directory:
            return
        segment = segments[index]
        last = index == len(segments) - 1
        if segment == "**":
            if not last:
                self._walk(directory, segments, index + 1, directories, found)
            else:
                found.update(listed.prefix + name for name in listed.files)
            for name in listed.directories:
                path = listed.prefix + name
                if self._is_border(path):
                    continue
                if last and directories and not self._list(path).is_package:
                    found.add(path)
                self._check_link(path)
                self._walk(path, segments, index, directories, found)
            return
        if "*" in segment:
            fits = _segment(segment).fullmatch
            files = listed.fitting(segment) if last else []
            below = [name for name in listed.directories if fits(name)] if directories or not last else []
        else:
            files = [segment] if last and segment in listed.files else []
            below = [segment] if (directories or not last) and segment in listed.directories else []
        if last:
            found.update(listed.prefix + name for name in files)
        for name in below:
            path = listed.prefix + name
            if self._is_border(path):
                continue
            if not last:
                self._walk(path, segments, index + 1, directories, found)
            elif not self._list(path).is_package:
                found.add(path)

    def _check_link(self, directory: str) -> None:
        """Raises WorkspaceError when `directory` is a link to a directory above itself: `**` would never end."""
        path = "/".join(part for part in (self._root, directory) if part)
        link = self._filesystem.read_link(path)
        if link is None:
            return
        goal = posixpath.normpath(posixpath.join(posixpath.dirname(path) or ".", link))
        if goal == "." or f"{posixpath.normpath(path)}/".startswith(goal + "/"):
            raise WorkspaceError(Diagnostic(f"infinite symlink expansion: {path!r} links to {link!r}"))

    def _list(self, directory: str) -> _Directory:
        known = self._directories.get(directory)
        if known is not None:
            return known
        path = "/".join(part for part in (self._root, directory) if part) or "."
        if directory and directory.rpartition("/")[2] not in self._list(directory.rpartition("/")[0]).directories:
            result = _ABSENT
        else:
            files, directories = _split(self._filesystem.entries(path))
            result = _Directory(
                directory + "/" if directory else "",
                files,
                directories,
                directory not in self._deleted and any(name in files for name in BUILD_FILE_NAMES),
            )
        self._directories[directory] = result
        return result


def _split(entries: Sequence[tuple[str, str]]) -> tuple[frozenset[str], frozenset[str]]:
    """(files, directories); what is neither (sockets, links that lead nowhere) no glob matches."""
    return (
        frozenset(name for name, kind in entries if kind == "file"),
        frozenset(name for name, kind in entries if kind == "directory"),
    )

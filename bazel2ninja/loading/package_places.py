"""Where packages are: directories with a BUILD file, less those that are ignored or deleted."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from bazel2ninja.diagnostics import Diagnostic, suggestion
from bazel2ninja.filesystem import FileSystem
from bazel2ninja.labels import PackageIdentifier
from bazel2ninja.loading.errors import NoSuchPackageError
from bazel2ninja.loading.globber import BUILD_FILE_NAMES

if TYPE_CHECKING:
    from bazel2ninja.loading.repository import Repository


SIDE_DIRECTORY = ".bazel2ninja"
_BOUNDARIES = ("WORKSPACE", "WORKSPACE.bazel")
_STOP = "DONT_FOLLOW_SYMLINKS_WHEN_TRAVERSING_THIS_DIRECTORY_VIA_A_RECURSIVE_TARGET_PATTERN"


class _Ignored:
    """Directories without packages, which no glob() enters: `plain` paths, and `patterns` like those of glob()."""

    def __init__(self, plain: Iterable[str], patterns: Iterable[str]):
        names = [*plain, *(pattern.rstrip("/") for pattern in patterns if "*" not in pattern)]
        self._plain = tuple(names)
        expressions = [_expression(pattern) for pattern in patterns if "*" in pattern]
        self._patterns = re.compile("|".join(expressions)) if expressions else None

    def has(self, path: str) -> bool:
        """Whether the directory, or one above it, is ignored."""
        if any(path == prefix or path.startswith(prefix + "/") for prefix in self._plain):
            return True
        return bool(path) and self._patterns is not None and self._patterns.match(path + "/") is not None


def _expression(pattern: str) -> str:
    """A regular expression for the beginning of "PATH/"; "**" is any number of directories, none too."""
    return "".join(
        "(?:[^/]+/)*" if part == "**" else "[^/]*".join(map(re.escape, part.split("*"))) + "/"
        for part in pattern.strip("/").split("/")
    )


class PackagePlaces:
    """Finds BUILD files.

    repository(canonical name) raises WorkspaceError when the repository is missing; ignored(canonical name) gives the
    directories that are no packages besides those that .bazelignore lists; repositories_within() gives those of the
    main repository that are repositories of their own; lacking(repository, what) is the error for what a repository
    that we bring does not have, None for any other repository.
    """

    def __init__(
        self,
        filesystem: FileSystem,
        repository: Callable[[str], Repository],
        deleted_packages: Collection[PackageIdentifier] = (),
        skipped_directories: Collection[str] = (),
        ignored: Callable[[str], Collection[str]] = lambda repository: (),
        repositories_within: Callable[[], Collection[str]] = tuple,
        lacking: Callable[[Repository, str], Diagnostic | None] = lambda repository, what: None,
    ):
        self._lacking = lacking
        self._repositories_within = repositories_within
        self._ignored_besides = ignored
        self._filesystem = filesystem
        self._repository = repository
        self._deleted = frozenset(deleted_packages)
        self._skipped = frozenset(posixpath.normpath(path) for path in skipped_directories)
        self._ignored: dict[str, _Ignored] = {}
        self._found: dict[PackageIdentifier, tuple[str, str]] = {}

    def directory(self, package: PackageIdentifier) -> str:
        """Where a package would be, as the process opens it; "." is the current directory."""
        root = self._repository(package.repository).directory
        parts = [part for part in ("" if root == "." else root, package.path) if part]
        return "/".join(parts) or "."

    def build_file(self, package: PackageIdentifier) -> tuple[str, str]:
        """(directory, name of the BUILD file in it); raises NoSuchPackageError."""
        found = self._found.get(package)
        if found is None:
            found = self._found[package] = self._look(package)
        return found

    def exists(self, package: PackageIdentifier) -> bool:
        try:
            self.build_file(package)
        except NoSuchPackageError:
            return False
        return True

    def _look(self, package: PackageIdentifier) -> tuple[str, str]:
        if package in self._deleted:
            raise NoSuchPackageError(
                Diagnostic(f"no such package '{package}': package is considered deleted due to --deleted_packages")
            )
        if self._is_ignored(package.repository, package.path):
            raise NoSuchPackageError(
                Diagnostic(f"no such package '{package}': the directory is ignored by .bazelignore")
            )
        directory = self.directory(package)
        for name in BUILD_FILE_NAMES:
            if self._filesystem.is_file(name if directory == "." else f"{directory}/{name}"):
                return directory, name
        raise NoSuchPackageError(self._missing(package, directory))

    def _missing(self, package: PackageIdentifier, directory: str) -> Diagnostic:
        lacking = self._lacking(self._repository(package.repository), f"package {package.path!r}")
        if lacking is not None:
            return lacking
        message = f"no such package '{package}': BUILD file not found in directory '{directory}'"
        path = package.path
        if self._filesystem.is_directory(directory):
            while path:
                path = path.rpartition("/")[0]
                outer = PackageIdentifier(package.repository, path)
                if self.exists(outer):
                    rest = package.path[len(path) + 1 :] if path else package.path
                    return Diagnostic(
                        message, help=f"the directory belongs to package '{outer}': write '{outer}:{rest}/...'"
                    )
            return Diagnostic(message, help="add a BUILD file to the directory to make it a package")
        # the nearest directory above that exists, and the name in it that is closest to what was written
        while path:
            path, _, wanted = path.rpartition("/")
            above = self.directory(PackageIdentifier(package.repository, path))
            if self._filesystem.is_directory(above):
                names = [name for name, kind in self._filesystem.entries(above) if kind == "directory"]
                close = suggestion(wanted, names)
                return Diagnostic(message, help=close)
        return Diagnostic(message)

    # Ignored directories.

    def _is_ignored(self, repository: str, path: str) -> bool:
        return self._ignored_in(repository).has(path)

    def _ignored_in(self, repository: str) -> _Ignored:
        """The lines of a repository's .bazelignore, and what REPO.bazel says."""
        known = self._ignored.get(repository)
        if known is None:
            root = self._repository(repository).directory
            path = ".bazelignore" if root == "." else f"{root}/.bazelignore"
            lines: list[str] = []
            if self._filesystem.is_file(path):
                text = self._filesystem.read(path).decode("utf-8", "replace")
                lines = [line.strip() for line in text.splitlines()]
            plain = [posixpath.normpath(line) for line in lines if line and not line.startswith("#")]
            known = self._ignored[repository] = _Ignored(plain, self._ignored_besides(repository))
        return known

    def border_test(self, package: PackageIdentifier) -> Callable[[str], bool]:
        """A function that says of a directory, relative to the package, that no glob of the package enters it."""
        ignored = self._ignored_in(package.repository)
        prefix = package.path + "/" if package.path else ""
        directory = self.directory(package)

        def is_border(path: str) -> bool:
            inside = prefix + path
            if ignored.has(inside):
                return True
            full = f"{directory}/{path}"
            return (bool(self._skipped) and posixpath.normpath(full) in self._skipped) or self._is_ours(full)

        return is_border

    def deleted_below(self, package: PackageIdentifier) -> frozenset[str]:
        """Directories, relative to the package, that are no packages because of --deleted_packages."""
        prefix = package.path + "/" if package.path else ""
        return frozenset(
            deleted.path[len(prefix) :]
            for deleted in self._deleted
            if deleted.repository == package.repository and deleted.path.startswith(prefix) and deleted is not package
        )

    # Recursion.

    def packages_below(self, start: PackageIdentifier) -> Iterator[PackageIdentifier]:
        """Every package at or below a directory, in the order of their paths' parts."""
        root = self._repository(start.repository).directory
        top = self.directory(start)
        if not self._filesystem.is_directory(top) or self._is_ignored(start.repository, start.path):
            return
        pending = [start.path]
        while pending:
            path = pending.pop()
            directory = "/".join(part for part in ("" if root == "." else root, path) if part) or "."
            entries = self._filesystem.entries(directory)
            files = {name for name, kind in entries if kind == "file"}
            is_root = path != start.path and not start.repository and not files.isdisjoint(_BOUNDARIES)
            if is_root and path in self._repositories_within():
                continue
            if files.intersection(BUILD_FILE_NAMES):
                package = PackageIdentifier(start.repository, path)
                if package not in self._deleted:
                    yield package
            follow = _STOP not in files
            below = []
            for name, kind in entries:
                if kind != "directory":
                    continue
                inside = f"{path}/{name}" if path else name
                full = name if directory == "." else f"{directory}/{name}"
                if not self._is_skipped(start.repository, inside, full, name, follow):
                    below.append(inside)
            pending.extend(reversed(below))

    def _is_ours(self, path: str) -> bool:
        """Whether a directory is what an earlier run made, in an output root inside the source tree."""
        parent, name = posixpath.split(path)
        return name == SIDE_DIRECTORY or (
            name == "bazel-out" and self._filesystem.is_directory(posixpath.join(parent, SIDE_DIRECTORY))
        )

    def _is_skipped(self, repository: str, inside: str, full: str, name: str, follow: bool) -> bool:
        if posixpath.normpath(full) in self._skipped or self._is_ours(full) or self._is_ignored(repository, inside):
            return True
        link = self._filesystem.read_link(full)
        if link is None:
            return False
        if not follow or ("/" not in inside and name.startswith("bazel-")):
            return True  # bazel-bin, bazel-out and the like point to what a build made
        goal = posixpath.normpath(posixpath.join(posixpath.dirname(full) or ".", link))
        return goal == "." or f"{posixpath.normpath(full)}/".startswith(goal + "/")

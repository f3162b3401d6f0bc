"""The files that a program needs when it runs.  In Starlark: runfiles.

https://bazel.build/rules/lib/builtins/runfiles and https://bazel.build/extending/rules#runfiles
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.starlark.errors import error
from bazel2ninja.starlark.protocol import type_name

EMPTY_SET = Depset()


class SymlinkEntry:
    """One link of runfiles: path -> file.  https://bazel.build/rules/lib/builtins/SymlinkEntry"""

    __slots__ = ("s_path", "s_target_file")
    starlark_type = "SymlinkEntry"

    def __init__(self, path: str, target_file: Artifact):
        self.s_path = path
        self.s_target_file = target_file

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SymlinkEntry)
            and other.s_path == self.s_path
            and other.s_target_file is self.s_target_file
        )

    def __hash__(self) -> int:
        return hash((self.s_path, id(self.s_target_file)))

    def starlark_repr(self) -> str:
        return f'SymlinkEntry(path = "{self.s_path}", target_file = {self.s_target_file.starlark_repr()})'


class Runfiles:
    """Frozen.  `files`: at their own paths; `symlinks`: below the workspace's directory; `root_symlinks`: at the root.

    python_packages: the tree gets an empty __init__.py in each directory that holds Python code, as Bazel's Python
    rules do (legacy_create_init), because a regular package elsewhere on sys.path would hide a namespace package.
    """

    __slots__ = ("files", "python_packages", "root_symlinks", "symlinks")
    starlark_type = "runfiles"

    def __init__(
        self,
        files: Depset = EMPTY_SET,
        symlinks: Depset = EMPTY_SET,
        root_symlinks: Depset = EMPTY_SET,
        python_packages: bool = False,
    ):
        self.files = files
        self.symlinks = symlinks
        self.root_symlinks = root_symlinks
        self.python_packages = python_packages

    @property
    def is_empty(self) -> bool:
        return not (self.files or self.symlinks or self.root_symlinks)

    def entries(self, workspace_name: str) -> dict[str, Artifact | None]:
        """Runfiles path -> file, None for an empty one, sorted by path.

        As in Bazel, files win over symlinks at the same path, and what lies below a path that is itself a file goes.
        """
        found: dict[str, Artifact | None] = {}
        for entry in self.symlinks.flatten():
            found[f"{workspace_name}/{entry.s_path}"] = entry.s_target_file
        for file in self.files.flatten():
            found[runfiles_path(file, workspace_name)] = file
        for entry in self.root_symlinks.flatten():
            found[entry.s_path] = entry.s_target_file
        if self.python_packages:
            for directory in _python_packages(found):
                found.setdefault(directory + "/__init__.py", None)
        for path in _hidden(found):
            del found[path]
        return {path: found[path] for path in sorted(found)}

    # What Starlark sees.
    @property
    def s_files(self) -> Depset:
        return self.files

    @property
    def s_symlinks(self) -> Depset:
        return self.symlinks

    @property
    def s_root_symlinks(self) -> Depset:
        return self.root_symlinks

    @property
    def s_empty_filenames(self) -> Depset:
        if not self.python_packages:
            return EMPTY_SET
        packages = _python_packages(dict.fromkeys(file.short_path for file in self.files.flatten()))
        return Depset(direct=tuple(f"{package}/__init__.py" for package in packages))

    def s_merge(self, other: Any) -> Runfiles:
        return merge((self, _checked(other, "merge")))

    def s_merge_all(self, other: Any) -> Runfiles:
        if not isinstance(other, list | tuple):
            raise error(
                f"in call to merge_all(), parameter 'other' got value of type '{type_name(other)}', want 'sequence'"
            )
        return merge((self, *(_checked(each, "merge_all") for each in other)))

    def starlark_repr(self) -> str:
        return "<runfiles object>"


EMPTY_RUNFILES = Runfiles()


def _checked(value: Any, method: str) -> Runfiles:
    if not isinstance(value, Runfiles):
        raise error(f"in call to {method}(), parameter 'other' got value of type '{type_name(value)}', want 'runfiles'")
    return value


def runfiles_path(file: Artifact, workspace_name: str) -> str:
    """Where a file lies in every runfiles tree."""
    short = file.short_path
    return short[3:] if short.startswith("../") else f"{workspace_name}/{short}"


def _hidden(paths: Collection[str]) -> list[str]:
    """Those that lie below another one."""
    directories = {path.rpartition("/")[0] for path in paths}
    pending = list(directories)
    while pending:
        above = pending.pop().rpartition("/")[0]
        if above not in directories:
            directories.add(above)
            pending.append(above)
    files = tuple(f"{path}/" for path in directories.intersection(paths))
    return [path for path in paths if path.startswith(files)] if files else []


def _python_packages(paths: Iterable[str]) -> list[str]:
    """Directories that hold Python code, and those between them and the repository's root, which is none."""
    known = set(paths)
    packages: set[str] = set()
    for path in known:
        if not path.endswith((".py", ".so", ".pyc")):
            continue
        directory = path.rpartition("/")[0]
        while "/" in directory and directory not in packages:
            packages.add(directory)
            directory = directory.rpartition("/")[0]
    return sorted(package for package in packages if package + "/__init__.py" not in known)


def merge(parts: Sequence[Runfiles]) -> Runfiles:
    """Everything that is in one of `parts`."""
    parts = tuple(part for part in dict.fromkeys(parts) if not part.is_empty or part.python_packages)
    if not parts:
        return EMPTY_RUNFILES
    if len(parts) == 1:
        return parts[0]

    def union(sets: Iterable[Depset]) -> Depset:
        distinct = tuple(each for each in dict.fromkeys(sets) if each is not EMPTY_SET)
        if len(distinct) < 2:
            return distinct[0] if distinct else EMPTY_SET
        return Depset(transitive=distinct)

    return Runfiles(
        union(part.files for part in parts),
        union(part.symlinks for part in parts),
        union(part.root_symlinks for part in parts),
        any(part.python_packages for part in parts),
    )


def runfiles_of(
    files: Iterable[Artifact] = (),
    transitive: Iterable[Depset] = (),
    symlinks: Mapping[str, Artifact] | Depset = EMPTY_SET,
    root_symlinks: Mapping[str, Artifact] | Depset = EMPTY_SET,
) -> Runfiles:
    """New runfiles of these parts."""
    files = tuple(files)
    sets = tuple(transitive)
    if not files and len(sets) < 2:
        collected = sets[0] if sets else EMPTY_SET
    else:
        collected = Depset(direct=files, transitive=sets)
    return Runfiles(collected, _entries(symlinks), _entries(root_symlinks))


def _entries(links: Mapping[str, Artifact] | Depset) -> Depset:
    if isinstance(links, Depset):
        return links
    if not links:
        return EMPTY_SET
    return Depset(direct=tuple(SymlinkEntry(path, file) for path, file in links.items()))

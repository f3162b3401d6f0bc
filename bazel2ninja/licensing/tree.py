"""The files of a source tree, without following symbolic links, in a stable order."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError
from bazel2ninja.records import dataclass

SKIPPED_DIRECTORIES = frozenset({".git", ".hg", ".svn", ".bzr", ".pc", ".bazel2ninja"})


@dataclass(frozen=True, slots=True)
class Entry:
    """One name of the tree.  path: relative, `/` between parts; undecodable bytes as surrogates.

    kind: "file", "link" (with its `target`), "special" (a device, socket or pipe) or "unreadable".
    """

    path: str
    kind: str
    size: int = 0
    modified: int = 0  # nanoseconds
    inode: int = 0
    target: str = ""


def walk(root: str, skip: frozenset[str] = SKIPPED_DIRECTORIES) -> Iterator[Entry]:
    """Every file below `root`, sorted within each directory; directories named in `skip` are left out.

    Links are reported, never followed, so loops do no harm.  Raises WorkspaceError when `root` is no directory.
    """
    if not os.path.isdir(root):
        raise WorkspaceError(Diagnostic("no such directory", Location(root)))
    pending = [""]
    while pending:
        directory = pending.pop()
        try:
            with os.scandir(os.path.join(root, directory)) as listing:
                entries = sorted(listing, key=lambda entry: entry.name)
        except OSError:
            yield Entry(directory, "unreadable")
            continue
        below = []
        for entry in entries:
            path = f"{directory}/{entry.name}" if directory else entry.name
            try:
                status = entry.stat(follow_symlinks=False)
            except OSError:
                yield Entry(path, "unreadable")
                continue
            if stat.S_ISDIR(status.st_mode):
                if entry.name not in skip:
                    below.append(path)
            elif stat.S_ISREG(status.st_mode):
                yield Entry(path, "file", status.st_size, status.st_mtime_ns, status.st_ino)
            elif stat.S_ISLNK(status.st_mode):
                yield Entry(path, "link", target=_target(entry.path))
            else:
                yield Entry(path, "special")
        pending.extend(reversed(below))


def _target(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def directory_of(path: str) -> str:
    """What posixpath.dirname gives for a path of a tree, "" for the root, four times as fast."""
    return path.rpartition("/")[0]


def name_of(path: str) -> str:
    """What posixpath.basename gives for a path of a tree."""
    return path.rpartition("/")[2]


def leaves_tree(path: str, target: str) -> bool:
    """Whether a link at `path` (relative to the tree) points out of the tree."""
    if os.path.isabs(target):
        return True
    joined = os.path.normpath(os.path.join(os.path.dirname(path), target))
    return joined == ".." or joined.startswith("../")

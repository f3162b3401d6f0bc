"""The whole tree read: from the cache where nothing changed, else by a few processes."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.licensing import scan, tree
from bazel2ninja.licensing.cache import Cache
from bazel2ninja.licensing.scan import FileScan

_BATCH = 200  # files given to a process at a time
_KILLED = Diagnostic(
    "a process that reads files was killed",
    help="perhaps memory ran out: --jobs=1 needs the least; what was read before is kept",
)
_FEW = 400  # files that are not worth starting processes for


@dataclass(frozen=True, slots=True)
class SourceTree:
    """`scans`: relative path -> what was read, sorted by path; `links`: path -> target; `odd`: path -> kind."""

    root: str
    scans: dict[str, FileScan]
    links: dict[str, str]
    odd: dict[str, str]
    read_again: int  # files that the cache did not know


def read(
    root: str,
    cache: Cache,
    *,
    jobs: int = 1,
    skip: frozenset[str] = tree.SKIPPED_DIRECTORIES,
    exclude: Callable[[str], bool] = lambda path: False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> SourceTree:
    """Reads every file below `root` that `exclude` does not leave out; progress: (files read, files to read).

    Raises WorkspaceError when `root` is no directory.
    """
    entries = [entry for entry in tree.walk(root, skip) if not exclude(entry.path)]
    absolute = os.path.abspath(root)
    known = cache.files(absolute)
    keys: dict[str, str] = {}
    unread: list[tree.Entry] = []
    for entry in entries:
        if entry.kind != "file":
            continue
        before = known.get(entry.path)
        if before is not None and before[:3] == (entry.size, entry.modified, entry.inode):
            keys[entry.path] = before[3]
        else:
            unread.append(entry)
    stored = cache.scans(keys.values())
    unpacking = scan.Unpacking(cache.said(scan.said_by(stored.values())))
    scans: dict[str, FileScan] = {}
    for entry in entries:
        key = keys.get(entry.path)
        if key is None:
            continue
        packed = stored.get(key)
        if packed is None or not key.startswith(scan.VERSION + ":"):
            unread.append(entry)
        else:
            scans[entry.path] = unpacking.scan(packed)
    done = 0
    for batch, results in _results(root, unread, jobs):
        rows = []
        packed_scans: dict[str, object] = {}
        said: dict[str, object] = {}
        for entry, result in zip(batch, results, strict=True):
            scans[entry.path] = result
            if result.sha256:
                key = f"{scan.VERSION}:{result.sha256}:{posixpath.basename(entry.path)}"
                key = key.encode("utf-8", "backslashreplace").decode()
                packed_scans[key] = result.packed(said)
                rows.append((entry.path, entry.size, entry.modified, entry.inode, key))
        cache.keep_files(absolute, rows, packed_scans, said)
        done += len(batch)
        progress(done, len(unread))
    return SourceTree(
        root,
        {path: scans[path] for path in sorted(scans)},
        {entry.path: entry.target for entry in entries if entry.kind == "link"},
        {entry.path: entry.kind for entry in entries if entry.kind in ("special", "unreadable")},
        len(unread),
    )


def _read_batch(root: str, paths: Sequence[str]) -> list[FileScan]:
    return [scan.scan_file(root, path) for path in paths]


def _results(
    root: str, unread: Sequence[tree.Entry], jobs: int
) -> Iterator[tuple[Sequence[tree.Entry], list[FileScan]]]:
    batches = [unread[start : start + _BATCH] for start in range(0, len(unread), _BATCH)]
    if jobs <= 1 or len(unread) < _FEW:
        for batch in batches:
            yield batch, _read_batch(root, [entry.path for entry in batch])
        return
    from concurrent.futures import ProcessPoolExecutor  # of no use when hardly a file has changed
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    # fork would copy threads' locks; spawn starts clean processes that import only this package
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        waiting = [(batch, pool.submit(_read_batch, root, [entry.path for entry in batch])) for batch in batches]
        try:
            for batch, future in waiting:
                try:
                    yield batch, future.result()
                except BrokenProcessPool:
                    raise WorkspaceError(_KILLED) from None
        finally:
            for _, future in waiting:
                future.cancel()

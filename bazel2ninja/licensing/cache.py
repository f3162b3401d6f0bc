"""What was found before, kept by content: reading the same tree again reads only what has changed.

One SQLite file.  A file is recognised by path, size, time and inode; its content by SHA-256 and name; a notice by the
digest of its words; what many files say word by word is kept once. Everything is committed in small steps, so that an
interrupted audit goes on where it stopped.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
from collections.abc import Iterable, Mapping
from typing import Any

_SCHEMA = """
create table if not exists file (root text, path blob, size integer, modified integer, inode integer, key text, primary key (root, path));
create table if not exists content (key text primary key, value text);
create table if not exists said (key text primary key, value text);
drop table if exists scan;
create table if not exists notice (key text primary key, value text);
"""  # noqa: E501


class Cache:
    """`place`: path of the SQLite file, made with its directory when absent; None keeps everything in memory.

    A file that is no cache of ours, or a damaged one, is replaced: nothing in it cannot be found again.
    """

    def __init__(self, place: str | None):
        self.place = place
        self._base = self._open(place)

    def _open(self, place: str | None) -> sqlite3.Connection:
        if place is None:
            base = sqlite3.connect(":memory:")
        else:
            os.makedirs(os.path.dirname(place) or ".", exist_ok=True)
            base = sqlite3.connect(place)
        try:
            base.executescript(_SCHEMA)
            base.execute("pragma synchronous = off")
            base.execute("select key from content limit 1").fetchone()
        except sqlite3.DatabaseError:
            base.close()
            if place is None:
                raise
            os.remove(place)
            return self._open(place)
        return base

    def files(self, root: str) -> dict[str, tuple[int, int, int, str]]:
        """path -> (size, modified, inode, key of the scan) of every file of a tree that was seen before."""
        rows = self._base.execute("select path, size, modified, inode, key from file where root = ?", (root,))
        codec, errors = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()
        return {path.decode(codec, errors): (size, modified, inode, key) for path, size, modified, inode, key in rows}

    def scans(self, keys: Iterable[str]) -> dict[str, Any]:
        """key -> unpacked JSON of the scans that are known."""
        return self._get("content", keys)

    def said(self, keys: Iterable[str]) -> dict[str, Any]:
        """key -> unpacked JSON of what scans have in common."""
        return self._get("said", keys)

    def notices(self, keys: Iterable[str]) -> dict[str, Any]:
        """key -> unpacked JSON of the classifications that are known."""
        return self._get("notice", keys)

    def _get(self, table: str, keys: Iterable[str]) -> dict[str, Any]:
        wanted = list(dict.fromkeys(keys))
        found: dict[str, Any] = {}
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ",".join("?" * len(part))
            rows = self._base.execute(f"select key, value from {table} where key in ({marks})", part).fetchall()
            values = json.loads(f"[{','.join(value for _, value in rows)}]")
            found.update(zip((key for key, _ in rows), values, strict=True))
        return found

    def keep_files(
        self,
        root: str,
        rows: Iterable[tuple[str, int, int, int, str]],
        scans: Mapping[str, object],
        said: Mapping[str, object],
    ) -> None:
        """Adds scans, what they have in common, and which file (path, size, modified, inode, key) has which."""
        self._put("said", said)
        self._put("content", scans)
        self._base.executemany(
            "insert or replace into file values (?, ?, ?, ?, ?, ?)",
            [(root, os.fsencode(path), size, modified, inode, key) for path, size, modified, inode, key in rows],
        )
        self._base.commit()

    def keep_notices(self, values: Mapping[str, object]) -> None:
        self._put("notice", values)
        self._base.commit()

    def _put(self, table: str, values: Mapping[str, object]) -> None:
        self._base.executemany(
            f"insert or replace into {table} values (?, ?)",
            [(key, json.dumps(value, separators=(",", ":"))) for key, value in values.items()],
        )

    def close(self) -> None:
        self._base.close()

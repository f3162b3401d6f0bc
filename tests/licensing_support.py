"""What the licence auditor's tests share: a small tree with a bit of everything, and audits of it."""

from __future__ import annotations

import functools
from pathlib import Path

from bazel2ninja import cli
from bazel2ninja.licensing import audit as audits
from bazel2ninja.licensing import references
from bazel2ninja.licensing.audit import Audit
from bazel2ninja.licensing.cache import Cache

TEXTS = references.directory() / "texts"


MIT = (TEXTS / "MIT.txt").read_text()


BSD = (TEXTS / "BSD-3-Clause.txt").read_text()


TREE: dict[str, str | bytes] = {
    "LICENSE": "Copyright 2020 The Authors\n" + MIT,
    "src/a.c": "// Copyright 2020 The Authors\n// Licensed under the MIT license.\nint a;\n",
    "src/silent.c": "int silent;\n",
    "src/pointing.c": "// Use of this source code is governed by the license in the LICENSE file.\nint p;\n",
    "src/apache.c": "// SPDX-License-Identifier: Apache-2.0\nint b;\n",
    "src/nc.c": "/* Permission is granted for unrestricted non-commercial use. */\nint n;\n",
    "third_party/zed/COPYING": "Copyright 1999 Zed\n" + BSD,
    "third_party/zed/z.c": "int z;\n",
    "third_party/zed/y.c": "int y;\n",
    "data/lena.png": b"\x89PNG\r\n\x1a\n\0\0",
    "data/photo.jpeg": b"\xff\xd8\xff\0\0",
    "data/README": "photo.jpeg is by A. Nonymous and is licensed under the CC-BY-4.0 license.\n",
    "lib/prebuilt.so": b"\x7fELF\0\0",
    "web/app.min.js": "/*! x */" + "var a=1;" * 900,
    "BUILD": 'licenses(["notice"])\n',
    "gpl/BUILD": 'licenses(["notice"])\n',
    "gpl/g.c": "// SPDX-License-Identifier: GPL-2.0-only\nint g;\n",
}


def write(root: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def example(place: Path) -> Path:
    """`TREE` on disk."""
    write(place / "src", TREE)
    return place / "src"


@functools.cache
def shared() -> Cache:
    """Notices are classified once for all tests."""
    return Cache(None)


def audit_of(source: Path, **more: object) -> Audit:
    return audits.make(str(source), shared(), **more)  # type: ignore[arg-type]


def concluded_of(place: Path, tree: dict[str, str | bytes]) -> dict[str, tuple[str, str]]:
    write(place, tree)
    return {path: (c.expression, c.basis) for path, c in audit_of(place).concluded.files.items()}


def run(*words: str) -> int:
    return cli._run(["audit", *words])

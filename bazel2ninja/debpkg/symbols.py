"""A symbols file for C++ libraries that survives another compiler: dpkg-gensymbols(1), deb-src-symbols(5).

Names are demangled.  Weak symbols (inline functions, templates, virtual tables) depend on what the compiler put out of
line, so they are optional; without that, every new compiler changes thousands of lines.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from bazel2ninja.debpkg.elf_files import run
from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError


def symbols_file(package: str, directory: str, version: str) -> str:
    """The text for the shared libraries in a package's directory; raises WorkspaceError when there is none."""
    parts = [
        "\n".join([f"{soname} {package} #MINVER#", *dict.fromkeys(_lines(path, version))]) + "\n"
        for soname, path in sorted(_libraries(directory))
    ]
    if not parts:
        raise WorkspaceError(
            Diagnostic(
                "holds no shared library with a SONAME", Location(directory), help="run it after dh_auto_install"
            )
        )
    return "".join(parts)


def _libraries(directory: str) -> Iterator[tuple[str, str]]:
    for parent, names, files in os.walk(directory):
        if "glibc-hwcaps" in names:
            names.remove("glibc-hwcaps")
        for name in files:
            path = os.path.join(parent, name)
            if ".so." not in name or os.path.islink(path):
                continue
            for line in run(["readelf", "-W", "-d", path], path).splitlines():
                if "(SONAME)" in line:
                    soname = line.partition("[")[2].partition("]")[0]
                    stem, _, number = soname.partition(".so.")
                    yield f"{stem}.so.{number}", path


def _lines(path: str, version: str) -> Iterator[str]:
    # -C would join the two constructors of a class, which are told apart by their mangled names only
    rows = [line.split() for line in run(["nm", "-D", "--defined-only", path], path).splitlines()]
    known = [(row[1], row[2]) for row in rows if len(row) == 3 and row[1] != "A"]
    names = [name.partition("@")[0] for _, name in known]
    plain = run(["c++filt", *names], path).splitlines() if names else []
    lines = []
    for (kind, name), readable in zip(known, plain, strict=True):
        mangled, _, node = name.partition("@")
        base = node.lstrip("@") or "Base"
        tags = ["c++"] if readable != mangled else []
        if kind in "WVuw":
            tags.append("optional=inline")
        shown = f'"{readable}@{base}"' if tags[:1] == ["c++"] else f"{mangled}@{base}"
        lines.append(f" ({'|'.join(tags)}){shown} {version}" if tags else f" {shown} {version}")
    yield from sorted(lines)

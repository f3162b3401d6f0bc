"""Which other packages' code ends up in the files of a package, for Static-Built-Using (Debian Policy 7.8).

Archives and sources of other packages that the finished manifest names by absolute paths, and headers that hold code,
which ninja's log of dependencies names.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping

from bazel2ninja.debpkg.build_log import BuildLog
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError

FIELD = "bazel2ninja:Static-Built-Using"

# every C or C++ program has these headers' code, and rebuilding for it is decided otherwise
_TOOLCHAIN = re.compile(
    r"(libc6-dev|linux-libc-dev|lib(gcc|stdc\+\+)-.*-dev|libcrypt-dev)(-\w+-cross)?|gcc-.*|g\+\+-.*|clang-.*|libclang-.*"
)


def substitutions(packages: Mapping[str, str], log: BuildLog) -> dict[str, str]:
    """The substitution variable's value for each package, given as name -> directory with its files."""
    found = {}
    for name, directory in packages.items():
        nodes = {log.node(path.removeprefix("usr/")) for path in _linked_files(directory)}
        paths = log.foreign_code(node for node in nodes if node is not None)
        found[name] = ", ".join(sorted(source_packages(paths)))
    return found


def _linked_files(directory: str) -> Iterator[str]:
    """Programs, libraries and archives below a directory, without links to them."""
    for parent, _, names in os.walk(directory):
        for name in names:
            path = os.path.join(parent, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    if file.read(8).startswith((b"\x7fELF", b"!<arch>\n")):
                        yield os.path.relpath(path, directory)


def source_packages(paths: Iterable[str]) -> Iterator[str]:
    """ "re2 (= 20220601+dfsg-1)" for every package but the compiler's that owns one of the files."""
    packages = owning_packages(paths)
    if packages:
        output = _run(["dpkg-query", "-W", "-f", "${source:Package} (= ${source:Version})\n", *packages], "")
        yield from dict.fromkeys(output.splitlines())


def owning_packages(paths: Iterable[str]) -> list[str]:
    """The installed packages that own files, without the compiler's and the C library's."""
    packages: dict[str, None] = {}
    chosen = sorted(path for path in paths if path.startswith("/usr/"))
    for start in range(0, len(chosen), 500):
        output = _run(["dpkg-query", "-S", *chosen[start : start + 500]], "", may_fail=True)
        for line in output.splitlines():
            for package in line.partition(": ")[0].split(", "):
                name = package.partition(":")[0]
                if not _TOOLCHAIN.fullmatch(name):
                    packages[name] = None
    return list(packages)


def _run(command: list[str], build: str, *, may_fail: bool = False) -> str:
    environment: Mapping[str, str] = {**os.environ, "LC_ALL": "C.UTF-8"}
    try:
        result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise WorkspaceError(Diagnostic(f"cannot run '{command[0]}': {reason}")) from None
    if result.returncode and not may_fail:
        first = result.stderr.strip().splitlines() or ["no message"]
        where = f" in '{build}'" if build else ""
        raise WorkspaceError(Diagnostic(f"'{command[0]}' failed{where}: {first[0]}"))
    return result.stdout

"""Which packages' code ends up in what was built, for Static-Built-Using (Debian Policy 7.8).

Two sources of that code are known: archives and sources of other packages that the finished manifest names by absolute
paths, and headers of other packages that hold code, which ninja's log of dependencies names.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping

from bazel2ninja.diagnostics import Diagnostic, WorkspaceError

FIELD = "bazel2ninja:Static-Built-Using"

_ARCHIVE_OR_SOURCE = re.compile(r"\.(a|lo|c|cc|cpp|cxx|h|hh|hpp|inc|proto)$")
# every C or C++ program has these headers' code, and rebuilding for it is decided otherwise
_TOOLCHAIN = re.compile(
    r"libc6-dev|linux-libc-dev|lib(gcc|stdc\+\+)-.*-dev|libcrypt-dev|gcc-.*|g\+\+-.*|clang-.*|libclang-.*"
)


def substitutions(build: str) -> dict[str, str]:
    """The substitution variables of a build in the directory `build`."""
    sources = sorted(source_packages(set(files_of_the_system(build))))
    return {FIELD: ", ".join(sources)}


def files_of_the_system(build: str) -> Iterator[str]:
    """Absolute paths that code of installed files comes from."""
    wanted = _run(["ninja", "-C", build, "-t", "inputs", "install"], build).splitlines()
    yield from (os.path.realpath(path) for path in wanted if path.startswith("/") and _ARCHIVE_OR_SOURCE.search(path))
    repositories = os.path.join(build, ".bazel2ninja", "external")
    objects = set()
    for path in wanted:
        if path.startswith(".bazel2ninja/external/") and _ARCHIVE_OR_SOURCE.search(path):
            real = os.path.realpath(os.path.join(build, path))
            if not real.startswith(os.path.realpath(repositories) + os.sep):
                yield real
        if path.endswith(".o"):
            objects.add(path)
    current = ""
    for line in _run(["ninja", "-C", build, "-t", "deps"], build).splitlines():
        if line.startswith("    "):
            if current in objects and line.strip().startswith("/"):
                yield os.path.realpath(line.strip())
        elif line:
            current = line.partition(":")[0]


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

"""What a binary package needs besides the libraries that dpkg-shlibdeps finds: ${bazel2ninja:Depends}.

The packages of headers that installed headers include, and the binary interface of numpy that extension modules were
compiled for.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterable, Mapping

from bazel2ninja.debpkg.build_log import BuildLog
from bazel2ninja.debpkg.built_using import owning_packages

FIELD = "bazel2ninja:Depends"

_INCLUDE = re.compile(r"""^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]""", re.MULTILINE)
_NUMPY = "/usr/share/numpy3/versions"


def depends(packages: Mapping[str, str], log: BuildLog) -> dict[str, str]:
    """The substitution variable's value for each package, given as name -> directory with its files."""
    files = {name: _files(directory) for name, directory in packages.items()}
    own = {path for paths in files.values() for path in paths if path.startswith("usr/include/")}
    by_name: dict[str, list[str]] = {}
    for path in sorted(log.system_headers):
        by_name.setdefault(posixpath.basename(path), []).append(path)
    found = {}
    for name, directory in packages.items():
        wanted: set[str] = set()
        for path in files[name]:
            if path.startswith("usr/include/"):
                wanted.update(_foreign_headers(os.path.join(directory, path), own, by_name))
        needed = set(owning_packages(wanted))
        modules = (path.removeprefix("usr/") for path in files[name] if path.endswith(".so"))
        if any("/numpy/" in header for module in modules for header in log.headers(module)):
            needed.add(numpy_interface())
        found[name] = ", ".join(sorted(needed))
    return found


def numpy_interface(path: str = _NUMPY) -> str:
    """The virtual package that says with which numpy an extension module works; see /usr/share/doc/python3-numpy."""
    try:
        with open(path, encoding="utf-8") as file:
            match = re.search(r"^abi[ \t]+(\d+)", file.read(), re.MULTILINE)
    except OSError:
        match = None
    return f"python3-numpy-abi{match[1]}" if match else "python3-numpy"


def _files(directory: str) -> list[str]:
    return [
        os.path.relpath(os.path.join(parent, name), directory)
        for parent, _, names in os.walk(directory)
        for name in names
    ]


def _foreign_headers(header: str, own: Iterable[str], by_name: Mapping[str, list[str]]) -> set[str]:
    """Headers of the system that a header includes and that the package's own headers do not hold."""
    with open(header, encoding="utf-8", errors="replace") as file:
        names = _INCLUDE.findall(file.read())
    ends = [f"/{name.lstrip('./')}" for name in names]
    return {
        path
        for end in ends
        if not any(f"/{each}".endswith(end) for each in own)
        for path in by_name.get(posixpath.basename(end), ())
        if path.endswith(end)
    }

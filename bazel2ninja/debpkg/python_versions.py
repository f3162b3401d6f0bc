"""Versions of Python that extension modules are built for, as their own sysconfig data describe them.

The data are read, not asked for: those of another architecture lie beside this one's when its Python's development
package is installed.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bazel2ninja.diagnostics import Diagnostic, WorkspaceError

_VERSION = re.compile(r"python(3\.\d+)")


@dataclass(frozen=True, slots=True)
class PythonVersion:
    """version: "3.11"; suffix: EXT_SUFFIX, ".cpython-311-x86_64-linux-gnu.so"; include: directory of Python.h."""

    version: str
    suffix: str
    include: str


def installed_versions(multiarch: str, root: str = "/") -> list[PythonVersion]:
    """Those whose headers are installed, for the architecture, oldest first."""
    names = os.listdir(os.path.join(root, "usr/include")) if os.path.isdir(os.path.join(root, "usr/include")) else []
    found = []
    for name in names:
        match = _VERSION.fullmatch(name)
        if match is not None and os.path.isfile(os.path.join(root, "usr/include", name, "Python.h")):
            read = _read(match[1], multiarch, root)
            if read is not None:
                found.append(read)
    return sorted(found, key=lambda each: int(each.version.partition(".")[2]))


def chosen_versions(wanted: Sequence[str], multiarch: str, root: str = "/") -> list[PythonVersion]:
    """The wanted versions, all that are installed for none; raises WorkspaceError for one that is not."""
    known = installed_versions(multiarch, root)
    if not wanted:
        if not known:
            raise WorkspaceError(
                Diagnostic(
                    f"no Python for '{multiarch}' has its headers installed", help="install the package python3-all-dev"
                )
            )
        return known
    by_version = {each.version: each for each in known}
    for version in wanted:
        if version not in by_version:
            raise WorkspaceError(
                Diagnostic(
                    f"Python {version} for '{multiarch}' is not installed with its headers",
                    help=f"install the package python{version}-dev",
                )
            )
    return [by_version[version] for version in dict.fromkeys(wanted)]


def _read(version: str, multiarch: str, root: str) -> PythonVersion | None:
    # CPython: sysconfig._get_sysconfigdata_name; Debian keeps one file for each architecture
    path = os.path.join(root, f"usr/lib/python{version}/_sysconfigdata__{multiarch}.py")
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8") as file:
        values = _assigned(file.read(), "build_time_vars")
    if not isinstance(values, dict) or not isinstance(values.get("EXT_SUFFIX"), str):
        raise WorkspaceError(Diagnostic(f"'{path}' does not tell EXT_SUFFIX"))
    include = str(values.get("INCLUDEPY", f"/usr/include/python{version}"))
    return PythonVersion(version, values["EXT_SUFFIX"], os.path.join(root, include.lstrip("/")))


def _assigned(text: str, name: str) -> Any:
    """The value that a module assigns to a name, when it is a plain one."""
    try:
        for statement in ast.parse(text).body:
            if isinstance(statement, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == name for target in statement.targets
            ):
                return ast.literal_eval(statement.value)
    except (SyntaxError, ValueError):
        return None
    return None

"""NAME-VERSION.dist-info of an installed Python package: what importlib.metadata, pip and dh_python3 read.

https://packaging.python.org/en/latest/specifications/recording-installed-packages/ and .../core-metadata/
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from bazel2ninja.analysis.action import WriteAction
from bazel2ninja.debpkg.installation import Analysed, Installation
from bazel2ninja.debpkg.settings import PythonPackage
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.labels import Label

_METADATA_VERSION = "2.1"


def install(
    package: PythonPackage, top_level: Iterable[str], version: str, below: str, analysed: Analysed, result: Installation
) -> None:
    """Adds the entry of a [[python_package]] with a distribution.

    top_level: names that can be imported; version: of the package that is built; below: directory for the entry.
    Raises WorkspaceError when no version is known.
    """
    number = package.version or version
    if not number:
        raise WorkspaceError(
            Diagnostic(
                f"the distribution '{package.distribution}' has no version",
                package.location,
                help="write version = ... in the table, or give --package-version",
            )
        )
    owner = analysed.named(package.targets[0], package.location).actual
    directory = f"{_escaped(package.distribution)}-{_escaped(number)}.dist-info"
    texts = {
        "METADATA": _metadata(package, number),
        "top_level.txt": "".join(f"{name}\n" for name in sorted(set(top_level))),
        # without RECORD pip takes nothing away, and says who installed it
        "INSTALLER": "debian\n",
    }
    for name, text in texts.items():
        _write(f"{directory}/{name}", text, below, owner, analysed, result)


def _metadata(package: PythonPackage, version: str) -> str:
    lines = [f"Metadata-Version: {_METADATA_VERSION}", f"Name: {package.distribution}", f"Version: {version}"]
    if package.summary:
        lines.append(f"Summary: {package.summary}")
    return "".join(f"{line}\n" for line in [*lines, *(f"Requires-Dist: {each}" for each in package.requires)])


def _escaped(text: str) -> str:
    """A name or version as a part of a file name: "-" separates the two."""
    return re.sub(r"[-_]+", "_", text)


def _write(path: str, text: str, below: str, owner: Label, analysed: Analysed, result: Installation) -> None:
    file = analysed.declare(f"python/{path}", owner)
    result.actions.append(
        WriteAction(
            mnemonic="FileWrite", owner=owner, configuration=analysed.configuration, outputs=(file,), content=text
        )
    )
    result.add(file, posixpath.join(below, path), "644")

"""Files of the system that end up in a binary: whose package they are, and what a Debian package then has to declare.

Static-Built-Using: https://www.debian.org/doc/debian-policy/ch-relationships.html (section 7.8 for Built-Using).
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass

_BATCH = 400  # paths on one command line


@dataclass(frozen=True, slots=True)
class Owner:
    """A binary package with its source package, both with version."""

    package: str
    version: str
    source: str
    source_version: str


def owners(paths: Iterable[str]) -> dict[str, Owner]:
    """path -> package that installed it; files of no package are left out. Needs dpkg-query; without it nothing is known."""  # noqa: E501
    wanted = sorted({os.path.realpath(path): path for path in paths}.items())
    packages: dict[str, str] = {}
    for start in range(0, len(wanted), _BATCH):
        part = wanted[start : start + _BATCH]
        for line in _run(["dpkg-query", "--search", *(real for real, _ in part), *(path for _, path in part)]):
            names, separator, path = line.rpartition(": ")
            if separator and not line.startswith("diversion "):
                packages[path] = names.split(", ")[0]
    details: dict[str, Owner] = {}
    unique = sorted(set(packages.values()))
    for start in range(0, len(unique), _BATCH):
        form = "${binary:Package}\\t${Package}\\t${Version}\\t${source:Package}\\t${source:Version}\\n"
        for line in _run(["dpkg-query", "--show", f"--showformat={form}", *unique[start : start + _BATCH]]):
            name, package, version, source, source_version = line.split("\t")
            details[name] = details[package] = Owner(package, version, source, source_version)
    found = {}
    for real, path in wanted:
        owning = packages.get(path) or packages.get(real) or ""
        owner = details.get(owning) or details.get(owning.split(":")[0])
        if owner is not None:
            found[path] = owner
    return found


def _run(command: list[str]) -> list[str]:
    try:
        result = subprocess.run(command, capture_output=True, text=True, errors="surrogateescape", check=False)
    except FileNotFoundError:
        return []
    return result.stdout.splitlines()


def static_built_using(found: Iterable[Owner]) -> str:
    """The value of Static-Built-Using: each source package once, sorted, with the exact version."""
    return ", ".join(sorted({f"{owner.source} (= {owner.source_version})" for owner in found}))


def copyright_file(package: str) -> str:
    """Where a package's copyright file is."""
    return f"/usr/share/doc/{package.split(':')[0]}/copyright"

"""Source packages of the Debian archive for the real-project tests."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent


@dataclass(frozen=True)
class Project:
    """An entry of projects.toml, which says what the fields mean."""

    name: str
    source: str
    suite: str
    prepare: bool = False
    externals: dict[str, str] = field(default_factory=dict)
    vendored: list[str] = field(default_factory=list)
    system: dict[str, str] = field(default_factory=dict)
    compilers: list[str] = field(default_factory=lambda: ["gcc"])
    targets: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    minutes: float = 1.0
    oracle: str = ""
    oracle_targets: list[str] = field(default_factory=list)
    oracle_options: list[str] = field(default_factory=list)

    @property
    def packages(self) -> list[str]:
        """The source packages that it needs."""
        return list(dict.fromkeys([self.source, *self.externals.values(), *self.vendored]))


def projects() -> list[Project]:
    """The projects to do: all, or those that BAZEL2NINJA_PROJECTS names."""
    with open(HERE / "projects.toml", "rb") as file:
        found = [Project(**entry) for entry in tomllib.load(file)["project"]]
    chosen = os.environ.get("BAZEL2NINJA_PROJECTS", "").split()
    unknown = set(chosen) - {project.name for project in found}
    assert not unknown, f"BAZEL2NINJA_PROJECTS: no such project: {unknown}"
    return [project for project in found if not chosen or project.name in chosen]


def directory() -> Path:
    """Where the source packages are, or will be."""
    place = os.environ.get("BAZEL2NINJA_SOURCES")
    return Path(place) if place else Path(tempfile.gettempdir()) / "bazel2ninja-sources"


def fetch(project: Project) -> Path:
    """The project's source tree; what is absent is fetched first."""
    sources = directory()
    wanted = [package for package in project.packages if not (sources / package).exists()]
    if wanted:
        words = [sys.executable, ROOT / "tools/sources", "fetch", "--suite", project.suite, "--dest", sources]
        subprocess.run([*words, *(["--prepare"] if project.prepare else []), *wanted], check=True)
    return sources / project.source


def repositories(project: Project, place: Path) -> list[str]:
    """The options that tell where the external repositories are; what has to be written for that goes to `place`."""
    sources = directory()
    words = [f"--override_repository={name}={sources / package}" for name, package in project.externals.items()]
    if project.vendored:
        vendor = place / "vendor"
        vendor.mkdir(exist_ok=True)
        for package in project.vendored:
            if not (vendor / package).exists():
                (vendor / package).symlink_to(sources / package)
        words.append(f"--vendor={vendor}")
    return words


def system_repositories(libraries: dict[str, str], place: Path) -> Iterable[str]:
    """Options for repositories that stand for a system library: name -> what the linker is told."""
    for name, option in libraries.items():
        repository = place / "system" / name
        repository.mkdir(parents=True, exist_ok=True)
        (repository / "WORKSPACE").write_text("")
        (repository / "BUILD").write_text(
            f'cc_library(name = "{name}", linkopts = ["{option}"], visibility = ["//visibility:public"])\n'
        )
        yield f"--override_repository={name}={repository}"

"""A stand-in machine: .pc files, headers, libraries, programs and a dpkg-query, in a directory."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from bazel2ninja.filesystem import Disk
from bazel2ninja.system_libraries.library import SystemLibrary, SystemLibraryTable
from bazel2ninja.system_libraries.machine import Machine

VERSION = "99.1"
DPKG_QUERY = """#!/bin/sh
# knows the packages in a file: name, version, status, architecture, what dpkg calls Multi-Arch
shift 2
for name; do grep "^$name	" {packages} || :; done
"""


class StandIn:
    """`environment` makes tools look here first."""

    def __init__(self, root: Path):
        self.root = root
        for name in ("pc", "include", "lib", "bin"):
            (root / name).mkdir(parents=True)
        self.packages: dict[str, str] = {}
        self.architectures: dict[str, str] = {}  # of packages that are not for all
        self.program("dpkg-query", DPKG_QUERY.format(packages=root / "packages"))
        self.package()

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PATH": f"{self.root}/bin:{os.environ['PATH']}",
            "PKG_CONFIG_LIBDIR": f"{self.root}/pc",
            "CPPFLAGS": f"-I{self.root}/include",
            "LDFLAGS": f"-L{self.root}/lib",
        }

    def machine(self) -> Machine:
        return Machine(Disk(), self.environment)

    def package(self, name: str = "", version: str = f"{VERSION}-1") -> None:
        if name:
            self.packages[name] = version
        lines = [
            f"{name}\t{version}\tinstalled\t{self.architectures.get(name, 'all')}\t\n"
            for name, version in sorted(self.packages.items())
        ]
        (self.root / "packages").write_text("".join(lines))

    def module(
        self, name: str, *, version: str = VERSION, libs: str = "", cflags: str = "", requires: str = ""
    ) -> None:
        text = f"Name: {name}\nVersion: {version}\nRequires: {requires}\nCflags: {cflags}\nLibs: {libs}\n"
        (self.root / "pc" / f"{name}.pc").write_text(text)

    def header(self, name: str) -> None:
        path = self.root / "include" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    def library(self, name: str) -> None:
        (self.root / "lib" / f"lib{name}.so").touch()

    def program(self, name: str, text: str = "#!/bin/sh\n") -> None:
        path = self.root / "bin" / name
        path.write_text(text)
        path.chmod(0o755)

    def install(self, library: SystemLibrary, variant: str = "") -> None:
        """Everything that a library's data ask for, in the oldest version that they name."""
        (library, *_) = library.of_variants(variant)
        if library.prefix:
            for name in ("include", "lib", "bin"):
                (self.root / "lib" / library.prefix / name).mkdir(parents=True, exist_ok=True)
        version = next(iter(library.releases.values()), VERSION)
        for package in library.wanted_packages:
            self.package(package, version + "-1")
        more = [name for name in library.more_modules if not name.endswith("*")]
        for module in {*library.modules, *more, *library.labels.values()}:
            self.module(module, version=version, libs=f"-l{module}")
        for header in library.headers:
            self.header(header)
        for target in library.links.values():
            if not target.startswith(("/", "{prefix}")) and not (self.root / "include" / target).exists():
                (self.root / "include" / target).mkdir(parents=True, exist_ok=True)
        for name in library.libraries:
            self.library(name)
        for program in library.programs:
            self.program(program)


def table(directory: Path, libraries: Mapping[str, str], builds: Mapping[str, str] | None = None) -> SystemLibraryTable:
    """The data of some libraries: name -> text of library.toml, and name -> BUILD file."""
    (directory / "system_library.bzl").parent.mkdir(parents=True, exist_ok=True)
    macros = Path(__file__).resolve().parent.parent / "bazel2ninja/system_libraries/overlays/system_library.bzl"
    (directory / "system_library.bzl").write_text(macros.read_text())
    for name, text in libraries.items():
        (directory / name).mkdir()
        (directory / name / "library.toml").write_text(text)
        build = (builds or {}).get(
            name, f'load(":system_library.bzl", "system_library")\nsystem_library(name = "{name}")\n'
        )
        (directory / name / "BUILD.bazel").write_text(build)
    return SystemLibraryTable.read(directory)

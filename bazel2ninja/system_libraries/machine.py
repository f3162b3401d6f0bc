"""What is installed on the machine: Debian packages, where the compiler looks for headers and libraries, programs."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.filesystem import FileSystem
from bazel2ninja.records import dataclass
from bazel2ninja.system_libraries.library import SystemLibrary, alternatives, in_range
from bazel2ninja.system_libraries.pkg_config import PkgConfig, Run, running_in

_PREPROCESSOR_OPTIONS = (
    "-I",
    "-isystem",
    "-idirafter",
    "-iquote",
    "--sysroot",
    "-isysroot",
    "-nostdinc",
    "-m",
    "-target",
)
_REVISION = re.compile(r"(?:\d+:)?(.*?)(?:-[^-]*)?")


@dataclass(frozen=True, slots=True)
class Installed:
    """A library that passed its checks.

    version: upstream's, "" when nothing tells.  packages: (Debian package, its version).  modules: names of the
    pkg-config modules that are there, needed ones first.  links, programs: name -> absolute path, those that are there.
    prefix: the library's own directory, "" when it has none.
    """

    library: SystemLibrary
    version: str
    packages: tuple[tuple[str, str], ...]
    modules: tuple[str, ...]
    links: Mapping[str, str]
    programs: Mapping[str, str]
    prefix: str = ""

    def __str__(self) -> str:
        found = ", ".join(f"{name} {version}" for name, version in self.packages)
        return f"{self.library.name} ({found or self.version or 'not of a Debian package'})"


@dataclass(frozen=True, slots=True)
class NotInstalled:
    """Why a library cannot serve, a sentence each."""

    library: SystemLibrary
    problems: tuple[str, ...]
    architecture: str = ""  # Debian's, of libraries for another machine than the one that builds


@dataclass(frozen=True, slots=True)
class Purpose:
    """What machine the libraries are for.

    architecture: Debian's name, "" when it has none: then packages of any will do.  crosses: it is not the one that
    builds.  prefix: of the compiler and of pkg-config, "aarch64-linux-gnu-"; multiarch: of Debian's directories.
    """

    architecture: str = ""
    crosses: bool = False
    prefix: str = ""
    multiarch: str = ""


class Machine:
    """Answers about the machine, each asked once.  environment: the process's.  documentation: of its packages."""

    def __init__(
        self,
        filesystem: FileSystem,
        environment: Mapping[str, str],
        run: Run | None = None,
        documentation: str = "/usr/share/doc",
    ):
        self.documentation = documentation
        self._filesystem = filesystem
        self._environment = environment
        self._run = run or running_in(environment)
        self.serve(Purpose())

    def serve(self, purpose: Purpose) -> None:
        """Libraries are for that machine from now on; what is known of another one is forgotten."""
        self.purpose = purpose
        self.pkg_config = PkgConfig(
            self._filesystem, self._environment, self._run, prefix=purpose.prefix, multiarch=purpose.multiarch
        )
        self._packages: dict[str, str] = {}
        self._asked: set[str] = set()
        self._has_packages = True
        self._include_directories: tuple[str, ...] | None = None
        self._library_directories: tuple[str, ...] | None = None

    def packages(self, names: Iterable[str]) -> Mapping[str, str] | None:
        """Version by name of those that are installed; None where there is no dpkg.

        Of a package that is not for all machines it takes the one for the machine in question, or one that dpkg says
        serves every machine, as programs do.
        """
        wanted = sorted(set(names) - self._asked)
        if wanted and self._has_packages:
            self._asked.update(wanted)
            show = "${Package}\t${Version}\t${db:Status-Status}\t${Architecture}\t${Multi-Arch}\n"
            # the exit status tells that one of them is unknown, which the shell hides from `run`
            text = self._run(["sh", "-c", 'dpkg-query -W -f "$@" 2>/dev/null; test $? -le 1', "sh", show, *wanted])
            if text is None:
                self._has_packages = False
            for line in (text or "").splitlines():
                name, version, status, architecture, others = line.split("\t")
                if status == "installed" and (
                    architecture in ("all", self.purpose.architecture or architecture) or others == "foreign"
                ):
                    self._packages[name] = version
        return self._packages if self._has_packages else None

    @property
    def include_directories(self) -> tuple[str, ...]:
        """Where the compiler looks for <header>, first to last."""
        if self._include_directories is None:
            flags = self._environment.get("CPPFLAGS", "") + " " + self._environment.get("CXXFLAGS", "")
            options = [word for word in _words(flags) if word.startswith(_PREPROCESSOR_OPTIONS)]
            words = [*self._compiler(), *options, "-E", "-x", "c++", "-v", os.devnull]
            found = []
            listed = False
            for line in (self._run(words) or "").splitlines():
                if line.startswith("#include <"):
                    listed = True
                elif line.startswith("End of search list"):
                    listed = False
                elif listed:
                    found.append(os.path.normpath(line.strip()))
            self._include_directories = tuple(dict.fromkeys(found)) or ("/usr/local/include", "/usr/include")
        return self._include_directories

    @property
    def library_directories(self) -> tuple[str, ...]:
        """Where the linker looks for libraries."""
        if self._library_directories is None:
            words = _words(self._environment.get("LDFLAGS", ""))
            found = [os.path.normpath(word[2:]) for word in words if word.startswith("-L") and len(word) > 2]
            for line in (self._run([*self._compiler(), "-print-search-dirs"]) or "").splitlines():
                if line.startswith("libraries: ="):
                    found += [os.path.normpath(part) for part in line[len("libraries: =") :].split(":")]
            self._library_directories = tuple(dict.fromkeys([*found, "/usr/lib", "/lib"]))
        return self._library_directories

    def _compiler(self) -> list[str]:
        return _words(self._environment.get("CXX", "")) or [f"{self.purpose.prefix}g++"]  # as the manifest says

    def header(self, name: str, directories: Sequence[str] = ()) -> str | None:
        """Where a header, or a directory of headers, is; `directories` come before the compiler's own."""
        for directory in (*directories, *self.include_directories):
            path = f"{directory}/{name}"
            if os.path.isdir(path) or (os.path.exists(path) and self._filesystem.is_file(path)):
                return path
        return None

    def library(self, name: str, directories: Sequence[str] = ()) -> bool:
        """Whether the linker finds -lNAME."""
        return any(
            os.path.exists(f"{directory}/lib{name}{ending}")
            for directory in (*directories, *self.library_directories)
            for ending in (".so", ".a")
        )

    def program(self, name: str, directories: Sequence[str] = ()) -> str | None:
        import shutil  # of no use without libraries of the system

        path = self._environment.get("PATH", os.defpath)
        return shutil.which(name, path=os.pathsep.join([*directories, path]))

    def prefix(self, name: str) -> str | None:
        """Where a library's own directory is: beside the libraries that the linker finds."""
        places = (os.path.join(directory, name) for directory in self.library_directories)
        return next((path for path in places if os.path.isdir(path)), None)

    def check(self, library: SystemLibrary, variant: str = "") -> Installed | NotInstalled:
        """Looks whether the library is there as its data say, in the given variant or else the first that is."""
        checked = [self._checked(each) for each in library.of_variants(variant)]
        return next((found for found in checked if isinstance(found, Installed)), checked[0])

    def _checked(self, library: SystemLibrary) -> Installed | NotInstalled:
        try:
            return self._check(library)
        except WorkspaceError as error:
            first = error.diagnostic
            where = f"{first.location}: " if first.location else ""
            return self._refused(library, [where + first.message])

    def _refused(self, library: SystemLibrary, problems: Iterable[str]) -> NotInstalled:
        return NotInstalled(library, tuple(problems), self.purpose.architecture if self.purpose.crosses else "")

    @property
    def _for(self) -> str:
        return f" for {self.purpose.architecture}" if self.purpose.crosses and self.purpose.architecture else ""

    def _check(self, library: SystemLibrary) -> Installed | NotInstalled:
        problems: list[str] = []
        known = self.packages(library.package_names)
        packages: list[tuple[str, str]] = []
        for entry in library.packages:
            names = [name for name in alternatives(entry) if known and name in known]
            if known and names:
                packages.append((names[0], known[names[0]]))
            elif known is not None:
                problems.append("package '" + "' or '".join(alternatives(entry)) + f"' is not installed{self._for}")
        missing = [name for name in library.modules if self.pkg_config.module(name) is None]
        if library.modules and not missing:
            problems = []  # whoever built it without a package has told pkg-config
        problems += [f"pkg-config knows no module '{name}'" for name in missing]
        if problems:
            return self._refused(library, problems)
        modules = [*library.modules, *self._more_modules(library)]
        cflags, libs = self.pkg_config.cflags(modules), self.pkg_config.libs(library.modules)
        include = [word[2:] for word in cflags if word.startswith("-I")]
        places = [word[2:] for word in libs if word.startswith("-L")]
        prefix = self.prefix(library.prefix) if library.prefix else ""
        if prefix is None:
            return self._refused(library, [f"no directory '{library.prefix}' is beside the libraries of the system"])
        if prefix:
            include.append(f"{prefix}/include")
            places.append(f"{prefix}/lib")
        version = self._version(library, packages)
        if library.version and version and not in_range(version, library.version):
            problems.append(f"its version is {version}, and {library.version} is wanted")
        problems += [f"header <{name}> is not found" for name in library.headers if self.header(name, include) is None]
        problems += [f"library -l{name} is not found" for name in library.libraries if not self.library(name, places)]
        own = [f"{prefix}/bin"] if prefix else []
        programs = {name: path for name in library.programs if (path := self.program(name, own)) is not None}
        problems += [f"program '{name}' is not in PATH" for name in library.programs if name not in programs]
        links = {}
        for place, target in library.links.items():
            target = target.replace("{prefix}", prefix)
            path = (target if os.path.exists(target) else None) if target[:1] == "/" else self.header(target, include)
            if path is not None:
                links[place] = path
        if problems:
            return self._refused(library, problems)
        return Installed(library, version, tuple(packages), tuple(modules), links, programs, prefix)

    def _version(self, library: SystemLibrary, packages: Sequence[tuple[str, str]]) -> str:
        if library.modules:
            module = self.pkg_config.module(library.modules[0])
            assert module is not None
            return module.version
        return upstream_version(packages[0][1]) if packages else ""

    def _more_modules(self, library: SystemLibrary) -> list[str]:
        found: dict[str, None] = {}
        for pattern in library.more_modules:
            if not pattern.endswith("*"):
                if self.pkg_config.module(pattern) is not None:
                    found[pattern] = None
                continue
            for directory in self.pkg_config.directories:
                if not os.path.isdir(directory):
                    continue
                for name, _ in self._filesystem.entries(directory):
                    if name.endswith(".pc") and name.startswith(pattern[:-1]):
                        found[name[: -len(".pc")]] = None
        return sorted(set(found) - set(library.modules))


def upstream_version(version: str) -> str:
    """A Debian version without epoch and revision."""
    match = _REVISION.fullmatch(version)
    assert match is not None
    return match[1]


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()

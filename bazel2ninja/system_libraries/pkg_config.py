"""pkg-config's files: what a library's headers and linking need.

The files are read here, since what was read makes the manifest's dependencies and one module's own flags are wanted
apart from those of the modules behind it; `pkg-config` itself only says where it looks.  The form of the files: pc(5).
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Mapping, Sequence

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError
from bazel2ninja.filesystem import FileSystem
from bazel2ninja.records import dataclass

Run = Callable[[Sequence[str]], str | None]
"""Runs a program and gives its standard output, None when it is not there or fails."""

_LINE = re.compile(r"([A-Za-z0-9_.]+)\s*([:=])\s*(.*)")
_REFERENCE = re.compile(r"\$\{([A-Za-z0-9_.]+)\}")
_OPERATORS = frozenset(("=", "<", ">", "<=", ">=", "!="))
_FOREIGN = (
    "/usr/local/lib/{}/pkgconfig",
    "/usr/local/share/pkgconfig",
    "/usr/lib/{}/pkgconfig",
    "/usr/share/pkgconfig",
)
_NESTING = 32  # of ${...}: deeper means that variables name each other in a circle


def running_in(environment: Mapping[str, str]) -> Run:
    """Runs programs with this environment, their messages untranslated; what they print on both ways comes back."""
    untranslated = {**environment, "LC_ALL": "C.UTF-8"}

    def run(words: Sequence[str]) -> str | None:
        import shutil  # of no use without libraries of the system

        program = shutil.which(words[0], path=environment.get("PATH"))
        if program is None:
            return None
        import subprocess  # most runs start no program

        try:
            done = subprocess.run(
                [program, *words[1:]],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=untranslated,
            )
        except OSError:
            return None
        return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else None

    return run


@dataclass(frozen=True, slots=True)
class PkgConfigModule:
    """One .pc file.  cflags, libs: its own words; requires: names of further modules, private ones for headers only."""

    name: str
    path: str
    version: str
    cflags: tuple[str, ...]
    libs: tuple[str, ...]
    requires: tuple[str, ...]
    private_requires: tuple[str, ...]


class PkgConfig:
    """The modules that pkg-config would find with this environment (PKG_CONFIG, _PATH, _LIBDIR, _SYSROOT_DIR).

    prefix: of the program that knows the libraries of another machine.  Where that is not installed, it is Debian's
    directories for `multiarch`.
    """

    def __init__(
        self,
        filesystem: FileSystem,
        environment: Mapping[str, str],
        run: Run | None = None,
        *,
        prefix: str = "",
        multiarch: str = "",
    ):
        self._prefix = prefix
        self._multiarch = multiarch
        self._filesystem = filesystem
        self._environment = environment
        self._run = run or running_in(environment)
        self._modules: dict[str, PkgConfigModule | None] = {}
        self._directories: tuple[str, ...] | None = None

    @property
    def directories(self) -> tuple[str, ...]:
        """Where it looks, first to last; raises WorkspaceError when there is no pkg-config to ask."""
        if self._directories is None:
            first = self._environment.get("PKG_CONFIG_PATH", "")
            second = self._environment.get("PKG_CONFIG_LIBDIR")
            if second is None:
                words = shlex.split(self._environment.get("PKG_CONFIG") or self._prefix + "pkg-config")
                second = self._run([*words, "--variable", "pc_path", "pkg-config"])
                if second is None and self._multiarch and words == [self._prefix + "pkg-config"]:
                    second = ":".join(place.format(self._multiarch) for place in _FOREIGN)
                if second is None:
                    raise WorkspaceError(
                        Diagnostic(
                            f"cannot run '{words[0]}', which tells where libraries are",
                            help="install the Debian package pkg-config, or name the program in PKG_CONFIG",
                        )
                    )
            named = [part for text in (first, second) for part in text.strip().split(":") if part]
            self._directories = tuple(dict.fromkeys(named))
        return self._directories

    def module(self, name: str) -> PkgConfigModule | None:
        """A module, None when no directory has it; raises WorkspaceError when its file cannot be read."""
        if name not in self._modules:
            self._modules[name] = self._find(name)
        return self._modules[name]

    def _find(self, name: str) -> PkgConfigModule | None:
        for directory in self.directories:
            path = f"{directory}/{name}.pc"
            if self._filesystem.is_file(path):
                return self._read(name, path)
        return None

    def _read(self, name: str, path: str) -> PkgConfigModule:
        root = self._environment.get("PKG_CONFIG_SYSROOT_DIR", "")
        variables = {"pcfiledir": os.path.dirname(path), "pc_sysrootdir": root or "/"}
        fields: dict[str, str] = {}
        text = self._filesystem.read(path).decode("utf-8", "replace").replace("\\\r\n", "\n").replace("\\\n", " ")
        for number, line in enumerate(text.splitlines(), 1):
            match = _LINE.fullmatch(_without_comment(line).strip())
            if match is None:
                continue
            value = _expanded(match[3].strip(), variables, Location(path, number))
            if match[2] == "=":
                variables.setdefault(match[1], value)
            else:
                fields[match[1].lower()] = value
        try:
            cflags, libs = shlex.split(fields.get("cflags", "")), shlex.split(fields.get("libs", ""))
        except ValueError as error:
            raise WorkspaceError(Diagnostic(f"bad quotes: {str(error).lower()}", Location(path))) from None
        return PkgConfigModule(
            name,
            path,
            fields.get("version", ""),
            tuple(_below(root, word) for word in joined(cflags)),
            tuple(_below(root, word) for word in joined(libs)),
            _names(fields.get("requires", "")),
            _names(fields.get("requires.private", "")),
        )

    def closure(self, names: Sequence[str], *, private: bool = False) -> list[PkgConfigModule]:
        """The modules and all that they require, each before what it requires.

        private: those that only headers need count too; such a one may be absent, as in pkgconf.  Modules may require
        each other (font libraries do).  Raises WorkspaceError when a module is absent.
        """
        found: dict[str, PkgConfigModule] = {}
        self._visit([(name, "") for name in names], private, found, set())
        return list(reversed(found.values()))

    def _visit(
        self, wanted: Sequence[tuple[str, str]], private: bool, found: dict[str, PkgConfigModule], begun: set[str]
    ) -> None:
        """Adds what is wanted (name, file that requires it) to `found`, behind what it requires."""
        for name, requirer in reversed(wanted):
            if name in begun:
                continue
            begun.add(name)
            module = self.module(name)
            if module is None:
                raise WorkspaceError(
                    Diagnostic(
                        f"pkg-config knows no module '{name}'",
                        Location(requirer) if requirer else None,
                        help="install the -dev package that has it",
                    )
                )
            below = [(each, module.path) for each in module.requires]
            if private:
                below += [(each, module.path) for each in module.private_requires if self.module(each) is not None]
            self._visit(below, private, found, begun)
            found[name] = module

    def cflags(self, names: Sequence[str]) -> list[str]:
        """As `pkg-config --cflags` says, including directories that the compiler knows; the first of equal words."""
        return list(dict.fromkeys(word for module in self.closure(names, private=True) for word in module.cflags))

    def libs(self, names: Sequence[str]) -> list[str]:
        """As `pkg-config --libs` says, including directories that the linker knows; the last of equal words."""
        return last_of_equal(word for module in self.closure(names) for word in module.libs)


def last_of_equal(words: object) -> list[str]:
    """The words, each where it stands last: a library comes after whatever uses it."""
    assert not isinstance(words, str)
    return list(reversed(dict.fromkeys(reversed(list(words)))))  # type: ignore[call-overload]


def joined(words: Sequence[str]) -> list[str]:
    """Words in which an option and its argument are one: "-I dir" is "-Idir", "-framework X" stays two in one."""
    result: list[str] = []
    pending = ""
    for word in words:
        if pending:
            result.append(pending + word)
            pending = ""
        elif word in ("-I", "-L", "-l", "-D", "-isystem", "-idirafter"):
            pending = word
        else:
            result.append(word)
    return result


def _below(root: str, word: str) -> str:
    """A word of Cflags or Libs with the directory of a sysroot before its path."""
    if root and root != "/" and word.startswith(("-I/", "-L/")):
        return word if word[2:].startswith(root) else word[:2] + root.rstrip("/") + word[2:]
    return word


def _without_comment(line: str) -> str:
    position = line.find("#")
    while position > 0 and line[position - 1] == "\\":
        position = line.find("#", position + 1)
    return line if position < 0 else line[:position]


def _expanded(text: str, variables: Mapping[str, str], location: Location) -> str:
    for _ in range(_NESTING):
        unknown = [name for name in _REFERENCE.findall(text) if name not in variables]
        if unknown:
            raise WorkspaceError(Diagnostic(f"variable '{unknown[0]}' is not defined", location))
        expanded = _REFERENCE.sub(lambda match: variables[match[1]], text)
        if expanded == text:
            return text
        text = expanded
    raise WorkspaceError(Diagnostic("variables name each other in a circle", location))


def _names(text: str) -> tuple[str, ...]:
    """Module names of Requires, without the versions that they are to have."""
    spaced = re.sub(r"(<=|>=|!=|(?<![<>!])=|<(?!=)|>(?!=))", r" \1 ", text)
    names: list[str] = []
    words = iter(spaced.replace(",", " ").split())
    for word in words:
        if word in _OPERATORS:
            next(words, None)
        else:
            names.append(word)
    return tuple(dict.fromkeys(names))

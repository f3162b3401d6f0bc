"""Which libraries of the system stand for which repositories in this run."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from bazel2ninja.diagnostics import Diagnostic, Note, WorkspaceError
from bazel2ninja.loading.repository import OriginKind, Overlay, Repository
from bazel2ninja.system_libraries import overlay
from bazel2ninja.system_libraries.library import DATA_FILE, DIRECTORY, Choice, SystemLibrary, SystemLibraryTable
from bazel2ninja.system_libraries.machine import Installed, Machine, NotInstalled, Purpose

if TYPE_CHECKING:
    from pathlib import Path


class SystemLibraries:
    """Gives the overlays of repositories, checked on the machine when a repository is reached.

    options: the values of --system-libraries; raises UsageError when they are wrong.  side_directory: where overlays
    are laid.  directory: of the data.  used: what stands for a repository now, library by library.
    """

    def __init__(
        self, machine: Machine, options: Sequence[str], side_directory: str, directory: str | Path = DIRECTORY
    ):
        self.machine = machine
        self._directory = directory
        self.choice = Choice.parse(options, self.table) if options else Choice()
        self._side_directory = side_directory
        self._checked: dict[str, Installed | NotInstalled] = {}
        self.used: dict[str, Installed] = {}

    def serve(self, purpose: Purpose) -> None:
        """Libraries are for that machine from now on; what was found for another one does not count."""
        if purpose != self.machine.purpose:
            self.machine.serve(purpose)
            self._checked.clear()
            self.used.clear()

    @functools.cached_property
    def table(self) -> SystemLibraryTable:
        """All known libraries; most runs need none, so they are read when something asks."""
        from pathlib import Path

        return SystemLibraryTable.read(Path(self._directory))

    @functools.cached_property
    def _texts(self) -> list[str]:
        """The data of all libraries as they are written: soon read, and mostly they say nothing of what is asked."""
        texts = []
        for name in os.listdir(self._directory):
            path = os.path.join(self._directory, name, DATA_FILE)
            if os.path.isfile(path):
                with open(path, encoding="utf-8") as file:
                    texts.append(file.read())
        return texts

    def _find(self, names: Sequence[str]) -> SystemLibrary | None:
        if not any(f'"{name}"' in text for text in self._texts for name in names):
            return None
        return self.table.find(names)

    def checked(self, library: SystemLibrary) -> Installed | NotInstalled:
        """What the machine says about a library, asked once."""
        found = self._checked.get(library.name)
        if found is None:
            # one question for all packages: each costs as much as all of them
            self.machine.packages(name for each in self.table.libraries.values() for name in each.package_names)
            wanted = self.choice.variants.get(library.name, "")
            found = self._checked[library.name] = self.machine.check(library, wanted)
        return found

    def demanded(self, names: Sequence[str]) -> Overlay | None:
        """The overlay of a repository that --system-libraries asks for; `names` are all names of the repository.

        Raises WorkspaceError when the library is not there as it must be.
        """
        if not self.choice.demanding:
            return None
        library = self.table.find(names)
        if library is None or not self.choice.demands(library):
            return None
        checked = self.checked(library)
        if isinstance(checked, NotInstalled):
            raise WorkspaceError(not_usable(checked, names[0]))
        return self._overlay(checked, "--system-libraries")

    def available(self, names: Sequence[str]) -> Overlay | None:
        """The overlay of a repository that is nowhere else, None when there is none that may and can serve."""
        library = self._find(names)
        if library is None or not self.choice.allows(library):
            return None
        checked = self.checked(library)
        return self._overlay(checked, "nothing else provides it") if isinstance(checked, Installed) else None

    def absence_notes(self, names: Sequence[str]) -> tuple[Note, ...]:
        """Why the system's library does not serve a repository that is nowhere else."""
        library = self.table.find(names)
        if library is None:
            return ()
        if not self.choice.allows(library):
            return (Note(f"the system library '{library.name}' is ruled out by --system-libraries"),)
        checked = self.checked(library)
        if isinstance(checked, Installed):
            return ()
        message = f"the system library '{library.name}' could serve, but {'; '.join(checked.problems)}"
        return (Note(message + _install(checked)),)

    def _overlay(self, installed: Installed, why: str) -> Overlay:
        directory = os.path.join(self._side_directory, "system", installed.library.name)
        if installed.library.name not in self.used:
            overlay.lay(installed, self.machine, directory)
            self.used[installed.library.name] = installed
        return Overlay(
            directory, f"system library {installed}, because {why}" if why[0] != "-" else f"{why}: {installed}"
        )

    def check_mixture(self, repositories: Iterable[tuple[Sequence[str], Repository]]) -> None:
        """Raises WorkspaceError when headers of two copies of one library would meet.

        repositories: those whose targets the build uses, each with all its names.  The main one may be such a copy too.
        """
        if not self.used:
            return
        found = list(repositories)
        serving: dict[str, str] = {}
        copies: dict[str, Repository] = {}
        for names, repository in found:
            library = self.table.find(names)
            if library is None:
                continue
            if repository.origin.kind is OriginKind.OVERLAY:
                serving[library.name] = repository.name
            elif not repository.sourceless and repository.origin.kind not in (
                OriginKind.BUILTIN,
                OriginKind.BUILD_ONLY,
            ):
                copies.setdefault(library.name, repository)
        for name, served in serving.items():
            for brought in self._brought_by(self.used[name]):
                copy = copies.get(brought.name)
                if copy is not None:
                    raise WorkspaceError(self._mixture(self.used[name], served, brought, copy))

    def _brought_by(self, installed: Installed) -> list[SystemLibrary]:
        """The libraries whose headers come with this one: what the data say, and what its .pc files require."""
        found = {each.name: each for each in self.table.brought_by(installed.library)}
        for module in self.machine.pkg_config.closure(installed.modules):
            library = self.table.of_module(module.name)
            if library is not None and library is not installed.library:
                found.setdefault(library.name, library)
        return list(found.values())

    def _mixture(self, installed: Installed, served: str, brought: SystemLibrary, copy: Repository) -> Diagnostic:
        where = f"repository '@{copy.name}' ({copy.origin})" if copy.name else "this workspace itself"
        packages = ", ".join(brought.wanted_packages)
        return Diagnostic(
            f"the system library '{installed.library.name}', which serves '@{served}', includes the system's "
            f"'{brought.name}', and {where} is another copy of that library",
            help=f"take both from the system (--system-libraries={brought.name}, Debian package {packages}), "
            f"or neither (--system-libraries=-{installed.library.name}, and vendor '@{served}')",
        )


def not_usable(checked: NotInstalled, repository: str) -> Diagnostic:
    """The error of a library that is asked for and cannot serve."""
    library = checked.library
    install = _install(checked).removeprefix("; ")
    return Diagnostic(
        f"the system library '{library.name}' cannot serve repository '@{repository}': {checked.problems[0]}",
        help=(install + "; " if install else "")
        + f"or leave it out with --system-libraries=-{library.name} and vendor the repository",
        notes=tuple(Note(problem) for problem in (*checked.problems[1:], *library.notes)),
    )


def _install(checked: NotInstalled) -> str:
    library = checked.library
    if not library.packages:
        return ""
    if checked.architecture:
        # packages without code for a machine are named without it, and those are not known here
        return f"; install for {checked.architecture}: {' '.join(library.wanted_packages)}"
    return f"; install it with: apt install {' '.join(library.wanted_packages)}"

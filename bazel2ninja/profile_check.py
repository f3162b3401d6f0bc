"""Checks of a profile: of what a repository rule found on the machine, and of files that are known not to build.

A rule that looks for a toolkit writes the toolkit's version and what it is to be used for into a file; whether the one
can do the other shows late, when the toolkit runs, unless somebody knows and says so.  So it is with a source file that
was written for older libraries: the compiler tells, hours later, and some faults show only when the program runs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError
from bazel2ninja.records import dataclass

Version = tuple[int, ...]

_NUMBERS = re.compile(r"\d+(?:\.\d+)*")


@dataclass(frozen=True, slots=True)
class Check:
    """One [[check]] of a profile.

    file: in the repository; where `version` (one group) finds nothing in it, nothing is checked.  asked: finds the text
    (one group) in which `item` finds each thing that was asked for, its groups with dots between them.  needs: thing ->
    (text of the range, whether a version is in it).  what, of: names of such a thing and of what has the
    version, for the message.
    """

    repository: str
    file: str
    version: re.Pattern[str]
    asked: re.Pattern[str]
    item: re.Pattern[str]
    what: str
    of: str
    needs: Mapping[str, tuple[str, Callable[[Version], bool]]]
    help: str
    profile: str

    def run(self, directory: str) -> None:
        """Checks the repository in a directory; raises WorkspaceError."""
        text = _text(os.path.join(directory, self.file))
        if text is None:
            return
        found, asked = self.version.search(text), self.asked.search(text)
        if found is None or asked is None:
            return
        version = tuple(int(part) for part in found[1].split(".") if part.isdigit())
        for match in self.item.finditer(asked[1]):
            thing = ".".join(group for group in match.groups() if group)
            if thing not in self.needs:
                known = ", ".join(self.needs)
                message = f"nothing is known about {self.what} {thing!r} (profile {self.profile})"
                raise WorkspaceError(Diagnostic(message, help=f"{self.help}; known: {known}"))
            wanted, holds = self.needs[thing]
            if not holds(version):
                message = f"{self.what} {thing} needs {self.of} {wanted}, and {self.of} {found[1]} was found"
                raise WorkspaceError(Diagnostic(message, help=self.help))


def run(checks: Iterable[Check], repository: str, directory: str) -> None:
    """Runs those for a repository; raises WorkspaceError."""
    for check in checks:
        if check.repository == repository:
            check.run(directory)


@dataclass(frozen=True, slots=True)
class Component:
    """One [[component]] of a profile: something whose version a repository rule finds on the machine.

    file: in the repository; `version` has one group, the number.
    """

    name: str
    repository: str
    file: str
    version: re.Pattern[str]

    def found(self, directory: str) -> str:
        """The version that the file in a repository's directory tells, "" when it tells none."""
        text = _text(os.path.join(directory, self.file))
        match = self.version.search(text) if text is not None else None
        return match[1] if match is not None else ""


@dataclass(frozen=True, slots=True)
class Incompatibility:
    """One [[incompatibility]] of a profile: what in a file of the tree does not go with newer libraries.

    files: below the source directory.  pattern: finds each place in them; where `unless` finds something, the file has
    been mended.  component: the name of a Component or of a library of the system, "" when it matters everywhere;
    range, holds: the versions of it that it matters for.  location: of the entry.
    """

    files: tuple[str, ...]
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None
    component: str
    range: str
    holds: Callable[[Version], bool]
    symptom: str
    reason: str
    remedy: str
    profile: str
    location: Location

    def places(self, path: str) -> list[Location]:
        """Where the file at `path` has it; a file that is absent has it nowhere."""
        text = _text(path)
        if text is None or (self.unless is not None and self.unless.search(text)):
            return []
        found: dict[int, Location] = {}
        for match in self.pattern.finditer(text):
            start = match.start()
            line = text.count("\n", 0, start) + 1
            found.setdefault(line, Location(path, line, start - text.rfind("\n", 0, start)))
        return list(found.values())

    def matters_with(self, version: str) -> bool:
        """Whether it does with a version of its component."""
        numbers = _NUMBERS.match(version)
        return numbers is not None and self.holds(tuple(map(int, numbers[0].split("."))))


def _text(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return None

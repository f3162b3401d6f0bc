"""Checks of a profile: what a repository rule found on the machine must be able to do what it was asked for.

A rule that looks for a toolkit writes the toolkit's version and what it is to be used for into a file; whether the one
can do the other shows late, when the toolkit runs, unless somebody knows and says so.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping

from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.records import dataclass

Version = tuple[int, ...]


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
        try:
            with open(os.path.join(directory, self.file), encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError:
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

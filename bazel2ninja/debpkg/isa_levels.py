"""The processor levels that glibc's loader knows, and what the compiler and the linker are told for each.

The loader takes a library from glibc-hwcaps/LEVEL when the processor has it: ld.so(8), "glibc-hwcaps"; the names are
those of glibc 2.33's NEWS and of `ld.so --help`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError, suggestion


@dataclass(frozen=True, slots=True)
class IsaLevel:
    """machine: the first word of the GNU triplet; compile: the compiler's option; mark: the linker's, "" for none.

    A marked library is refused by the loader of a processor that lacks the level, instead of dying on an instruction.
    """

    name: str
    machine: str
    compile: str
    mark: str = ""

    @property
    def directory(self) -> str:
        """Below the directory of libraries."""
        return f"glibc-hwcaps/{self.name}"


LEVELS = (
    *(IsaLevel(f"x86-64-v{n}", "x86_64", f"-march=x86-64-v{n}", f"-Wl,-z,x86-64-v{n}") for n in (2, 3, 4)),
    *(IsaLevel(f"power{n}", "powerpc64le", f"-mcpu=power{n}") for n in (9, 10)),
    *(IsaLevel(f"z{n}", "s390x", f"-march=z{n}") for n in (13, 14, 15, 16)),
)


def levels(names: Iterable[str], location: Location | None = None) -> tuple[IsaLevel, ...]:
    """The levels of these names; raises WorkspaceError for one that the loader does not know."""
    known = {level.name: level for level in LEVELS}
    found = []
    for name in names:
        if name not in known:
            raise WorkspaceError(
                Diagnostic(
                    f"no processor level '{name}'",
                    location,
                    help=suggestion(name, known) or f"glibc knows {', '.join(known)}",
                )
            )
        found.append(known[name])
    return tuple(dict.fromkeys(found))

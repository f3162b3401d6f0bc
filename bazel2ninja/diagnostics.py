"""What went wrong, where, and what the user can do about it.

A `Diagnostic` is a value; it becomes text once, at the edge of the program (`render`).  Layers raise `WorkspaceError`
for what the user must mend and `InternalError` for a bug of ours; the command line maps them to exit statuses 1 and 70.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from bazel2ninja.records import dataclass, replace


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a text file: 1-based line and column, the column counted in characters; 0 means unknown."""

    path: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.path
        return f"{self.path}:{self.line}:{self.column}" if self.column else f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Note:
    """A second place, or a further fact, that explains a diagnostic."""

    message: str
    location: Location | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message.

    frames: a Starlark call stack, outermost first: (location, function name).  cause: a name for what is at fault when
    it shows in many places, "" when the place itself is.
    """

    message: str
    location: Location | None = None
    severity: str = "error"
    help: str | None = None
    notes: tuple[Note, ...] = ()
    frames: tuple[tuple[Location, str], ...] = ()
    length: int = 0  # characters to underline, 0 when only the column is known
    cause: str = ""


class WorkspaceError(Exception):
    """The workspace, the command line or the machine is at fault; `status` is the exit status it leads to."""

    status = 1

    def __init__(self, *diagnostics: Diagnostic | str):
        self.diagnostics: tuple[Diagnostic, ...] = tuple(
            Diagnostic(d) if isinstance(d, str) else d for d in diagnostics
        )
        super().__init__("; ".join(d.message for d in self.diagnostics))

    @property
    def diagnostic(self) -> Diagnostic:
        return self.diagnostics[0]

    def retold(self, first: Diagnostic) -> WorkspaceError:
        """A copy whose first diagnostic is `first`: the error itself may be remembered, and told again elsewhere."""
        copy = self.__class__.__new__(self.__class__)
        copy.__dict__.update(self.__dict__)
        copy.args = self.args
        copy.diagnostics = (first, *self.diagnostics[1:])
        return copy

    def at(self, location: Location | None, *notes: Note) -> WorkspaceError:
        """The same error, placed at `location` where it had no place yet, with further notes."""
        first = self.diagnostics[0]
        placed = replace(first, location=first.location or location, notes=first.notes + notes)
        self.diagnostics = (placed, *self.diagnostics[1:])
        return self


class UsageError(WorkspaceError):
    """The command line itself is wrong."""

    status = 2


class InternalError(Exception):
    """A bug in bazel2ninja."""

    status = 70


def suggestion(name: str, candidates: Iterable[str]) -> str | None:
    """ "did you mean 'deps'?" for the candidate closest to `name`, or None when none is close."""
    import difflib  # nothing is wrong in most runs

    match = difflib.get_close_matches(name, list(candidates), n=1, cutoff=0.6)
    return f"did you mean {match[0]!r}?" if match else None


def render(diagnostic: Diagnostic, read_line: Callable[[Location], str | None] = lambda location: None) -> str:
    """The text of a diagnostic; `read_line` gives the source line of a location, or None when it cannot be shown."""
    where = f"{diagnostic.location}: " if diagnostic.location else ""
    lines = []
    frames = diagnostic.frames
    if len(frames) > 1:
        lines.append("Traceback (most recent call last):")
        for location, function in frames:
            lines.append(f"  {location}, in {function}")
    lines.append(f"{where}{diagnostic.severity}: {diagnostic.message}")
    lines.extend(_excerpt(diagnostic, read_line))
    if diagnostic.help:
        lines.append(f"help: {diagnostic.help}")
    for note in diagnostic.notes:
        lines.append(f"note: {note.message}" + (f" ({note.location})" if note.location else ""))
    return "\n".join(lines)


def by_cause(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """One diagnostic for each cause, the first told, with a note that says how many more there were.

    The cause is the one that is named, or else the place with its message.
    """
    first: dict[object, Diagnostic] = {}
    more: Counter[object] = Counter()
    for diagnostic in diagnostics:
        cause: object = diagnostic.cause or (diagnostic.location, diagnostic.message)
        if first.setdefault(cause, diagnostic) is not diagnostic:
            more[cause] += 1
    found = []
    for cause, diagnostic in first.items():
        if more[cause]:
            note = Note(f"{more[cause]} further target{'s need' if more[cause] > 1 else ' needs'} it")
            diagnostic = replace(diagnostic, notes=(*diagnostic.notes, note))
        found.append(diagnostic)
    return found


_EXCERPT_WIDTH = 160  # a longer source line is a generated one, and would hide the message


def _excerpt(diagnostic: Diagnostic, read_line: Callable[[Location], str | None]) -> list[str]:
    location = diagnostic.location
    if location is None or not location.line:
        return []
    text = read_line(location)
    if text is None or len(text) > _EXCERPT_WIDTH:
        return []
    if not location.column:
        return ["    " + text]
    padding = "".join("\t" if c == "\t" else " " for c in text[: location.column - 1])
    return ["    " + text, "    " + padding + "^" + "~" * max(0, diagnostic.length - 1)]

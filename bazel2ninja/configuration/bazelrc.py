"""Reading .bazelrc files: lines of `command[:config] option...`, https://bazel.build/run/bazelrc.

The words are those of Bazel's client: blanks separate, quotes of both kinds group, a backslash takes the next character
as it is (in quotes too), `#` outside quotes starts a comment even inside a word, a backslash at the end of a line
continues it (comments too).  Only the workspace's own file and those named by --bazelrc are read: a build must not
depend on the machine's or the user's.  Until 0.18 tools/bazel.rc was the workspace's own, too (bazelbuild/bazel#6319).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence

from bazel2ninja.diagnostics import Diagnostic, Location, Note, WorkspaceError
from bazel2ninja.filesystem import FileSystem
from bazel2ninja.records import dataclass

WORKSPACE_FILE = ".bazelrc"
TOOLS_FILE = "tools/bazel.rc"

INHERITED: dict[str, tuple[str, ...]] = {
    "build": ("always", "common", "build"),
    "test": ("always", "common", "build", "test"),
    "coverage": ("always", "common", "build", "test", "coverage"),
    "run": ("always", "common", "build", "run"),
    "aquery": ("always", "common", "build", "aquery"),
    "cquery": ("always", "common", "build", "cquery"),
    "query": ("always", "common", "query"),
}
"""Sections whose options a command takes, first to last."""

COMMANDS = frozenset(INHERITED) | frozenset(
    (
        *("always", "common", "startup", "analyze-profile", "canonicalize-flags", "clean", "config", "dump", "fetch"),
        *("help", "info", "license", "mobile-install", "mod", "modquery", "print_action", "shutdown", "sync"),
        *("vendor", "version"),
    )
)
"""What may stand before the colon."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One word of a command line; `location` is None for the real one, `section` the command it was written for."""

    text: str
    location: Location | None = None
    section: str = ""


@dataclass(frozen=True, slots=True)
class RcLine:
    """`section[:config] arguments...`; `config` is None for options that always hold."""

    section: str
    config: str | None
    arguments: tuple[Argument, ...]
    location: Location


@dataclass(frozen=True, slots=True)
class Bazelrc:
    """All lines of all files, imports in their place."""

    lines: tuple[RcLine, ...] = ()
    files: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()

    def arguments(self, section: str, config: str | None = None) -> tuple[Argument, ...]:
        """Words of all lines of `section:config`, in order."""
        return tuple(
            argument
            for line in self.lines
            if line.section == section and line.config == config
            for argument in line.arguments
        )

    def defines(self, config: str, sections: Sequence[str]) -> bool:
        """Whether one of `sections` has a line for `config`."""
        return any(line.config == config and line.section in sections for line in self.lines)

    @property
    def configs(self) -> tuple[str, ...]:
        """Names of all configs, in order of appearance."""
        return tuple(dict.fromkeys(line.config for line in self.lines if line.config is not None))


_PIECE = r"""[^ \n\t\r\\'"\#]+ | \\\r?\n | \\.? | "(?:[^"\\\n]|\\\r?\n|\\.)*"? | '(?:[^'\\\n]|\\\r?\n|\\.)*'?"""
_TOKEN = re.compile(
    rf"""(?P<blank>[ \t\r]+) | (?P<newline>\n) | (?P<comment>\#(?:\\\r?\n|[^\n])*) | (?P<word>(?:{_PIECE})+)""",
    re.VERBOSE,
)
_CONTINUATIONS = re.compile(r"(?:\\\r?\n)+")
_QUOTING = re.compile(r"\\\r?\n|\\(?P<escaped>.?)|(?P<quote>[\"'])", re.DOTALL)


def _unquote(word: str) -> str:
    if not ("\\" in word or '"' in word or "'" in word):
        return word
    parts = []
    open_quote = ""
    end = 0
    for match in _QUOTING.finditer(word):
        quote = match["quote"]
        if quote and open_quote and quote != open_quote:
            continue
        parts.append(word[end : match.start()])
        end = match.end()
        if quote:
            open_quote = "" if open_quote else quote
        elif match["escaped"]:
            parts.append(match["escaped"])
    parts.append(word[end:])
    return "".join(parts)


def words(text: str, path: str) -> list[list[tuple[str, Location]]]:
    """The logical lines of a file that hold words, each word with the place where it starts."""
    lines: list[list[tuple[str, Location]]] = []
    current: list[tuple[str, Location]] = []
    number, line_start = 1, 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        token = match.group()
        if kind == "newline":
            if current:
                lines.append(current)
                current = []
        elif kind == "word":
            start = match.start()
            lead = _CONTINUATIONS.match(token)
            place, origin = number, line_start
            if lead:
                place += lead.group().count("\n")
                start += lead.end()
                origin = start
            word = _unquote(token)
            if word:
                current.append((word, Location(path, place, start - origin + 1)))
        newlines = token.count("\n")
        if newlines:
            number += newlines
            line_start = match.start() + token.rindex("\n") + 1
    if current:
        lines.append(current)
    return lines


class _Reader:
    def __init__(self, filesystem: FileSystem, workspace: str):
        self.filesystem = filesystem
        self.workspace = workspace
        self.lines: list[RcLine] = []
        self.files: list[str] = []
        self.warnings: list[Diagnostic] = []

    def read(self, path: str, importers: tuple[tuple[str, Location], ...] = ()) -> None:
        self.files.append(path)
        text = self.filesystem.read(path).decode("utf-8", "surrogateescape")
        for line in words(text, path):
            command, location = line[0]
            if command in ("import", "try-import"):
                self._import(line, path, importers)
                continue
            section, colon, config = command.partition(":")
            if colon and not config:
                raise WorkspaceError(Diagnostic(f"no config name after {command!r}", location, length=len(command)))
            if section not in COMMANDS:
                if not colon:
                    self.warnings.append(
                        Diagnostic(f"invalid command name {section!r}", location, "warning", length=len(command))
                    )
                continue
            arguments = tuple(Argument(word, place, section) for word, place in line[1:])
            self.lines.append(RcLine(section, config if colon else None, arguments, location))

    def _import(self, line: list[tuple[str, Location]], path: str, importers: tuple[tuple[str, Location], ...]) -> None:
        command, location = line[0]
        if len(line) != 2:
            raise WorkspaceError(Diagnostic(f"{command!r} takes one file name, got {len(line) - 1}", location))
        name, place = line[1]
        if name.startswith("%workspace%"):
            name = posixpath.join(self.workspace, name.removeprefix("%workspace%").lstrip("/"))
        name = posixpath.normpath(name)
        if name == path or any(name == importer for importer, _ in importers):
            chain = tuple(Note(f"{importer!r} imports the next one here", where) for importer, where in importers)
            raise WorkspaceError(Diagnostic(f"import loop: {name!r} imports itself", place, notes=chain))
        if not self.filesystem.is_file(name):
            if command == "try-import":
                return
            raise WorkspaceError(
                Diagnostic(
                    f"imported file {name!r} does not exist",
                    place,
                    help="use 'try-import' for a file that may be missing",
                )
            )
        self.read(name, (*importers, (path, place)))


def read_bazelrc(
    filesystem: FileSystem,
    workspace: str,
    additional: Iterable[str] = (),
    *,
    workspace_file: bool = True,
    tools_file: bool = False,
) -> Bazelrc:
    """The workspace's .bazelrc (unless told otherwise) and then the files named by --bazelrc.

    `workspace` is the directory of the main repository, all paths as the process opens them.  tools_file: whether
    tools/bazel.rc is the workspace's as well, the first one.  Raises WorkspaceError for files that are missing or
    malformed.
    """
    reader = _Reader(filesystem, workspace)
    for name in (*((TOOLS_FILE,) if tools_file else ()), WORKSPACE_FILE):
        path = posixpath.normpath(posixpath.join(workspace, name))
        if workspace_file and filesystem.is_file(path):
            reader.read(path)
    for name in additional:
        if name != "/dev/null":
            reader.read(posixpath.normpath(name))
    return Bazelrc(tuple(reader.lines), tuple(dict.fromkeys(reader.files)), tuple(reader.warnings))

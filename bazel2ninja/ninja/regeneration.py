"""When is the manifest out of date, and what had it been made from?

Ninja compares the times of the files and directories named in a depfile; that is cheap, and sees too much: a file that
was touched, an editor's backup in a directory.  So the command that it starts first compares what was really read with
what is there now (`State.changes`), and leaves the manifest alone when nothing has changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError
from bazel2ninja.ninja import syntax
from bazel2ninja.ninja.paths import SIDE
from bazel2ninja.ninja.sidefiles import write_if_changed
from bazel2ninja.records import dataclass

STATE = f"{SIDE}/regeneration.json"
DEPFILE = f"{SIDE}/regeneration.d"
_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """command: the words after the program's name; environment: every variable that was read, None when unset.

    directory: where the command ran, relative to the output root.  files: path -> (size, time in ns, digest), for a
    program the digest of its `statements`; directories: path -> digest of the sorted names; absent: paths that did not
    exist.  Paths are relative to the output root, or absolute for the system's.
    """

    command: tuple[str, ...]
    directory: str
    environment: Mapping[str, str | None]
    files: Mapping[str, tuple[int, int, str]]
    directories: Mapping[str, str]
    absent: tuple[str, ...]

    def is_program(self, path: str) -> bool:
        """Whether a file counts only for what it does as a program."""
        return self.files[path][2].startswith(_PROGRAM)

    def changes(self, output_root: str) -> list[str]:
        """What differs now from what was read, as paths; [] when the manifest is up to date."""
        changed = []
        for path, (size, time, digest) in self.files.items():
            place = os.path.join(output_root, path)
            try:
                status = os.stat(place)
                if status.st_size == size and status.st_mtime_ns == time:
                    same = True
                elif digest.startswith(_PROGRAM):
                    same = _program_digest(place) == digest
                else:
                    same = status.st_size == size and _file_digest(place) == digest
            except OSError:
                same = False
            if not same:
                changed.append(path)
        changed += [
            path for path, digest in self.directories.items() if _listing(os.path.join(output_root, path)) != digest
        ]
        if not os.path.exists(os.path.join(output_root, DEPFILE)):
            changed.append(DEPFILE)  # without it ninja takes the manifest for out of date, each time
        changed += [path for path in self.absent if os.path.lexists(os.path.join(output_root, path))]
        return sorted(changed)


def record(
    output_root: str,
    reads: Mapping[str, str],
    command: Sequence[str],
    environment: Mapping[str, str | None],
    names: dict[str, str] | None = None,
    old: State | None = None,
) -> State:
    """The state after a run that asked `reads` of the disk (`FileSystem.reads`, paths as the process opens them).

    names: takes what these paths are called in the state.  old: of an earlier run: files that are as they were then
    have the same digests.
    """
    before = old.files if old is not None else {}
    root = os.path.realpath(output_root)
    heads: dict[str, str] = {}
    files: dict[str, tuple[int, int, str]] = {}
    directories: dict[str, str] = {}
    absent: list[str] = []
    for path in sorted(reads):
        kind = reads[path]
        name = relative(path, root, heads)
        if names is not None:
            names[path] = name
        if kind == "absent":
            absent.append(name)
        elif kind == "directory":
            directories[name] = _listing(path)
        else:
            try:
                status = os.stat(path)
                size, time, digest = before.get(name, (-1, 0, ""))
                known = size == status.st_size and time == status.st_mtime_ns
                if not known or digest.startswith(_PROGRAM) != (kind == "program"):
                    digest = _program_digest(path) if kind == "program" else _file_digest(path)
                files[name] = (status.st_size, status.st_mtime_ns, digest)
            except OSError:
                absent.append(name)  # gone since: differs as soon as it comes back
    return State(
        command=tuple(command),
        directory=os.path.relpath(os.path.realpath("."), root),
        environment=dict(sorted(environment.items())),
        files=files,
        directories=directories,
        absent=tuple(absent),
    )


def renewed(old: State, new: State, output_root: str, changed: Iterable[str]) -> State:
    """`old` with what a later run has read, and with what has `changed` since brought up to date.

    What the later run did not ask for stays: somebody may still depend on it.
    """
    files, directories = {**old.files, **new.files}, {**old.directories, **new.directories}
    absent = {*old.absent, *new.absent}
    for name in (*changed, *new.files):
        place = os.path.join(output_root, name)
        if name in old.files and (name not in new.files or not old.files[name][2].startswith(_PROGRAM)):
            try:
                status = os.stat(place)
                program = old.files[name][2].startswith(_PROGRAM)
                content = _program_digest(place) if program else _file_digest(place)
                files[name] = (status.st_size, status.st_mtime_ns, content)
            except OSError:
                del files[name]
                absent.add(name)
        elif name in old.directories and name not in new.directories:
            directories[name] = _listing(place)
    absent -= files.keys()
    return State(
        command=old.command,
        directory=old.directory,
        environment={**old.environment, **new.environment},
        files=files,
        directories=directories,
        absent=tuple(sorted(absent)),
    )


def relative(path: str, root: str, heads: dict[str, str] | None = None) -> str:
    """`path`, as the process opens it, for a process in `root` (a real path); absolute paths elsewhere stay.

    heads: what is known of directories already: as the process opens them -> from `root`.

    Only the way to a path is freed of symbolic links, not its last part: the link itself may be what was read.
    """
    before, side, inside = path.partition(f"{SIDE}/external/")
    if side and os.path.realpath(before or ".") == root:
        return side + inside  # through our own link, wherever the repository lies
    if not os.path.isabs(path):
        # a relative path is the user's, and means the source or output tree
        head, tail = os.path.split(os.path.normpath(path))
        place = heads.get(head) if heads is not None else None
        if place is None:
            place = os.path.relpath(os.path.realpath(head or "."), root)
            if heads is not None:
                heads[head] = place
        return os.path.normpath(os.path.join(place, tail))
    real = os.path.normpath(path)
    return os.path.relpath(real, root) if real == root or real.startswith(root.rstrip("/") + "/") else real


def save(output_root: str, state: State) -> str:
    """Writes the state and returns the digest of its file."""
    document = {
        "version": _VERSION,
        "command": state.command,
        "directory": state.directory,
        "environment": state.environment,
        "files": state.files,
        "directories": state.directories,
        "absent": state.absent,
    }
    text = (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "surrogateescape")
    write_if_changed(os.path.join(output_root, STATE), text)
    return hashlib.sha256(text).hexdigest()


def state_digest(output_root: str) -> str:
    """Digest of the file of the last run's state, as `save` gives it; "" when there is none."""
    try:
        return hashlib.sha256(_content(os.path.join(output_root, STATE))).hexdigest()
    except OSError:
        return ""


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def doubt(output_root: str) -> None:
    """Makes ninja look at the manifest again, whatever it was made from, until `write_depfile`."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        os.unlink(os.path.join(output_root, DEPFILE))


def load(output_root: str) -> State:
    """The state of the last run; raises WorkspaceError when there is none or it is damaged."""
    path = os.path.join(output_root, STATE)
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            document = json.load(file)
        if document["version"] != _VERSION:
            raise ValueError
        return State(
            command=tuple(document["command"]),
            directory=document["directory"],
            environment=document["environment"],
            files={name: (size, time, digest) for name, (size, time, digest) in document["files"].items()},
            directories=document["directories"],
            absent=tuple(document["absent"]),
        )
    except (OSError, ValueError, KeyError, TypeError):
        raise WorkspaceError(
            Diagnostic(
                "cannot tell how the manifest was made", Location(path), help="run 'bazel2ninja generate' once more"
            )
        ) from None


def write_depfile(output_root: str, manifest: str, state: State) -> None:
    """The depfile of the regenerating edge: files, directories, and where something absent would appear.

    Ninja takes a path that does not exist for out of date, each time: the nearest directory that exists stands for it,
    and likewise for a path with characters that ninja does not read in a depfile.
    """
    watched: set[str] = set()
    for path in (*state.files, *state.directories, *state.absent):
        while not (syntax.depfile_readable(path) and os.path.exists(os.path.join(output_root, path))):
            path = os.path.dirname(path) or "."
        watched.add(path)
    lines = [f"{_depfile_word(manifest)}:", *(f" {_depfile_word(path)}" for path in sorted(watched))]
    write_if_changed(
        os.path.join(output_root, DEPFILE), (" \\\n".join(lines) + "\n").encode("utf-8", "surrogateescape")
    )


def require_own(output_root: str, manifest: str) -> None:
    """Raises WorkspaceError when what is kept here belongs to another manifest, which would be lost."""
    try:
        with open(os.path.join(output_root, DEPFILE), encoding="utf-8", errors="surrogateescape") as file:
            first = file.readline()
    except OSError:
        return
    if first.startswith(f"{_depfile_word(manifest)}:"):
        return
    other = re.sub(r"\\([ #])", r"\1", first.partition(": \\")[0].removesuffix(":\n")).replace("$$", "$")
    if os.path.exists(os.path.join(output_root, other)):
        place = os.path.normpath(os.path.join(output_root, manifest))
        raise WorkspaceError(
            Diagnostic(
                f"this directory has another manifest, '{other}'",
                Location(place),
                help=f"write each manifest into a directory of its own, or remove '{other}' and {SIDE}",
            )
        )


def _depfile_word(path: str) -> str:
    for special in (" ", "#"):
        path = path.replace(special, "\\" + special)
    return path.replace("$", "$$")


_PROGRAM = "program:"
_STRINGS_AND_COMMENTS = re.compile(
    rb"""("{3}(?:\\.|[^\\])*?"{3}|'{3}(?:\\.|[^\\])*?'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    rb"""|(?<!\\)(?<!\\\n)(?:\n[ \t]*(?:\#[^\n]*)?)+(?=\n|\Z)|(?:(?<=[^\\\n \t])[ \t]+)?\#[^\n]*""",
    re.DOTALL,
)


def statements(source: bytes) -> bytes:
    """A Starlark file without comments and empty lines.

    Files that are equal so far have the same tokens, so mean the same, but for the numbers of their lines.  A line
    after a backslash stays as it is: it belongs to the one before.
    """
    if b"\r" in source:  # by itself it ends a line, too
        return source
    return _STRINGS_AND_COMMENTS.sub(rb"\1", b"\n" + source)


def _program_digest(path: str) -> str:
    with open(path, "rb") as file:
        return _PROGRAM + hashlib.sha256(statements(file.read())).hexdigest()


def _file_digest(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _listing(path: str) -> str:
    """Digest of a directory's names and kinds; "" when it cannot be listed.  What ninja and we make does not count."""
    try:
        with os.scandir(path) as entries:
            names = sorted(
                f"{entry.name}/" if _is_directory(entry) else entry.name for entry in entries if not _made(entry.name)
            )
    except OSError:
        return ""
    return hashlib.sha256("\0".join(names).encode("utf-8", "surrogateescape")).hexdigest()


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself
        return False


def _made(name: str) -> bool:
    return name in (SIDE, "bazel-out", "build.ninja") or name.startswith((".ninja_", ".writing-"))


def environment_of(names: Iterable[str], environment: Mapping[str, str]) -> dict[str, str | None]:
    """The values of these variables, None for one that is not set."""
    return {name: environment.get(name) for name in names}

"""Applying unified diffs, git's extensions included, to a tree of files.

The format: https://www.gnu.org/software/diffutils/manual/html_node/Unified-Format.html and `git diff`.  A hunk may have
moved, but its context must match exactly (no fuzz), as in Bazel's own patch command.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError
from bazel2ninja.records import dataclass, field

_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_MODE = re.compile(rb"(?:new|new file|old|deleted file) mode (\d+)")


class PatchError(WorkspaceError):
    """The patch is malformed or does not apply."""


class PatchedTree(Protocol):
    """Where a patch is applied; paths are relative and have been checked by nobody: the tree refuses what escapes."""

    def content(self, path: str) -> bytes | None:
        """None when there is no such file."""
        ...

    def replace(self, path: str, content: bytes, executable: bool | None) -> None:
        """Writes a file; `executable` None leaves that as it is."""
        ...

    def remove(self, path: str) -> None: ...


@dataclass(slots=True)
class _Hunk:
    start: int  # 1-based line of the old file
    lines: list[bytes]  # each with its leading ' ', '-' or '+', and its line end
    line: int  # of the patch file

    def side(self, other: bytes) -> list[bytes]:
        return [line[1:] for line in self.lines if line[:1] != other]


@dataclass(slots=True)
class _FilePatch:
    line: int
    old: str | None = None
    new: str | None = None
    is_new: bool = False
    is_deleted: bool = False
    renames: bool = False
    copies: bool = False
    executable: bool | None = None
    hunks: list[_Hunk] = field(default_factory=list)


def _file_name(text: bytes) -> str:
    """The name in a '---' or '+++' line: up to a tab (a timestamp follows); git quotes unusual ones."""
    name = text.split(b"\t", 1)[0].rstrip()
    if name[:1] == b'"' and name[-1:] == b'"':
        name = name[1:-1].decode("unicode_escape").encode("latin-1")
    return name.decode("utf-8", "surrogateescape")


class _Parser:
    def __init__(self, content: bytes, path: str):
        self.lines = (
            content.splitlines(keepends=True) if b"\r" not in content else re.findall(rb"[^\n]*\n|[^\n]+$", content)
        )
        self.path = path
        self.position = 0

    def fail(self, message: str) -> PatchError:
        return PatchError(Diagnostic(message, Location(self.path, self.position + 1)))

    def parse(self) -> list[_FilePatch]:
        patches: list[_FilePatch] = []
        current: _FilePatch | None = None
        while self.position < len(self.lines):
            line = self.lines[self.position]
            following = self.lines[self.position + 1] if self.position + 1 < len(self.lines) else b""
            if line.startswith(b"diff --git "):
                current = _FilePatch(self.position + 1)
                self._git_names(current, line)
                patches.append(current)
            elif line.startswith(b"--- ") and following.startswith(b"+++ "):
                if current is None or current.hunks or current.line < 0:
                    current = _FilePatch(self.position + 1)
                    patches.append(current)
                self._names(current, line, following)
                self.position += 1
            elif line.startswith(b"@@ ") and current is not None:
                current.hunks.append(self._hunk(line))
                continue
            elif current is not None and not current.hunks:
                self._extended(current, line)
            self.position += 1
        return [
            patch
            for patch in patches
            if patch.hunks
            or patch.renames
            or patch.copies
            or patch.is_new
            or patch.is_deleted
            or patch.executable is not None
        ]

    def _git_names(self, patch: _FilePatch, line: bytes) -> None:
        rest = line[len(b"diff --git ") :].rstrip()
        middle = rest.find(b" b/")
        if middle > 0 and rest.startswith(b"a/"):
            patch.old, patch.new = _file_name(rest[:middle]), _file_name(rest[middle + 1 :])

    def _names(self, patch: _FilePatch, old: bytes, new: bytes) -> None:
        before, after = _file_name(old[4:]), _file_name(new[4:])
        if before == "/dev/null":
            patch.is_new = True
        if after == "/dev/null":
            patch.is_deleted = True
        patch.old = after if before == "/dev/null" else before
        patch.new = before if after == "/dev/null" else after

    def _extended(self, patch: _FilePatch, line: bytes) -> None:
        mode = _MODE.match(line)
        if mode and not line.startswith(b"old"):
            patch.executable = bool(int(mode[1], 8) & 0o100)
        if line.startswith(b"new file mode"):
            patch.is_new = True
        elif line.startswith(b"deleted file mode"):
            patch.is_deleted, patch.executable = True, None
        elif line.startswith((b"rename from ", b"copy from ")):
            patch.old = "a/" + _file_name(line.split(b" from ", 1)[1])
            patch.renames, patch.copies = line.startswith(b"rename"), line.startswith(b"copy")
        elif line.startswith((b"rename to ", b"copy to ")):
            patch.new = "b/" + _file_name(line.split(b" to ", 1)[1])
        elif line.startswith((b"GIT binary patch", b"Binary files ")):
            raise self.fail("a binary patch is not supported")

    def _hunk(self, line: bytes) -> _Hunk:
        match = _HUNK.match(line)
        if match is None:
            raise self.fail("malformed header of a hunk")
        start = int(match[1])
        old = int(match[2]) if match[2] is not None else 1
        new = int(match[4]) if match[4] is not None else 1
        hunk = _Hunk(start, [], self.position + 1)
        self.position += 1
        while old > 0 or new > 0:
            if self.position >= len(self.lines):
                raise self.fail("the patch ends in the middle of a hunk")
            line = self.lines[self.position]
            mark = line[:1]
            if mark in (b"\n", b"\r"):  # an empty context line whose blank an editor has cut off
                line, mark = b" " + line, b" "
            if mark == b"\\":
                self._without_newline(hunk)
            elif mark in (b" ", b"-", b"+"):
                old -= mark != b"+"
                new -= mark != b"-"
                hunk.lines.append(line)
            else:
                raise self.fail("a line of a hunk starts with none of ' ', '-' and '+'")
            self.position += 1
        if old < 0 or new < 0:
            raise self.fail("the hunk has more lines than its header says")
        if self.position < len(self.lines) and self.lines[self.position].startswith(b"\\"):
            self._without_newline(hunk)
            self.position += 1
        return hunk

    def _without_newline(self, hunk: _Hunk) -> None:
        """'\\ No newline at end of file' speaks of the line before it."""
        if hunk.lines:
            hunk.lines[-1] = hunk.lines[-1].rstrip(b"\n")


def _applied(content: bytes, hunks: list[_Hunk], fail: Callable[[_Hunk], PatchError]) -> bytes:
    lines = re.findall(rb"[^\n]*\n|[^\n]+$", content)
    result: list[bytes] = []
    taken = 0
    offset = 0
    for hunk in hunks:
        before = hunk.side(b"+")
        expected = max(hunk.start - 1, 0) + offset if before else hunk.start + offset
        where = _find(lines, before, expected, taken)
        if where is None:
            raise fail(hunk)
        offset += where - expected
        result += lines[taken:where] + hunk.side(b"-")
        taken = where + len(before)
    return b"".join(result + lines[taken:])


def _find(lines: list[bytes], wanted: list[bytes], expected: int, least: int) -> int | None:
    """The place nearest to `expected`, not before `least`, where `wanted` stands."""
    last = len(lines) - len(wanted)
    for distance in range(max(abs(last - expected), abs(expected - least)) + 1):
        for place in {expected - distance, expected + distance}:
            if least <= place <= last and lines[place : place + len(wanted)] == wanted:
                return place
    return None


def _strip(name: str, strip: int, line: int, path: str) -> str:
    parts = name.split("/")
    if len(parts) <= strip:
        raise PatchError(
            Diagnostic(f"cannot strip {strip} leading parts of the file name {name!r}", Location(path, line))
        )
    return "/".join(parts[strip:])


def apply_patch(content: bytes, path: str, tree: PatchedTree, strip: int = 0) -> None:
    """Applies the patch `content` (`path` names it in messages) to a tree.

    strip: how many leading parts of the file names to drop.  Raises PatchError; the failing file is then unchanged.
    """
    for patch in _Parser(content, path).parse():
        git = patch.renames or patch.copies
        if patch.old is None or patch.new is None:
            raise PatchError(Diagnostic("the patch names no file", Location(path, patch.line)))
        # git's extended headers carry names without a/ and b/, which _extended() has put back
        old = _strip(patch.old, strip if strip or not git else 1, patch.line, path)
        new = _strip(patch.new, strip if strip or not git else 1, patch.line, path)
        if not patch.is_new and not git and old != new and tree.content(old) is None:
            old = new
        before = tree.content(old)
        if before is None:
            if not patch.is_new:
                raise PatchError(Diagnostic(f"no file {old!r} to patch", Location(path, patch.line)))
            before = b""
        elif patch.is_new and before:
            raise PatchError(
                Diagnostic(f"the file {new!r} that the patch would add exists", Location(path, patch.line))
            )

        def fail(hunk: _Hunk, name: str = old) -> PatchError:
            return PatchError(
                Diagnostic(
                    f"the patch does not apply to {name!r}: the lines of this hunk are not there",
                    Location(path, hunk.line),
                )
            )

        after = _applied(before, patch.hunks, fail)
        if patch.is_deleted:
            if after:
                raise PatchError(
                    Diagnostic(f"the patch would delete {old!r}, which holds more", Location(path, patch.line))
                )
            tree.remove(old)
            continue
        tree.replace(new, after, patch.executable)
        if patch.renames and old != new:
            tree.remove(old)

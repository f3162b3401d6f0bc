"""What binutils tells about ELF files, as values."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError


@dataclass(frozen=True, slots=True)
class Symbol:
    """A defined symbol; kind, binding: readelf's words (FUNC, IFUNC; LOCAL, GLOBAL, WEAK).

    table: ".symtab" or ".dynsym"; source: for a local one, the source file of the object that it came from.
    """

    name: str
    address: int
    kind: str
    binding: str
    table: str
    source: str


def read_symbols(path: str) -> Iterator[Symbol]:
    table = source = ""
    for line in run(["readelf", "-W", "-s", path], path).splitlines():
        if line.startswith("Symbol table"):
            table, source = line.split("'")[1], ""
            continue
        words = line.split()
        if len(words) < 7 or not words[0][:-1].isdigit():
            continue
        kind, binding, section = words[3], words[4], words[6]
        name = words[7] if len(words) > 7 else ""
        if kind == "FILE":
            source = name
        elif section != "UND":
            yield Symbol(name, int(words[1], 16), kind, binding, table, source if binding == "LOCAL" else "")


def needed_level(path: str) -> str:
    """The processor level with which a file is marked, as `ld -z x86-64-v3` does: "x86-64-v3"; "" for none."""
    match = re.search(r"x86 ISA needed: ([^\n]*)", run(["readelf", "-W", "-n", path], path))
    marked = re.findall(r"x86-64-v\d", match[1]) if match else []
    return max(marked, default="")


def require_x86(path: str) -> None:
    """Raises WorkspaceError unless it is a linked file for x86-64."""
    if not os.path.isfile(path):
        raise WorkspaceError(Diagnostic("does not exist", Location(path)))
    header = run(["readelf", "-W", "-h", path], path)
    if "X86-64" not in header:
        raise WorkspaceError(Diagnostic("is no program or library for x86-64", Location(path)))
    if re.search(r"Type:\s+REL", header):
        raise WorkspaceError(
            Diagnostic("is not linked yet", Location(path), help="check the shared library or program it goes into")
        )


def run(command: Sequence[str], subject: str) -> str:
    """What a program says; raises WorkspaceError, placed at `subject`, when it cannot be run or fails."""
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False, env={**os.environ, "LC_ALL": "C"}
        )
    except OSError as error:
        raise _not_run(command, error) from None
    if result.returncode:
        raise _refused(command, result.stderr or result.stdout, subject)
    return result.stdout


def run_lines(command: Sequence[str], subject: str) -> Iterator[bytes]:
    """What a program says, line by line while it runs, for output that is too much to be held; errors as with run()."""
    with tempfile.TemporaryFile() as errors:
        try:
            process = subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, env={**os.environ, "LC_ALL": "C"}, bufsize=1 << 20
            )
        except OSError as error:
            raise _not_run(command, error) from None
        assert process.stdout is not None
        try:
            yield from process.stdout
        except GeneratorExit:
            process.kill()
            raise
        finally:
            process.stdout.close()
            status = process.wait()
        if status:
            errors.seek(0)
            raise _refused(command, errors.read().decode(errors="replace"), subject)


def _not_run(command: Sequence[str], error: OSError) -> WorkspaceError:
    message = f"cannot run '{command[0]}': {(error.strerror or str(error)).lower()}"
    return WorkspaceError(Diagnostic(message, help="install the package binutils or ninja-build"))


def _refused(command: Sequence[str], said: str, subject: str) -> WorkspaceError:
    lines = said.strip().splitlines() or ["no message"]
    return WorkspaceError(Diagnostic(f"'{command[0]}' refuses it: {lines[0]}", Location(subject)))

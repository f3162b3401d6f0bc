"""Static parts of the system in what a link makes: start files, the compiler's own library, archives of -l options.

The compiler's driver says what it would give to the linker (-###); the linker's search for libraries and its scripts
that name several (`libc.so`: libc.so.6 and libc_nonshared.a) are followed as the linker would.
https://sourceware.org/binutils/docs/ld/Options.html (-l, -Bstatic), .../Implicit-Linker-Scripts.html
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping, Sequence

from bazel2ninja.analysis.action import CppLinkAction

_SCRIPT = re.compile(r"\b(?:GROUP|INPUT)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_SCRIPT_WORD = re.compile(r"[^\s(),]+")
_TWO_WORDS = frozenset(("-o", "-z", "-m", "-rpath", "-soname", "-h", "-dynamic-linker", "-plugin", "-e", "-u", "-T"))

_LIBRARY_OPTIONS = (
    "-l", "-L/", "-static", "-nostd", "-nodefaultlibs", "-nostartfiles", "-stdlib", "-rtlib", "-Wl,-B", "-Wl,-l",
    "-Wl,-dn", "-Wl,-dy", "-Wl,-static", "-Wl,--push-state", "-Wl,--pop-state",
)  # fmt: skip


class LinkedArchives:
    """compiler: the words of the driver that links; answers are kept, for links with the same options."""

    def __init__(self, compiler: Sequence[str], environment: Mapping[str, str]):
        self._compiler = tuple(compiler)
        self._environment = {**environment, "LC_ALL": "C"}
        self._answers: dict[tuple[str, ...], tuple[str, ...]] = {}

    def of(self, link: CppLinkAction) -> tuple[str, ...]:
        """Absolute paths of the system's objects and archives, in link order, each once.

        Empty when the compiler does not answer. An archive counts although perhaps nothing of it was needed.
        """
        options = (*link.toolchain_flags, *link.flags, *link.last_flags)
        shared = () if link.kind == "executable" else ("-shared",)
        words = (*shared, *(word for word in options if _concerns(word)))
        found = self._answers.get(words)
        if found is None:
            found = self._answers[words] = tuple(dict.fromkeys(linked_files(self._driver(words))))
        return found

    def _driver(self, words: Sequence[str]) -> list[str]:
        """The words of the linker's command line."""
        command = [*self._compiler, "-###", *words, "-x", "none", "/dev/null", "-o", "a.out"]
        try:
            done = subprocess.run(
                command, env=self._environment, capture_output=True, text=True, errors="replace", check=False
            )
        except OSError:
            return []
        for line in reversed(done.stderr.splitlines()):
            try:
                found = shlex.split(line)
            except ValueError:
                continue
            if found and found[0].startswith("/") and "a.out" in found:
                return found[1:]
        return []


def _concerns(word: str) -> bool:
    """Whether an option of a link has a say in which of the system's libraries are linked, and how."""
    return (
        word.startswith(_LIBRARY_OPTIONS)
        or word in ("-pie", "-no-pie", "-pthread", "-shared", "-rdynamic", "-fopenmp")
        or (word.startswith("/") and word.endswith((".a", ".o", ".so")))
    )


def linked_files(words: Sequence[str]) -> Iterator[str]:
    """The objects and archives that a linker's command line (without the program) puts into its output."""
    directories = [word[2:] for word in words if word.startswith("-L") and len(word) > 2]
    static = False
    states: list[bool] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word in _TWO_WORDS:
            skip = True
        elif word in ("-Bstatic", "-static", "-dn", "-non_shared"):
            static = True
        elif word in ("-Bdynamic", "-dy", "-call_shared"):
            static = False
        elif word == "--push-state":
            states.append(static)
        elif word == "--pop-state":
            static = states.pop() if states else static
        elif word.startswith("-l"):
            yield from _files(_library(word[2:], directories, static), directories, static)
        elif word.startswith("/") and word != "/dev/null":
            yield from _files(word, directories, static)


def _library(name: str, directories: Sequence[str], static: bool) -> str:
    """Where the linker finds -lNAME (or -l:FILE), "" if nowhere."""
    names = [name[1:]] if name.startswith(":") else [f"lib{name}.a"] if static else [f"lib{name}.so", f"lib{name}.a"]
    for directory in directories:
        for each in names:
            path = os.path.normpath(os.path.join(directory, each))
            if os.path.isfile(path):
                return path
    return ""


def _files(path: str, directories: Sequence[str], static: bool) -> Iterator[str]:
    """What a file given to the linker adds: itself, what its script names, nothing for a shared library."""
    if path.endswith((".a", ".o")):
        if os.path.isfile(path):
            yield os.path.normpath(path)
        return
    try:
        with open(path, "rb") as file:
            head = file.read(4096)
    except OSError:
        return
    if head[:4] == b"\x7fELF" or b"\0" in head:
        return
    for group in _SCRIPT.finditer(head.decode("latin-1")):
        for word in _SCRIPT_WORD.findall(group[1]):
            if word.startswith("-l"):
                yield from _files(_library(word[2:], directories, static), directories, static)
            elif word.endswith(".a"):
                found = word if word.startswith("/") else _library(f":{word}", directories, static)
                if found and os.path.isfile(found):
                    yield os.path.normpath(found)

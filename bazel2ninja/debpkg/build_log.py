"""What ninja knows of a finished build: what is installed, what it was linked from, which files were read for it."""

from __future__ import annotations

import functools
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence

from bazel2ninja.debpkg.elf_files import run

_CODE = re.compile(r"\.(o|a|lo|c|cc|cpp|cxx|h|hh|hpp|inc|proto)$")
_ARGUMENTS = 1000  # nodes that one ninja is asked for


class BuildLog:
    """The build in a directory.

    dependencies: object -> the files that its compiler read; installed: path below the prefix -> node.
    """

    def __init__(self, build: str):
        self._build = build
        self.dependencies: dict[str, list[str]] = {}
        current: list[str] = []
        for line in self._ninja("deps"):
            if line.startswith("    "):
                current.append(line.strip())
            elif line:
                current = self.dependencies.setdefault(line.partition(":")[0], [])
        with open(
            os.path.join(build, ".bazel2ninja", "install.sh"), encoding="utf-8", errors="surrogateescape"
        ) as file:
            lines = [shlex.split(line) for line in file if line.startswith("install ")]
        self.installed = {words[5].removeprefix("$root").lstrip("/"): words[4] for words in lines if len(words) == 6}

    def headers(self, installed: str) -> set[str]:
        """Absolute paths of headers that an installed file was compiled with, by its path below the prefix."""
        made = self.installed.get(installed)
        if made is None:
            return set()
        nodes = self._ninja("inputs", made)
        return {path for node in nodes for path in self.dependencies.get(node, ()) if path.startswith("/")}

    def node(self, installed: str) -> str | None:
        """The node of an installed file, which may have another suffix or place than `ninja install` gave it."""
        if installed in self.installed:
            return self.installed[installed]
        name = os.path.basename(installed)
        for part in (name, name.partition(".")[0]):
            if part in self._by_name:
                return self._by_name[part]
        return None

    def foreign_code(self, nodes: Iterable[str]) -> set[str]:
        """Real paths of the archives, sources and headers outside of the build that these programs and libraries hold.

        What shared libraries hold that they are linked with is not theirs, nor is that of programs which wrote sources.
        """
        found: set[str] = set()
        seen: set[str] = set()
        pending = set(nodes)
        while pending:
            seen |= pending
            reached: set[str] = set()
            for node, inputs in self._inputs(sorted(pending)):
                found.update(os.path.realpath(path) for path in self.dependencies.get(node, ()) if path.startswith("/"))
                for path in inputs:
                    foreign = self._foreign(path)
                    if foreign:
                        found.add(foreign)
                    else:
                        reached.add(path)
            pending = reached - seen
        return found

    @property
    def system_headers(self) -> set[str]:
        return {path for paths in self.dependencies.values() for path in paths if path.startswith("/usr/")}

    @functools.cached_property
    def _by_name(self) -> dict[str, str]:
        """The node of each installed file by its name, and by what comes before the first dot of it."""
        found: dict[str, str] = {}
        for path, node in self.installed.items():
            name = os.path.basename(path)
            found.setdefault(name.partition(".")[0], node)
            found[name] = node
        return found

    def _foreign(self, path: str) -> str:
        """The real path of a file that another package holds, "" for one of the build or of the sources."""
        if path.startswith("/"):
            return os.path.realpath(path)
        if not path.startswith(".bazel2ninja/external/"):
            return ""
        real = os.path.realpath(os.path.join(self._build, path))
        repositories = os.path.realpath(os.path.join(self._build, ".bazel2ninja", "external"))
        return "" if real.startswith(repositories + os.sep) else real

    def _inputs(self, nodes: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
        """Each node, and the objects, archives and sources that its edge reads."""
        for start in range(0, len(nodes), _ARGUMENTS):
            node, part = "", ""
            inputs: list[str] = []
            for line in (*self._ninja("query", *nodes[start : start + _ARGUMENTS]), ":"):
                if not line.startswith(" "):
                    if node:
                        yield node, inputs
                    node, inputs = line[:-1], []
                elif not line.startswith("   "):
                    part = line.strip().partition(":")[0]
                elif part == "input" and not line.startswith("    || "):
                    path = line.strip().removeprefix("| ")
                    if _CODE.search(path):
                        inputs.append(path)

    def _ninja(self, tool: str, *words: str) -> list[str]:
        return run(["ninja", "-C", self._build, "-t", tool, *words], self._build).splitlines()

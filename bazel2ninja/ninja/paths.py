"""Between Bazel's paths and ninja's, and nowhere else: docs/design.md, "Paths"."""

from __future__ import annotations

import os.path
import posixpath
from collections.abc import Iterable, Sequence

from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.ninja import syntax

SIDE = ".bazel2ninja"
"""The directory of everything that is ours, relative to the output root."""

OUTPUT = "bazel-out"
EXECUTION_ROOT = f"{SIDE}/execroot"

# Options whose argument is a path, as part of the same word or as the next one.
_PATH_OPTIONS = (
    "-I", "-L", "-B", "-F", "-T", "-iquote", "-isystem", "-idirafter", "-include", "-imacros", "-iprefix", "-isysroot",
    "-iframework", "-include-pch",
)  # fmt: skip
# Options whose argument is a path after "=".
_PATH_ASSIGNMENTS = (
    "--sysroot", "-fsanitize-blacklist", "-fsanitize-ignorelist", "-fprofile-use", "-fprofile-instr-use",
    "-fprofile-sample-use", "-fauto-profile", "-fplugin", "-specs", "--specs", "-fmodule-map-file",
    "-fsanitize-coverage-allowlist", "-fxray-attr-list",
)  # fmt: skip
# The same for the linker, behind -Wl, or -Xlinker; "--name=PATH", "--name,PATH", and with one dash.
_LINKER_OPTIONS = frozenset(
    (
        "version-script", "dynamic-list", "dynamic-list-data", "retain-symbols-file", "rpath-link", "script", "T", "R",
        "just-symbols", "default-script", "dT", "export-dynamic-symbol-list", "symbol-ordering-file", "force_load",
        "exported_symbols_list", "library-path", "L", "Map", "whole-archive-file", "def",
    )
)  # fmt: skip
_LINKER_JOINED = ("-L", "-T")
# Options that take the next word, which is no path.
_OTHER_ARGUMENTS = frozenset(
    (
        "-D", "-U", "-l", "-x", "-u", "-e", "-z", "-h", "-arch", "-target", "--target", "--param", "-mllvm", "-Xclang",
        "-Xassembler", "-Xpreprocessor", "-framework", "-weak_framework", "-o", "-soname", "-MF", "-MT", "-MQ", "-G",
        "-current_version", "-compatibility_version", "-install_name", "-rpath", "-dumpbase", "-dumpdir", "-aux-info",
    )
)  # fmt: skip


class PathMapper:
    """Exec path -> ninja path for one output root; `source` is the source tree's ninja path ("../src", "src", ".")."""

    def __init__(self, source: str):
        self.source = posixpath.normpath(source)
        self._prefix = "" if self.source == "." else self.source + "/"
        self._nodes: dict[Artifact, str] = {}

    @classmethod
    def between(cls, output_root: str, source_directory: str) -> PathMapper:
        """The mapper for two directories of the disk; their distance is measured without symbolic links."""
        return cls(os.path.relpath(os.path.realpath(source_directory), os.path.realpath(output_root)))

    def path(self, exec_path: str) -> str:
        """The ninja path of an exec path; absolute paths are the system's, and stay."""
        if exec_path.startswith(("bazel-out/", "/")):
            return exec_path
        if exec_path.startswith("external/"):
            return f"{SIDE}/{exec_path}"
        if exec_path in (".", ""):
            return self.source
        if exec_path in (OUTPUT, "external"):
            return exec_path if exec_path == OUTPUT else f"{SIDE}/external"
        return self._prefix + exec_path

    def node(self, artifact: Artifact) -> str:
        """What ninja watches for an artifact, escaped for a build statement.

        A generated directory or dangling link has no usable time stamp: a file beside stands for it.
        """
        found = self._nodes.get(artifact)
        if found is None:
            found = self._nodes[artifact] = syntax.path(self.stamp(artifact) or self.path(artifact.exec_path))
        return found

    def nodes(self, artifacts: Iterable[Artifact]) -> list[str]:
        return [self.node(artifact) for artifact in artifacts]

    @staticmethod
    def stamp(artifact: Artifact) -> str | None:
        """The file that stands for a generated directory or unresolved link, None for an ordinary file."""
        if (artifact.is_directory or artifact.is_symlink) and not artifact.is_source:
            return f"{SIDE}/stamps/{artifact.exec_path}"
        return None

    def directory(self, exec_path: str) -> str:
        """The ninja path of an include directory."""
        return self.path(posixpath.normpath(exec_path))

    def words(self, words: Sequence[str]) -> list[str]:
        """Words of copts, or of linkopts, with their paths in ninja's spelling.

        A word that is no option and no option's argument is an input file, so a path.
        """
        result = []
        pending = ""  # what the next word is: "path", "linker", "other"
        for word in words:
            if pending == "path":
                word, pending = self._operand(word), ""
            elif pending == "other":
                pending = ""
            elif pending == "linker":
                word, pending = self._linker_words([word])[0], ""
            elif not word.startswith(("-", "@")):
                word = self._operand(word) if word else word
            else:
                word, pending = self._option(word)
            result.append(word)
        return result

    def _operand(self, path: str) -> str:
        return path if path.startswith(("/", "=", "$")) else self.path(posixpath.normpath(path))

    def _option(self, word: str) -> tuple[str, str]:
        if word.startswith("@"):
            return "@" + self._operand(word[1:]), ""
        if word.startswith("-Wl,"):
            return "-Wl," + ",".join(self._linker_words(word[4:].split(","))), ""
        if word == "-Xlinker":
            return word, "linker"
        if word in _OTHER_ARGUMENTS:
            return word, "other"
        if word in _PATH_OPTIONS:
            return word, "path"
        name, equals, argument = word.partition("=")
        if equals and name in _PATH_ASSIGNMENTS and argument:
            return f"{name}={self._operand(argument)}", ""
        # the longest first: -include is no -I, and -isystemDIR no -i
        for option in sorted(_PATH_OPTIONS, key=len, reverse=True):
            if word.startswith(option):
                if option in ("-F", "-B", "-T") and "/" not in word:
                    break  # -Tdata=0x0, -Bstatic, -Bsymbolic
                return option + self._operand(word[len(option) :]), ""
        return word, ""

    def _linker_words(self, words: list[str]) -> list[str]:
        result = []
        takes_path = False
        for word in words:
            name, equals, argument = word.partition("=")
            bare = name.lstrip("-")
            if takes_path:
                word, takes_path = self._operand(word), False
            elif not word.startswith("-"):
                # a file, unless it is the value of an option that is not in the table: those name no directory
                word = self._operand(word) if word.endswith((".a", ".o", ".so", ".lo", ".lds", ".ld")) else word
            elif equals and bare in _LINKER_OPTIONS and argument:
                word = f"{name}={self._operand(argument)}"
            elif not equals and bare in _LINKER_OPTIONS:
                takes_path = True
            elif word.startswith(_LINKER_JOINED) and "/" in word:
                word = word[:2] + self._operand(word[2:])
            result.append(word)
        return result

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
    "-I", "-L", "-B", "-F", "-T", "-iquote", "-isystem", "-idirafter", "-iprefix", "-isysroot", "-iframework",
    "-include-pch",
)  # fmt: skip
# Options whose argument is a header, looked for in the directories of -iquote as well: "." is one of them.
_HEADER_OPTIONS = ("-include", "-imacros")
# Options whose argument is a path after "=".
_PATH_ASSIGNMENTS = (
    "--sysroot", "-fsanitize-blacklist", "-fsanitize-ignorelist", "-fprofile-use", "-fprofile-instr-use",
    "-fprofile-sample-use", "-fauto-profile", "-fmodule-map-file", "-fsanitize-coverage-allowlist", "-fxray-attr-list",
)  # fmt: skip
# The same, but a name without "/" is looked for where the compiler is installed.
_INSTALLED_ASSIGNMENTS = ("-specs", "--specs", "-fplugin")
# The same for the linker, behind -Wl, or -Xlinker; "--name=PATH", "--name,PATH", and with one dash.
_LINKER_OPTIONS = frozenset(
    (
        "version-script", "dynamic-list", "retain-symbols-file", "rpath-link", "script", "T", "default-script", "dT",
        "just-symbols", "export-dynamic-symbol-list", "symbol-ordering-file", "section-ordering-file", "force_load",
        "exported_symbols_list", "library-path", "L", "Map", "out-implib",
    )
)  # fmt: skip
# Options of the linker that take the next word, which is no path of the build.
_LINKER_ARGUMENTS = frozenset(
    (
        "soname", "h", "rpath", "z", "u", "undefined", "require-defined", "e", "entry", "m", "y", "trace-symbol",
        "init", "fini", "exclude-libs", "defsym", "wrap", "dynamic-linker", "I", "f", "auxiliary", "F", "filter",
        "plugin", "plugin-opt", "audit", "depaudit", "P", "G", "A", "a", "hash-style", "Tbss", "Tdata", "Ttext",
        "section-start", "dynamic-list-symbol", "export-dynamic-symbol", "install_name", "current_version",
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


def inside(path: str) -> str:
    """A path of the output root as seen from the execution root."""
    return "../" * (EXECUTION_ROOT.count("/") + 1) + path


class PathMapper:
    """Exec path -> ninja path for one output root; `source` is the source tree's ninja path ("../src", "src", ".")."""

    def __init__(self, source: str):
        self.source = posixpath.normpath(source)
        self._prefix = "" if self.source == "." else self.source + "/"
        self._nodes: dict[Artifact, str] = {}
        self._paths: dict[str, str] = {}

    @classmethod
    def between(cls, output_root: str, source_directory: str) -> PathMapper:
        """The mapper for two directories of the disk; their distance is measured without symbolic links."""
        return cls(os.path.relpath(os.path.realpath(source_directory), os.path.realpath(output_root)))

    def path(self, exec_path: str) -> str:
        """The ninja path of an exec path; absolute paths are the system's, and stay."""
        found = self._paths.get(exec_path)
        if found is None:
            found = self._paths[exec_path] = self._path(exec_path)
        return found

    def _path(self, exec_path: str) -> str:
        if exec_path.startswith(("bazel-out/", "/")):
            return exec_path
        if exec_path.startswith("external/"):
            return f"{SIDE}/{exec_path}"
        if exec_path in (".", ""):
            return self.source
        if exec_path in (OUTPUT, "external"):
            return exec_path if exec_path == OUTPUT else f"{SIDE}/external"
        return self._prefix + exec_path

    def exec_path(self, path: str) -> str:
        """The exec path of a ninja path, such as ninja's log of dependencies holds; absolute paths stay."""
        if path.startswith(("bazel-out/", "/")):
            return path
        if path.startswith(f"{SIDE}/external/"):
            return path[len(SIDE) + 1 :]
        return path.removeprefix(self._prefix)

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
        pending = ""  # what the next word is: "path", "header", "linker" or "other"
        linker = ""  # the same for the next word of the linker
        for word in words:
            if pending == "path":
                word, pending = self._operand(word), ""
            elif pending == "header":
                word, pending = self._header(word), ""
            elif pending == "other":
                pending = ""
            elif pending == "linker":
                word, linker = self._linker_word(word, linker)
                pending = ""
            elif word.startswith("-Wl,"):
                parts = ["-Wl"]
                for part in word[4:].split(","):
                    part, linker = self._linker_word(part, linker)
                    parts.append(part)
                word = ",".join(parts)
            elif word.startswith(("-", "@")):
                word, pending = self._option(word)
            elif word and linker:  # -Wl,--version-script FILE: the linker sees one after the other
                word, linker = self._linker_word(word, linker)
            elif word:
                word = self._operand(word)
            result.append(word)
        return result

    def _operand(self, path: str) -> str:
        return path if path.startswith(("/", "=", "$")) else self.path(posixpath.normpath(path))

    def _header(self, path: str) -> str:
        return self._operand(path) if path.startswith("external/") else path

    def _option(self, word: str) -> tuple[str, str]:
        if word.startswith("@"):
            return "@" + self._operand(word[1:]), ""
        if word == "-Xlinker":
            return word, "linker"
        if word in _OTHER_ARGUMENTS:
            return word, "other"
        if word in _PATH_OPTIONS:
            return word, "path"
        if word in _HEADER_OPTIONS:
            return word, "header"
        name, equals, argument = word.partition("=")
        if equals and name in _PATH_ASSIGNMENTS and argument:
            return f"{name}={self._operand(argument)}", ""
        if name in _INSTALLED_ASSIGNMENTS:
            return (f"{name}={self._operand(argument)}" if "/" in argument else word), ""
        for option in _HEADER_OPTIONS:
            if word.startswith(option) and not word.startswith("-include-"):
                return option + self._header(word[len(option) :]), ""
        # the longest first: -include is no -I, and -isystemDIR no -i
        for option in sorted(_PATH_OPTIONS, key=len, reverse=True):
            if word.startswith(option):
                if option in ("-F", "-B", "-T") and "/" not in word:
                    break  # -Tdata=0x0, -Bstatic, -Bsymbolic
                return option + self._operand(word[len(option) :]), ""
        return word, ""

    def _linker_word(self, word: str, pending: str) -> tuple[str, str]:
        """One word for the linker, and what the next one is: "path", "other", or "" for an option or a file."""
        if pending:
            return (self._operand(word) if pending == "path" else word), ""
        if not word.startswith("-"):
            return (self._operand(word) if word else word), ""
        name, equals, argument = word.partition("=")
        bare = name.lstrip("-")
        if equals:
            return (f"{name}={self._operand(argument)}" if bare in _LINKER_OPTIONS and argument else word), ""
        if bare in _LINKER_OPTIONS:
            return word, "path"
        if bare in _LINKER_ARGUMENTS:
            return word, "other"
        if word.startswith(_LINKER_JOINED) and "/" in word:
            return word[:2] + self._operand(word[2:]), ""
        return word, ""

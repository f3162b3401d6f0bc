"""What is compared: an action as lists of words under names, without what differs by design of the execution root.

Paths lose the configuration (bazel-out/k8-opt/bin becomes bazel-out/bin) and the mark of position independence
(a.pic.o becomes a.o); labels and paths of a repository that is the main one under another name become the main one's.
Everything else that differs is a difference, to be explained or reported.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from bazel2ninja.diagnostics import Location

Fields = Mapping[str, tuple[str, ...]]

UNORDERED = frozenset(("toolchain_flags", "bookkeeping", "outputs", "inputs", "position", "version_scripts"))
"""Fields whose order means nothing; in all others it is compared."""

PROGRAM = "program"
"""The field of compiles, archives and links that says what runs them; only compared when ours has it."""

_CONFIGURATION = re.compile(r"bazel-out/[^/\s'\";:,]+/(?:bin|genfiles)(?![^/\s'\";:,)])")
_PIC = re.compile(r"\.pic\.(o|d|a|lo)(?![\w.])")
_START = r"(?:(?<=-[IL])|(?<![\w.]))"  # where a path may begin or go on
_SOLIB = re.compile(r"(?P<root>.*)/_solib_[^/]+/(?P<rest>.*)")
_MANGLED = re.compile(r"_([SUACB])")
_UNMANGLED = {"S": "/", "U": "_", "A": "@", "C": ":", "B": "\\"}


@dataclass(frozen=True, slots=True)
class Record:
    """One action, ready to be compared.

    kind: "compile", "archive", "link" or "other"; key: what identifies it on both sides; subject: the source of a
    compile, else the first output.  configuration: that of Bazel, as directories of bazel-out name it; by_name: Bazel
    took the main repository for another one, because somebody calls it by its name.  untold: fields that a dump does
    not tell, and "label" or "mnemonic".  as_tool: fields of ours that would be otherwise if tools had flags of
    their own.
    """

    kind: str
    key: tuple[str, ...]
    mnemonic: str
    label: str
    subject: str
    host: bool
    fields: Fields
    location: Location | None = None
    configuration: str = ""
    by_name: bool = False
    untold: frozenset[str] = frozenset()
    as_tool: Fields = field(default_factory=dict)


def unmangle(name: str) -> str:
    """The path that a name in a _solib directory stands for: "absl_Sbase_Slibbase" is "absl/base/libbase"."""
    return _MANGLED.sub(lambda match: _UNMANGLED[match[1]], name)


@dataclass(frozen=True, slots=True)
class Names:
    """How names are made comparable.  main_repositories: apparent names of the main repository; repositories: other
    repositories' names in the dump -> ours."""

    main_repositories: tuple[str, ...] = ()
    repositories: Mapping[str, str] = field(default_factory=dict)

    def names_main(self, label: str) -> bool:
        """Whether a label of the dump calls the main repository by a name: @org_x//a:b where it is org_x."""
        repository, slashes, _ = label.lstrip("@").partition("//")
        return bool(repository and slashes) and self.repositories.get(repository, repository) in self.main_repositories

    def label(self, text: str) -> str:
        """A label as we write it: //a:b or @repository//a:b."""
        if text.startswith("@@"):
            text = text[1:]
        if text.startswith("@"):
            repository, slashes, rest = text[1:].partition("//")
            if slashes:
                repository = self.repositories.get(repository, repository)
                text = (
                    f"//{rest}" if not repository or repository in self.main_repositories else f"@{repository}//{rest}"
                )
        return text

    def text(self, text: str) -> str:
        """A word of a command line, or a path, without configuration and mark of position independence."""
        if "bazel-out/" in text:
            text = _CONFIGURATION.sub("bazel-out/bin", text)
        if ".pic." in text:
            text = _PIC.sub(r".\1", text)
        if "external/" in text:
            for name, ours in self.repositories.items():
                if f"external/{name}" in text:
                    text = re.sub(rf"{_START}external/{re.escape(name)}(?![\w.~+-])", f"external/{ours}", text)
            for name in self.main_repositories:
                if f"external/{name}" in text:
                    text = self._without(text, name)
        return text

    @staticmethod
    def _without(text: str, name: str) -> str:
        text = re.sub(rf"{_START}external/{re.escape(name)}/", "", text)
        text = re.sub(rf"/external/{re.escape(name)}(?![\w.~+-])", "", text)
        return re.sub(rf"{_START}external/{re.escape(name)}(?![\w.~+-])", ".", text)

    def texts(self, words: Iterable[str]) -> tuple[str, ...]:
        """`text` of each word."""
        return tuple(self.text(word) for word in words)

    def library(self, path: str) -> str:
        """A shared library's path; one in a _solib directory is the file that the link there leads to."""
        match = _SOLIB.fullmatch(path)
        if match is None:
            return self.text(path)
        directory, _, name = match["rest"].rpartition("/")
        if directory:  # _U_S_Sa_Cb___Ua/libx.so: label and directory of a library that keeps its name
            return self.text(f"{match['root']}/{unmangle(directory.rpartition('___U')[2])}/{name}")
        return self.text(f"{match['root']}/{unmangle(name.removeprefix('lib'))}")

"""The compilers and the flags that the packager gives, and what of the project's flags has to give way to them.

dpkg-buildflags(1) are read from the environment when the manifest is made and come last on the command line, so that
their -O and -g win; per-file -m options of the project stay.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence

from bazel2ninja.analysis.action import Action
from bazel2ninja.diagnostics import Diagnostic, UsageError
from bazel2ninja.ninja import syntax
from bazel2ninja.ninja.parts import digest
from bazel2ninja.ninja.paths import SIDE
from bazel2ninja.records import dataclass, field

_VARIABLES = ("CC", "CXX", "AR", "CPPFLAGS", "CFLAGS", "CXXFLAGS", "ASFLAGS", "LDFLAGS")
ADMISSION = "admission"
"""The directory of scripts that wait for memory, see `Compilers`."""
FOR_BUILD = "_FOR_BUILD"
"""The end of variables about the machine that builds, when that is not the one that is built for."""
ENVIRONMENT = (*_VARIABLES, *(name + FOR_BUILD for name in _VARIABLES))
"""The variables that are read."""

_MACHINE_DEPENDENT = re.compile(r"-m(arch|tune|cpu)=native")
_STRIPPING = re.compile(r"-s|-Wl,(-s|-S|--strip-all|--strip-debug)")
_FORTIFY = re.compile(r"-[DU]_FORTIFY_SOURCE\b.*")


_IN_COMMANDS = re.compile(r"\$(cc|cxx|link|ar|cppflags|cflags|cxxflags|asflags|ldflags)\b")


def variables_in(command: str) -> list[str]:
    """The variables of `Compilers.definitions` that a rule's command uses."""
    return list(dict.fromkeys(_IN_COMMANDS.findall(command)))


@dataclass(frozen=True, slots=True)
class Compilers:
    """Programs and flags, each a sequence of words.

    `launcher` goes before every compiler: ("ccache",).  `admission` are words that start a command when there is memory
    for it, before compiles and links; they are in scripts of the compiler's name, so that tools which read the commands
    (ninja -t compdb) see a compiler.
    """

    cc: tuple[str, ...] = ("gcc",)
    cxx: tuple[str, ...] = ("g++",)
    ar: tuple[str, ...] = ("gcc-ar",)
    cppflags: tuple[str, ...] = ()
    cflags: tuple[str, ...] = ()
    cxxflags: tuple[str, ...] = ()
    asflags: tuple[str, ...] = ()
    ldflags: tuple[str, ...] = ()
    launcher: tuple[str, ...] = ()
    admission: tuple[str, ...] = ()

    @classmethod
    def from_environment(
        cls,
        environment: Mapping[str, str],
        launcher: str = "",
        *,
        admission: tuple[str, ...] = (),
        prefix: str = "",
        suffix: str = "",
    ) -> Compilers:
        """CC, CXX, AR and the *FLAGS of the environment; raises UsageError when one of them has unbalanced quotes.

        prefix: of the programs that are taken when the environment names none: "aarch64-linux-gnu-".  suffix: of the
        variables' names.
        """

        def words(name: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
            name += suffix
            try:
                return tuple(shlex.split(environment.get(name, ""))) or default
            except ValueError as error:
                raise UsageError(Diagnostic(f"environment variable {name}: {str(error).lower()}")) from None

        return cls(
            cc=words("CC", (f"{prefix}gcc",)),
            cxx=words("CXX", (f"{prefix}g++",)),
            ar=words("AR", (f"{prefix}gcc-ar",)),
            cppflags=words("CPPFLAGS"),
            cflags=words("CFLAGS"),
            cxxflags=words("CXXFLAGS"),
            asflags=words("ASFLAGS"),
            ldflags=words("LDFLAGS"),
            launcher=tuple(shlex.split(launcher)),
            admission=admission,
        )

    def definitions(self, suffix: str = "") -> list[str]:
        """The manifest's variables."""
        pairs = {
            "cc": self._admitted(self.launcher + self.cc),
            "cxx": self._admitted(self.launcher + self.cxx),
            "link": self._admitted(self.cxx),  # a compiler cache has nothing to give to a link
            "ar": self.ar,
            "cppflags": self.cppflags,
            "cflags": self.cflags,
            "cxxflags": self.cxxflags,
            "asflags": self.asflags,
            "ldflags": self.ldflags,
        }
        return [f"{name}{suffix} = {syntax.value(syntax.shell_words(words))}".rstrip() for name, words in pairs.items()]

    def scripts(self) -> dict[str, str]:
        """Those that wait for memory: name below `ADMISSION` -> text."""
        return self._scripts_for([words[0] for words in (self.launcher + self.cc, self.launcher + self.cxx, self.cxx)])

    def _scripts_for(self, programs: Iterable[str]) -> dict[str, str]:
        if not self.admission:
            return {}
        return {
            _script(each): f'#!/bin/sh\nexec {shlex.join([*self.admission, each])} "$@"\n'
            for each in dict.fromkeys(programs)
        }

    def in_place_of(self, variable: str, program: str) -> tuple[tuple[str, ...], dict[str, str]]:
        """(the words, scripts as `scripts` has them) for another program in one of the variables of `definitions`."""
        words = (*(self.launcher if variable in ("cc", "cxx") else ()), program)
        if variable == "ar":
            return words, {}
        return self._admitted(words), self._scripts_for([words[0]])

    def _admitted(self, words: tuple[str, ...]) -> tuple[str, ...]:
        return (f"{SIDE}/{ADMISSION}/{_script(words[0])}", *words[1:]) if self.admission else words

    @property
    def fortify(self) -> bool:
        """Whether the packager decides about _FORTIFY_SOURCE."""
        given = self.cppflags + self.cflags + self.cxxflags
        return any(_FORTIFY.fullmatch(word) for word in given)


def _script(program: str) -> str:
    """Where the script for a program is: "g++", "0123456789abcdef/g++" for one that is named with a directory."""
    directory, name = os.path.split(program)
    return os.path.join(digest(directory), name) if directory else name


@dataclass(frozen=True, slots=True)
class OtherMachines:
    """Compilers for other machines than the one that is built for, when a build crosses.

    compilers: by the suffix of their variables in the manifest.  suffixes: name of a configuration -> suffix.
    """

    compilers: Mapping[str, Compilers] = field(default_factory=dict)
    suffixes: Mapping[str, str] = field(default_factory=dict)


ONE_MACHINE = OtherMachines()


class ProjectFlags:
    """Drops the project's flags that a distribution cannot use, and remembers which, for a note."""

    def __init__(self, compilers: Compilers):
        self._fortify = compilers.fortify
        self._dropped: dict[str, Action] = {}

    def keep(self, words: Sequence[str], action: Action) -> list[str]:
        """`words`, which are of `action`, without what has to go."""
        kept: list[str] = []
        previous = ""
        for word in words:
            if previous != "-Xlinker" and _reason(word):
                self._dropped.setdefault(word, action)
            elif not (self._fortify and _FORTIFY.fullmatch(word)):
                kept.append(word)
            previous = word
        return kept

    def notes(self) -> list[Diagnostic]:
        """One note for each flag that was dropped."""
        return [
            Diagnostic(
                f"dropped '{word}' (first in '{action.owner}'): {_reason(word)}",
                action.location,
                severity="note",
            )
            for word, action in sorted(self._dropped.items(), key=lambda item: item[0])
        ]


def is_machine_dependent(word: str) -> bool:
    """Whether a flag asks for the processor of whoever compiles."""
    return _MACHINE_DEPENDENT.fullmatch(word) is not None


def _reason(word: str) -> str:
    """Why a distribution cannot use a flag of the project, "" when it can."""
    if word == "-Werror":
        return "a newer compiler's new warning would fail the build"
    if is_machine_dependent(word):
        return "the result would depend on the machine that builds it"
    if _STRIPPING.fullmatch(word):
        return "symbols for debugging are the packager's to strip"
    return ""

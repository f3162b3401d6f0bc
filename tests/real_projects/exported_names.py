"""Names that shared libraries export, read by nm and c++filt, and how those of two builds of one project differ.

Two builds with different compilers and libraries spell the same function differently where a type of a library is part
of it; `Name.same` takes that out, so that what is left are functions that one build has and the other lacks.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# Spellings that mean the same: Abseil's inline namespace is named by its release or by its distribution, and its own
# string_view, optional and variant are those of the standard library where it is built so.
_SPELLINGS = (
    (re.compile(r"absl::(?:lts_\d+|debian\d+)::"), "absl::"),
    (re.compile(r"std::basic_string_view<char, std::char_traits<char> ?>"), "absl::string_view"),
    (re.compile(r"\babsl::(optional|nullopt_t|variant|any)\b"), r"std::\1"),
    (re.compile(r"\[abi:cxx11\]"), ""),
    (re.compile(r" +>"), ">"),
)


@dataclass(frozen=True)
class Name:
    """An exported name as the linker and as C++ has it; a weak one may be in any number of libraries."""

    mangled: str
    demangled: str
    weak: bool

    @property
    def same(self) -> str:
        """The demangled name in a spelling that does not depend on libraries."""
        text = self.demangled
        for pattern, spelling in _SPELLINGS:
            text = pattern.sub(spelling, text)
        return text

    def within(self, namespaces: Sequence[str]) -> bool:
        """Whether it is of one of the namespaces, or what a compiler makes for a class or function of one."""
        text = re.sub(
            r"^(?:(?:vtable|typeinfo name|typeinfo|VTT|construction vtable|guard variable|non-virtual thunk|"
            r"virtual thunk|covariant return thunk|TLS init function|TLS wrapper function|reference temporary "
            r"#\d+|thunk) (?:for|to) )+",
            "",
            self.demangled,
        )
        return any(text.startswith(f"{each}::") or f" {each}::" in _without_arguments(text) for each in namespaces)


def _without_arguments(text: str) -> str:
    """A name up to its parameters, without arguments of templates: its own qualified name and result are left."""
    kept: list[str] = []
    depth = 0
    for sign in text:
        if sign in "<":
            depth += 1
        elif sign in ">":
            depth -= 1
        elif sign == "(" and depth == 0:
            break
        elif depth == 0:
            kept.append(sign)
    return "".join(kept)


def exported(library: Path) -> dict[str, Name]:
    """What a library exports, by mangled name, versions left out."""
    said = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    kinds: dict[str, str] = {}
    for line in said.splitlines():
        _, kind, name = line.split()
        kinds.setdefault(name.partition("@")[0], kind)
    mangled = sorted(name for name, kind in kinds.items() if kind != "A")
    filtered = subprocess.run(["c++filt"], input="\n".join(mangled), check=True, capture_output=True, text=True).stdout
    pairs = zip(mangled, filtered.splitlines(), strict=True)
    return {name: Name(name, text, kinds[name] in "WVu") for name, text in pairs}


@dataclass(frozen=True)
class Comparison:
    """common: in both, spelled alike; respelled: in both, by libraries' types; missing, more: of one side alone."""

    common: int
    respelled: int
    missing: tuple[Name, ...]
    more: tuple[Name, ...]


def compare(ours: Iterable[Name], theirs: Iterable[Name]) -> Comparison:
    """Names of one kind.  A name of the other side counts as there when it is spelled the same."""
    own, other = {name.mangled: name for name in ours}, {name.mangled: name for name in theirs}
    common = own.keys() & other.keys()
    rest = [name for key, name in own.items() if key not in common]
    wanted = [name for key, name in other.items() if key not in common]
    mine, yours = {name.same for name in rest}, {name.same for name in wanted}
    # a constructor has two mangled names that read the same
    also = {name.same for name in other.values()}, {name.same for name in own.values()}
    missing = tuple(name for name in wanted if name.same not in mine | also[1])
    more = tuple(name for name in rest if name.same not in yours | also[0])
    return Comparison(len(common), len(wanted) - len(missing), missing, more)


def by_cause(names: Iterable[Name], causes: Mapping[str, re.Pattern[str]]) -> dict[str, list[Name]]:
    """Names by the first cause whose pattern their spelling has; "" for those without any."""
    found: dict[str, list[Name]] = {}
    for name in names:
        text = name.same
        found.setdefault(next((cause for cause, pattern in causes.items() if pattern.search(text)), ""), []).append(
            name
        )
    return found

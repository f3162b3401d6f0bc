"""Libraries of the system that can stand for external repositories: what is known about each.

The data are in overlays/, a directory each: library.toml, and the overlay's BUILD files.  This module reads
them and knows no name of its own; docs/system-libraries.md says what the fields mean.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bazel2ninja.diagnostics import Diagnostic, UsageError, suggestion
from bazel2ninja.records import dataclass, field, replace

DIRECTORY = Path(__file__).resolve().parent / "overlays"
DATA_FILE = "library.toml"

_VARIANT = "{variant}"
_NUMBERS = re.compile(r"\d+(?:\.\d+)*")
_BOUND = re.compile(r"\s*(<=|>=|<|>|=)\s*(\d+(?:\.\d+)*)\s*")


@dataclass(frozen=True, slots=True)
class SystemLibrary:
    """One directory of overlays/.

    repositories: every name that it serves.  packages: Debian packages that it takes, alternatives separated by "|".
    modules: of pkg-config, needed; more_modules: taken when they are there, "*" at the end for all that begin so.
    headers: to be found; libraries: for -l; programs: in PATH.  version: a range, "" for any; it is of the first
    module, else of the first package.  links: place in the overlay -> file or directory among the headers or anywhere.
    labels: "package:name" -> module, for a library whose .pc files are its targets.  brings: libraries whose headers
    its own include.  releases: version by Debian release; notes: facts worth telling, what differs between releases.
    prefix: a directory beside libraries that has include/, lib/ and bin/ of its own; links into it begin with
    "{prefix}/".  variants: releases that are installed side by side, the one to prefer first; "{variant}" stands for
    one in packages, headers, libraries, links and prefix.  variant: which one this is, "" before that is decided.
    """

    name: str
    directory: Path
    summary: str
    repositories: tuple[str, ...]
    packages: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()
    more_modules: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    version: str = ""
    links: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    brings: tuple[str, ...] = ()
    releases: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    prefix: str = ""
    variants: tuple[str, ...] = ()
    variant: str = ""

    @property
    def package_names(self) -> tuple[str, ...]:
        """Every package that is named, alternatives and variants included."""
        variants = self.of_variants()
        return tuple(name for each in variants for entry in each.packages for name in alternatives(entry))

    @property
    def wanted_packages(self) -> tuple[str, ...]:
        """What to install, the first of alternatives and of variants."""
        return tuple(alternatives(entry)[0] for entry in self.of_variants()[0].packages)

    def of_variants(self, wanted: str = "") -> tuple[SystemLibrary, ...]:
        """The library as each of its variants, or as the wanted one; itself when it has none."""
        if not self.variants or self.variant:
            return (self,)
        return tuple(self._of_variant(name) for name in ((wanted,) if wanted else self.variants))

    def _of_variant(self, variant: str) -> SystemLibrary:
        def named(texts: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(text.replace(_VARIANT, variant) for text in texts)

        return replace(
            self,
            variant=variant,
            packages=named(self.packages),
            headers=named(self.headers),
            libraries=named(self.libraries),
            prefix=self.prefix.replace(_VARIANT, variant),
            links={place: target.replace(_VARIANT, variant) for place, target in self.links.items()},
        )


def alternatives(entry: str) -> list[str]:
    """The packages of "a | b"."""
    return [name.strip() for name in entry.split("|")]


def in_range(version: str, wanted: str) -> bool:
    """Whether a version, up to its first sign that is no number, is in a range like ">= 3.0, < 4"."""
    found = _NUMBERS.match(version)
    if found is None:
        return False
    for bound in filter(None, wanted.split(",")):
        match = _BOUND.fullmatch(bound)
        assert match is not None, f"not a version range: {wanted!r}"
        limit = _parts(match[2])
        # "= 3.4" and "<= 3.4" take 3.4.1 in, "< 3.4" leaves it out
        parts = (_parts(found[0]) + (0,) * len(limit))[: max(len(limit), 1)]
        full = _parts(found[0])
        holds = {
            "<": full < limit,
            "<=": parts <= limit,
            "=": parts == limit,
            ">=": _padded(full, limit) >= limit,
            ">": parts > limit,
        }
        if not holds[match[1]]:
            return False
    return True


def _parts(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


def _padded(parts: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return parts + (0,) * (len(other) - len(parts))


class SystemLibraryTable:
    """All known libraries, by name and by the repositories that they serve."""

    def __init__(self, libraries: Iterable[SystemLibrary]):
        self.libraries = {library.name: library for library in libraries}
        self._by_repository: dict[str, SystemLibrary] = {}
        for library in self.libraries.values():
            for name in library.repositories:
                other = self._by_repository.setdefault(name, library)
                assert other is library, f"repository {name} is served by both {other.name} and {library.name}"

    @classmethod
    def read(cls, directory: Path = DIRECTORY) -> SystemLibraryTable:
        """The libraries of a directory of data."""
        return cls(_read(path.parent) for path in sorted(directory.glob(f"*/{DATA_FILE}")))

    def find(self, names: Iterable[str]) -> SystemLibrary | None:
        """The library that serves the first of these repository names that one serves."""
        return next((found for name in names if (found := self._by_repository.get(name))), None)

    def named(self, text: str) -> SystemLibrary:
        """A library by its own name, a repository's, or a Debian package's; raises UsageError for an unknown one."""
        found = self.libraries.get(text) or self._by_repository.get(text)
        if found is None:
            found = next((each for each in self.libraries.values() if text in each.package_names), None)
        if found is None:
            near = suggestion(text, [*self.libraries, *self._by_repository])
            raise UsageError(Diagnostic(f"--system-libraries: no system library '{text}' is known", help=near))
        return found

    def variant(self, text: str) -> tuple[SystemLibrary, str]:
        """The library and the variant of "NAME=VARIANT"; raises UsageError for an unknown one."""
        name, _, variant = text.partition("=")
        library = self.named(name)
        if variant not in library.variants:
            known = f"it has {', '.join(library.variants)}" if library.variants else "it has one only"
            raise UsageError(Diagnostic(f"--system-libraries: '{library.name}' has no '{variant}'", help=known))
        return library, variant

    def of_module(self, module: str) -> SystemLibrary | None:
        """The library that has a pkg-config module."""
        for library in self.libraries.values():
            for pattern in (*library.modules, *library.more_modules):
                if module == pattern or (pattern.endswith("*") and module.startswith(pattern[:-1])):
                    return library
        return None

    def brought_by(self, library: SystemLibrary) -> list[SystemLibrary]:
        """The libraries whose headers those of `library` include, directly or not."""
        found: dict[str, SystemLibrary] = {}
        pending = list(library.brings)
        while pending:
            name = pending.pop(0)
            if name not in found:
                found[name] = self.libraries[name]
                pending += found[name].brings
        return list(found.values())


_TUPLES = (
    *("repositories", "packages", "modules", "more_modules", "headers", "libraries", "programs", "brings", "notes"),
    "variants",
)


def _read(directory: Path) -> SystemLibrary:
    entry = tomllib.loads((directory / DATA_FILE).read_text("utf-8"))
    fields = {name: tuple(entry.pop(name, ())) for name in _TUPLES}
    labels = {
        f"{package}:{name}": module
        for package, names in entry.pop("labels", {}).items()
        for name, module in names.items()
    }
    library = SystemLibrary(
        name=directory.name,
        directory=directory,
        summary=entry.pop("summary"),
        version=entry.pop("version", ""),
        links=entry.pop("links", {}),
        labels=labels,
        releases=entry.pop("releases", {}),
        prefix=entry.pop("prefix", ""),
        variant="",
        **fields,
    )
    assert not entry, f"{directory.name}/{DATA_FILE}: unknown keys {sorted(entry)}"
    return library


@dataclass(frozen=True, slots=True)
class Choice:
    """What --system-libraries says.

    everywhere: every repository that a library serves is to be one.  automatic: a missing one may be.  named: those
    that are to be, by library name; refused: those that may not.  variants: which one of a library is meant, whenever
    that library serves.
    """

    automatic: bool = True
    everywhere: bool = False
    named: frozenset[str] = frozenset()
    refused: frozenset[str] = frozenset()
    variants: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, texts: Sequence[str], table: SystemLibraryTable) -> Choice:
        """The option's values, each a list with commas of "all", "none", "auto", NAME, -NAME and NAME=VARIANT.

        "all" and "none" take back what was said before, but for variants.  Raises UsageError.
        """
        choice = cls()
        for word in (word.strip() for text in texts for word in text.split(",")):
            if word in ("all", "none", "auto"):
                choice = cls(automatic=word != "none", everywhere=word == "all", variants=choice.variants)
            elif word.startswith("-"):
                name = table.named(word[1:]).name
                choice = replace(choice, named=choice.named - {name}, refused=choice.refused | {name})
            elif "=" in word:
                library, variant = table.variant(word)
                choice = replace(choice, variants={**choice.variants, library.name: variant})
            elif word:
                name = table.named(word).name
                choice = replace(choice, named=choice.named | {name}, refused=choice.refused - {name})
        return choice

    @property
    def demanding(self) -> bool:
        """Whether it asks for any library at all."""
        return self.everywhere or bool(self.named)

    def demands(self, library: SystemLibrary) -> bool:
        """Whether the library comes before vendored directories and the project's own declaration."""
        return library.name in self.named or (self.everywhere and library.name not in self.refused)

    def allows(self, library: SystemLibrary) -> bool:
        """Whether it may come where nothing else is."""
        return self.demands(library) or (self.automatic and library.name not in self.refused)

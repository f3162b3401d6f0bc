"""debian/copyright in the machine-readable form: read, compared with what the audit found, and written.

https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/ ; of the stanzas that match a file the last counts.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from debian.copyright import Copyright, MachineReadableFormatError, NotMachineReadableError

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError
from bazel2ninja.licensing import inheritance
from bazel2ninja.licensing.expressions import DebianNames, keys


@dataclass(frozen=True, slots=True)
class Stanza:
    """A Files stanza: its globs, the License field's first line, the text below it, the holders as they stand."""

    globs: tuple[str, ...]
    synopsis: str
    text: str
    copyright: str
    expression: str


@dataclass(frozen=True, slots=True)
class DebianCopyright:
    """`stanzas` in order; `texts`: synopsis -> text of the stand-alone License stanzas; excluded: Files-Excluded."""

    stanzas: tuple[Stanza, ...]
    texts: Mapping[str, str]
    excluded: tuple[str, ...] = ()

    def stanza_of(self, paths: Iterable[str]) -> dict[str, int]:
        """path -> index of the stanza that counts for it; a path that none matches is left out."""
        plain: dict[str, int] = {}
        others: list[tuple[int, list[str]]] = []
        for index, stanza in enumerate(self.stanzas):
            plain.update((glob, index) for glob in stanza.globs if not _special(glob))
            patterns = [_regex(glob) for glob in stanza.globs if _special(glob)]
            if patterns:
                others.insert(0, (index, patterns))
        # one pattern with a group for each stanza, the last one first
        pattern = re.compile("|".join(f"({'|'.join(patterns)})" for _, patterns in others) or "(?!)", re.DOTALL)
        found: dict[str, int] = {}
        for path in paths:
            match = pattern.fullmatch(path)
            index = others[match.lastindex - 1][0] if match is not None and match.lastindex else -1
            index = max(index, plain.get(path, -1))
            if index >= 0:
                found[path] = index
        return found


def _special(glob: str) -> bool:
    return any(c in glob for c in "*?\\")


def glob_pattern(glob: str) -> re.Pattern[str]:
    """`*` any run of characters, slashes too; `?` one; a backslash takes the next one as it is."""
    return re.compile(_regex(glob), re.DOTALL)


def _regex(glob: str) -> str:
    parts = []
    at = 0
    while at < len(glob):
        c = glob[at]
        if c == "*":
            while glob[at + 1 : at + 2] == "*":
                at += 1
            parts.append(".*")
        elif c == "?":
            parts.append(".")
        elif c == "\\" and at + 1 < len(glob):
            at += 1
            parts.append(re.escape(glob[at]))
        else:
            parts.append(re.escape(c))
        at += 1
    return "".join(parts)


def parse(path: str, names: DebianNames, classify: Callable[[str], str] = lambda text: "") -> DebianCopyright:
    """Reads a file; `classify`: expression of a licence's text, "" when unknown, for short names that are the packager's
    own.  Raises WorkspaceError when the file is not machine-readable.
    """  # noqa: E501
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return _read(Copyright(file, strict=False), names, classify)
    except OSError as error:
        raise WorkspaceError(
            Diagnostic(f"cannot read the file: {(error.strerror or '').lower()}", Location(path))
        ) from None
    except (NotMachineReadableError, MachineReadableFormatError, ValueError) as error:
        raise WorkspaceError(
            Diagnostic(
                f"not a machine-readable debian/copyright: {error}",
                Location(path),
                help="'--debian-copyright=' audits without comparing",
            )
        ) from None


def _read(document: Copyright, names: DebianNames, classify: Callable[[str], str]) -> DebianCopyright:
    alone: list[Any] = [paragraph.license for paragraph in document.all_license_paragraphs()]
    texts = {licence.synopsis: licence.text for licence in alone if licence is not None}
    stanzas = []
    for paragraph in document.all_files_paragraphs():
        licence: Any = paragraph.license
        synopsis = licence.synopsis if licence is not None else ""
        text = (licence.text if licence is not None else "") or texts.get(synopsis, "")
        stanzas.append(
            Stanza(
                tuple(glob.removeprefix("./") for glob in paragraph.files),
                synopsis,
                text,
                str(paragraph.copyright or ""),
                _expression(synopsis, text, texts, names, classify),
            )
        )
    return DebianCopyright(tuple(stanzas), texts, tuple(document.header.files_excluded or ()))


def _expression(
    synopsis: str, text: str, texts: Mapping[str, str], names: DebianNames, classify: Callable[[str], str]
) -> str:
    expression = names.to_spdx(synopsis)
    for key in keys(expression):
        if not key.startswith("LicenseRef-"):
            continue
        own = next((t for name, t in texts.items() if names.to_spdx(name) == key), "")
        if not own and key == expression:
            own = text
        told = classify(own) if own else ""
        if told and " AND " not in told:
            expression = re.sub(rf"(?<![\w.-]){re.escape(key)}(?![\w.-])", told, expression)
    return expression


@dataclass(frozen=True, slots=True)
class Difference:
    """kind: "uncovered", "wrong", "stale-glob" or "unused-stanza"; `files`: some of those concerned; count: of all."""

    kind: str
    said: str
    found: str
    files: tuple[str, ...]
    count: int
    stanza: int = -1


def compare(document: DebianCopyright, concluded: Mapping[str, str], names: Iterable[str] = ()) -> list[Difference]:
    """What is missing, wrong or stale in a debian/copyright. concluded: path -> expression; names: paths beside these
    (links) that a glob may rightly match.
    """
    stanza_of = document.stanza_of(concluded)
    found: dict[tuple[str, int, str], list[str]] = {}
    for path, expression in concluded.items():
        if path.startswith("debian/"):
            continue
        index = stanza_of.get(path)
        if index is None:
            found.setdefault(("uncovered", -1, expression), []).append(path)
        elif not agree(document.stanzas[index].expression, expression):
            found.setdefault(("wrong", index, expression), []).append(path)
    differences = [
        Difference(
            kind,
            document.stanzas[index].expression if index >= 0 else "",
            expression,
            tuple(paths[:20]),
            len(paths),
            index,
        )
        for (kind, index, expression), paths in sorted(found.items(), key=lambda item: -len(item[1]))
    ]
    everything = frozenset([*concluded, *names])
    directories = inheritance.sizes(everything)
    used = set(stanza_of.values())
    for index, stanza in enumerate(document.stanzas):
        stale = [glob for glob in stanza.globs if not _matches_any(glob, everything, directories)]
        stale = [glob for glob in stale if not glob.startswith("debian/")]
        if stale and len(stale) == len(stanza.globs):
            differences.append(Difference("unused-stanza", stanza.expression, "", tuple(stale[:20]), len(stale), index))
        elif stale:
            differences.append(Difference("stale-glob", stanza.expression, "", tuple(stale[:20]), len(stale), index))
        elif index not in used and not any(glob.startswith("debian/") for glob in stanza.globs):
            differences.append(
                Difference("overridden-stanza", stanza.expression, "", stanza.globs[:20], len(stanza.globs), index)
            )
    return differences


def _matches_any(glob: str, paths: Collection[str], directories: Collection[str]) -> bool:
    """Whether a glob has one of the paths, or names a directory that they are in."""
    if not _special(glob):
        directory = glob.rstrip("/")
        return glob in paths or (directory != "" and directory in directories)
    pattern = glob_pattern(glob)
    return any(pattern.fullmatch(path) for path in paths)


_LOOSE = {
    "BSD-2-Clause-Views": "BSD-2-Clause",
    "X11": "MIT",
    "ICU": "MIT",
    "X11-distribute-modifications-variant": "MIT",
    "FSFULLRWD": "FSFULLR",
    "HPND-sell-variant": "HPND",
    "PSF-2.0": "Python-2.0",
    "Unicode-DFS-2015": "Unicode-DFS-2016",
    "BSD-4-Clause-UC": "BSD-4-Clause",
    "BSD-4-Clause-Shortened": "BSD-4-Clause",
    "GFDL-1.1-no-invariants-or-later": "GFDL-1.1-or-later",
    "GFDL-1.2-no-invariants-or-later": "GFDL-1.2-or-later",
    "GFDL-1.3-no-invariants-or-later": "GFDL-1.3-or-later",
    "IJG-short": "IJG",
    "LicenseRef-mit-old-style": "NTP",
}


def agree(said: str, found: str) -> bool:
    """Whether two expressions name the same licences; spellings that Debian does not tell apart count as one."""
    return said == found or _loose(said) == _loose(found)


def _addition(key: str) -> bool:
    """Whether it adds to a licence; few debian/copyright tell which addition it is."""
    return "exception" in key.lower() or key == "Linux-syscall-note"


@functools.lru_cache(maxsize=10_000)
def _loose(expression: str) -> frozenset[str]:
    return frozenset(_LOOSE.get(key, key) for key in keys(expression) if not _addition(key))

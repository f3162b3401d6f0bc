"""The reference texts, notices and phrases of `licenses/`, made ready to be compared with what files say."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import sys
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError
from bazel2ninja.licensing import copyrights
from bazel2ninja.licensing.words import words

_CRITICAL = re.compile(r"\{([^{}]*)\}")
_DISCLAIMER = re.compile(
    r"\b(?:this|the) (?:software|library|program|work|code|file|material)s? (?:\w+ ){0,4}?is (?:\w+ )?provided\b"
)
_DISCLAIMING = 150  # words of the longest disclaimer at the end of a text
_GRANTING = 12  # words before it; a text with fewer has its conditions behind it
_OFTEN = 6  # a trigram that a text repeats more often than this says little about where in the text one is


@dataclass(frozen=True, slots=True)
class Reference:
    """A text to compare with.  kind: "text" (a whole licence) or "notice"; `critical`: positions that must match;
    granting: words before the disclaimer that many licences have in common, 0 when it does not come last.
    """

    expression: str
    kind: str
    words: tuple[str, ...]
    critical: frozenset[int]
    granting: int = 0


@dataclass(frozen=True, slots=True)
class Phrase:
    """A statement in a few words.  name: the pattern matches a licence's name only, which is a grant in its context."""

    expression: str
    pattern: re.Pattern[str]
    name: bool = False
    weak: bool = False


@dataclass(frozen=True, slots=True)
class Flag:
    """Words that make terms doubtful; kind: "non-free", "field-of-use" or "patent"."""

    kind: str
    pattern: re.Pattern[str]


class References:
    """All of them, with an index of every three successive words.  `fingerprint` changes when any of them does."""

    def __init__(
        self, references: list[Reference], phrases: list[Phrase], flags: list[Flag], grants: list[str], fingerprint: str
    ):
        self.references = references
        self.phrases = phrases
        self.flags = flags
        self.grant = re.compile("(?:" + "|".join(grants) + ") $") if grants else None
        self.fingerprint = fingerprint
        index: dict[tuple[str, str, str], list[tuple[int, int]]] = defaultdict(list)
        for number, reference in enumerate(references):
            text = reference.words
            own: dict[tuple[str, str, str], list[tuple[int, int]]] = defaultdict(list)
            for position in range(len(text) - 2):
                own[text[position], text[position + 1], text[position + 2]].append((number, position))
            for trigram, places in own.items():
                if len(places) <= _OFTEN:
                    index[trigram] += places
        self.index = dict(index)


def directory() -> Path:
    """Where the policy and reference texts are: beside the package in a source tree, else where they are installed."""
    candidates = [
        Path(__file__).resolve().parents[2] / "licenses",
        Path(sys.prefix) / "share/bazel2ninja/licenses",
        Path("/usr/share/bazel2ninja/licenses"),
    ]
    for candidate in candidates:
        if (candidate / "references.toml").is_file():
            return candidate
    raise WorkspaceError(
        Diagnostic("the licence policy and reference texts are not installed", Location(str(candidates[-1])))
    )


_COMPARING = ("references.py", "matching.py", "gnu.py", "words.py", "copyrights.py")


def fingerprint(root: Path) -> str:
    """Names the state of all reference texts and of the code that compares with them."""
    total = hashlib.sha256()
    here = os.path.dirname(__file__)
    files = [os.path.join(here, name) for name in _COMPARING]
    for place, _, names in os.walk(root):
        files += [os.path.join(place, name) for name in names if name.endswith((".txt", ".toml"))]
    for path in sorted(files):
        status = os.stat(path)
        total.update(f"{os.path.basename(path)}:{status.st_size}:{status.st_mtime_ns}\n".encode())
    return total.hexdigest()[:16]


def identifiers(root: Path) -> frozenset[str]:
    """The SPDX identifiers of the licences whose texts are known."""
    names = {name[:-4].partition("~")[0] for name in os.listdir(root / "texts")}
    return frozenset(names | {name.replace("-only", "-or-later") for name in names})


def load(root: Path) -> References:
    """Reads `licenses/`, once in each state; raises WorkspaceError for a file that is not as it should be."""
    return _loaded(root, fingerprint(root))


@functools.lru_cache(maxsize=2)
def _loaded(root: Path, state: str) -> References:
    found: list[Reference] = []
    for name in sorted(os.listdir(root / "texts")):
        if name.endswith(".txt"):
            text = (root / "texts" / name).read_text(encoding="utf-8")
            # "BSD-3-Clause~author.txt": another wording of the same terms
            found.append(_whole_text(name[:-4].partition("~")[0], text))
    for entry in read_toml(root / "notices.toml").get("notice", []):
        for part in [entry["text"]]:
            found.append(_notice(entry["expression"], part))
    table = read_toml(root / "references.toml")
    phrases = [phrase for entry in table.get("name", []) for phrase in _names(entry)]
    phrases += [
        Phrase(entry["expression"], re.compile(pattern), weak=bool(entry.get("weak")))
        for entry in table.get("statement", [])
        for pattern in entry["patterns"]
    ]
    flags = [
        Flag(entry["kind"], re.compile(pattern)) for entry in table.get("flag", []) for pattern in entry["patterns"]
    ]
    return References(found, phrases, flags, list(table.get("grants", [])), state)


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file of ours or of the user; raises WorkspaceError with its place when it is malformed."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise WorkspaceError(Diagnostic(f"not valid TOML: {error}".lower(), Location(str(path)))) from None
    except (OSError, UnicodeDecodeError) as error:
        raise WorkspaceError(Diagnostic(f"cannot read the file: {error}", Location(str(path)))) from None


def _whole_text(expression: str, text: str) -> Reference:
    said = _text_words(text)
    disclaimer = _DISCLAIMER.search(" ".join(said))
    before = " ".join(said)[: disclaimer.start()].count(" ") if disclaimer is not None else 0
    last = disclaimer is not None and len(said) - before < _DISCLAIMING
    return Reference(expression, "text", said, frozenset(), before if last and before >= _GRANTING else 0)


def _text_words(text: str) -> tuple[str, ...]:
    """Words of a licence's text, without the copyright lines that stand for anybody's."""
    lines = [line for line in text.splitlines() if copyrights.split(copyrights.clean(line)) is None]
    return tuple(words(re.sub(r"<[^<>\n]{1,80}>|\[[^\[\]\n]{1,60}\]", " ", "\n".join(lines))))


def _notice(expression: str, text: str) -> Reference:
    found: list[str] = []
    critical: set[int] = set()
    at = 0
    for match in _CRITICAL.finditer(text):
        found += words(text[at : match.start()])
        marked = words(match[1])
        critical.update(range(len(found), len(found) + len(marked)))
        found += marked
        at = match.end()
    found += words(text[at:])
    return Reference(expression, "notice", tuple(found), frozenset(critical))


_LATER = r"(?: or(?: at your option)?(?: any)?(?: later| newer| above| greater| higher)(?: versions?)?)"


def _names(entry: dict[str, Any]) -> list[Phrase]:
    expression, patterns = str(entry["expression"]), list(entry["words"])
    if "versions" in entry:
        return [
            Phrase(
                expression.format(version=version if "." in version else version + ".0"),
                re.compile(
                    rf"\b(?:{pattern.replace('{v}', version.replace('.', chr(92) + '.'))})(?: or later)?(?= |$)"
                ),
                name=True,
            )
            for version in entry["versions"]
            for pattern in patterns
        ]
    if entry.get("gnu"):
        return [
            Phrase(expression + suffix, re.compile(rf"\b(?:{pattern}){tail}"), name=True)
            for pattern in patterns
            for suffix, tail in (("-or-later", _LATER), ("-only", rf"(?= |$)(?!{_LATER})"))
        ]
    return [Phrase(expression, re.compile(rf"\b(?:{pattern})(?= |$)"), name=True) for pattern in patterns]

"""No regular expression for the words of notices takes quadratic time: each alone, on seeded mixtures of what it looks
for, repeated.  Those for names of files and for lines, which are short, are not here.
"""

from __future__ import annotations

import re
import time
from random import Random

import pytest

from bazel2ninja.licensing import (
    conclusions,
    default_terms,
    documents,
    gnu,
    licence_files,
    manuals,
    matching,
    media_terms,
    own_terms,
    pointers,
    project_terms,
    references,
)

WORDS = [
    "license", "copyright", "gpl", "version", "only", "this", "these", "all", "the", "of", "or", "a", "2", "1.3",
    "under", "terms", "later", "gnu", "public", "general", "files", "software", "is", "provided", "permission",
    "granted", "to", "and", "document", "directory", "parts", "from", "based on", "either", "x", "1", "see", "\x00",
]  # fmt: skip
MODULES = (
    conclusions, default_terms, documents, gnu, licence_files, manuals, matching, media_terms, own_terms, pointers,
    project_terms,
)  # fmt: skip
_OF_NAMES = (
    "_README",
    "_A_README",
    "VENDORED",
    "_MANIFEST",
    "_PAGE_OF_LICENCES",
    "_OF_BUILD",
    "_OF_SOURCES",
    "_FOR_PICTURES",
    "_DOCINFO",
    "BUILD_FILE",
    "_RECIPE",
)
SHORT, LONG = 4_000, 16_000
SOON = 0.05  # seconds in which a longer text may be looked through whatever a shorter one took


def patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Every pattern of the modules that read notices, and of licenses/references.toml."""
    found = [
        (f"{module.__name__.rpartition('.')[2]}.{name}", value)
        for module in MODULES
        for name, value in vars(module).items()
        if isinstance(value, re.Pattern) and name not in _OF_NAMES
    ]
    known = references.load(references.directory())
    found += [(phrase.expression, phrase.pattern) for phrase in known.phrases]
    found += [(flag.kind, flag.pattern) for flag in known.flags]
    return found


def seconds(pattern: re.Pattern[str], unit: str, size: int) -> float:
    text = unit * (size // len(unit))
    started = time.process_time()
    for count, _ in enumerate(pattern.finditer(text)):
        if count > 200:
            break
    return time.process_time() - started


def quadratic(pattern: re.Pattern[str], unit: str) -> bool:
    if seconds(pattern, unit, LONG) < SOON:
        return False
    return all(seconds(pattern, unit, LONG) > 8 * max(seconds(pattern, unit, SHORT), SOON / 8) for _ in range(3))


def test_patterns_are_found() -> None:
    names = [name for name, _ in patterns()]
    assert {"documents._THESE", "own_terms._CREDIT", "matching._POINTER"} <= set(names)
    assert len(names) > 300


@pytest.mark.slow
def test_a_quadratic_one_would_be_noticed() -> None:
    assert quadratic(re.compile(r"x[x ]*y"), "x ")


@pytest.mark.parametrize("seed", range(4))
def test_no_pattern_takes_quadratic_time(seed: int) -> None:
    chance = Random(seed)
    for name, pattern in patterns():
        own = re.findall(r"[a-z]{3,}", pattern.pattern) or ["x"]
        unit = " ".join(chance.choices(WORDS + chance.choices(own, k=12), k=1 + seed)) + " "
        assert not quadratic(pattern, unit), (name, unit)

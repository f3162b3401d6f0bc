"""The adjudicated list is well formed, and notices it quotes whole are still classified as its readers did."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bazel2ninja.licensing import expressions, references
from bazel2ninja.licensing.dep5 import agree
from bazel2ninja.licensing.matching import classify
from bazel2ninja.licensing.words import words

ROWS = json.loads((Path(__file__).parent / "data/licensing/adjudicated.json").read_text())
NAMED = re.compile(r"\b(?:MIT|Apache|GPL|GNU|Boost|domain|zlib)\b")
SHORT = [
    row
    for row in ROWS
    if len(row["quote"]) < 160
    and " / " not in row["quote"]
    and NAMED.search(row["quote"])
    and row["verdict"] != "LGPL-2.0-or-later WITH WxWindows-exception-3.1"
]


@pytest.fixture(scope="module")
def known() -> references.References:
    return references.load(references.directory())


def test_the_list_is_well_formed() -> None:
    assert len({(row["package"], row["file"]) for row in ROWS}) == len(ROWS) > 150
    assert len({row["package"] for row in ROWS}) == 10
    assert len(SHORT) >= 5
    for row in ROWS:
        assert expressions.normal(row["verdict"]), row
    assert any(not agree(row["verdict"], row["debian"]) for row in ROWS)


def test_the_second_reading_agrees_as_often_as_is_told() -> None:
    read = [row for row in ROWS if "second" in row]
    assert len(read) == 50
    assert (
        sum(agree(row["second"], row.get("first", row["verdict"])) and "undecidable" not in row for row in read) == 40
    )


@pytest.mark.parametrize("row", SHORT, ids=lambda row: row["file"])
def test_short_notices_mean_what_was_read(row: dict[str, str], known: references.References) -> None:
    found = classify(" ".join(words(row["quote"])), known)
    assert agree(found.expression, row["verdict"])


FRESH = json.loads((Path(__file__).parent / "data/licensing/fresh.json").read_text())


def test_the_figures_of_the_fresh_sample_are_those_of_its_rows() -> None:
    """docs/audit.md, first sight: 42 of 48 exceptions found, 42 of 50 claims right."""
    exceptions = [row for row in FRESH if not agree(row["verdict"], row["main"])]
    claims = [row for row in FRESH if not agree(row["audit_before"], row["main"])]
    assert (len(FRESH), len(exceptions), len(claims)) == (65, 48, 50)
    assert sum(agree(row["audit_before"], row["verdict"]) for row in exceptions) == 42
    assert sum(agree(row["audit_before"], row["verdict"]) for row in claims) == 42


DRAWN = json.loads((Path(__file__).parent / "data/licensing/drawn.json").read_text())


@pytest.mark.parametrize(
    ("seed", "who", "figures"),
    [
        (71, "audit_before", (36, 35, 56, 35)),
        (71, "debian", (36, 20, 20, 20)),
        (72, "audit_before", (36, 30, 51, 30)),
        (72, "debian", (36, 20, 24, 20)),
        (73, "audit_before", (30, 30, 38, 30)),
        (73, "debian", (30, 12, 16, 12)),
        (74, "audit_before", (46, 32, 57, 32)),
        (74, "debian", (46, 7, 21, 7)),
        (75, "audit_before", (46, 43, 54, 43)),
        (75, "debian", (46, 5, 7, 5)),
        (76, "audit_before", (52, 46, 52, 46)),
        (76, "debian", (52, 29, 32, 29)),
        (77, "audit_before", (43, 43, 43, 43)),
        (77, "debian", (43, 3, 3, 3)),
        (78, "audit_before", (12, 10, 20, 10)),
        (78, "debian", (12, 7, 17, 7)),
        (79, "audit_before", (38, 29, 37, 29)),
        (79, "debian", (38, 10, 21, 10)),
        (81, "audit_before", (92, 80, 109, 80)),
        (81, "debian", (92, 48, 68, 48)),
        (91, "audit_before", (71, 64, 85, 64)),
        (91, "debian", (71, 18, 33, 18)),
        (92, "audit_before", (69, 54, 84, 54)),
        (92, "debian", (69, 44, 57, 44)),
        (93, "audit_before", (81, 74, 92, 74)),
        (93, "debian", (81, 46, 68, 46)),
        (94, "audit_before", (113, 105, 120, 105)),
        (94, "debian", (113, 63, 72, 63)),
        (95, "audit_before", (94, 77, 86, 77)),
        (95, "debian", (94, 72, 82, 72)),
        (96, "audit_before", (116, 100, 110, 100)),
        (96, "debian", (116, 68, 84, 68)),
        (97, "audit_before", (158, 140, 164, 140)),
        (97, "debian", (158, 67, 81, 67)),
        (99, "audit_before", (129, 112, 142, 112)),
        (99, "debian", (129, 51, 85, 51)),
        (100, "audit_before", (137, 108, 142, 108)),
        (100, "debian", (137, 28, 43, 28)),
    ],
)
def test_the_figures_of_the_drawn_samples_are_those_of_their_rows(
    seed: int, who: str, figures: tuple[int, int, int, int]
) -> None:
    """docs/audit.md, first sight: exceptions, those found, claims, those that are right."""
    rows = [row for row in DRAWN if row["seed"] == seed and "undecidable" not in row]
    said = [(row, row[who] or row["main"]) for row in rows]
    exceptions = [agree(claim, row["verdict"]) for row, claim in said if not agree(row["verdict"], row["main"])]
    claims = [agree(claim, row["verdict"]) for row, claim in said if not agree(claim, row["main"])]
    assert (len(exceptions), sum(exceptions), len(claims), sum(claims)) == figures


@pytest.mark.parametrize(
    ("seed", "figures"),
    [
        (81, (144, 143)),
        (91, (104, 104)),
        (92, (101, 99)),
        (93, (120, 117)),
        (94, (142, 141)),
        (95, (120, 120)),
        (96, (140, 140)),
        (97, (202, 187)),
        (99, (192, 190)),
        (100, (177, 172)),
    ],
)
def test_two_readers_agree_as_often_as_is_told(seed: int, figures: tuple[int, int]) -> None:
    read = [row["readers"] for row in DRAWN if row["seed"] == seed]
    assert (len(read), sum(agree(one, two) for one, two in read)) == figures

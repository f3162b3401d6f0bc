"""What a distribution thinks of terms: `licenses/policy.toml`, asked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from bazel2ninja.licensing.expressions import keys
from bazel2ninja.licensing.references import read_toml
from bazel2ninja.records import dataclass


@dataclass(frozen=True, slots=True)
class Incompatible:
    """Terms of which no two of both sides may end in one binary."""

    one: re.Pattern[str]
    other: re.Pattern[str]
    reason: str


class Policy:
    """Verdicts over single licences and over expressions."""

    def __init__(self, root: Path):
        table = read_toml(root / "policy.toml")
        self._non_free = _pattern(table.get("non-free", []))
        self._unclear = _pattern(table.get("unclear", []))
        self._free = _pattern(table.get("free", []))
        self.incompatible = [
            Incompatible(_pattern(entry["one"]), _pattern(entry["other"]), entry["reason"])
            for entry in table.get("incompatible", [])
        ]
        self._obligations = {
            name: (_pattern(ids), _pattern(table.get("obligations-except", {}).get(name, [])))
            for name, ids in table.get("obligations", {}).items()
        }

    def verdict(self, licence: str) -> str:
        """ "free", "non-free" or "unclear" for one licence."""
        if self._non_free.fullmatch(licence):
            return "non-free"
        if self._unclear.fullmatch(licence):
            return "unclear"
        if licence.startswith("LicenseRef-") and not self._free.fullmatch(licence):
            return "unclear"
        return "free"

    def verdict_of(self, expression: str) -> str:
        """The best choice counts where there is one (OR), else the worst part."""
        if " OR " in expression:
            verdicts = {self.verdict(key) for key in keys(expression) if "exception" not in key}
            return "free" if "free" in verdicts else min(verdicts)
        order = ("free", "unclear", "non-free")
        return max((self.verdict(key) for key in keys(expression)), key=order.index, default="unclear")

    def obligations(self, licences: Iterable[str]) -> dict[str, list[str]]:
        """obligation -> the licences that bring it."""
        unique = sorted(set(licences))
        found = {
            name: [each for each in unique if pattern.fullmatch(each) and not excepted.fullmatch(each)]
            for name, (pattern, excepted) in self._obligations.items()
        }
        return {name: ids for name, ids in found.items() if ids}

    def conflicts(self, licences: Iterable[str]) -> list[tuple[str, str, str]]:
        """(one, other, reason) of each pair that may not be combined."""
        unique = sorted(set(licences))
        return [
            (one, other, rule.reason)
            for rule in self.incompatible
            for one in unique
            if rule.one.fullmatch(one)
            for other in unique
            if rule.other.fullmatch(other)
        ]


def _pattern(identifiers: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(each).replace(r"\*", ".*") for each in identifiers) or r"(?!)")

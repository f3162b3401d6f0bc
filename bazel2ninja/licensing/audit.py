"""The audit of a source tree as one value, from which every report is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bazel2ninja.licensing import (
    classification,
    conclusions,
    decisions,
    findings_files,
    findings_terms,
    mentions,
    reading,
    references,
)
from bazel2ninja.licensing import second_opinion as second_opinion_module
from bazel2ninja.licensing.cache import Cache
from bazel2ninja.licensing.conclusions import Concluded
from bazel2ninja.licensing.decisions import Decision
from bazel2ninja.licensing.dep5 import DebianCopyright, Difference
from bazel2ninja.licensing.expressions import DebianNames
from bazel2ninja.licensing.finding import KINDS, Finding
from bazel2ninja.licensing.matching import Classification
from bazel2ninja.licensing.policy import Policy
from bazel2ninja.licensing.reading import SourceTree


@dataclass(frozen=True, slots=True)
class Audit:
    """tree: what was read; known: digest -> Classification; `answered`: findings that a person has decided on, which
    `findings` leaves out; `stale`: decisions about what has changed or gone; document, differences: debian/copyright.
    """

    tree: SourceTree
    known: Mapping[str, Classification]
    concluded: Concluded
    findings: tuple[Finding, ...]
    answered: tuple[Finding, ...] = ()
    document: DebianCopyright | None = None
    differences: tuple[Difference, ...] = ()
    stale: tuple[Decision, ...] = ()

    @property
    def questions(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.asks)


def make(
    root: str,
    cache: Cache,
    *,
    jobs: int = 1,
    exclude: Callable[[str], bool] = lambda path: False,
    directory: Path | None = None,
    decided: Sequence[Decision] = (),
    second_opinion: bool = False,
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Audit:
    """Reads, classifies, concludes and looks for findings.

    decided: what people have answered before; second_opinion: ask licensecheck, too. Raises WorkspaceError when `root` is
    no directory, or licensecheck is wanted and not installed.
    """  # noqa: E501
    place = directory or references.directory()
    tree = reading.read(root, cache, jobs=jobs, exclude=exclude, progress=lambda d, t: progress("reading", d, t))
    known = classification.classify_all(
        ((notice, scan.whole) for scan in tree.scans.values() for notice in scan.notices),
        cache,
        place,
        lambda d, t: progress("classifying", d, t),
    )
    named = mentions.read(tree, cache, place)
    policy = Policy(place)

    def conclude(decided: Mapping[str, str]) -> tuple[Concluded, list[Finding]]:
        concluded = conclusions.conclude(
            tree, known, named=named, decided=decided, identifiers=references.identifiers(place)
        )
        found = [*findings_terms.find(tree, known, concluded, policy), *findings_files.find(tree, concluded)]
        if second_opinion:
            found += _second_opinions(tree, known, cache, place)
        order = list(KINDS)
        found.sort(key=lambda finding: (order.index(finding.kind), -len(finding.paths), finding.subject))
        return concluded, found

    concluded, found = conclude({})
    answers = decisions.apply(decided, found)
    terms = decisions.concluded(answers)
    if terms:
        concluded, found = conclude(terms)
        again = decisions.apply(decided, found)
        answers = decisions.Answers(again.open, answers.answered, again.stale)
    return Audit(tree, known, concluded, answers.open, tuple(f for f, _ in answers.answered), stale=answers.stale)


def _second_opinions(tree: SourceTree, known: Mapping[str, Classification], cache: Cache, place: Path) -> list[Finding]:
    texts: dict[str, str] = {}
    places: dict[str, list[str]] = {}
    for path, scan in tree.scans.items():
        for notice in scan.notices:
            if notice.place != "code" and not scan.whole:
                texts.setdefault(notice.digest, notice.excerpt)
                places.setdefault(notice.digest, []).append(path)
    said = second_opinion_module.opinions(texts, cache, DebianNames(place))
    return second_opinion_module.disagreements(said, known, {key: tuple(paths) for key, paths in places.items()})

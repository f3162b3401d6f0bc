"""The audit of a source tree as one value, from which every report is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bazel2ninja.licensing import (
    classification,
    conclusions,
    findings_files,
    findings_terms,
    mentions,
    reading,
    references,
)
from bazel2ninja.licensing.cache import Cache
from bazel2ninja.licensing.conclusions import Concluded
from bazel2ninja.licensing.dep5 import DebianCopyright, Difference
from bazel2ninja.licensing.finding import KINDS, Finding
from bazel2ninja.licensing.matching import Classification
from bazel2ninja.licensing.policy import Policy
from bazel2ninja.licensing.reading import SourceTree


@dataclass(frozen=True, slots=True)
class Audit:
    """tree: what was read; known: digest -> Classification; decided findings are not in `findings` but in `answered`."""

    tree: SourceTree
    known: Mapping[str, Classification]
    concluded: Concluded
    findings: tuple[Finding, ...]
    answered: tuple[Finding, ...] = ()
    document: DebianCopyright | None = None
    differences: tuple[Difference, ...] = field(default=())

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
    progress: Callable[[str, int, int], None] = lambda what, done, total: None,
) -> Audit:
    """Reads, classifies, concludes and looks for findings.  Raises WorkspaceError when `root` is no directory."""
    place = directory or references.directory()
    tree = reading.read(root, cache, jobs=jobs, exclude=exclude, progress=lambda d, t: progress("reading", d, t))
    known = classification.classify_all(
        ((notice, scan.whole) for scan in tree.scans.values() for notice in scan.notices),
        cache,
        place,
        lambda d, t: progress("classifying", d, t),
    )
    concluded = conclusions.conclude(
        tree, known, named=mentions.read(tree, cache, place), identifiers=references.identifiers(place)
    )
    policy = Policy(place)
    order = list(KINDS)
    found = [*findings_terms.find(tree, known, concluded, policy), *findings_files.find(tree, concluded)]
    found.sort(key=lambda finding: (order.index(finding.kind), -len(finding.paths), finding.subject))
    return Audit(tree, known, concluded, tuple(found))

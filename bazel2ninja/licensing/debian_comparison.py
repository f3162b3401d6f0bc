"""An audit set beside the debian/copyright that is there."""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path

from bazel2ninja.licensing import dep5, matching, references
from bazel2ninja.licensing.audit import Audit
from bazel2ninja.licensing.expressions import DebianNames
from bazel2ninja.licensing.words import words


def with_document(audit: Audit, path: str, directory: Path) -> Audit:
    """The audit with its differences from the file at `path`; unchanged when `path` is empty."""
    if not path:
        return audit
    document = dep5.parse(path, DebianNames(directory), classifier(directory))
    concluded = {name: conclusion.expression for name, conclusion in audit.concluded.files.items()}
    differences = dep5.compare(document, concluded, audit.tree.links)
    return dataclasses.replace(audit, document=document, differences=tuple(differences))


class classifier:
    """Expression of a licence's text, "" when it is not known."""

    def __init__(self, directory: Path):
        self._directory = directory

    def __call__(self, text: str) -> str:
        found = matching.classify(" ".join(words(text)), self._references, whole=True)
        return found.expression if found.basis in ("text", "notice") else ""

    @functools.cached_property
    def _references(self) -> references.References:
        return references.load(self._directory)

"""An audit set beside the debian/copyright that is there."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from bazel2ninja.licensing import dep5
from bazel2ninja.licensing.audit import Audit
from bazel2ninja.licensing.cache import Cache
from bazel2ninja.licensing.classification import classify_texts
from bazel2ninja.licensing.expressions import DebianNames
from bazel2ninja.licensing.words import digest, words


def with_document(audit: Audit, path: str, directory: Path, cache: Cache) -> Audit:
    """The audit with its differences from the file at `path`; unchanged when `path` is empty."""
    if not path:
        return audit
    document = dep5.parse(path, DebianNames(directory), classifier(directory, cache))
    concluded = {name: conclusion.expression for name, conclusion in audit.concluded.files.items()}
    differences = dep5.compare(document, concluded, audit.tree.links)
    return dataclasses.replace(audit, document=document, differences=tuple(differences))


class classifier:
    """Expression of a licence's text, "" when it is not known."""

    def __init__(self, directory: Path, cache: Cache):
        self._directory = directory
        self._cache = cache

    def __call__(self, text: str) -> str:
        said = words(text)
        key = digest(said) + "w"
        found = classify_texts({key: (" ".join(said), True)}, self._cache, self._directory)[key]
        return found.expression if found.basis in ("text", "notice") else ""

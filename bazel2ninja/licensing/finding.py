"""A finding: something about files that a distribution has to know, or a person has to decide."""

from __future__ import annotations

import hashlib

from bazel2ninja.records import dataclass

# kind -> what it means; the order is that of reports
KINDS = {
    "non-free": "terms that are not free",
    "non-free-words": "words of terms that may not be free",
    "unclear": "a notice that nobody has explained yet",
    "no-terms": "no terms found, not even inherited",
    "prebuilt": "programs and libraries without source",
    "archive": "archives: their content is not audited",
    "model": "trained models, arrays and other data in binary form",
    "media": "pictures, sounds and films whose source or origin is unknown",
    "font": "fonts without source",
    "binary-data": "binary data of unknown kind",
    "document-binary": "documents in a form for reading only",
    "minified": "JavaScript or CSS that is not in the form preferred for modification",
    "dfsg-suspect": "files known from elsewhere not to be free",
    "unreadable": "files that could not be read",
    "incompatible": "terms that may not be combined in one binary",
    "conflict": "a file's own terms differ from those of its directory",
    "several": "several licences in one file",
    "embedded-copy": "a copy of another project",
    "field-of-use": "a restriction of the field of use",
    "patent": "words about patents",
    "reserved": "all rights reserved, and no grant",
    "missing-text": "terms whose text is not in the tree",
    "unreferenced-text": "a licence text that no file refers to",
    "declared-differs": "a BUILD file or manifest states other terms",
    "generated": "generated files whose generator was not found",
    "notebook": "notebooks that hold rendered output",
    "test-data": "test data of unknown origin",
    "link": "symbolic links that leave the tree or lead nowhere",
    "opinions": "classifiers that disagree",
}

# what asks a person; the others are information
QUESTIONS = frozenset(
    [
        "non-free",
        "non-free-words",
        "unclear",
        "no-terms",
        "prebuilt",
        "archive",
        "model",
        "media",
        "font",
        "binary-data",
        "document-binary",
        "minified",
        "dfsg-suspect",
        "unreadable",
        "incompatible",
        "embedded-copy",
        "field-of-use",
        "reserved",
        "opinions",
    ]
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One question or fact.  subject: what it is about, stable from one version to the next: a notice's digest, a
    directory, a path. seen: hash of everything that a decision about it rests on.
    """

    kind: str
    subject: str
    paths: tuple[str, ...]
    detail: str
    seen: str
    excerpt: str = ""

    @property
    def asks(self) -> bool:
        return self.kind in QUESTIONS


def seen_hash(*parts: str) -> str:
    """16 hexadecimal digits that change when any part does."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:16]

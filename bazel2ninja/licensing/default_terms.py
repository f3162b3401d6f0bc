"""What a licence file or README at the root says of all that it does not name: "everything else is MIT-licensed"."""

from __future__ import annotations

import os
import re
from pathlib import Path

from bazel2ninja.licensing import content
from bazel2ninja.licensing.cache import Cache
from bazel2ninja.licensing.classification import classify_texts
from bazel2ninja.licensing.inheritance import Terms
from bazel2ninja.licensing.own_terms import is_readme
from bazel2ninja.licensing.reading import SourceTree
from bazel2ninja.licensing.words import digest, words

_THINGS = r"(?:files|code|sources?|parts|components|content)"
_OTHERWISE = (
    r"(?:unless|except (?:where|as|when|if))(?: \w+)? (?:otherwise |explicitly )?"
    r"(?:stated|noted|mentioned|specified|indicated|marked)"
)
_ALL = (
    r"(?:software|project|program|package|repository|distribution|library|everything|"
    r"(?:all|every) (?:\w+ )?(?:files?|code))"
)
_REST = re.compile(
    rf"\beverything else\b|\b(?:all|any) (?:the )?other (?:source )?{_THINGS}\b|\bremaining {_THINGS}\b|"
    rf"\bthe rest of (?:the|this) (?:files|code|sources?|software|project|package|library)\b|"
    rf"\b{_OTHERWISE}(?: \w+){{0,6}}? {_ALL}\b"
)
# "Zed is licensed under the MIT license, except for": what is said before counts
_EXCEPT = re.compile(
    r"\bis (?:licensed|released|distributed|made available|available) under .{1,160}?(?= except (?:for|where|as)\b)"
)
_SENTENCE = re.compile(r"[.:;](?=\s+[A-Z(]|\s*\n\s*\n|\s*$)|\n[ \t]*\n")
_LONGEST = 60_000  # characters that are looked at
_FAR = 60  # words of a sentence


def read(tree: SourceTree, cache: Cache, directory: Path) -> Terms | None:
    """The terms that are told so, with the file that does; licence files before READMEs."""
    speaking = [
        path
        for path, scan in tree.scans.items()
        if "/" not in path and scan.kind == "text" and scan.notices and (scan.whole or is_readme(path, scan.language))
    ]
    speaking.sort(key=lambda path: (not tree.scans[path].whole, path))
    for path in speaking:
        if not (tree.scans[path].whole or path.lower().startswith("readme")):
            continue
        said = _sentences(os.path.join(tree.root, path))
        known = classify_texts({digest(each.split(" ")): (each, False) for each in said}, cache, directory)
        for each in said:
            told = known[digest(each.split(" "))].expression
            if told and " AND " not in told and "LicenseRef-" not in told:
                return Terms(told, path)
    return None


def _sentences(path: str) -> list[str]:
    """Normalised sentences about all the rest, from the words that say so on."""
    try:
        with open(path, "rb") as file:
            text, _ = content.decode(file.read(_LONGEST))
    except OSError:
        return []
    found = []
    for sentence in _SENTENCE.split(text):
        said = " ".join(words(sentence)[:_FAR])
        rest, before = _REST.search(said), _EXCEPT.search(said)
        if rest is not None:
            found.append(said[rest.start() :])
        elif before is not None:
            found.append(before[0])
    return found

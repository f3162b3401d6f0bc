"""Pictures that a style sheet of another project's shows: they came with it."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Mapping

from bazel2ninja.licensing.inheritance import Terms
from bazel2ninja.licensing.own_terms import UNKNOWN, Conclusion
from bazel2ninja.licensing.project_terms import families
from bazel2ninja.licensing.reading import SourceTree

_SHOWN = re.compile(
    r"url\([ \t]*[\"']?((?:[\w.@-]{1,80}/){0,4}[\w.@-]{1,120}\.(?:png|gif|jpe?g|svg|webp|cur))[\"'?#) \t]"
)
_LONGEST = 1_000_000  # bytes of a style sheet


def pictures(tree: SourceTree, own: Mapping[str, Conclusion], main: str) -> dict[str, Terms]:
    """Silent picture -> the terms of the style sheets that show it (``url()`` of CSS), when these are not the project's
    and agree.
    """
    found: dict[str, Terms] = {}
    several: set[str] = set()
    for path, said in own.items():
        if not path.endswith(".css") or tree.scans[path].size > _LONGEST or said.expression == UNKNOWN:
            continue
        for each in _shown(os.path.join(tree.root, path)):
            picture = posixpath.normpath(posixpath.join(posixpath.dirname(path), each))
            if picture in tree.scans and picture not in own:
                terms = found.setdefault(picture, Terms(said.expression, path))
                if terms.expression != said.expression:
                    several.add(picture)
    return {
        picture: terms
        for picture, terms in found.items()
        if picture not in several
        and " AND " not in terms.expression
        and "LicenseRef-" not in terms.expression
        and families([terms.expression]) != families([main])
    }


def _shown(path: str) -> list[str]:
    try:
        with open(path, "rb") as file:
            return _SHOWN.findall(file.read(_LONGEST).decode("utf-8", "replace"))
    except OSError:
        return []

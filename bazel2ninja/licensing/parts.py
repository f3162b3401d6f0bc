"""Parts of a project whose files have other terms than the rest: copies of other projects, whatever their directories
are called, and what the project has under another of its licences.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping

from bazel2ninja.licensing import inheritance
from bazel2ninja.licensing.inheritance import Neighbours, Terms, is_vendored
from bazel2ninja.licensing.own_terms import Conclusion
from bazel2ninja.licensing.project_terms import allowed, alone, families

# directories in which files from elsewhere that help to build stand beside the project's own
_OF_BUILD = re.compile(r"(?:^|[-_])(?:cmake|m4|aux|scripts?|tools?)(?:$|[-_])", re.IGNORECASE)
# directories of a project in which all its code is, beside its documentation and such
_OF_SOURCES = re.compile(r"(?:lib)?(?:src|sources?|include|inc|lib|code|python|java|main)(?:$|[-_.\d])", re.IGNORECASE)
_SOME_OF = 8  # one of so many files has to say that a part has another of the project's licences
_FEW_OF = 10  # files of a copy that say what all say, to one that says what the project has
_THIRD = 3  # of all files of a library's programs have to say that they are under the GPL
COPIED = 4  # files that have to say the same in a directory that looks like a copy


def of_part(
    directory: str, neighbours: Neighbours, main: str, root: Terms | None, sizes: Mapping[str, int]
) -> Conclusion | None:
    """What the nearest directory whose files speak says, where the project has other licences for its parts."""
    for above in inheritance.ancestors(directory):
        if is_vendored(above + "/each"):
            return None  # copies of other projects, or the directory around them
        if above and neighbours.speaking(above):
            around = neighbours.at(above)
            older = around == "LGPL-2.0-or-later" and main == "LGPL-2.1-or-later"
            unversioned = around == "GPL-1.0-or-later" and "GPL-" in main
            if not around or older or unversioned or families([around]) == families([main]):
                return None
            if _a_copy(above, around, neighbours, main, sizes):
                return Conclusion(around, "neighbours", above)
            if _in_an_inner_one(above, around, neighbours):
                continue
            if root is None or alone(root):
                return None
            if neighbours.count(above, around) * _SOME_OF < sizes[above]:
                continue
            of_project = allowed(around, families(root.beside))
            program = main.startswith("LGPL-") and around.startswith("GPL-") and " " not in main + around
            program = program and neighbours.count(above, around) * _THIRD >= sizes[above]
            return Conclusion(around, "neighbours", above) if of_project or program else None
    return None


def _a_copy(directory: str, around: str, neighbours: Neighbours, main: str, sizes: Mapping[str, int]) -> bool:
    """Whether a directory of any name looks like a copy of another project: two fifths of its files say `around`,
    which most others do not, one of ten at most what the project has, and it is the smaller part of the whole.
    """
    if _OF_BUILD.search(posixpath.basename(directory)):
        return False
    if _in_an_inner_one(directory, around, neighbours):
        return False  # it is the inner one that is a copy
    count = neighbours.count(directory, around)
    if neighbours.elsewhere(directory, around):
        return False
    exact = " AND " not in around and "LicenseRef-" not in around
    share = count * 5 > sizes[directory] * 2 and sizes[directory] * 2 <= sizes[""]
    of_project = neighbours.count(directory, main) * _FEW_OF
    return exact and share and count >= COPIED and of_project <= count


def _in_an_inner_one(directory: str, around: str, neighbours: Neighbours) -> bool:
    """Whether all files of a directory that say something are in one further down that may be a project of its own."""
    inner = neighbours.in_one(directory, around)
    return bool(inner) and not _OF_SOURCES.match(posixpath.basename(inner))


def inner_copy(directory: str, inner: str) -> bool:
    """Whether a directory in one that looks like a copy may be a copy of its own: not its sources, nor its namesake."""
    name = posixpath.basename(inner)
    return not _OF_SOURCES.match(name) and name.lower() not in posixpath.basename(directory).lower()

"""Terms of what belongs to a file that speaks: a font in other formats, the library of a script, a part whose licence
file is among its documents.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Mapping

from bazel2ninja.licensing.inheritance import DOCUMENTS, Neighbours, Terms
from bazel2ninja.licensing.own_terms import UNKNOWN, Conclusion
from bazel2ninja.licensing.project_terms import allowed, families

FONT = re.compile(r"\.(?:[ot]t[fc]|woff2?|eot|sfd|glyphs|pf[abm]|afm|bdf|pcf(?:\.gz)?)$", re.IGNORECASE)


def forms_of_fonts(own: Mapping[str, Conclusion], paths: Iterable[str]) -> dict[str, Terms]:
    """Silent font -> what the same font says in another format beside it (.eot and .svg beside .ttf)."""
    said = {posixpath.splitext(path)[0]: Terms(c.expression, path) for path, c in own.items() if FONT.search(path)}
    found = {}
    for path in paths if said else ():
        stem, extension = posixpath.splitext(path)
        if stem in said and path not in own and (extension.lower() == ".svg" or FONT.search(path)):
            found[path] = said[stem]
    return found


def libraries_of_scripts(
    own: Mapping[str, Conclusion], directories: Iterable[str], neighbours: Neighbours
) -> dict[str, Terms]:
    """Directory in which no file says anything -> the terms of the script beside it that it is of (waf, waflib)."""
    found = {}
    for directory in directories:
        script = directory.removesuffix("lib")
        said = own[script].expression if directory.endswith("lib") and script in own else UNKNOWN
        if said != UNKNOWN and not neighbours.speaking(directory, 1):
            found[directory] = Terms(said, script)
    return found


def among_documents(governing: Mapping[str, Terms], neighbours: Neighbours) -> dict[str, Terms]:
    """Directory of a part without licence file -> the one among its documents, when that is what its files say."""
    found = {}
    for directory, terms in governing.items():
        above, _, name = directory.rpartition("/")
        if above and above not in governing and name.lower() in DOCUMENTS:
            around = neighbours.at(above, 1)
            if around and allowed(around, families(terms.found)):
                found[above] = terms
    return found

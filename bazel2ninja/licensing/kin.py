"""Terms of what belongs to a file that speaks: a script's library, a part with a licence file among its documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bazel2ninja.licensing.inheritance import DOCUMENTS, Neighbours, Terms
from bazel2ninja.licensing.own_terms import UNKNOWN, Conclusion
from bazel2ninja.licensing.project_terms import allowed, families


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

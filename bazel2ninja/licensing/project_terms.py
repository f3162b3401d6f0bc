"""A project's own terms: of those that its licence files allow, the ones that most of its files state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from bazel2ninja.licensing import expressions
from bazel2ninja.licensing.inheritance import Terms
from bazel2ninja.licensing.matching import Classification
from bazel2ninja.licensing.own_terms import UNKNOWN, Conclusion, family, is_readme, of_notice
from bazel2ninja.licensing.scan import FileScan

_VAGUE_GNU = "GPL-1.0"
# the GNU licences without a version -> how the identifiers of their family begin
VAGUE = {"GPL-1.0-or-later": "GPL-", "LGPL-2.0-or-later": "LGPL-"}
_FEW = 4  # files that state terms; no more show nothing about the project
_NEARLY_ALL = 0.8


def told_at_root(
    scans: Mapping[str, FileScan], known: Mapping[str, Classification], declared: Mapping[str, Terms]
) -> frozenset[str]:
    """Every licence that a README or manifest at the root names."""
    said = {
        each
        for path, scan in scans.items()
        if "/" not in path and path.lower().startswith("readme")
        for notice in scan.notices
        for each in of_notice(notice, scan, known).alone
    }
    return frozenset(said | ({declared[""].expression} if "" in declared else set()))


def bsd_of_root(scans: Mapping[str, FileScan], known: Mapping[str, Classification]) -> Terms | None:
    """The BSD text that a licence file or README at the root has; None if there is none, or different ones."""
    found = {
        each: path
        for path, scan in scans.items()
        if "/" not in path and (scan.whole or is_readme(path, scan.language))
        for notice in scan.notices
        for each in of_notice(notice, scan, known).alone
        if each.startswith("BSD-")
    }
    return Terms(*next(iter(found.items()))) if len(found) == 1 else None


def main_terms(
    governing: Mapping[str, Terms],
    own: Iterable[Conclusion],
    at_root: Sequence[tuple[str, ...]],
    unversioned: Mapping[str, int],
    told: frozenset[str],
    *,
    strict: bool,
    rest: Terms | None = None,
) -> str:
    """The project's own terms: of those that its licence files allow for the ones that most files state.

    A licence file whose name tells nothing and that holds one text, none of the GNU family's, says it alone: those with
    other names are about parts. The GNU texts are there for each other's sake.
    unversioned: how many of those that seem to state the first version of a GNU licence state none.
    told: what a README or manifest at the root says.  strict: the licence file says that no later version counts.
    rest: what a file at the root says of all that it does not name.
    """
    root = governing.get("")
    counts = Counter(conclusion.expression for conclusion in own)
    if root is None:
        return counts.most_common(1)[0][0] if counts else rest.expression if rest is not None else UNKNOWN
    texts = families(each for found in at_root for each in found)
    if "LGPL-2.1" in texts:
        with_version = counts["LGPL-2.0-or-later"] - unversioned.get("LGPL-2.0-or-later", 0)
        counts["LGPL-2.1-or-later"] += with_version
        counts["LGPL-2.0-or-later"] -= with_version
    if rest is not None and allowed(rest.expression, texts):
        later = rest.expression.replace("-only", "-or-later")
        return later if not strict and counts[later] > max(_FEW, counts[rest.expression]) else rest.expression
    exact = Counter(counts)
    for vague, prefix in VAGUE.items():
        # without a version it is the one that is there
        one = next((each for found in at_root for each in found if each.startswith(prefix) and " " not in each), "")
        later = one.replace("-only", "-or-later")
        if one and vague not in (one, later):
            counts[later if counts[later] > counts[one] else one] += unversioned.get(vague, 0)
            counts[vague] -= unversioned.get(vague, 0)
    stated = {
        expression: count
        for expression, count in counts.items()
        if count and (allowed(expression, texts) or _later_than(expression, texts))
    }
    if alone(root):
        stated = {each: count for each, count in stated.items() if families(root.found) <= families([each])}
        if exact[root.expression] > _FEW:
            return root.expression  # what else is offered for more files is a copy's
    most = max(stated, key=lambda expression: stated[expression], default="")
    if most == root.expression.replace("-only", "-or-later") != root.expression:
        # "or later" is more than the text says: nearly all that choose between the two have to say it
        sure = not strict and exact[most] > _NEARLY_ALL * (exact[most] + exact[root.expression])
        return most if sure and (exact[most] > _FEW or most in told) else root.expression
    later = root.expression.replace("-only", "-or-later")
    if not most and not strict and later in told and root.expression not in told:
        return later
    count = stated.get(most, 0)
    first = len(at_root) == 1 and len(root.found) > 1  # of the texts in one file the first one leads
    return most if count > _FEW and (count * 2 > sum(stated.values()) or not first) else root.expression


def alone(root: Terms) -> bool:
    """Whether the licence file of the root leaves nothing to choose."""
    return root.plain and len(root.found) == 1 and "GPL-" not in root.expression and " " not in root.found[0]


def families(expressions_: Iterable[str]) -> set[str]:
    """Every licence in the expressions, without what tells "only" from "or later"."""
    return {family(key) for each in expressions_ for key in expressions.keys(each)}


def allowed(expression: str, texts: set[str]) -> bool:
    """Whether texts have the licences of an expression, or of a side of a choice; one may speak of the GPL without a
    version.
    """
    gnu = _VAGUE_GNU in texts
    found = [key in texts or (gnu and key.startswith("GPL-")) for key in families([expression])]
    return any(found) if " OR " in expression and " AND " not in expression else all(found)


def _later_than(expression: str, texts: set[str]) -> bool:
    """Whether an expression lets one choose a later version, which is one of the texts: "version 2 or later" with the
    text of version 3.  Version 2 of the LGPL counts as 2.1, which only has another name for it.
    """
    licence, dash, version = expression.removesuffix("-or-later").rpartition("-")
    if not expression.endswith("-or-later") or " " in expression or not dash or licence == "LGPL":
        return False
    return any(each.startswith(f"{licence}-") and version < each.removeprefix(f"{licence}-") for each in texts)

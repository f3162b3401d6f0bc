"""A project's own terms: of those that its licence files allow, the ones that most of its files state."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

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
_MANY = 50  # files that say the same in their own words
_AGREED = 3  # files that say "or later" where none says "only"
_USES = re.compile(r"\b(?:uses?|using|includes?|bundles?|requires?|depends on|contains?|parts of|portions)\b")


# manifests whose field of that kind is told like a README's words; the others are in build_statements.py
_MANIFEST = re.compile(
    r"(?:setup\.(?:py|cfg)|pyproject\.toml|cargo\.toml|package\.json|composer\.json|elm\.json|shard\.yml|pom\.xml|"
    r"meson\.build|description|dune-project|[^/]+\.(?:gemspec|cabal|podspec|opam|spec(?:\.in)?))$",
    re.IGNORECASE,
)
_FIELD = re.compile(r"\blicen[cs]es?\b")
# a README's words about the whole: a section with that heading, or a sentence about this program
_OF_PROJECT = re.compile(
    r"(?:\S+ ){0,6}?(?:licen[cs](?:e|es|ing|ed)|copyright|copying|legal|released|distributed)\b|"
    r".{0,400}\b(?:this|the) (?:\w+ )?(?:software|program|package|project|library|module|tool|application|game|"
    r"repository|distribution)\b"
)
_EXACT = re.compile(r"(?!.*(?: AND |LicenseRef-)).+")
_TO_ALL = frozenset({"LicenseRef-public-domain"})
_PLACES = re.compile(
    r"(?:docs?|documentation|legal|src|sources?)$", re.IGNORECASE
)  # of a licence file, none at the root


@dataclass(frozen=True, slots=True)
class Told:
    """What READMEs, manifests and short licence files at the root say: every licence; and of the whole project, if they
    agree.
    """

    licences: frozenset[str] = frozenset()
    project: Terms | None = None


def told_at_root(
    scans: Mapping[str, FileScan], known: Mapping[str, Classification], declared: Mapping[str, Terms]
) -> Told:
    """What is told at the root beside texts of licences."""
    licences: set[str] = set()
    by_readme: dict[str, str] = {}
    by_manifest: dict[str, str] = {}
    for path, scan in scans.items():
        if "/" in path:
            continue
        readme = path.lower().startswith("readme")
        manifest = _MANIFEST.match(path) is not None
        if not (readme or manifest or scan.whole) or (manifest and scan.declared and "" in declared):
            continue
        for notice in scan.notices:
            found = of_notice(notice, scan, known)
            if manifest:
                if notice.place in ("code", "prose") and _FIELD.search(notice.text) and _one(found):
                    by_manifest.setdefault(found.expression, path)
                    licences.add(found.expression)
            elif readme:
                licences |= set(found.alone)
                text = found.basis == "text"
                if found.expression and (text or (_OF_PROJECT.match(notice.text) and not _USES.search(notice.text))):
                    by_readme.setdefault(found.expression, path)
            elif found.basis != "text":
                licences |= {each for each in found.alone if each.endswith("-or-later")}
    if "" in declared:
        licences.add(declared[""].expression)
        by_manifest.setdefault(declared[""].expression, declared[""].source)
    told = (_without_vague(each) for each in (by_readme, by_manifest))
    project = next((Terms(*next(iter(each.items()))) for each in told if len(each) == 1), None)
    if project is not None and not (project.expression in _TO_ALL or _EXACT.fullmatch(project.expression)):
        project = None
    return Told(frozenset(licences), project)


def _without_vague(told: Mapping[str, str]) -> dict[str, str]:
    """Without a GNU licence of no version where another statement tells the version."""
    return {
        each: path
        for each, path in told.items()
        if not (each in VAGUE and any(other != each and other.startswith(VAGUE[each]) for other in told))
    }


def _one(found: Classification) -> bool:
    """Whether a field of a manifest names one licence, or one choice."""
    return len(found.alone) == 1 or (" OR " in found.expression and " AND " not in found.expression)


def of_place(governing: Mapping[str, Terms]) -> Terms | None:
    """The licence file that is in doc or src where there is none at the root."""
    found = [terms for directory, terms in governing.items() if _PLACES.match(directory) and alone_or_gnu(terms)]
    return found[0] if len({terms.expression for terms in found}) == 1 else None


def alone_or_gnu(terms: Terms) -> bool:
    """Whether a licence file with a plain name holds one text."""
    return terms.plain and len(terms.found) == 1 and " " not in terms.found[0] and terms.expression != UNKNOWN


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
    at_root: Mapping[str, tuple[str, ...]],
    unversioned: Mapping[str, int],
    told: Told,
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
    # a file that points at a text of the GNU family tells nothing about later versions
    texts_only = {path for path, found in at_root.items() if len(found) == 1 and found[0].endswith("-only")}
    counts = Counter(said.expression for said in own if said.basis != "pointer" or said.source not in texts_only)
    if root is None:
        return _without_licence_file(counts, rest or told.project or of_place(governing), strict=strict)
    texts = families(each for found in at_root.values() for each in found)
    if "LGPL-2.1" in texts:
        with_version = counts["LGPL-2.0-or-later"] - unversioned.get("LGPL-2.0-or-later", 0)
        others = counts["LGPL-2.1-or-later"] + counts["LGPL-2.1-only"]
        # where a licence file names version 2 as well, and nearly all files state it, it is no other name for 2.1
        if "LGPL-2.0" not in texts or with_version <= max(_FEW, _NEARLY_ALL * (with_version + others)):
            counts["LGPL-2.1-or-later"] += with_version
            counts["LGPL-2.0-or-later"] -= with_version
    if rest is not None and allowed(rest.expression, texts):
        later = rest.expression.replace("-only", "-or-later")
        return later if not strict and counts[later] > max(_FEW, counts[rest.expression]) else rest.expression
    exact = Counter(counts)
    for vague, prefix in VAGUE.items():
        # without a version it is the one that is there
        one = next(
            (each for found in at_root.values() for each in found if each.startswith(prefix) and " " not in each), ""
        )
        later = one.replace("-only", "-or-later")
        if one and vague not in (one, later):
            told_later = not strict and later in told.licences and not (one in told.licences or counts[one])
            counts[later if told_later or counts[later] > counts[one] else one] += unversioned.get(vague, 0)
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
    lesser = _lesser(root, counts)
    if lesser:
        return lesser
    most = max(stated, key=lambda expression: stated[expression], default="")
    later = root.expression.replace("-only", "-or-later")
    granted = later in told.licences or any(later in found for found in at_root.values())
    unsaid = not strict and root.expression not in told.licences and exact[root.expression] <= _FEW
    if most == later != root.expression:
        if granted and unsaid:
            return most
        # "or later" is more than the text says: nearly all that choose between the two have to say it
        sure = not strict and exact[most] > _NEARLY_ALL * (exact[most] + exact[root.expression])
        agreed = not exact[root.expression] and exact[most] >= _AGREED
        return most if sure and (exact[most] > _FEW or agreed or most in told.licences) else root.expression
    if not alone(root) and len(root.found) > 1 and stated.get(most, 0) <= _FEW:
        # a licence file that tells the project's terms in words of its own and quotes the texts of parts
        said, count = counts.most_common(1)[0] if counts else (UNKNOWN, 0)
        if count > _MANY and count > _NEARLY_ALL * counts.total():
            return said
    if not most and not strict and granted and root.expression not in told.licences:
        return later
    if not most and not alone(root) and told.project is not None and allowed(told.project.expression, texts):
        return told.project.expression
    count = stated.get(most, 0)
    first = len(at_root) == 1 and len(root.found) > 1  # of the texts in one file the first one leads
    if count > _FEW and (count * 2 > sum(stated.values()) or not first):
        return most
    return later if granted and unsaid else root.expression


def _lesser(root: Terms, counts: Counter[str]) -> str:
    """The LGPL where the only text is the GPL's, which it refers to, and nearly all of many files state it."""
    if len(root.found) != 1 or not root.found[0].startswith("GPL-"):
        return ""
    gnu = {each: count for each, count in counts.items() if each.startswith(("GPL-", "LGPL-")) and " " not in each}
    most = max(gnu, key=lambda each: gnu[each], default="")
    return most if most.startswith("LGPL-") and gnu[most] > max(_MANY, _NEARLY_ALL * sum(gnu.values())) else ""


def _without_licence_file(counts: Counter[str], told: Terms | None, *, strict: bool) -> str:
    """What most files state, or what is told where few do, or where more than a few say the same."""
    most, count = counts.most_common(1)[0] if counts else (UNKNOWN, 0)
    if told is None:
        return most
    later = told.expression.replace("-only", "-or-later")
    if not strict and counts[later] > counts[told.expression]:
        return later
    if told.expression in VAGUE and most.startswith(VAGUE[told.expression]):
        return most
    if most in VAGUE and told.expression.startswith(VAGUE[most]):
        return told.expression
    return told.expression if count <= _FEW or counts[told.expression] > _FEW else most


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

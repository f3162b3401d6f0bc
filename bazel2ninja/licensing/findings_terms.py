"""Findings about terms: what notices say, what directories say, what fits together and what does not."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterator, Mapping

from bazel2ninja.licensing.conclusions import Concluded
from bazel2ninja.licensing.dep5 import agree
from bazel2ninja.licensing.expressions import keys
from bazel2ninja.licensing.finding import Finding, seen_hash
from bazel2ninja.licensing.inheritance import ancestors
from bazel2ninja.licensing.matching import Classification
from bazel2ninja.licensing.notices import Notice
from bazel2ninja.licensing.own_terms import UNKNOWN, of_notice
from bazel2ninja.licensing.policy import Policy
from bazel2ninja.licensing.reading import SourceTree
from bazel2ninja.licensing.tree import directory_of

_CATEGORY = {  # Bazel's licence types, https://bazel.build/reference/be/functions#licenses, from strict to free
    "restricted": ("GPL-", "LGPL-", "AGPL-", "MPL-", "EPL-", "CDDL-", "CPL-", "CC-BY-SA", "OSL-", "EUPL-"),
}


def find(
    tree: SourceTree, known: Mapping[str, Classification], concluded: Concluded, policy: Policy
) -> Iterator[Finding]:
    """All of them."""
    yield from _of_notices(tree, known)
    yield from _verdicts(concluded, policy)
    yield from _conflicts(tree, concluded)
    yield from _several(tree, concluded)
    yield from _texts(tree, known, concluded)
    yield from _declared(tree, concluded)


def _of_notices(tree: SourceTree, known: Mapping[str, Classification]) -> Iterator[Finding]:
    places: dict[tuple[str, str], list[str]] = defaultdict(list)
    samples: dict[tuple[str, str], tuple[Notice, str]] = {}
    for path, scan in tree.scans.items():
        for notice in scan.notices:
            if notice.place == "code":
                continue
            found = of_notice(notice, scan, known)
            kinds = []
            if found.flags:
                kinds += ["non-free-words" if flag == "non-free" else flag for flag in found.flags]
            if found.unexplained and not scan.whole and "non-free-words" not in kinds:
                kinds.append("unclear")
            if notice.rights_reserved and not found.expression and not found.pointer and not scan.spdx:
                others = [of_notice(other, scan, known) for other in scan.notices]
                if not any(other.expression or other.pointer for other in others):
                    kinds.append("reserved")
            for kind in kinds:
                key = (kind, notice.digest)
                places[key].append(path)
                samples.setdefault(key, (notice, found.unexplained))
    for (kind, digest), paths in places.items():
        notice, unexplained = samples[kind, digest]
        detail = f"not explained: {unexplained}" if kind == "unclear" else _first_line(notice)
        subject = digest if notice.text else posixpath.dirname(paths[0])
        yield Finding(kind, subject, tuple(paths), detail, seen_hash(kind, digest), notice.excerpt)


def _first_line(notice: Notice) -> str:
    return " ".join(notice.excerpt.split())[:200]


def _verdicts(concluded: Concluded, policy: Policy) -> Iterator[Finding]:
    by_expression: dict[str, list[str]] = defaultdict(list)
    for path, conclusion in concluded.files.items():
        by_expression[conclusion.expression].append(path)
    for expression, paths in by_expression.items():
        if expression == UNKNOWN:
            by_directory: dict[str, list[str]] = defaultdict(list)
            for path in paths:
                by_directory[posixpath.dirname(path)].append(path)
            for directory, inside in by_directory.items():
                yield Finding(
                    "no-terms", directory or ".", tuple(inside), "no terms apply", seen_hash("no-terms", *inside)
                )
            continue
        verdict = policy.verdict_of(expression)
        if verdict != "free":
            kind = "non-free" if verdict == "non-free" else "unclear"
            yield Finding(kind, expression, tuple(paths), f"terms: {expression}", seen_hash(kind, expression, *paths))


def _conflicts(tree: SourceTree, concluded: Concluded) -> Iterator[Finding]:
    groups: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    nearest: dict[str, str] = {}  # directory -> the one at or above it that has a licence file
    for path, own in concluded.own.items():
        inside = directory_of(path)
        if inside not in nearest:
            nearest[inside] = next((above for above in ancestors(inside) if above in concluded.governing), "")
        directory = nearest[inside]
        terms = concluded.governing.get(directory)
        if terms is not None and not agree(own.expression, terms.expression):
            groups[directory, own.expression, terms.expression].append(path)
    for (directory, own_expression, expression), paths in groups.items():
        yield Finding(
            "conflict",
            f"{directory or '.'}: {own_expression}",
            tuple(paths),
            f"the files say {own_expression}, {concluded.governing[directory].source} says {expression}",
            seen_hash("conflict", own_expression, expression, *paths),
        )


def _several(tree: SourceTree, concluded: Concluded) -> Iterator[Finding]:
    groups: dict[str, list[str]] = defaultdict(list)
    for path, own in concluded.own.items():
        if " AND " in own.expression:
            groups[own.expression].append(path)
    for expression, paths in groups.items():
        yield Finding("several", expression, tuple(paths), expression, seen_hash("several", expression, *paths))


def _texts(tree: SourceTree, known: Mapping[str, Classification], concluded: Concluded) -> Iterator[Finding]:
    """Licence texts that nothing is under, and terms whose text is missing."""
    present: set[str] = set()
    holding: dict[str, list[str]] = defaultdict(list)
    for path, scan in tree.scans.items():
        for notice in scan.notices:
            found = of_notice(notice, scan, known)
            if found.basis == "text":
                present |= {key for each in found.alone for key in keys(each)}
                if scan.whole:
                    for each in found.alone:
                        holding[path].append(each)
    used = {key for path, c in concluded.files.items() if not tree.scans[path].whole for key in keys(c.expression)}
    families = {_family(key) for key in used}
    for path, texts in holding.items():
        strange = [each for each in texts if not any(_family(key) in families for key in keys(each))]
        if strange and len(strange) == len(texts):
            yield Finding(
                "unreferenced-text",
                path,
                (path,),
                f"{', '.join(strange[:6])}: no file is under it",
                seen_hash("text", *strange),
            )
    have = {_family(key) for key in present}
    for key in sorted(used):
        if key.startswith(("LicenseRef-", UNKNOWN)) or "exception" in key:
            continue
        if _family(key) not in have:
            paths = tuple(p for p, c in concluded.files.items() if key in keys(c.expression))
            yield Finding(
                "missing-text", key, paths, f"the text of {key} is not in the tree", seen_hash("missing", key)
            )


def _family(key: str) -> str:
    return key.removesuffix("-only").removesuffix("-or-later")


def _declared(tree: SourceTree, concluded: Concluded) -> Iterator[Finding]:
    """BUILD files' categories and manifests' expressions, compared with the files beside them."""
    below: dict[str, set[str]] = defaultdict(set)
    for path, conclusion in concluded.files.items():
        below[directory_of(path)].add(conclusion.expression)
    for path, scan in tree.scans.items():
        directory = directory_of(path)
        for each in scan.declared:
            if each.kind == "licenses" and each.value in ("notice", "unencumbered", "permissive", "by_exception_only"):
                strict = sorted(
                    e
                    for e in below[directory]
                    if " OR " not in e and any(k.startswith(_CATEGORY["restricted"]) for k in keys(e))
                )
                if strict:
                    yield Finding(
                        "declared-differs",
                        f"{path}:{each.line}",
                        (path,),
                        f"licenses([{each.value!r}]) beside files under {', '.join(strict)}",
                        seen_hash("declared", each.value, *strict),
                    )
            elif each.kind == "manifest":
                from bazel2ninja.licensing.expressions import normal

                stated = normal(each.value)
                own = concluded.files[path].expression
                if stated and " " not in each.value and not agree(stated, own) and not _vague(each.value):
                    yield Finding(
                        "declared-differs",
                        path,
                        (path,),
                        f"states {each.value}, lies in {own}",
                        seen_hash("declared", each.value, own),
                    )


def _vague(value: str) -> bool:
    return value.upper() in ("BSD", "GPL", "LGPL", "APACHE", "UNLICENSED", "SEE")

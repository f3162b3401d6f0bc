"""The terms of binaries for a terminal, and why something is in one."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeVar

from bazel2ninja.diagnostics import Diagnostic, UsageError, suggestion
from bazel2ninja.licensing.binaries import BinaryTerms, stating
from bazel2ninja.licensing.closure import Closure
from bazel2ninja.licensing.report_text import printable
from bazel2ninja.licensing.system_packages import copyright_file

T = TypeVar("T")

_TERMS = 25  # unless everything is asked for
_CHAINS = 5
_FILES = 3


def lines(binary: BinaryTerms, *, everything: bool = False) -> Iterator[str]:
    """One binary: what is in it, under which terms, what follows from them."""
    closure = binary.closure
    content = closure.content
    yield printable(closure.output)
    tools = len(closure.members) - len(content)
    yield f"  {len(content)} source files end up in it" + (
        f", {tools} more are sources of the tools that generate some of it" if tools else ""
    )
    yield f"  {_headers(closure)}"
    yield f"  terms: {len(binary.licences)} licences and exceptions"
    for expression, paths in _first(list(binary.terms.items()), _TERMS, everything):
        yield f"    {len(paths):6}  {printable(expression)}"
    if not everything and len(binary.terms) > _TERMS:
        yield f"            and {len(binary.terms) - _TERMS} more"
    for name, licences in binary.obligations.items():
        yield f"  obliges to {_OBLIGATIONS.get(name, name)}: {', '.join(licences)}"
    for one, other, reason in binary.conflicts:
        yield f"  conflict: {one} and {other}: {reason}"
    if binary.system:
        packages = Counter(owner.package for owner in binary.system.values())
        yield f"  of the system: {len(binary.system)} files of {len(packages)} packages"
        for package, count in packages.most_common():
            yield f"    {count:6}  {package} ({copyright_file(package)})"
        yield f"  Static-Built-Using: {binary.static_built_using}"
    shared = sorted({posixpath.basename(path) for path in closure.shared})
    if shared:
        yield f"  linked with {len(shared)} shared libraries, which are not part of it: {_some(shared, everything)}"
    for title, paths in (
        ("files that nobody has", closure.absent),
        ("generated files that are not there to be looked into", closure.unmade),
        ("files that are in no tree and no package", binary.unaudited),
    ):
        if paths:
            yield f"  {len(paths)} {title}: {_some(paths, everything)}"


_OBLIGATIONS = {
    "source": "offer the source",
    "notice": "ship the notice",
    "notice-file": "ship the NOTICE file",
    "advertising": "name the authors in advertising",
    "relinking": "allow relinking",
    "mark-changes": "mark changes",
    "network-source": "offer the source to users over a network",
}


def _headers(closure: Closure) -> str:
    if not closure.compiles:
        return "nothing in it is compiled"
    if closure.exact:
        return f"headers: those that the compiler read, in all {closure.compiles} compiles"
    if closure.unread == closure.compiles:
        return f"headers: those that include directives of {closure.compiles} compiles may name, since none has run"
    return f"headers: those that the compiler read; for {closure.unread} of {closure.compiles} compiles, which have not run, those that include directives may name"  # noqa: E501


def why(binaries: Sequence[BinaryTerms], licences: Sequence[str], *, everything: bool = False) -> Iterator[str]:
    """For each binary how files under each licence got there. Raises UsageError when no binary holds one of them."""
    known = sorted({key for binary in binaries for key in binary.licences} | {e for b in binaries for e in b.terms})
    for licence in licences:
        if licence not in known:
            raise UsageError(Diagnostic(f"--why: nothing is under '{licence}'", help=suggestion(licence, known)))
    for licence in licences:
        for binary in binaries:
            found = stating(binary, licence)
            if found:
                yield from _chains(binary.closure, licence, found, everything)


def _chains(closure: Closure, licence: str, found: Sequence[tuple[str, str]], everything: bool) -> Iterator[str]:
    yield f"{len(found)} files under {licence} are in {printable(closure.output)}"
    for path, expression in _first(found, _CHAINS, everything):
        yield f"  {printable(path)}: {printable(expression)}"
        for member in closure.chain(path):
            yield f"    {_VERBS.get(member.how, member.how)} {printable(member.through)}"
    if not everything and len(found) > _CHAINS:
        yield f"  and {len(found) - _CHAINS} more"


_VERBS = {
    "compiled": "compiled to",
    "included": "included by",
    "perhaps included": "perhaps included by",
    "linked": "linked into",
    "archived": "archived in",
    "made from": "made into",
    "made by": "helped to make",
}


def _first(items: Sequence[T], limit: int, everything: bool) -> Sequence[T]:
    return items if everything else items[:limit]


def _some(paths: Sequence[str], everything: bool) -> str:
    shown = ", ".join(map(printable, _first(paths, _FILES, everything)))
    return shown + (f" and {len(paths) - _FILES} more" if not everything and len(paths) > _FILES else "")

"""The terms of a binary: those of everything in it, with the obligations and conflicts that follow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from bazel2ninja.licensing.closure import CONTENT, Closure
from bazel2ninja.licensing.expressions import keys
from bazel2ninja.licensing.policy import Policy
from bazel2ninja.licensing.system_packages import Owner, static_built_using


@dataclass(frozen=True, slots=True)
class BinaryTerms:
    """terms: expression -> paths of the content that has it; tools: the same for the tools that generated sources.

    obligations: what its distribution obliges to -> licences; conflicts: (one, other, reason). system: the system's
    files in it -> package. unaudited: paths for which nobody can say: in no audited tree, of no package of the system.
    """

    closure: Closure
    terms: Mapping[str, tuple[str, ...]]
    tools: Mapping[str, tuple[str, ...]]
    obligations: Mapping[str, list[str]]
    conflicts: tuple[tuple[str, str, str], ...]
    system: Mapping[str, Owner]
    unaudited: tuple[str, ...]

    @property
    def licences(self) -> frozenset[str]:
        """Every licence and exception named in the terms of the content."""
        return frozenset(key for expression in self.terms for key in keys(expression))

    @property
    def static_built_using(self) -> str:
        """For debian/control: the sources of the static libraries and headers of the system in it."""
        return static_built_using(self.system.values())


def terms_of(
    closure: Closure,
    expression_of: Callable[[str], str | None],
    policy: Policy,
    owners: Callable[[Iterable[str]], Mapping[str, Owner]],
    system_path: Callable[[str], str] = lambda path: path if path.startswith("/") else "",
) -> BinaryTerms:
    """expression_of: terms of an exec path, None when it was not audited; owners: packages of absolute paths.

    system_path: the absolute path of an exec path that is a file of the system (perhaps through a link), "" for others.
    """
    terms: dict[str, list[str]] = defaultdict(list)
    tools: dict[str, list[str]] = defaultdict(list)
    unaudited = []
    absolute = []
    absent = frozenset(closure.absent)
    for path, member in sorted(closure.members.items()):
        if path in absent:
            continue
        installed = system_path(path)
        if installed:
            if member.role == CONTENT:
                absolute.append(installed)
            continue
        expression = expression_of(path)
        if expression is None:
            if member.role == CONTENT:
                unaudited.append(path)
        elif member.role == CONTENT:
            terms[expression].append(path)
        else:
            tools[expression].append(path)
    system = owners(absolute)
    unaudited += [path for path in absolute if path not in system]
    fixed = _unavoidable(terms)
    return BinaryTerms(
        closure,
        {expression: tuple(paths) for expression, paths in sorted(terms.items(), key=lambda item: -len(item[1]))},
        {expression: tuple(paths) for expression, paths in sorted(tools.items(), key=lambda item: -len(item[1]))},
        policy.obligations(fixed),
        tuple(policy.conflicts(fixed)),
        system,
        tuple(unaudited),
    )


def _unavoidable(expressions: Iterable[str]) -> set[str]:
    """Licences that hold whatever is chosen where there is a choice; an exception lifts what it excepts from."""
    found: set[str] = set()
    for expression in expressions:
        if " OR " in expression:
            continue
        for part in expression.split(" AND "):
            licence, _, exception = part.strip("() ").partition(" WITH ")
            if not exception:
                found.add(licence)
    return found


def stating(binary: BinaryTerms, licence: str) -> list[tuple[str, str]]:
    """(path, expression) of the content whose terms name a licence or exception, or are that expression, sorted."""
    return sorted(
        (path, expression)
        for expression, paths in binary.terms.items()
        if licence == expression or licence in keys(expression)
        for path in paths
    )

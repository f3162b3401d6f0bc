"""Calls in BUILD files of macros and rules that an absent repository would have defined.

Whoever needs a target of such a call gets an error; a wildcard leaves it out, and people should hear of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bazel2ninja.diagnostics import Diagnostic, Note, WorkspaceError
from bazel2ninja.labels import parse_target_pattern
from bazel2ninja.loading.target import Package
from bazel2ninja.pipeline.session import Session
from bazel2ninja.records import replace

_SHOWN = 5


def absent_macros(session: Session) -> list[Diagnostic]:
    """A warning for each of the first calls that the wildcards asked for leave out, and how many more there are."""
    found: dict[tuple[str, str], Diagnostic] = {}
    for package in _packages(session, session.targets):
        for name, problem in package.absent.items():
            found[str(package.identifier), name] = problem
    warnings = [
        replace(
            problem,
            severity="warning",
            notes=(*problem.notes, Note(f"'{name}' of package '{package}', and what else it would make, is left out")),
        )
        for (package, name), problem in sorted(found.items())[:_SHOWN]
    ]
    if len(found) > _SHOWN:
        count = len(found) - _SHOWN
        warnings.append(Diagnostic(f"{count} more calls of absent macros and rules are left out", severity="warning"))
    return warnings


def _packages(session: Session, patterns: Sequence[str]) -> Iterator[Package]:
    loader = session.loader
    for text in patterns:
        pattern = parse_target_pattern(text, None, session.workspace.mapping)
        if pattern.negative or pattern.name is not None:
            continue
        for identifier in loader.packages_below(pattern.package) if pattern.recursive else [pattern.package]:
            try:
                yield loader.own_package(identifier)
            except WorkspaceError:  # told already
                continue

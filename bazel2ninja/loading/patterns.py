"""Target patterns: https://bazel.build/run/build#target-patterns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.labels import Label, PackageIdentifier, RepositoryMapping, TargetPattern, parse_target_pattern
from bazel2ninja.loading.target import Package, RuleTarget, Target

if TYPE_CHECKING:
    from bazel2ninja.loading.loader import Loader

Report = Callable[[WorkspaceError], None]


def expand(
    loader: Loader,
    patterns: Iterable[TargetPattern | str],
    *,
    accept: Callable[[Target], bool] = lambda target: True,
    report: Report | None = None,
    base: PackageIdentifier | None = None,
    mapping: RepositoryMapping | None = None,
) -> list[Label]:
    """The labels that the patterns match, each once, in the order of the patterns and sorted within each.

    A pattern with a leading "-" takes away what earlier ones have added.  accept: asked of the targets that a wildcard
    finds, never of those named one by one.  report: takes the errors of broken packages, so that the others are still
    found; without it the first error is raised.  base, mapping: what relative patterns and repository names mean.
    """
    if mapping is None:
        mapping = loader.repository(base.repository if base is not None else "").mapping
    found: dict[Label, None] = {}
    for given in patterns:
        pattern = given if isinstance(given, TargetPattern) else parse_target_pattern(given, base, mapping)
        try:
            for label in _matches(loader, pattern, accept, report):
                if pattern.negative:
                    found.pop(label, None)
                else:
                    found.setdefault(label)
        except WorkspaceError as problem:
            if pattern.location is not None:
                problem.at(pattern.location)
            if report is None:
                raise
            report(problem)
    return list(found)


def _matches(
    loader: Loader, pattern: TargetPattern, accept: Callable[[Target], bool], report: Report | None
) -> Iterator[Label]:
    if pattern.name is not None:
        yield from _one(loader, pattern)
        return
    if pattern.negative:
        accept = _everything
    if not pattern.recursive:
        yield from _in_package(loader.package(pattern.package), pattern.rules_only, accept)
        return
    any_package = False
    for identifier in sorted(loader.packages_below(pattern.package)):
        any_package = True
        try:
            package = loader.package(identifier)
        except WorkspaceError as problem:
            if report is None:
                raise
            report(problem)
            continue
        yield from _in_package(package, pattern.rules_only, accept)
    if not any_package and not pattern.negative:
        raise WorkspaceError(
            Diagnostic(f"no targets found beneath '{pattern.package.path}' (pattern '{pattern.text}')")
        )


def _everything(target: Target) -> bool:
    return True


def _in_package(package: Package, rules_only: bool, accept: Callable[[Target], bool]) -> Iterator[Label]:
    for name in sorted([*package.targets, *package.absent]):
        target = package.targets.get(name)
        if target is None:
            yield Label(package.identifier, name)
        elif (not rules_only or isinstance(target, RuleTarget)) and accept(target):
            yield target.label


def _one(loader: Loader, pattern: TargetPattern) -> Iterator[Label]:
    """A single target.  `a/b/c` without a colon may also mean the file b/c, or c, of a package further up."""
    assert pattern.name is not None
    label = Label(pattern.package, pattern.name)
    written = pattern.text.removeprefix("-")
    if not written.startswith(("//", "@")) and ":" not in written and not loader.places.exists(pattern.package):
        path = pattern.package.path
        while path:
            path = path.rpartition("/")[0]
            outer = PackageIdentifier(pattern.package.repository, path)
            if loader.places.exists(outer):
                name = pattern.package.path[len(path) + 1 :] if path else pattern.package.path
                label = Label(outer, name)
                break
    if not pattern.negative:
        loader.target(label)
    yield label

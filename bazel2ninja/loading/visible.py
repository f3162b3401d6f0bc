"""Who may depend on what: https://bazel.build/concepts/visibility."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bazel2ninja.diagnostics import Diagnostic, Note, WorkspaceError
from bazel2ninja.labels import Label, PackageIdentifier
from bazel2ninja.loading.macro_scope import places
from bazel2ninja.loading.target import OutputFile, PackageGroup, RuleTarget, Target
from bazel2ninja.loading.visibility import matches, specification_matches

if TYPE_CHECKING:
    from bazel2ninja.loading.loader import Loader


def is_visible(loader: Loader, consumer: Label, dependency: Target) -> bool:
    """Whether the target `consumer` may depend on `dependency`; raises WorkspaceError for a broken package group."""
    scope = loader.scope(consumer)
    if scope is None:
        return _is_visible_from(loader, consumer.package, dependency)
    seen_from = places(consumer.package, scope, dependency.label)
    return any(_is_visible_from(loader, place, dependency) for place in seen_from)


def _is_visible_from(loader: Loader, package: PackageIdentifier, dependency: Target) -> bool:
    if package is _declared(dependency).package and loader.scope(_declared(dependency)) is None:
        return True
    visibility = dependency.visibility
    if visibility.public or matches(visibility.packages, package):
        return True
    try:
        return any(_group_contains(loader, group, package) for group in visibility.groups)
    except WorkspaceError as problem:
        if problem.diagnostic.location is not None:
            raise
        raise problem.at(dependency.location) from None  # the visibility names a group that does not exist


def _declared(target: Target) -> Label:
    """Of the rule that makes a file, else of the target itself."""
    return target.generating_rule if isinstance(target, OutputFile) else target.label


def _group_contains(loader: Loader, group: Label, package: PackageIdentifier) -> bool:
    """Whether a package_group(), with those it includes, contains a package."""
    pending, seen = [group], {group}
    while pending:
        label = pending.pop()
        target = loader.target(label)
        if label in loader.missing:
            return True  # whom a group of an absent repository admits nobody knows
        if not isinstance(target, PackageGroup):
            raise WorkspaceError(
                Diagnostic(f"'{label}' is used as a package group, but is a {target.kind}", target.location)
            )
        if specification_matches(target.public, target.specifications, package):
            return True
        fresh = [included for included in target.includes if included not in seen]
        pending += fresh
        seen.update(fresh)
    return False


def invisible(loader: Loader, consumer: RuleTarget, dependency: Target) -> Diagnostic:
    """That `consumer` depends on what it may not see, and how it would see it."""
    declared = loader.target(_declared(dependency))
    inner, scope = loader.scope(declared.label), loader.scope(consumer.label)
    notes = [Note(f"'{declared.label}' is declared here", declared.location)]
    if inner is not None:
        notes.append(Note(f"it is a target of the macro '{inner.kind}', which '{inner.defined_in}' defines"))
    if scope is not None:
        notes.append(
            Note(f"'{consumer.label}' is a target of the macro '{scope.kind}', which '{scope.defined_in}' defines")
        )
    place = scope.defined_in if scope is not None else consumer.label.package
    return Diagnostic(
        f"target '{dependency.label}' is not visible from target '{consumer.label}'",
        consumer.location,
        help=f"add '{place}:__pkg__' to the visibility of '{declared.label}'",
        notes=tuple(notes),
    )

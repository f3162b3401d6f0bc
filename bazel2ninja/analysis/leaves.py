"""Targets that cannot be analysed because something that they need is absent.

A target of an absent repository is a leaf: a file that no action makes.  Who needs more of it than files (a provider,
say) is a leaf itself, with all the files that other targets may name.  What an aspect cannot make for want of a leaf is
left out, and the target counts as a leaf for whoever applied the aspect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.analysis.provider import Provider
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.labels import Label
from bazel2ninja.loading.target import PUBLIC, OutputFile, RuleTarget

if TYPE_CHECKING:
    from bazel2ninja.analysis.dependencies import Dependency
    from bazel2ninja.analysis.rule_context import RuleContext
    from bazel2ninja.loading.loader import Loader

WithoutAspectInfo = Provider("WithoutAspectInfo", ("absent", "error"))
"""What is there instead of what an aspect would have made: the Label that it lacked, and the WorkspaceError."""


def is_leaf(loader: Loader, target: ConfiguredTarget) -> bool:
    """Whether a target, or the rule that makes the file that it is, stands for something absent."""
    if loader.missing_rule is None:
        return False
    if target.get(WithoutAspectInfo) is not None:
        return True
    made = target.target
    if isinstance(made, OutputFile):
        return made.generating_rule in loader.missing
    return isinstance(made, RuleTarget) and made.rule_class is loader.missing_rule


def needed(loader: Loader, context: RuleContext) -> Iterator[Label]:
    """The leaves among what a target depends on directly."""
    return along(loader, context.prerequisites)


def along(loader: Loader, prerequisites: Mapping[str, list[Dependency]]) -> Iterator[Label]:
    """The leaves among the dependencies of all attributes."""
    for dependencies in prerequisites.values():
        for dependency in dependencies:
            if is_leaf(loader, dependency.target):
                yield dependency.label


def without_aspect(loader: Loader, rule: ConfiguredTarget, context: RuleContext, error: WorkspaceError) -> Any:
    """WithoutAspectInfo for an aspect that failed for want of a leaf; None if nothing that it was given is one."""
    for prerequisites in (context.prerequisites, context.rule_prerequisites):
        for label in along(loader, prerequisites):
            return WithoutAspectInfo(absent=label, error=error)
    return WithoutAspectInfo(absent=rule.label, error=error) if is_leaf(loader, rule) else None


def reason(loader: Loader, context: RuleContext, error: WorkspaceError) -> tuple[Label | None, Diagnostic]:
    """The leaf for want of which a target failed with `error`, and what it lacks, which an aspect may know better."""
    for dependencies in context.prerequisites.values():
        for dependency in dependencies:
            without = dependency.target.get(WithoutAspectInfo)
            if without is not None:
                return without.s_absent, without.s_error.diagnostic
    return next(needed(loader, context), None), error.diagnostic


def leaf_instead(loader: Loader, target: RuleTarget, error: WorkspaceError) -> RuleTarget:
    """What stands for a target whose analysis failed for want of a leaf; raises `error` when leaves are not wanted."""
    rule = loader.missing_rule
    if rule is None:
        raise error
    made = RuleTarget(target.label, rule, {}, PUBLIC, target.frames, outputs=target.outputs)
    loader.missing[target.label] = made
    return made

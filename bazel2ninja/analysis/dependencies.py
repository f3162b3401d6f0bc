"""Following a target's dependencies: in which configuration, with which aspects, and whether they are allowed there.

https://bazel.build/rules/lib/toplevel/attr says what the constraints of an attribute mean.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis import aspects, leaves, transitions
from bazel2ninja.analysis.attribute_values import AttributeValues, labels_of
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.providers_builtin import AnalysisFailureInfo
from bazel2ninja.configuration.configuration import Configuration
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.labels import Label
from bazel2ninja.loading.rule_class import Attribute, AttributeType
from bazel2ninja.loading.target import OutputFile, PackageGroup, RuleTarget, SourceFile
from bazel2ninja.loading.transition import AnalysisTestTransition, AspectClass, ExecTransition, Transition

if TYPE_CHECKING:
    from bazel2ninja.analysis.analyzer import Analyzer
    from bazel2ninja.analysis.rule_context import RuleContext

_LEGACY_FIELDS = frozenset(("files", "files_to_run", "data_runfiles", "default_runfiles"))  # what every target has
_SEPARATE = frozenset(("target_compatible_with",))  # looked at before all others


class Dependency:
    """One edge: `label` as written; `entry`: the other half of a dict's entry; `split`: the transition's key."""

    __slots__ = ("entry", "label", "split", "target")

    def __init__(self, label: Label, target: ConfiguredTarget, entry: Any = None, split: Any = None):
        self.label = label
        self.target = target
        self.entry = entry
        self.split = split


def dependency_attributes(attributes: Mapping[str, Attribute]) -> tuple[Attribute, ...]:
    """Those whose labels are followed."""
    return tuple(
        attribute
        for attribute in attributes.values()
        if attribute.type.is_dependency and attribute.irrelevant is None and attribute.name not in _SEPARATE
    )


def collect(analyzer: Analyzer, context: RuleContext) -> Generator[Any, Any, None]:
    """Analyses what the target depends on and keeps it in `context.prerequisites`."""
    for attribute in analyzer.dependency_attributes(context.definition):
        pairs = labels_of(context.values[attribute.name], attribute)
        if not pairs:
            continue
        found: list[Dependency] = []
        configurations = configurations_of(analyzer, context, attribute)
        applied = tuple(
            aspects.Application(aspect, aspects.parameters(aspect, context.values))
            for aspect in attribute.aspects
            if isinstance(aspect, AspectClass)
        )
        for label, entry in pairs:
            for split, configuration in configurations:
                target = yield ("target", label, configuration)
                if applied:
                    target = yield from aspects.apply(analyzer, target, applied)
                try:
                    check(analyzer, context, attribute, label, target)
                except WorkspaceError as error:
                    if leaves.is_leaf(analyzer.loader, target):
                        context.unfit = context.unfit or error
                    elif context.may_fail:
                        context.failures.append(error)
                    else:
                        raise
                found.append(Dependency(label, target, entry, split))
        context.prerequisites[attribute.name] = found


def configurations_of(
    analyzer: Analyzer, context: RuleContext, attribute: Attribute
) -> list[tuple[Any, Configuration]]:
    """(key, configuration) for each configuration that an attribute's dependencies are analysed in."""
    cfg = attribute.cfg
    own = context.configuration
    if cfg == "target" or cfg is None or cfg == "none":
        return [(None, own)]
    if cfg == "exec" or isinstance(cfg, ExecTransition):
        return [(None, analyzer.exec_configuration(own))]
    if isinstance(cfg, Transition):
        return transitions.apply(analyzer, cfg, own, context.values)
    if isinstance(cfg, AnalysisTestTransition):
        return [(None, transitions.apply_fixed(analyzer, cfg, own))]
    raise context.error(f"the transition of the attribute '{attribute.name}' is of an unknown kind")


def incoming(
    analyzer: Analyzer, target: RuleTarget, transition: Transition, values: AttributeValues, own: Configuration
) -> Configuration:
    """The configuration that a rule's own transition leads to; raises WorkspaceError for a split."""
    try:
        made = transitions.apply(analyzer, transition, own, values)
    except WorkspaceError as error:
        raise error.at(target.location) from error.__cause__
    if len(made) != 1:
        raise WorkspaceError(
            Diagnostic(
                f"the rule transition of '{target.rule_class.name}' must give one configuration, not {len(made)}",
                target.location,
            )
        )
    return made[0][1]


def check(
    analyzer: Analyzer, context: RuleContext, attribute: Attribute, label: Label, target: ConfiguredTarget
) -> None:
    """Raises WorkspaceError when `target` may not stand in `attribute`."""
    if not attribute.is_private and context.aspect is None:
        loader = analyzer.loader
        scope = loader.scope(context.label)
        edge = (context.label.package if scope is None else scope), label
        own = label.package is context.label.package and scope is None
        if edge not in analyzer.visible and not (own and loader.scope(label) is None):
            try:
                analyzer.loader.check_visibility(context.target, analyzer.loader.subject(label))
            except WorkspaceError as error:
                raise context.located(error) from None
            analyzer.visible.add(edge)
        _check_testonly(context, attribute, target)
    if target.incompatibility is not None or target.get(AnalysisFailureInfo) is not None:
        return
    kind = target.target
    if isinstance(kind, SourceFile | OutputFile):
        _check_file(context, attribute, label, kind)
    elif isinstance(kind, RuleTarget):
        _check_rule(context, attribute, label, target, kind.class_name)
    elif isinstance(kind, PackageGroup) and not attribute.providers and not attribute.is_private:
        raise context.error(f"package group '{label}' is misplaced here", attribute.name)
    if attribute.executable and target.executable is None:
        raise context.error(f"'{label}' does not refer to a valid executable target", attribute.name)


def _expected(allowed: Iterable[str]) -> str:
    return ", ".join(allowed) or "no files"


def _check_file(context: RuleContext, attribute: Attribute, label: Label, file: SourceFile | OutputFile) -> None:
    """`label` may be that of an alias: what counts is the file's own name."""
    allowed = attribute.allow_files
    if allowed is True or (allowed and file.label.name.endswith(allowed)):
        return
    expected = _expected(allowed or ())
    raise context.error(f"{file.kind} '{label}' is misplaced here (expected {expected})", attribute.name)


def _check_rule(
    context: RuleContext, attribute: Attribute, label: Label, target: ConfiguredTarget, class_name: str
) -> None:
    if attribute.allow_rules is None or class_name not in attribute.allow_rules:
        if attribute.providers:
            if not any(all(_has(target, key) for key in keys) for keys in attribute.providers):
                wanted = ", or ".join(
                    ", ".join(f"'{getattr(key, 'name', key)}'" for key in keys) for keys in attribute.providers
                )
                raise context.error(f"'{label}' does not have mandatory providers: {wanted}", attribute.name)
        elif attribute.allow_rules is not None:
            raise context.error(
                f"{class_name} rule '{label}' is misplaced here (expected {_expected(attribute.allow_rules)})",
                attribute.name,
            )
    if attribute.single_file:
        files = target.files.flatten()
        if len(files) != 1:
            raise context.error(f"'{label}' must produce a single file", attribute.name)
    elif not isinstance(attribute.allow_files, tuple) or attribute.is_private:
        return
    allowed = attribute.allow_files
    if isinstance(allowed, tuple) and allowed and not attribute.providers:
        if any(file.is_directory or file.exec_path.endswith(allowed) for file in target.files.flatten()):
            return
        raise context.error(
            f"'{label}' does not produce any {context.kind} {attribute.name} files (expected {_expected(allowed)})",
            attribute.name,
        )


def _has(target: ConfiguredTarget, key: object) -> bool:
    return key in target.providers or (isinstance(key, str) and (key in target.legacy or key in _LEGACY_FIELDS))


def _check_testonly(context: RuleContext, attribute: Attribute, target: ConfiguredTarget) -> None:
    rule = target.target
    if getattr(context.target.rule_class.implementation, "forwards", False):
        return  # who depends on an alias is checked against what it stands for
    if isinstance(rule, RuleTarget) and not context.testonly and rule.is_testonly:
        raise context.error(
            f"non-test target '{context.label}' depends on testonly target '{target.label}' and doesn't have testonly "
            "attribute set",
            attribute.name,
        )


def platform_incompatibility(
    analyzer: Analyzer, target: RuleTarget, values: AttributeValues, configuration: Configuration
) -> str | None:
    """Why target_compatible_with rules the configuration out; None when it does not."""
    attribute = values.attributes.get("target_compatible_with")
    if attribute is None or attribute.type is not AttributeType.LABEL_LIST:
        return None
    missing = []
    for label in values["target_compatible_with"] or ():
        named = analyzer.loader.target(label)
        if (
            not isinstance(named, RuleTarget)
            or not {"constraint_setting", "actual"} & named.rule_class.attributes.keys()
        ):
            raise WorkspaceError(
                Diagnostic(
                    f"in target_compatible_with attribute of {target.kind} {target.label}: "
                    f"'{label}' is a {named.kind}, expected constraint_value",
                    target.location,
                )
            )
        if not analyzer.has_constraint(configuration, label):
            missing.append(str(label))
    return f"target platform lacks {', '.join(missing)}" if missing else None


def incompatible_dependency(context: RuleContext) -> str | None:
    """Why a dependency makes the target incompatible, too."""
    for group in context.prerequisites.values():
        for dependency in group:
            reason = dependency.target.incompatibility
            if reason is not None:
                return f"{dependency.label}: {reason}" if not reason.startswith("//") else reason
    return None


def failures(context: RuleContext) -> list[Depset]:
    """Why dependencies could not be analysed, where that is allowed."""
    found: dict[Depset, None] = {}
    for group in context.prerequisites.values():
        for dependency in group:
            info = dependency.target.get(AnalysisFailureInfo)
            if info is not None:
                found[info.s_causes] = None
    return list(found)

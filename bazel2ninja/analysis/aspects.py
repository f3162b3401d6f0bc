"""Aspects: what is added to a target from outside, along the edges of the graph.

https://bazel.build/extending/aspects
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis import dependencies, leaves, results, subrules, toolchains
from bazel2ninja.analysis.attribute_values import AttributeValues
from bazel2ninja.analysis.configured_target import ConfiguredTarget
from bazel2ninja.analysis.providers_builtin import AnalysisFailureInfo, OutputGroupInfo, merge_output_groups
from bazel2ninja.configuration.configuration import Configuration
from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.labels import Label
from bazel2ninja.loading.target import OutputFile, RuleTarget
from bazel2ninja.loading.transition import AspectClass
from bazel2ninja.records import dataclass

if TYPE_CHECKING:
    from bazel2ninja.analysis.analyzer import Analyzer
    from bazel2ninja.analysis.rule_context import RuleContext


@dataclass(frozen=True, slots=True)
class Application:
    """An aspect with the values of its parameters (sorted)."""

    aspect: AspectClass
    parameters: tuple[tuple[str, Any], ...] = ()


def parameters(aspect: AspectClass, values: Any) -> tuple[tuple[str, Any], ...]:
    """The aspect's public attributes with the values that the rule (or aspect) which applies it gives them."""
    found = []
    for name, attribute in sorted(aspect.attributes.items()):
        if attribute.is_private:
            continue
        given = values.get(name, None)
        found.append((name, attribute.default if given is None else given))
    return tuple(found)


def _in_order(applications: Iterable[Application]) -> list[Application]:
    """Each once, and those that an aspect requires before it."""
    ordered: dict[Application, None] = {}

    def add(application: Application) -> None:
        for required in application.aspect.requires:
            add(Application(required, application.parameters if required.attributes else ()))
        ordered.setdefault(application)

    for application in applications:
        add(application)
    return list(ordered)


def _satisfied(alternatives: tuple[tuple[object, ...], ...], have: Iterable[object]) -> bool:
    present = set(have)
    return any(all(key in present for key in keys) for keys in alternatives)


def _sees(later: AspectClass, earlier: AspectClass) -> bool:
    """Whether the results of `earlier` on the same target are shown to `later`."""
    return earlier in later.requires or _satisfied(later.required_aspect_providers, earlier.provides)


def _path(earlier: Sequence[Application], application: Application) -> tuple[Application, ...]:
    """The aspects that one sees on the same target, those that these see and so on, in order, and itself at the end."""
    found = [application]
    for each in reversed(earlier):
        if any(_sees(later.aspect, each.aspect) for later in found):
            found.append(each)
    return tuple(reversed(found))


def apply(
    analyzer: Analyzer, target: ConfiguredTarget, applications: Iterable[Application]
) -> Generator[Any, Any, ConfiguredTarget]:
    """`target` with the providers that the aspects add."""
    if target.incompatibility is not None or target.get(AnalysisFailureInfo) is not None:
        return target
    subject = target.target
    rule: ConfiguredTarget = target
    if isinstance(subject, OutputFile):
        applications = [each for each in applications if each.aspect.apply_to_generating_rules]
        if not applications:
            return target
        rule = yield ("target", subject.generating_rule, target.configuration)
        subject = rule.target
    if not isinstance(subject, RuleTarget):
        return target
    added: dict[object, object] = {}
    legacy: dict[str, object] = {}
    visible: list[Application] = []
    for application in _in_order(applications):
        aspect = application.aspect
        if aspect.required_providers and not _satisfied(
            aspect.required_providers, _advertised(rule, subject, [each.aspect for each in visible])
        ):
            continue
        path = _path(visible, application)
        result = yield ("aspect", rule.actual, rule.configuration, path)
        _merge(added, legacy, result)
        visible.append(application)
    return target.with_providers(added, legacy) if added or legacy else target


def _advertised(rule: ConfiguredTarget, target: RuleTarget, applied: list[AspectClass]) -> set[object]:
    """What the rule kind, and aspects before, say that they provide; native kinds provide what they return."""
    if target.rule_class.native:
        return {*rule.providers, *rule.legacy}
    return {*target.rule_class.provides, *(key for aspect in applied for key in aspect.provides)}


def _merge(
    added: dict[object, object], legacy: dict[str, object], result: tuple[Mapping[object, object], Mapping[str, object]]
) -> None:
    for key, instance in result[0].items():
        if key is OutputGroupInfo and key in added:
            added[key] = merge_output_groups(added[key], instance)  # type: ignore[arg-type]
        else:
            added[key] = instance
    legacy.update(result[1])


def _propagates(analyzer: Analyzer, aspect: AspectClass, attribute: str, context: RuleContext) -> bool:
    along = aspect.attribute_aspects
    if callable(along):
        along = analyzer.call(along, context.starlark_rule())
    return "*" in along or attribute in along  # type: ignore[operator]


def evaluate(
    analyzer: Analyzer, label: Label, configuration: Configuration, path: tuple[Application, ...]
) -> Generator[Any, Any, tuple[Mapping[object, object], Mapping[str, object]]]:
    """(providers, legacy fields) that the last aspect of `path` makes of a rule.

    Of the others it sees the results of those that it asks for; the rest are what these ask for.
    """
    from bazel2ninja.analysis.rule_context import RuleContext

    application = path[-1]
    aspect = application.aspect
    rule = yield ("rule", label, configuration)
    rule_context = analyzer.context(rule)
    added: dict[object, object] = {}
    legacy: dict[str, object] = {}
    for position, base in enumerate(path[:-1]):
        if _sees(aspect, base.aspect):
            _merge(added, legacy, (yield ("aspect", label, configuration, _path(path[:position], base))))
    subject = rule.with_providers(added, legacy)

    target = rule_context.target
    values = AttributeValues(
        target,
        configuration,
        aspect.attributes,
        dict(application.parameters),
        analyzer.conditions.resolve,
        analyzer.configuration_field,
        analyzer.call,
    )
    context = RuleContext(analyzer, target, configuration, values, aspect=aspect, aspect_path=path, rule=rule_context)
    context.rule_prerequisites = {}
    for name, group in rule_context.prerequisites.items():
        along = tuple(each for each in path if _propagates(analyzer, each.aspect, name, rule_context))
        if not along:
            context.rule_prerequisites[name] = group
            continue
        extended = []
        for dependency in group:
            other = yield from apply(analyzer, dependency.target, along)
            extended.append(dependencies.Dependency(dependency.label, other, dependency.entry, dependency.split))
        context.rule_prerequisites[name] = extended
    yield from dependencies.collect(analyzer, context)
    yield from toolchains.resolve(analyzer, context)
    try:
        returned = analyzer.thread(context=context, call_subrule=partial(subrules.call, context)).call(
            aspect.implementation, (subject, context)
        )
        return results.aspect_providers(context, returned)
    except WorkspaceError as error:
        without = leaves.without_aspect(analyzer.loader, rule, context, error)
        if without is not None:
            return {leaves.WithoutAspectInfo: without}, {}
        raise context.located(error) from error.__cause__
    finally:
        context.finish()

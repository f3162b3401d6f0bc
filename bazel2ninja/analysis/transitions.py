"""Running the functions of transitions: https://bazel.build/extending/config#user-defined-transitions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.attribute_values import AttributeValues, starlark_value
from bazel2ninja.configuration import transitions
from bazel2ninja.configuration.configuration import Configuration
from bazel2ninja.loading.transition import AnalysisTestTransition, Transition
from bazel2ninja.starlark import Struct, freeze, to_starlark, type_name
from bazel2ninja.starlark.errors import error

if TYPE_CHECKING:
    from bazel2ninja.analysis.analyzer import Analyzer


def apply(
    analyzer: Analyzer, transition: Transition, configuration: Configuration, values: AttributeValues
) -> list[tuple[Any, Configuration]]:
    """(key, configuration) for each result; the key is None when the function returned a single dict of settings.

    Raises WorkspaceError for what the function raises, and for a result that is none.
    """
    settings = configuration.settings
    known = (transition, configuration, values.target)
    found = analyzer.transition_results.get(known)
    if found is not None:
        return found
    inputs = transitions.read(settings, transition.inputs, analyzer.loader, transition.location)
    attributes = Struct(
        **{
            name: starlark_value(values[name], attribute)
            for name, attribute in values.attributes.items()
            if not attribute.is_private and attribute.irrelevant is None
        }
    )
    returned = analyzer.call(transition.implementation, freeze(to_starlark(inputs)), attributes)
    result = [
        (
            key,
            analyzer.configurations.of(
                transitions.apply(settings, transition.outputs, changed, analyzer.loader, transition.location)
            ),
        )
        for key, changed in _results(returned, transition)
    ]
    analyzer.transition_results[known] = result
    return result


def _results(returned: Any, transition: Transition) -> list[tuple[Any, Mapping[str, Any]]]:
    if returned is None and not transition.outputs:
        return [(None, {})]
    if isinstance(returned, list):
        if not all(isinstance(each, Mapping) for each in returned):
            raise error("a transition function must return a dict, or a list or dict of dicts", None)
        return [(str(position), each) for position, each in enumerate(returned)]
    if isinstance(returned, Mapping):
        if returned and all(isinstance(each, Mapping) for each in returned.values()):
            return sorted(returned.items())
        return [(None, returned)]
    raise error(f"transition function returned {type_name(returned)}, want a dict, or a list or dict of dicts", None)


def apply_fixed(analyzer: Analyzer, transition: AnalysisTestTransition, configuration: Configuration) -> Configuration:
    """The configuration with the settings of an analysis_test_transition()."""
    changed = transitions.apply(configuration.settings, transition.labels, transition.settings, analyzer.loader, None)
    return analyzer.configurations.of(changed)

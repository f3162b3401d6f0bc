"""subrule(), https://bazel.build/rules/lib/globals/bzl#subrule: what may be declared, what a rule takes over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bazel2ninja.labels import Label
from bazel2ninja.loading import arguments
from bazel2ninja.loading.repository_placeholder import Placeholder
from bazel2ninja.loading.rule_class import Attribute, AttributeType, ComputedDefault
from bazel2ninja.loading.transition import ExecTransition, Subrule, transitive
from bazel2ninja.records import replace
from bazel2ninja.starlark import EvalError, type_name


def check_attributes(attributes: Mapping[str, Attribute]) -> None:
    """Raises EvalError for an attribute that a subrule may not have."""
    for name, attribute in attributes.items():
        if attribute.cfg not in ("target", "exec") and not isinstance(attribute.cfg, ExecTransition):
            raise EvalError(f"bad cfg for attribute '{name}': subrules may only have target/exec attributes.")
        if not name.startswith("_"):
            raise EvalError(
                f"illegal attribute name '{name}': subrules may only define private attributes (whose names begin with"
                " '_')."
            )
        if isinstance(attribute.default, ComputedDefault):
            raise EvalError(f"illegal default value for attribute '{name}': subrules cannot define computed defaults.")
        if attribute.default is None:
            raise EvalError(f"for attribute '{name}': no default value specified")
        if attribute.type not in (AttributeType.LABEL, AttributeType.LABEL_LIST):
            raise EvalError(
                f"bad type for attribute '{name}': subrule attributes may only be label or lists of labels."
            )


def check_toolchains(toolchains: tuple[tuple[Label, bool], ...]) -> None:
    """Raises EvalError for more than the one toolchain type that a subrule may ask for."""
    if len(dict(toolchains)) > 1:
        raise EvalError(
            f"subrules may require at most 1 toolchain, got: [{', '.join(str(label) for label, _ in toolchains)}]"
        )


def subrules_argument(value: Any, function: str) -> tuple[Subrule, ...]:
    """The parameter `subrules` of rule(), aspect() and subrule()."""
    found = tuple(one for one in arguments.sequence(value, function, "subrules") if not isinstance(one, Placeholder))
    for position, item in enumerate(found):
        if not isinstance(item, Subrule):
            raise EvalError(f"at index {position} of subrules, got element of type {type_name(item)}, want Subrule")
    return found


def take_over(
    subrules: tuple[Subrule, ...],
    attributes: dict[str, Attribute],
    toolchains: Iterable[Any],
) -> tuple[tuple[Label, bool], ...]:
    """Adds the attributes of the subrules, and of those that they call, to a rule's; returns its toolchain types.

    Raises EvalError for a subrule that no global has been assigned.
    """
    types: dict[Label, bool] = dict(toolchains)
    for subrule in transitive(subrules):
        subrule.check_exported()
        for name, attribute in subrule.attributes.items():
            lifted = subrule.lifted(name)
            attributes[lifted] = replace(attribute, name=lifted)
        for label, mandatory in subrule.toolchains:
            types[label] = mandatory or types.get(label, False)
    return tuple(types.items())

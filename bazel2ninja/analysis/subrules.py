"""Calls of subrules, and the `ctx` that their implementations get: https://bazel.build/rules/lib/builtins/subrule_ctx"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.actions import Actions
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.providers_builtin import FilesToRun
from bazel2ninja.labels import Label
from bazel2ninja.loading.rule_class import AttributeType
from bazel2ninja.loading.transition import Subrule
from bazel2ninja.starlark import EvalError, List, called, freeze

if TYPE_CHECKING:
    from bazel2ninja.analysis.rule_context import RuleContext


def call(context: RuleContext, subrule: Subrule, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """Runs a subrule for the rule or aspect of `context`, or for the subrule of it that runs.

    Raises EvalError when the caller does not declare it, and for arguments that stand for its attributes.
    """
    caller = context.running_subrule
    _check_declared(context, caller, subrule)
    values: dict[str, Any] = dict(kwargs)
    tools: list[FilesToRun] = []
    for name in subrule.attributes:
        if name in kwargs:
            raise EvalError(f"got invalid named argument: '{name}' is an implicit dependency and cannot be overridden")
        values[name] = _value(context, subrule, name, tools)
    own = SubruleContext(context, subrule, tools)
    context.running_subrule = own
    try:
        implementation: Any = subrule.implementation
        return called(implementation, (own, *args), values)
    finally:
        context.running_subrule = caller


def _check_declared(context: RuleContext, caller: SubruleContext | None, subrule: Subrule) -> None:
    if caller is not None:
        if subrule not in caller.subrule.subrules:
            raise EvalError(f"subrule {caller.subrule.name} must declare {subrule.name} in 'subrules'")
    elif context.aspect is not None:
        if subrule not in context.aspect.subrules:
            name = f"{context.aspect.defined_in}%{context.aspect.name}"
            raise EvalError(f"aspect '{name}' must declare '{subrule.name}' in 'subrules'")
    else:
        kind = context.running_rule_class
        if subrule not in kind.subrules:
            raise EvalError(f"rule '{kind.name}' must declare '{subrule.name}' in 'subrules'")


def _value(context: RuleContext, subrule: Subrule, name: str, tools: list[FilesToRun]) -> Any:
    """What an attribute gives the implementation: how to run a tool, a list of targets, a file or a target."""
    attribute = subrule.attributes[name]
    targets = context.dependencies(subrule.lifted(name))
    if attribute.type is AttributeType.LABEL_LIST:
        return freeze(List(targets))
    if not targets:
        return None
    (target,) = targets
    if attribute.executable:
        tools.append(target.files_to_run)
        return target.files_to_run
    if attribute.single_file:
        files = target.files.flatten()
        return files[0] if files else None
    return target


class SubruleContext:
    """`ctx` of a subrule while it runs, and is not itself in a call of another one."""

    starlark_type = "subrule_ctx"

    def __init__(self, context: RuleContext, subrule: Subrule, tools: list[FilesToRun]):
        self.subrule = subrule
        self._context = context
        self._programs = {tool.executable for tool in tools}
        self._actions = Actions(context, self)

    def starlark_repr(self) -> str:
        return f"<subrule context for {self._context.label}>"

    def check_open(self, name: str) -> None:
        """Raises EvalError when the field or method `name` is used outside of the implementation."""
        if self._context.running_subrule is not self:
            raise EvalError(
                f"cannot access field or method '{name}' of subrule context outside of its own implementation function"
            )

    def check_tool(self, tool: Artifact, parameter: str) -> None:
        """Raises EvalError for the program of a tool without its runfiles."""
        if tool in self._programs:
            raise EvalError(f"for '{parameter}', expected FilesToRunProvider, got File")

    @property
    def s_label(self) -> Label:
        self.check_open("label")
        return self._context.label

    @property
    def s_actions(self) -> Actions:
        self.check_open("actions")
        return self._actions

    @property
    def s_toolchains(self) -> Any:
        self.check_open("toolchains")
        if not self._context.uses_automatic_exec_groups:
            raise EvalError("subrules using toolchains must enable automatic exec-groups")
        return self._context.toolchain_contexts[""].restricted(
            [label for label, _ in self.subrule.toolchains], self.subrule.defined_in
        )

    @property
    def s_fragments(self) -> Any:
        self.check_open("fragments")
        return SubruleFragments(self._context, self.subrule)


class SubruleFragments:
    """ctx.fragments of a subrule: those that it declares."""

    starlark_type = "fragments"

    def __init__(self, context: RuleContext, subrule: Subrule):
        self._all = context.analyzer.fragments(context.configuration)
        self._subrule = subrule

    def starlark_dir(self) -> tuple[str, ...]:
        return self._subrule.fragments

    def starlark_missing(self, name: str) -> str:
        known = ", ".join(f"'{each}'" for each in self._subrule.fragments)
        return f"There is no configuration fragment named '{name}'. Available fragments: {known}"

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("s_") or not hasattr(type(self._all), name):
            raise AttributeError(name=name, obj=self)
        fragment = name.removeprefix("s_")
        if fragment not in self._subrule.fragments:
            raise EvalError(
                f"{self._subrule.name} has to declare '{fragment}' as a required fragment in order to access it. Please"
                " update the 'fragments' argument of the subrule definition (for example: fragments ="
                f' ["{fragment}"])'
            )
        return getattr(self._all, name)

"""Rules and edges as values, and their text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from bazel2ninja.records import dataclass, field


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule statement; `settings` are further bindings such as restat, depfile, pool.  Texts are in ninja's syntax."""

    name: str
    command: str
    description: str
    settings: Mapping[str, str] = field(default_factory=dict)

    def text(self) -> str:
        lines = [f"rule {self.name}", f"  command = {self.command}"]
        if self.description:
            lines.append(f"  description = {self.description}")
        lines += [f"  {name} = {setting}" for name, setting in self.settings.items()]
        return "\n".join(lines)


@dataclass(slots=True)
class Edge:
    """A build statement.  Paths and values are in ninja's syntax already (`syntax.path`, `syntax.value`)."""

    rule: str
    outputs: list[str]
    inputs: list[str] = field(default_factory=list)
    implicit: list[str] = field(default_factory=list)
    order_only: list[str] = field(default_factory=list)
    implicit_outputs: list[str] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)

    def text(self) -> str:
        parts = ["build", *self.outputs]
        if self.implicit_outputs:
            parts += ["|", *self.implicit_outputs]
        parts[-1] += ":"
        parts.append(self.rule)
        parts += self.inputs
        if self.implicit:
            parts += ["|", *self.implicit]
        if self.order_only:
            parts += ["||", *self.order_only]
        line = " ".join(parts)
        if not self.variables:
            return line
        return line + "".join([f"\n  {name} = {value}" for name, value in self.variables.items()])


def rule_table(rules: Iterable[Rule]) -> Mapping[str, Rule]:
    return MappingProxyType({rule.name: rule for rule in rules})


PHONY = "phony"
RESTAT = MappingProxyType({"restat": "1"})

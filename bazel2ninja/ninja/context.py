"""What the lowering of all actions shares: options, variables that several edges use, depsets as phony targets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from types import MappingProxyType
from typing import Any

from bazel2ninja.analysis.action import Action
from bazel2ninja.graph.build import BuildGraph
from bazel2ninja.graph.inputs import direct_inputs
from bazel2ninja.ninja import syntax
from bazel2ninja.ninja.flags import ONE_MACHINE, Compilers, OtherMachines, ProjectFlags
from bazel2ninja.ninja.paths import SIDE, PathMapper
from bazel2ninja.ninja.sidefiles import SideFiles
from bazel2ninja.ninja.statements import PHONY, Edge
from bazel2ninja.records import dataclass

TIMEOUTS = MappingProxyType({"short": 60, "moderate": 300, "long": 900, "eternal": 3600})
"""Seconds; https://bazel.build/reference/be/common-definitions#test.timeout"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TestOptions:
    """--test_filter, --test_arg, --test_env (None: the value of whoever runs ninja), --test_timeout, attempts.

    run_under: the words of --run_under.
    """

    filter: str = ""
    run_under: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str | None] = field(default_factory=dict)
    timeouts: Mapping[str, int] = field(default_factory=lambda: TIMEOUTS)
    flaky_attempts: int = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """python: words that run Python with bazel2ninja importable; action_environment: --action_env, resolved.

    link_jobs: links at a time, 0 for no limit.  heavy_compiles: regular expressions over sources' exec paths whose
    compiles, heavy_jobs at a time, need much memory.
    """

    workspace_name: str
    python: tuple[str, ...] = ("python3",)
    action_environment: Mapping[str, str] = field(default_factory=dict)
    link_jobs: int = 0
    heavy_compiles: tuple[str, ...] = ()
    heavy_jobs: int = 1
    tests: TestOptions = field(default_factory=TestOptions)


class Context:
    """`edges` is the body of the manifest as text, in order; `rules` the names of the rules in use."""

    def __init__(
        self,
        graph: BuildGraph,
        mapper: PathMapper,
        compilers: Compilers,
        options: Options,
        side_files: SideFiles,
        other_machines: OtherMachines = ONE_MACHINE,
    ):
        self.graph = graph
        self.mapper = mapper
        self.compilers = compilers
        self.other_machines = other_machines
        self.options = options
        self.side_files = side_files
        self.project_flags = ProjectFlags(compilers)
        self.rules: set[str] = set()
        self.edges: list[str] = []
        self._variables: dict[tuple[str, object], str] = {}
        self._names: dict[str, int] = {}
        self._sets: dict[tuple[int, bool], str] = {}
        self._set_count = 0

    def emit(self, edge: Edge) -> None:
        self.rules.add(edge.rule)
        self.edges.append(edge.text())

    def known_variable(self, kind: str, key: object) -> str | None:
        """The reference to the variable that was defined for `key`."""
        return self._variables.get((kind, key))

    def define(self, kind: str, words: Iterable[str], key: object = None) -> str:
        """The reference to a variable with these words, the same for equal ones; "" for no words.

        With `key`, `known_variable` finds it again without the words.
        """
        text = syntax.value(syntax.shell_words(words))
        reference = self._variables.get((kind, text)) if text else ""
        if reference is None:
            number = self._names[kind] = self._names.get(kind, 0) + 1
            reference = self._variables[kind, text] = f"${kind}{number}"
            self.edges.append(f"{kind}{number} = {text}")
        if key is not None:
            self._variables[kind, key] = reference
        return reference

    def inputs(self, action: Action, without: Iterable[object] = ()) -> list[str]:
        """Nodes of everything that `action` reads, depsets as phony targets, less the artifacts `without`."""
        left_out = set(without)
        found = [self.mapper.node(artifact) for artifact in direct_inputs(action) if artifact not in left_out]
        return found + self.sets(action.input_sets)

    def sets(self, groups: Iterable[Any], *, generated_only: bool = False) -> list[str]:
        """Nodes that stand for depsets; with generated_only, of the files in them that actions make."""
        found = dict.fromkeys(self._set(group, generated_only) for group in groups)
        found.pop("", None)
        return list(found)

    def _set(self, group: Any, generated_only: bool) -> str:
        """One node for a depset, "" for an empty one.  A phony target is made only for more than one file."""
        known = self._sets.get((id(group), generated_only))
        if known is not None:
            return known
        # not recursive: chains of depsets are as long as chains of targets
        stack = [group]
        while stack:
            current = stack[-1]
            missing = [each for each in current.transitive if (id(each), generated_only) not in self._sets]
            if missing:
                stack += reversed(missing)
                continue
            stack.pop()
            if (id(current), generated_only) not in self._sets:
                self._sets[id(current), generated_only] = self._define_set(current, generated_only)
        return self._sets[id(group), generated_only]

    def _define_set(self, group: Any, generated_only: bool) -> str:
        direct = [artifact for artifact in group.direct if not (generated_only and artifact.is_source)]
        members = dict.fromkeys(self.mapper.nodes(direct))
        members.update(dict.fromkeys(self._sets[id(each), generated_only] for each in group.transitive))
        members.pop("", None)
        if len(members) < 2:
            return next(iter(members), "")
        self._set_count += 1
        name = f"{SIDE}/sets/{self._set_count}"
        self.emit(Edge(PHONY, [name], list(members)))
        return name

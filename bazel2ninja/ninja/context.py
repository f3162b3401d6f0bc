"""What the lowering of all actions shares: options, variables that several edges use, depsets as phony targets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Set
from types import MappingProxyType
from typing import Any

from bazel2ninja.analysis.action import Action
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.graph.inputs import direct_inputs
from bazel2ninja.ninja import syntax
from bazel2ninja.ninja.flags import ADMISSION, ONE_MACHINE, Compilers, OtherMachines, ProjectFlags
from bazel2ninja.ninja.parts import SETS, digest
from bazel2ninja.ninja.paths import PathMapper
from bazel2ninja.ninja.sidefiles import SideFiles
from bazel2ninja.records import dataclass, field

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
    """generator: gives the action that makes a file, None for a source file and for what an earlier run has made.

    `named`: exec paths of libraries of that run that say their name.

    `variables` and `known_sets` what they share: name -> text, name -> nodes.  The names
    come from the content, so that a part says the same whatever else is in the manifest.
    """

    def __init__(
        self,
        generator: Callable[[Artifact], Action | None],
        mapper: PathMapper,
        compilers: Compilers,
        options: Options,
        side_files: SideFiles,
        other_machines: OtherMachines = ONE_MACHINE,
    ):
        self.generator = generator
        self.named: Set[str] = frozenset()
        self.mapper = mapper
        self.compilers = compilers
        self.other_machines = other_machines
        self.options = options
        self.side_files = side_files
        self.project_flags = ProjectFlags(compilers)
        self.variables: dict[str, str] = {}
        self.known_sets: dict[str, tuple[str, ...]] = {}
        self._names: dict[tuple[str, object], str] = {}
        self.used: dict[str, None] = {}  # names of variables in the part that is being made
        self._sets: dict[tuple[int, bool], str] = {}

    def known_variable(self, kind: str, key: object) -> str | None:
        """The reference to the variable that was defined for `key`."""
        name = self._names.get((kind, key))
        if name:
            self.used[name] = None
            return f"${name}"
        return name

    def program(self, path: str, variable: str) -> str:
        """What a variable such as "cxx" is when a program of the project's is in its place; path: an execution path."""
        if not path.startswith("/"):
            path = self.mapper.path(path)
            path = path if "/" in path else f"./{path}"
        words, scripts = self.compilers.in_place_of(variable, path)
        for name, text in scripts.items():
            self.side_files.add(ADMISSION, name, text, executable=True)
        return syntax.value(syntax.shell_words(words))

    def define(self, kind: str, words: Iterable[str], key: object = None) -> str:
        """The reference to a variable with these words, the same for equal ones; "" for no words.

        With `key`, `known_variable` finds it again without the words.
        """
        text = syntax.value(syntax.shell_words(words))
        name = ""
        if text:
            name = kind + digest(text)
            self.variables[name] = text
            self.used[name] = None
        if key is not None:
            self._names[kind, key] = name
        return name and f"${name}"

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
        name = f"{SETS}{digest(' '.join(members))}"
        self.known_sets[name] = tuple(members)
        return name

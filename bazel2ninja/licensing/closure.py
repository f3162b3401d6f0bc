"""What really ends up in a binary: from the graph of actions, and the headers that the compiler said it read.

A closure is found from the output backwards; each file keeps the file through which it came in, so that "why is this
in that library?" has an answer. Content and tools are kept apart: what a code generator is made of does not end up in
the library, but its source belongs to the library's source.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bazel2ninja.analysis.action import (
    Action,
    CppArchiveAction,
    CppCompileAction,
    CppLinkAction,
    FailAction,
    RunfilesTreeAction,
    SpawnAction,
    TestAction,
)
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.graph.build import BuildGraph
from bazel2ninja.licensing.inclusion import Inclusions

_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".def", ".cuh", ".tcc", ".h++")

CONTENT = "content"
TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Member:
    """A source file of a closure.

    role: CONTENT or TOOL. through: the file for which it is needed (an object, an archive, a generated file ...), how: what
    for ("compiled", "included", "linked", "made from", "made by").
    """  # noqa: E501

    path: str
    role: str
    through: str
    how: str


@dataclass(frozen=True, slots=True)
class Closure:
    """members: source path (exec path, or absolute for the system's files) -> Member; steps: every file on the way, too.

    shared: shared libraries it is linked with, which are not part of it. compiles: how many there are, tools' included;
    unread: those of them that have not run, so that their headers are those that they might read. unmade: generated
    files on the way that are not there, so that nobody knows what they include. absent: files that nobody has.
    """  # noqa: E501

    output: str
    members: Mapping[str, Member]
    steps: Mapping[str, Member]
    shared: tuple[str, ...]
    compiles: int = 0
    unread: int = 0
    unmade: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the headers are those that the compiler read."""
        return not self.unread

    def chain(self, path: str) -> list[Member]:
        """From a file to the output: why it is in there; empty when it is not."""
        found = []
        at = path
        while at in self.steps and at != self.output:
            member = self.steps[at]
            found.append(member)
            at = member.through
        return found

    @property
    def content(self) -> list[str]:
        """Paths of what ends up in the output, sorted."""
        return sorted(path for path, member in self.members.items() if member.role == CONTENT)


HeadersOf = Callable[[CppCompileAction], Sequence[str] | None]


def closures(
    graph: BuildGraph,
    outputs: Iterable[str],
    headers_of: HeadersOf,
    disk: Callable[[str], str] | None = None,
    linked: Callable[[CppLinkAction], Iterable[str]] = lambda link: (),
) -> Iterator[Closure]:
    """One closure for each output (exec path).

    headers_of: what the compiler read for a compile, as exec paths (absolute ones for the system's), from the depfile;
    None when that compile has not run. disk: where the process opens an exec path; with it the headers of such a
    compile are those that its include directives name, else only those that actions make for it. linked: the system's
    files (absolute) that become part of what a link makes.
    """
    for output in outputs:
        yield _Walk(graph, output, headers_of, disk, linked).closure()


@dataclass(frozen=True, slots=True)
class _Need:
    """`through`: what needs the file, "" for the action's output itself."""

    path: str
    how: str
    tool: bool = False
    through: str = ""


class _Walk:
    """From one output backwards."""

    def __init__(
        self,
        graph: BuildGraph,
        output: str,
        headers_of: HeadersOf,
        disk: Callable[[str], str] | None,
        linked: Callable[[CppLinkAction], Iterable[str]],
    ):
        self._graph = graph
        self._output = output
        self._headers_of = headers_of
        self._disk = disk
        self._inclusions = Inclusions(graph, disk) if disk is not None else None
        self._linked = linked
        self._shared: dict[str, None] = {}
        self._compiles: dict[str, bool] = {}  # object -> whether its headers are known

    def closure(self) -> Closure:
        graph, output = self._graph, self._output
        steps: dict[str, Member] = {}
        # content first: a file that is both content and part of a tool counts as content
        for role in (CONTENT, TOOL):
            queue: deque[str] = deque([output] if role == CONTENT else [p for p, m in steps.items() if m.role == TOOL])
            while queue:
                path = queue.popleft()
                action = graph.generator(path)
                if action is None:
                    continue
                for need in self._needs(action):
                    step_role = TOOL if need.tool or role == TOOL else CONTENT
                    known = steps.get(need.path)
                    if need.path == output or (known is not None and not (known.role == TOOL and step_role == CONTENT)):
                        continue
                    steps[need.path] = Member(need.path, step_role, need.through or path, need.how)
                    if step_role == role:
                        queue.append(need.path)
        made = {path: graph.generator(path) for path in steps}
        members = {path: member for path, member in steps.items() if made[path] is None}
        absent = [path for path, action in made.items() if isinstance(action, FailAction)]
        if self._disk is not None:
            absent += [path for path in members if not os.path.exists(self._disk(path))]
        return Closure(
            output,
            members,
            steps,
            tuple(self._shared),
            len(self._compiles),
            sum(not known for known in self._compiles.values()),
            self._inclusions.unmade if self._inclusions is not None else (),
            tuple(absent),
        )

    def _needs(self, action: Action) -> Iterator[_Need]:
        """What an action's outputs are made of."""
        if isinstance(action, CppLinkAction):
            for item in action.items:
                if item.kind in ("shared", "lib"):
                    self._shared.setdefault(item.artifact.exec_path)
                else:
                    yield _Need(item.artifact.exec_path, "linked")
            for path in self._linked(action):
                yield _Need(path, "linked")
        elif isinstance(action, CppArchiveAction):
            for member in action.members:
                yield _Need(member.exec_path, "archived")
        elif isinstance(action, CppCompileAction):
            yield _Need(action.source.exec_path, "compiled")
            yield from self._headers(action)
        elif isinstance(action, SpawnAction):
            tools = {tool.exec_path for tool in action.tools}
            for artifact in action.all_inputs():
                tool = artifact.exec_path in tools or _is_program(artifact)
                yield _Need(artifact.exec_path, "made by" if tool else "made from", tool)
            for artifact in action.tools:
                yield _Need(artifact.exec_path, "made by", True)
        elif isinstance(action, RunfilesTreeAction | TestAction | FailAction):
            return
        else:
            for artifact in action.all_inputs():
                yield _Need(artifact.exec_path, "made from")

    def _headers(self, action: CppCompileAction) -> Iterator[_Need]:
        read = self._headers_of(action)
        self._compiles[action.object.exec_path] = read is not None
        if read is not None:
            for header in read:
                if header != action.source.exec_path:
                    yield _Need(header, "included")
        elif self._inclusions is not None:
            for header, includer in self._inclusions.of(action):
                yield _Need(header, "perhaps included", through=includer)
        else:
            for artifact in action.all_inputs():
                if artifact.exec_path.endswith(_HEADERS):
                    yield _Need(artifact.exec_path, "perhaps included")


def _is_program(artifact: Artifact) -> bool:
    """A part of a tool that is no tool itself: its runfiles, scripts of Bazel's own such as genrule-setup.sh."""
    if artifact.is_source:
        return artifact.exec_path.startswith("external/bazel_tools/")
    return ".runfiles" in artifact.exec_path

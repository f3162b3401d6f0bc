"""What really ends up in a binary: from the graph of actions, and the headers that the compiler said it read.

A closure is found from the output backwards; each file keeps the file through which it came in, so that "why is this
in that library?" has an answer. Content and tools are kept apart: what a code generator is made of does not end up in
the library, but its source belongs to the library's source.
"""

from __future__ import annotations

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

    exact: the headers are those that the compiler read; without a build they are those that it might have read.
    shared: shared libraries it is linked with, which are not part of it.
    """  # noqa: E501

    output: str
    members: Mapping[str, Member]
    steps: Mapping[str, Member]
    shared: tuple[str, ...]
    exact: bool

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


def closures(graph: BuildGraph, outputs: Iterable[str], headers_of: HeadersOf) -> Iterator[Closure]:
    """One closure for each output (exec path).

    headers_of: what the compiler read for a compile, as exec paths (absolute ones for the system's), from the depfile;
    None when that compile has not run.
    """
    for output in outputs:
        yield _closure(graph, output, headers_of)


def _closure(graph: BuildGraph, output: str, headers_of: HeadersOf) -> Closure:
    steps: dict[str, Member] = {}
    shared: dict[str, None] = {}
    exact = True
    # content first: a file that is both content and part of a tool counts as content
    for role in (CONTENT, TOOL):
        queue: deque[str] = deque([output] if role == CONTENT else [p for p, m in steps.items() if m.role == TOOL])
        while queue:
            path = queue.popleft()
            action = graph.generator(path)
            if action is None:
                continue
            if isinstance(action, CppCompileAction):
                exact = exact and headers_of(action) is not None
            for need, how, tool in _needs(action, headers_of, shared):
                step_role = TOOL if tool or role == TOOL else CONTENT
                known = steps.get(need)
                if need == output or (known is not None and not (known.role == TOOL and step_role == CONTENT)):
                    continue
                steps[need] = Member(need, step_role, path, how)
                if step_role == role:
                    queue.append(need)
    members = {path: member for path, member in steps.items() if graph.generator(path) is None}
    return Closure(output, members, steps, tuple(shared), exact)


def _needs(action: Action, headers_of: HeadersOf, shared: dict[str, None]) -> Iterator[tuple[str, str, bool]]:
    """(path, what for, whether it is a tool) of what an action's outputs are made of."""
    if isinstance(action, CppLinkAction):
        for item in action.items:
            if item.kind in ("shared", "lib"):
                shared.setdefault(item.artifact.exec_path)
            else:
                yield item.artifact.exec_path, "linked", False
    elif isinstance(action, CppArchiveAction):
        for member in action.members:
            yield member.exec_path, "archived", False
    elif isinstance(action, CppCompileAction):
        yield action.source.exec_path, "compiled", False
        read = headers_of(action)
        if read is not None:
            for header in read:
                if header != action.source.exec_path:
                    yield header, "included", False
            return
        for artifact in action.all_inputs():
            if artifact.exec_path.endswith(_HEADERS):
                yield artifact.exec_path, "perhaps included", False
    elif isinstance(action, SpawnAction):
        tools = {tool.exec_path for tool in action.tools}
        for artifact in action.all_inputs():
            tool = artifact.exec_path in tools or _is_program(artifact)
            yield artifact.exec_path, "made by" if tool else "made from", tool
        for artifact in action.tools:
            yield artifact.exec_path, "made by", True
    elif isinstance(action, RunfilesTreeAction | TestAction | FailAction):
        return
    else:
        for artifact in action.all_inputs():
            yield artifact.exec_path, "made from", False


def _is_program(artifact: Artifact) -> bool:
    return not artifact.is_source and ".runfiles" in artifact.exec_path

"""Questions about the graph of actions: what does a target need, what needs it, and why."""

from __future__ import annotations

from collections.abc import Iterable

from bazel2ninja.graph.build import BuildGraph, Node
from bazel2ninja.labels import Label


def owner(graph: BuildGraph, node: Node) -> Label | None:
    """Label of the target that an action or a file belongs to; None for a depset, which belongs to nobody."""
    if isinstance(node, str):
        return graph.artifacts[node].owner
    return graph.actions[node].owner if node >= 0 else None


def nodes_of(graph: BuildGraph, labels: Iterable[Label]) -> list[Node]:
    """Actions and files of these targets, in the order of the graph."""
    wanted = set(labels)
    found: list[Node] = [index for index, action in graph.actions.items() if action.owner in wanted]
    found += [path for path, artifact in graph.artifacts.items() if artifact.owner in wanted]
    return found


def deps(graph: BuildGraph, labels: Iterable[Label]) -> list[Label]:
    """The targets and source files that the actions of `labels` need, directly or not, `labels` included; sorted."""
    return _closure(graph, nodes_of(graph, labels), forward=False)


def rdeps(graph: BuildGraph, labels: Iterable[Label]) -> list[Label]:
    """The targets whose actions need something of `labels`, directly or not, `labels` included; sorted."""
    return _closure(graph, nodes_of(graph, labels), forward=True)


def somepath(graph: BuildGraph, start: Label, end: Label) -> list[Node]:
    """A shortest chain of files and actions that shows why `start` needs `end`, from `start` on; [] when it does not.

    Depsets on the way are left out.
    """
    goals = set(nodes_of(graph, [end]))
    known: dict[Node, Node | None] = dict.fromkeys(nodes_of(graph, [start]))
    queue = list(known)
    for node in queue:  # grows while it is read: breadth first
        if node in goals:
            chain: list[Node] = []
            step: Node | None = node
            while step is not None:
                chain.append(step)
                step = known[step]
            return [each for each in reversed(chain) if isinstance(each, str) or each >= 0]
        for need in graph.network.predecessors(node):
            if need not in known:
                known[need] = node
                queue.append(need)
    return []


def _closure(graph: BuildGraph, start: list[Node], *, forward: bool) -> list[Label]:
    step = graph.network.successors if forward else graph.network.predecessors
    seen: set[Node] = set(start)
    queue = list(start)
    while queue:
        for node in step(queue.pop()):
            if node not in seen:
                seen.add(node)
                queue.append(node)
    return sorted({label for node in seen if (label := owner(graph, node)) is not None})

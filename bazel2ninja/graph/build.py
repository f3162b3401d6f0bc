"""The actions that the requested files need, checked, as a bipartite graph.

Nodes are small: an int >= 0 is an action, an int < 0 a depset (shared by many actions, and kept whole: flattening it
would make the graph quadratic), a str an artifact by its exec path.  Edges point the way the data flows, from an input
to the action that reads it, from an action to its outputs.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bazel2ninja.analysis.action import Action
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.diagnostics import Diagnostic, Note, WorkspaceError
from bazel2ninja.graph.inputs import ArtifactSet, direct_inputs
from bazel2ninja.records import fields

if TYPE_CHECKING:
    import networkx

Node = int | str


class BuildGraph:
    """Reachable actions and artifacts.  Frozen by convention: every sink reads it, none writes it.

    `actions`: node -> Action, in the order in which the analysis made them; `artifacts`: exec path -> Artifact, in the
    order in which they were reached; `sets`: node -> depset; `requested`: what was asked for.
    """

    def __init__(
        self,
        actions: Mapping[int, Action],
        artifacts: Mapping[str, Artifact],
        sets: Mapping[int, ArtifactSet],
        generators: Mapping[str, int],
        requested: Sequence[Artifact],
        edges: Sequence[tuple[Node, Node]],
    ):
        self.actions = actions
        self.artifacts = artifacts
        self.sets = sets
        self.requested = tuple(requested)
        self._edges = edges
        self._generators = generators
        self._network: networkx.DiGraph[Node] | None = None

    @property
    def network(self) -> networkx.DiGraph[Node]:
        """Everything as one graph, made when it is first asked for: to write a manifest the actions are enough."""
        if self._network is None:
            self._network = _network(self._edges, self.actions, (artifact.exec_path for artifact in self.requested))
        return self._network

    def dependents(self, starts: Iterable[str]) -> set[Node]:
        """Every node that needs one of the files, directly or not; the files themselves are not among them."""
        readers: dict[Node, list[Node]] = {}
        for source, target in self._edges:
            readers.setdefault(source, []).append(target)
        pending: list[Node] = list(starts)
        found: set[Node] = set()
        for node in pending:
            for reader in readers.get(node, ()):
                if reader not in found:
                    found.add(reader)
                    pending.append(reader)
        return found

    def generator(self, artifact: Artifact | str) -> Action | None:
        """The action that makes an artifact (or exec path); None for a source file."""
        path = artifact if isinstance(artifact, str) else artifact.exec_path
        node = self._generators.get(path)
        return None if node is None else self.actions[node]


def build(actions: Iterable[Action], requested: Iterable[Artifact]) -> BuildGraph:
    """The graph of what `requested` needs.

    Raises WorkspaceError for two different actions that make one file, a cycle, a generated file that nothing makes,
    and a file that would have to be a directory as well.
    """
    known = tuple(actions)
    wanted = tuple(dict.fromkeys(requested))
    walk = _Walk(known)
    for artifact in wanted:
        walk.visit(artifact)
    reached = {index: known[index] for index in sorted(walk.reached)}
    generators = {output.exec_path: index for index, action in reached.items() for output in action.outputs}
    _check_prefixes(reached, generators)
    return BuildGraph(reached, walk.artifacts, walk.sets, generators, wanted, walk.edges)


def _network(
    edges: Iterable[tuple[Node, Node]], actions: Iterable[Node], requested: Iterable[Node]
) -> networkx.DiGraph[Node]:
    import networkx  # takes longer to load than most subcommands run

    nothing: dict[str, Any] = {}

    class ThinGraph(networkx.DiGraph):  # type: ignore[misc,type-arg,unused-ignore]
        """All edges and nodes share one empty dictionary of attributes: there are none, and millions of edges."""

        edge_attr_dict_factory = staticmethod(lambda: nothing)
        node_attr_dict_factory = staticmethod(lambda: nothing)

    network = ThinGraph()
    network.add_nodes_from(actions)
    network.add_nodes_from(requested)
    network.add_edges_from(edges)
    return network


class _Walk:
    """Depth first from the requested artifacts to what they need; finds cycles on its way."""

    def __init__(self, actions: Sequence[Action]):
        self.actions = actions
        self.reached: set[int] = set()
        self.artifacts: dict[str, Artifact] = {}
        self.sets: dict[int, ArtifactSet] = {}
        self.edges: list[tuple[Node, Node]] = []
        self._generators: dict[str, int] = {}
        self._rivals: dict[str, list[int]] = {}
        self._set_nodes: dict[int, int] = {}  # id() of a depset -> its node; self.sets keeps it alive
        self._open: dict[Node, None] = {}
        for index, action in enumerate(actions):
            for output in action.outputs:
                first = self._generators.setdefault(output.exec_path, index)
                if first != index:
                    self._rivals.setdefault(output.exec_path, []).append(index)

    def visit(self, artifact: Artifact) -> None:
        if artifact.exec_path in self.artifacts:
            return
        self.artifacts[artifact.exec_path] = artifact
        stack: list[tuple[Node, Iterator[Node]]] = [(artifact.exec_path, self._needs(artifact.exec_path, None))]
        self._open[artifact.exec_path] = None
        while stack:
            node, needs = stack[-1]
            for need in needs:
                if need in self._open:
                    raise self._cycle(need)
                self._open[need] = None
                stack.append((need, self._needs(need, node)))
                break
            else:
                stack.pop()
                del self._open[node]

    def _needs(self, node: Node, parent: Node | None) -> Iterator[Node]:
        """What `node` needs and has not been walked yet, or is being walked (a cycle)."""
        edges = self.edges
        if isinstance(node, str):
            generator = self._generators.get(node)
            if generator is None:
                artifact = self.artifacts[node]
                if not artifact.is_source:
                    raise self._unmade(artifact, parent)
                return
            if generator in self._open:
                yield generator
            elif generator not in self.reached:
                self.reached.add(generator)
                for output in self.actions[generator].outputs:
                    path = output.exec_path
                    if path in self._rivals:
                        self._check_rivals(path)
                    self.artifacts.setdefault(path, output)
                    edges.append((generator, path))
                yield generator
            return
        artifacts: Iterable[Artifact]
        groups: Iterable[Any]
        if node >= 0:
            action = self.actions[node]
            artifacts, groups = direct_inputs(action), action.input_sets
        else:
            artifacts, groups = self.sets[node].direct, self.sets[node].transitive
        for artifact in artifacts:
            path = artifact.exec_path
            edges.append((path, node))
            if path not in self.artifacts:
                self.artifacts[path] = artifact
                if path in self._generators or not artifact.is_source:
                    yield path
            elif path in self._open or self._generators.get(path, -1) in self._open:
                yield path
        group: Any
        for group in groups:
            known = self._set_nodes.get(id(group))
            if known is None:
                known = -1 - len(self.sets)
                self._set_nodes[id(group)] = known
                self.sets[known] = group
                edges.append((known, node))
                yield known
            else:
                edges.append((known, node))
                if known in self._open:
                    yield known

    def _cycle(self, node: Node) -> WorkspaceError:
        chain = list(self._open)
        chain = chain[chain.index(node) :] if node in chain else chain
        steps = [each for each in chain if not isinstance(each, int) or each >= 0]
        files = [each for each in steps if isinstance(each, str)]
        actions = [self.actions[each] for each in steps if isinstance(each, int)]
        first = actions[0]
        notes = [
            Note(f"'{action.owner}' makes '{action.primary_output.exec_path}' from what follows", action.location)
            for action in actions
        ]
        arrows = " -> ".join([*files, files[0]])
        return WorkspaceError(
            Diagnostic(f"cycle in the dependency graph: {arrows}", first.location, notes=tuple(notes))
        )

    def _unmade(self, artifact: Artifact, parent: Node | None) -> WorkspaceError:
        location = None
        notes: tuple[Note, ...] = ()
        user = next((each for each in reversed(self._open) if isinstance(each, int) and each >= 0), None)
        if isinstance(user, int):
            action = self.actions[user]
            location = action.location
            notes = (Note(f"needed by '{action.primary_output.exec_path}' of '{action.owner}'", action.location),)
        return WorkspaceError(
            Diagnostic(f"no action of '{artifact.owner}' makes '{artifact.exec_path}'", location, notes=notes)
        )

    def _check_rivals(self, path: str) -> None:
        first = self.actions[self._generators[path]]
        for index in self._rivals[path]:
            other = self.actions[index]
            if not same_action(first, other):
                raise WorkspaceError(
                    Diagnostic(
                        f"two actions make '{path}': one of '{first.owner}' and one of '{other.owner}'",
                        other.location,
                        notes=(
                            Note(f"'{first.owner}' makes it by {first.mnemonic}", first.location),
                            Note(f"'{other.owner}' makes it by {other.mnemonic}", other.location),
                        ),
                    )
                )


_IDENTITY_ONLY = {"owner", "location", "progress_message"}


def same_action(left: object, right: object) -> bool:
    """Whether two actions do the same thing: Bazel lets such "shareable" actions make one file."""
    if left is right:
        return True
    if isinstance(left, Artifact) and isinstance(right, Artifact):
        return left.exec_path == right.exec_path
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return list(left) == list(right) and all(same_action(left[key], right[key]) for key in left)
    if type(left) is not type(right):
        return False
    if hasattr(left, "__dataclass_fields__") and not isinstance(left, type):
        known: Any = left
        names = [field.name for field in fields(known) if field.name not in _IDENTITY_ONLY]
        return all(same_action(getattr(left, name), getattr(right, name)) for name in names)
    if isinstance(left, tuple | list):
        assert isinstance(right, tuple | list)
        return len(left) == len(right) and all(map(same_action, left, right))
    flatten = getattr(left, "flatten", None)
    if flatten is not None:
        return same_action(tuple(flatten()), tuple(right.flatten()))  # type: ignore[attr-defined]
    return left == right


def _check_prefixes(actions: Mapping[int, Action], generators: Mapping[str, int]) -> None:
    """No output may lie below another: 'a/b' cannot be a file while 'a/b/c' needs it to be a directory."""
    checked: set[str] = set()
    for action in actions.values():
        for output in action.outputs:
            directory = posixpath.dirname(output.exec_path)
            while directory and directory not in checked:
                other = generators.get(directory)
                if other is not None:
                    above = actions[other]
                    raise WorkspaceError(
                        Diagnostic(
                            f"'{output.exec_path}' lies inside '{directory}', which is an output, too",
                            action.location,
                            notes=(
                                Note(f"'{action.owner}' makes '{output.exec_path}'", action.location),
                                Note(f"'{above.owner}' makes '{directory}'", above.location),
                            ),
                        )
                    )
                checked.add(directory)
                directory = posixpath.dirname(directory)

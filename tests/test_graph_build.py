"""The graph: what is reachable, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from ninja_workspace import SOURCES, Workspace

from bazel2ninja.analysis.action import SpawnAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.graph import query
from bazel2ninja.graph.build import build
from bazel2ninja.labels import parse_label


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path)


def spawn(workspace: Workspace, label: str, output: str, inputs: list[Artifact], **more: object) -> Artifact:
    result = workspace.artifact(output)
    workspace.add(
        SpawnAction(  # type: ignore[arg-type]
            mnemonic="Genrule",
            arguments=("tool", label) if not more.pop("same", False) else ("tool",),
            **workspace.common(label, [result], inputs),
            **more,
        )
    )
    return result


def refusal(workspace: Workspace, *requested: Artifact) -> str:
    with pytest.raises(WorkspaceError) as caught:
        build(workspace.actions, requested)
    first = caught.value.diagnostic
    notes = "".join(f"\n{note.message} ({note.location})" for note in first.notes)
    return f"{first.location}: {first.message}{notes}"


def test_only_what_is_needed_is_there(workspace: Workspace) -> None:
    source = workspace.artifact("a/x", SOURCES)
    middle = spawn(workspace, "//a:middle", "a/middle", [source])
    spawn(workspace, "//a:unused", "a/unused", [source])
    end = spawn(workspace, "//a:end", "a/end", [], input_sets=(Depset(direct=(middle,)),))
    graph = build(workspace.actions, [end])
    assert [str(action.owner) for action in graph.actions.values()] == ["//a:middle", "//a:end"]
    assert set(graph.artifacts) == {source.exec_path, middle.exec_path, end.exec_path}
    assert graph.generator(middle) is workspace.actions[0]
    assert graph.generator(source) is None
    assert set(graph.network.edges) == {
        ("a/x", 0), (0, middle.exec_path), (middle.exec_path, -1), (-1, 2), (2, end.exec_path),
    }  # fmt: skip


def test_a_depset_is_one_node_however_many_read_it(workspace: Workspace) -> None:
    group = Depset(direct=tuple(workspace.artifact(f"a/{number}", SOURCES) for number in range(100)))
    outputs = [spawn(workspace, f"//a:{n}", f"a/out{n}", [], input_sets=(group,)) for n in range(100)]
    assert build(workspace.actions, outputs).network.number_of_edges() == 100 + 100 + 100


def test_two_actions_for_one_file(workspace: Workspace) -> None:
    one = spawn(workspace, "//a:one", "a/x", [])
    spawn(workspace, "//b:two", "a/x", [])
    assert refusal(workspace, one) == (
        "b/BUILD:1:1: two actions make 'bazel-out/k8-fastbuild/bin/a/x': one of '//a:one' and one of '//b:two'\n"
        "'//a:one' makes it by Genrule (a/BUILD:1:1)\n"
        "'//b:two' makes it by Genrule (b/BUILD:1:1)"
    )


def test_a_rival_for_a_further_output_is_seen(workspace: Workspace) -> None:
    one, both = workspace.artifact("a/one"), workspace.artifact("a/both")
    workspace.add(SpawnAction(mnemonic="M", arguments=("x",), **workspace.common("//a:two", [both])))  # type: ignore[arg-type]
    workspace.add(SpawnAction(mnemonic="M", arguments=("y",), **workspace.common("//a:one", [one, both])))  # type: ignore[arg-type]
    assert "two actions make" in refusal(workspace, one)


def test_equal_actions_are_one(workspace: Workspace) -> None:
    group = workspace.artifact("a/y", SOURCES)
    one = spawn(workspace, "//a:one", "a/x", [], same=True, input_sets=(Depset(direct=(group,)),))
    spawn(workspace, "//b:two", "a/x", [], same=True, input_sets=(Depset(direct=(group,)),))
    assert len(build(workspace.actions, [one]).actions) == 1
    spawn(workspace, "//b:two", "a/x", [], same=True, environment={"A": "b"})
    assert "two actions" in refusal(workspace, one)


def test_a_rival_that_nothing_needs_is_nobodys_business(workspace: Workspace) -> None:
    spawn(workspace, "//a:one", "a/x", [])
    spawn(workspace, "//b:two", "a/x", [])
    assert len(build(workspace.actions, [spawn(workspace, "//a:y", "a/y", [])]).actions) == 1


def test_a_cycle_shows_its_chain(workspace: Workspace) -> None:
    last = workspace.artifact("a/3")
    first = spawn(workspace, "//a:1", "a/1", [], input_sets=(Depset(direct=(last,)),))
    second = spawn(workspace, "//a:2", "a/2", [first])
    spawn(workspace, "//a:3", "a/3", [second])
    start = spawn(workspace, "//a:start", "a/start", [second])
    directory = "bazel-out/k8-fastbuild/bin/a"
    assert refusal(workspace, start).splitlines()[0] == (
        f"a/BUILD:1:1: cycle in the dependency graph: {directory}/2 -> {directory}/1 -> {directory}/3 -> {directory}/2"
    )


def test_an_action_that_reads_its_own_output(workspace: Workspace) -> None:
    output = workspace.artifact("a/x")
    spawn(workspace, "//a:x", "a/x", [output])
    assert "cycle" in refusal(workspace, output)


def test_a_generated_file_that_nothing_makes(workspace: Workspace) -> None:
    end = spawn(workspace, "//a:end", "a/end", [workspace.artifact("b/lost")])
    assert refusal(workspace, end) == (
        "a/BUILD:1:1: no action of '//b:lost' makes 'bazel-out/k8-fastbuild/bin/b/lost'\n"
        "needed by 'bazel-out/k8-fastbuild/bin/a/end' of '//a:end' (a/BUILD:1:1)"
    )
    assert "no action" in refusal(workspace, workspace.artifact("b/lost"))


def test_a_file_cannot_be_a_directory_too(workspace: Workspace) -> None:
    upper = spawn(workspace, "//a:b", "a/b", [])
    lower = spawn(workspace, "//a:b/c", "a/b/c/d", [])
    assert "'bazel-out/k8-fastbuild/bin/a/b/c/d' lies inside 'bazel-out/k8-fastbuild/bin/a/b'" in refusal(
        workspace, upper, lower
    )


LONG = 5_000  # five times the depth to which Python recurses by default


def test_long_chains_need_no_stack(workspace: Workspace) -> None:
    previous: list[Artifact] = []
    for number in range(LONG):
        previous = [spawn(workspace, f"//a:{number}", f"a/{number}", previous)]
    graph = build(workspace.actions, previous)
    assert len(graph.actions) == LONG


def test_questions(workspace: Workspace) -> None:
    source = workspace.artifact("a/x", SOURCES)
    middle = spawn(workspace, "//a:middle", "a/middle", [source])
    end = spawn(workspace, "//a:end", "a/end", [], input_sets=(Depset(direct=(middle,)),))
    other = spawn(workspace, "//a:other", "a/other", [source])
    graph = build(workspace.actions, [end, other])
    a_middle, a_end, a_x = (parse_label(f"//a:{name}") for name in ("middle", "end", "x"))
    assert query.deps(graph, [a_end]) == [a_end, a_middle, a_x]
    assert query.rdeps(graph, [a_middle]) == [a_end, a_middle]
    assert query.somepath(graph, a_end, a_x)[-3:] == [middle.exec_path, 0, "a/x"]
    assert query.somepath(graph, a_x, a_end) == []

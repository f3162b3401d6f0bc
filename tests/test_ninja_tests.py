"""`ninja test`: every test runs, passes are remembered, failures are told."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from ninja_workspace import PYTHON, Workspace

from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.ninja import context
from bazel2ninja.ninja.context import Options


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.delenv("TESTBRIDGE_TEST_ONLY", raising=False)
    return Workspace(tmp_path)


def script(workspace: Workspace, name: str, text: str, data: list[Artifact] | None = None, **more: object) -> Artifact:
    program = workspace.write(f"//a:{name}", f"a/{name}", f"#!/bin/bash\n{text}\n", executable=True)
    return workspace.test(f"//a:{name}", program, data or [], **more)


@pytest.mark.slow
def test_all_run_and_only_failures_run_again(workspace: Workspace) -> None:
    data = workspace.file("a/data.txt", "one\n")
    logs = [
        script(workspace, "good_test", "cat a/data.txt", [data]),
        script(workspace, "bad_test", "echo oh dear; exit 1"),
        script(workspace, "sharded_test", "echo shard $TEST_SHARD_INDEX", shard_count=2),
    ]
    workspace.manifest(logs, tests=["//a:good_test", "//a:bad_test", "//a:sharded_test"])
    said = workspace.ninja("test", status=1)
    assert (
        "FAILED: //a:bad_test: exit status 1 (see bazel-out/k8-fastbuild/testlogs/a/bad_test/test.log)\noh dear" in said
    )
    assert "4 tests: 3 passed, 1 failed" in said
    assert (workspace.output / logs[0].exec_path).read_text() == "one\n"
    said = workspace.ninja("-v", "test", status=1)
    assert "--label=//a:bad_test" in said
    assert "--label=//a:good_test" not in said
    assert "--label=//a:sharded_test" not in said
    # the summary of one test, by its name
    assert "1 test: 1 passed" in workspace.ninja("test//a:good_test")
    assert "no work to do" not in workspace.ninja("test//a:bad_test", status=1)
    workspace.file("a/data.txt", "two\n")
    said = workspace.ninja("-v", "test", status=1)
    assert "--label=//a:good_test" in said
    assert (workspace.output / logs[0].exec_path).read_text() == "two\n"


def test_a_pass_counts_until_the_environment_or_filter_changes(workspace: Workspace) -> None:
    log = script(
        workspace, "x_test", "echo filter $TESTBRIDGE_TEST_ONLY, $WANTED, $GIVEN", inherited_environment=("WANTED",)
    )
    options = Options(workspace_name="ws", python=PYTHON, tests=context.TestOptions(environment={"GIVEN": "it's"}))
    workspace.manifest([log], tests=["//a:x_test"], options=options)
    environment = {name: text for name, text in os.environ.items() if name != "WANTED"}

    def tested(**more: str) -> bool:
        return "--label=//a:x_test" in workspace.ninja("-v", "test", environment={**environment, **more})

    def text() -> str:
        return (workspace.output / log.exec_path).read_text()

    assert tested()
    assert text() == "filter , , it's\n"
    assert not tested()
    assert not tested(UNRELATED="x")
    assert tested(TESTBRIDGE_TEST_ONLY="A.*")
    assert text() == "filter A.*, , it's\n"
    assert tested(WANTED="b c")
    assert text() == "filter , b c, it's\n"
    changed = Options(workspace_name="ws", python=PYTHON, tests=context.TestOptions(filter="B.*"))
    workspace.manifest([log], tests=["//a:x_test"], options=changed)
    assert tested(WANTED="b c")
    assert text() == "filter B.*, b c,\n"


def test_runfiles_are_a_tree_of_links(workspace: Workspace) -> None:
    data = workspace.file("a/sub/data.txt", "x")
    log = script(workspace, "x_test", "find . ../_repo_mapping | sort", [data])
    workspace.manifest([log], tests=["//a:x_test"])
    workspace.ninja("test")
    assert (workspace.output / log.exec_path).read_text().split() == [
        ".", "../_repo_mapping", "./a", "./a/sub", "./a/sub/data.txt", "./a/x_test",
    ]  # fmt: skip
    manifest = workspace.output / "bazel-out/k8-fastbuild/bin/a/x_test.runfiles/MANIFEST"
    lines = dict(line.split(" ", 1) for line in manifest.read_text().splitlines())
    assert os.path.samefile(lines["ws/a/sub/data.txt"], workspace.source / "a/sub/data.txt")
    # what is no longer in the list goes
    workspace.actions.clear()
    log = script(workspace, "x_test", "find . | sort")
    workspace.manifest([log], tests=["//a:x_test"])
    workspace.ninja("test")
    assert (workspace.output / log.exec_path).read_text().split() == [".", "./a", "./a/x_test"]


def test_manual_tests_are_only_run_by_name(workspace: Workspace) -> None:
    one, two = (
        script(workspace, "one_test", "true"),
        script(workspace, "two_test", "true", tags=("manual", "exclusive")),
    )
    workspace.manifest([one, two], tests=["//a:one_test", "//a:two_test"])
    assert "1 test: 1 passed" in workspace.ninja("test")
    assert "1 test: 1 passed" in workspace.ninja("test//a:two_test")


def test_no_tests(workspace: Workspace) -> None:
    workspace.manifest([workspace.write("//a:w", "a/w", "")])
    assert "no work to do" in workspace.ninja("test")


def test_arguments_with_line_breaks(workspace: Workspace) -> None:
    log = script(workspace, "x_test", 'printf "%s|" "$@"', arguments=("a\nb", "c d"), flaky=True, timeout="short")
    workspace.manifest([log], tests=["//a:x_test"])
    workspace.ninja("test")
    assert (workspace.output / log.exec_path).read_text() == "a\nb|c d|"

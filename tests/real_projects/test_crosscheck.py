"""Our actions against real Bazel's: recorded lists, dumps made on the spot, and damaged ones that must be noticed."""

from __future__ import annotations

import json
import lzma
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from archive import ROOT, Project, directory, fetch, projects, repositories, system_repositories

from bazel2ninja.commands.crosscheck import compare_actions
from bazel2ninja.crosscheck import dumps
from bazel2ninja.crosscheck.intended import default_entries
from bazel2ninja.crosscheck.mutate import mutations
from bazel2ninja.crosscheck.oracle import ActionDump
from bazel2ninja.crosscheck.records import Names
from bazel2ninja.pipeline.build import analyse
from bazel2ninja.pipeline.session import Request, Session

pytestmark = pytest.mark.real_project

ORACLES = ROOT / "tests/data/oracles"
PROJECTS = [project for project in projects() if project.oracle]
MUTATIONS = 200
SEED = 20221


def options(project: Project, place: Path) -> list[str]:
    """As in Bazel's run: what was a system library there is one here."""
    if not project.system:
        return repositories(project, place)
    words = [word for word in repositories(project, place) if not word.startswith("--vendor")]
    return [*words, *system_repositories(project.system, place)]


def recorded(name: str) -> str:
    with lzma.open(ORACLES / f"{name}.jsonl.xz", "rt") as file:
        return file.read()


def crosscheck(project: Project, dump: Path, place: Path) -> tuple[int, dict[str, object], str]:
    tree = fetch(project)
    done = subprocess.run(
        [
            *(sys.executable, "-m", "bazel2ninja", "crosscheck", "--json"),
            *(str(tree), *project.oracle_targets, *options(project, place), f"--against={dump}"),
        ],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT), "CC": "gcc"},
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 3), done.stderr
    return done.returncode, json.loads(done.stdout), done.stdout


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_recorded_action_list(project: Project, tmp_path: Path) -> None:
    status, _, text = crosscheck(project, ORACLES / f"{project.oracle}.jsonl.xz", tmp_path)
    assert status == 0, text[-4000:]


@pytest.mark.parametrize("project", PROJECTS, ids=lambda project: project.name)
def test_dump_made_on_the_spot(project: Project, tmp_path: Path) -> None:
    if shutil.which("bazel") is None:
        pytest.fail("there is no 'bazel' here: apt-get install bazel-bootstrap, as tools/oracle/README.md says")
    tree = fetch(project)
    overrides = [
        word
        for name, package in project.externals.items()
        for word in ("--override", f"{name}={directory() / package}")
    ]
    dump = tmp_path / "dump.json"
    subprocess.run(
        [
            *(sys.executable, ROOT / "tools/oracle/record", tree, tmp_path / "list.jsonl.xz"),
            *("--raw-output", "jsonproto", dump, *overrides, *project.oracle_options),
            *(project.oracle_targets or ["//..."]),
        ],
        check=True,
    )
    status, _, text = crosscheck(project, dump, tmp_path)
    assert status == 0, text[-4000:]


@pytest.mark.parametrize("project", [p for p in PROJECTS if p.name in ("re2", "protobuf")], ids=lambda p: p.name)
def test_damage_is_noticed(project: Project, tmp_path: Path) -> None:
    """Seeded mutations of a dump, each compared with our own actions of the real project."""
    tree = fetch(project)
    words = [*options(project, tmp_path), *project.oracle_targets]
    session = Session(Request(source=str(tree), words=words, output_root=str(tmp_path), environment={"CC": "gcc"}))
    build = analyse(session)
    actions = dumps.read_actions((ORACLES / f"{project.oracle}.jsonl.xz").read_bytes(), project.oracle)
    names = Names((session.workspace.name,))
    requested = {names.label(str(top.label)) for top in build.targets}
    unnoticed = []
    for mutation in mutations(actions, SEED, MUTATIONS, names, requested):
        report = compare_actions(session, build, ActionDump(mutation.actions), names, list(default_entries()))
        if report.status != 3:
            unnoticed.append(f"{mutation.target}: {mutation.what}")
    assert unnoticed == []


def test_the_comparison_bites(tmp_path: Path) -> None:
    """One define changed in Bazel's list: one difference, with label and BUILD line."""
    project = next(p for p in PROJECTS if p.name == "double-conversion")
    actions = [json.loads(line) for line in recorded("double-conversion").splitlines()]
    compile_ = next(action for action in actions if action["m"] == "CppCompile" and "-c" in action["argv"])
    compile_["argv"].insert(compile_["argv"].index("-c"), "-DPLANTED=1")
    dump = tmp_path / "damaged.jsonl"
    dump.write_text("".join(json.dumps(action) + "\n" for action in actions))
    status, _, text = crosscheck(project, dump, tmp_path)
    assert status == 3
    assert "PLANTED" in text
    assert re.search(r"BUILD(\.bazel)?:\d+", text)

"""`bazel2ninja timeline`: what it reads from ninja's log and manifest, and what it shows."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from robust_support import run

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.ninja import build_log, edges, timeline
from bazel2ninja.ninja.schedule import Schedule

MANIFEST = """\
builddir = side
pipe = |
rule slow
  command = sleep 0.3 && touch $out
rule quick
  command = touch $out
build a: slow
build b c: quick a | a
build d$ e: slow $
    b || c |@ z
build $pipe: phony d$ e
build z: quick
build all: phony $pipe z
"""
SECOND = 1_000_000_000


def log(*entries: tuple[int, int, float, str], version: int = 7) -> str:
    """Lines of (start, end, stamp in seconds, output)."""
    lines = [
        f"{start}\t{end}\t{int(stamp * SECOND)}\t{output}\t{hash(output):x}" for start, end, stamp, output in entries
    ]
    return "\n".join([f"# ninja log v{version}", *lines, ""])


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "build.ninja").write_text(MANIFEST)
    (tmp_path / "side").mkdir()
    return tmp_path


def entries(place: Path, text: str) -> list[build_log.Entry]:
    (place / "side/.ninja_log").write_text(text)
    return build_log.read(str(place / "side/.ninja_log"))


def test_a_real_build(place: Path) -> None:
    subprocess.run(["ninja", "-j2"], cwd=place, check=True, capture_output=True)
    result = run("timeline", str(place / "build.ninja"))
    assert result.status == 0, result.err
    lines = result.out.splitlines()
    assert lines[0].startswith("4 units in 0.") and lines[1].startswith("critical path: 3 units, 0.")
    chain = lines[lines.index("critical path") + 1 :]
    assert [line.split(" s  ")[1] for line in chain] == ["slow: a", "quick: b", "slow: d e"]


def test_the_manifest(place: Path) -> None:
    (place / "more.ninja").write_text(
        "include build.ninja\nrule r\n  command = :\nbuild x$$y$:z: r ${pipe} | all || a\n"
    )
    read = edges.read(str(place / "more.ninja"))
    assert read.edges[2] == edges.Edge(("d e",), "slow", ("b", "c"))
    assert read.edges[3] == edges.Edge(("|",), "phony", ("d e",))
    assert read.edges[-1] == edges.Edge(("x$y:z",), "r", ("|", "all", "a"))
    assert read.variables["builddir"] == "side"
    with pytest.raises(WorkspaceError, match="cannot read the manifest"):
        edges.read(str(place / "absent.ninja"))


@pytest.mark.parametrize("version", [5, 7])
def test_runs_are_told_apart(place: Path, version: int) -> None:
    """The log's order says nothing: ninja writes it anew."""
    first = [(0, 10_000, "a"), (10_000, 11_000, "b")]
    second = [(500, 4500, "z"), (0, 3000, "d e")]
    at = [(start, end, 1000 + (end if version == 5 else start) / 1000, name) for start, end, name in first]
    at += [(start, end, 5000 + (end if version == 5 else start) / 1000, name) for start, end, name in second]
    groups = build_log.builds(entries(place, log(*reversed(at), version=version)))
    assert [{entry.output for entry in group} for group in groups] == [{"a", "b"}, {"z", "d e"}]
    laid = build_log.laid_end_to_end(groups)
    assert [(entry.output, entry.start, entry.end) for entry in laid] == [
        ("a", 0, 10_000), ("b", 10_000, 11_000), ("d e", 11_000, 14_000), ("z", 11_500, 15_500),
    ]  # fmt: skip


def test_a_file_written_late_is_of_the_same_run(place: Path) -> None:
    # with restat the stamp of b is when it was written, 25 s after its command began
    read = entries(place, log((0, 60_000, 1000, "a"), (5000, 30_000, 1030, "b")))
    assert len(build_log.builds(read)) == 1


def test_units_lanes_and_the_trace(place: Path) -> None:
    text = log(
        (0, 30, 1000, "a"),
        (30, 40, 1000.03, "b"),
        (30, 40, 1000.03, "c"),
        (10, 35, 1000.01, "z"),
        (50, 60, 1000.05, "gone"),
    )
    found = timeline.timeline(
        build_log.laid_end_to_end(build_log.builds(entries(place, text))), edges.read(str(place / "build.ninja")).edges
    )
    assert [(unit.outputs, unit.rule, unit.lane) for unit in found.units] == [
        (("a",), "slow", 0), (("z",), "quick", 1), (("b", "c"), "quick", 0), (("gone",), timeline.NO_RULE, 0),
    ]  # fmt: skip
    assert (found.span, found.work, found.critical_time) == (60, 75, 40)
    assert [unit.outputs[0] for unit in found.critical] == ["a", "b"]
    assert [(total.rule, total.count, total.total) for total in timeline.rule_totals(found.units)] == [
        ("quick", 2, 35), ("slow", 1, 30), (timeline.NO_RULE, 1, 10),
    ]  # fmt: skip
    result = run("timeline", "--format=trace", str(place / "build.ninja"))
    events = json.loads(result.out)["traceEvents"]
    assert events[0] == {
        "name": "a", "cat": "slow,critical", "ph": "X", "ts": 0, "dur": 30_000, "pid": 0, "tid": 0,
        "args": {"outputs": ["a"], "rule": "slow", "critical": True},
    }  # fmt: skip


def test_other_numbers_of_jobs(place: Path) -> None:
    # a 30, then b and c in one run 10, then d e 50; z 25 beside them; what did not run (phony) hands on
    (place / "side/.ninja_log").write_text(
        log((0, 30, 1000, "a"), (30, 40, 1000, "b"), (30, 40, 1000, "c"), (40, 90, 1000, "d e"), (90, 115, 1000, "z"))
    )
    manifest = edges.read(str(place / "build.ninja"))
    read = build_log.read(str(place / "side/.ninja_log"))
    plan = Schedule(manifest.edges, timeline.timeline(read, manifest.edges).durations)
    assert [plan.span(jobs) for jobs in (1, 2, 100)] == [115, 90, 90]
    with pytest.raises(ValueError, match="a job"):
        plan.span(0)
    result = run("timeline", "--jobs=1,2", str(place / "build.ninja"))
    start = result.out.splitlines().index("with other numbers of jobs")
    assert result.out.splitlines()[start + 1 : start + 3] == [
        "       0.1 s       1 jobs, 1.0 at a time", "       0.1 s       2 jobs, 1.3 at a time",
    ]  # fmt: skip
    for text in ("0", "x", "1,,2", "-3"):
        assert run("timeline", f"--jobs={text}", str(place / "build.ninja")).status == 2


def test_the_longest_chain_goes_first() -> None:
    independent = [edges.Edge((name,), "r", ()) for name in "abcd"]
    chain = [edges.Edge(("x",), "r", ()), edges.Edge(("p",), "phony", ("x",)), edges.Edge(("y",), "r", ("p",))]
    plan = Schedule([*independent, *chain], {0: 20, 1: 20, 2: 20, 3: 20, 4: 30, 6: 30})
    assert [plan.span(jobs) for jobs in (1, 2, 3)] == [140, 80, 60]  # x and y on one job, the others on the other


def test_the_last_run_alone(place: Path) -> None:
    (place / "side/.ninja_log").write_text(log((0, 30, 1000, "a"), (0, 20, 2000, "z")))
    assert run("timeline", str(place / "build.ninja")).out.startswith("2 units in 0.1 s")
    assert run("timeline", "--last", str(place / "build.ninja")).out.startswith("1 units in 0.0 s")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not a log of ninja's"),
        ("# ninja log v4\n", "version 4, not 5 to 7"),
        ("# ninja log v7\na\tb\tc\td\te\n", "not a line of ninja's log"),
        ("# ninja log v7\n", "ninja has made nothing yet"),
        (None, "cannot read ninja's log"),
    ],
)
def test_logs_that_are_none(place: Path, text: str | None, message: str) -> None:
    if text is not None:
        (place / "side/.ninja_log").write_text(text)
    result = run("timeline", str(place / "build.ninja"))
    assert result.status == 1 and message in result.err


def test_a_line_cut_short_is_left_out(place: Path) -> None:
    assert [entry.output for entry in entries(place, log((0, 30, 1000, "a")) + "30\t40\t10")] == ["a"]


def test_the_page(place: Path) -> None:
    name = "</script><b>&"
    (place / "build.ninja").write_text(f"rule r\n  command = :\nbuild {name.replace(' ', '$ ')}: r\n")
    (place / ".ninja_log").write_text(log((0, 2000, 1000, name)))
    page = place / "page.html"
    assert run("timeline", "--format=html", "-o", str(page), str(place / "build.ninja")).status == 0
    text = page.read_text()
    assert text.count("</script>") == 2 and "http" not in text.replace("http-equiv", "")
    if browser := shutil.which("chromium"):
        words = [
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={place}/profile",
            "--dump-dom",
        ]
        done = subprocess.run([*words, page], capture_output=True, text=True, timeout=120)
        assert "1 units in 2.0 s; 2.0 s of work, 1.0 at a time" in done.stdout
        assert '<td class="n">2.0</td><td>r</td><td>&lt;/script&gt;&lt;b&gt;&amp;</td>' in done.stdout
    else:
        pytest.skip("NOT TESTED: the page in a browser (apt install chromium)")

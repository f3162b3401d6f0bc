"""Compiles wait until there is memory for them (`generate --memory`)."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from robust_support import ROOT, run

from bazel2ninja.ninja import admission

MEGABYTE = 1 << 20
# takes so many megabytes for a moment, and writes down when it began and ended
EATER = """\
import sys, time
megabytes, output = int(sys.argv[1]), sys.argv[3]
start = time.monotonic()
held = bytearray(megabytes << 20)
held[::4096] = b"x" * len(held[::4096])
time.sleep(0.4)
open(output, "w").write(f"{start} {time.monotonic()}")
"""


def command(place: Path, limit: int, megabytes: int, output: str) -> list[str]:
    words = [sys.executable, "-P", "-m", "bazel2ninja.ninja.admission", str(limit * MEGABYTE), str(place / "memory")]
    return [*words, sys.executable, str(place / "eater.py"), str(megabytes), "-o", str(place / output)]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "eater.py").write_text(EATER)
    return tmp_path


def start(words: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(words, env={"PYTHONPATH": str(ROOT)})


def most_at_a_time(place: Path, outputs: list[str]) -> int:
    spans = [tuple(map(float, (place / output).read_text().split())) for output in outputs]
    return max(sum(start <= moment < end for start, end in spans) for moment, _ in spans)


def test_what_was_measured_decides(place: Path) -> None:
    outputs = [f"o{number}" for number in range(4)]
    for running in [start(command(place, 10_000, 100, output)) for output in outputs]:
        assert running.wait() == 0
    lines = (place / "memory").read_text().splitlines()
    taken = [int(line.split("\t")[0]) for line in lines]
    assert len(lines) == 4 and all(100 << 10 < each < 200 << 10 for each in taken)
    # two of them fit into 300 MB, three do not
    for running in [start(command(place, 300, 100, output)) for output in outputs]:
        assert running.wait() == 0
    assert most_at_a_time(place, outputs) == 2
    assert (place / "memory.queue").read_text() == ""
    # one alone runs, whatever it takes
    assert start(command(place, 50, 100, "o0")).wait() == 0


def test_nobody_overtakes(place: Path) -> None:
    (place / "memory").write_text(
        "".join(f"{size << 10}\t{place}/{name}\n" for name, size in {"a": 200, "large": 280, "b": 50}.items())
    )
    running = []
    for name in ("a", "large", "b"):
        running.append(start(command(place, 300, 10, name)))
        time.sleep(0.25)
    assert [each.wait() for each in running] == [0, 0, 0]
    begin = {name: float((place / name).read_text().split()[0]) for name in ("a", "large", "b")}
    assert begin["a"] < begin["large"] < begin["b"]


def test_what_is_expected(place: Path) -> None:
    log = place / "memory"
    assert admission.expected(str(log), "x") == (1 << 20, 0)
    log.write_text("".join(f"{number * 1000}\to{number}\n" for number in range(1, 21)) + "500\to3\n")
    assert admission.expected(str(log), "o3") == (3300, 3000)
    assert admission.expected(str(log), "3") == (20_900, 0)


def test_status_and_signals(place: Path) -> None:
    words = command(place, 300, 10, "x")[:6]
    assert start([*words, "sh", "-c", "exit 3"]).wait() == 3
    assert start([*words, "sh", "-c", "kill -9 $$"]).wait() == 128 + 9
    assert start([*words, "no-such-program"]).wait() == 127
    assert not (place / "memory").exists()  # nothing is learnt from a failure
    waiting = start([*words, "sh", "-c", f"echo $$ > {place}/pid; exec sleep 100"])
    while not (place / "memory.queue").exists() or "runs" not in (place / "memory.queue").read_text():
        time.sleep(0.05)
    while not (place / "pid").exists() or not (place / "pid").read_text():
        time.sleep(0.05)
    waiting.send_signal(signal.SIGTERM)
    assert waiting.wait() == 128 + signal.SIGTERM
    number = (place / "pid").read_text().strip()
    for _ in range(100):
        try:
            state = Path(f"/proc/{number}/stat").read_text()
        except OSError:
            break
        if ") Z" in state:
            break
        time.sleep(0.05)
    else:
        pytest.fail("the command still runs")
    assert (place / "memory.queue").read_text() == ""
    # one that was killed without a word does not block the others
    (place / "memory.queue").write_text("999999999 99999999 runs\n")
    assert start([*words, "true"]).wait() == 0


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("6G", 6 << 30),
        ("1.5G", 3 << 29),
        ("800M", 800 << 20),
        ("800MiB", 800 << 20),
        ("4096", 4096),
        ("G", None),
        ("", None),
    ],
)
def test_sizes(text: str, size: int | None) -> None:
    assert admission.size(text) == size


def test_the_machine(tmp_path: Path) -> None:
    whole = admission.machine(str(tmp_path))
    assert 1 << 27 < whole < 1 << 45
    (tmp_path / "sys/fs/cgroup").mkdir(parents=True)
    (tmp_path / "sys/fs/cgroup/memory.max").write_text("max\n")
    assert admission.machine(str(tmp_path)) == whole
    (tmp_path / "sys/fs/cgroup/memory.max").write_text("67108864\n")
    assert admission.machine(str(tmp_path)) == 64 << 20
    assert admission.size("auto") == int(admission.machine() * 0.9)


def test_a_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "tests/projects/greeting", tmp_path / "src")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    result = run("generate", "--memory=1G", "-o", "build.ninja", "src", "//greeting:hello")
    assert result.status == 0, result.err
    built = subprocess.run(["ninja", "-j4"], capture_output=True, text=True)
    assert built.returncode == 0, built.stdout
    log = Path(".bazel2ninja/memory").read_text()
    assert re.search(r"^\d{4,}\tbazel-out/\S+/hello\.pic\.o$", log, re.MULTILINE)
    assert re.search(r"^\d{4,}\tbazel-out/\S+/hello$", log, re.MULTILINE)  # the link
    assert run("generate", "--memory=much", "src").status == 2

"""Compiles wait until there is memory for them (`generate --memory`)."""

from __future__ import annotations

import json
import random
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
# takes so many megabytes for a moment, and writes down when it began and ended; TOGETHER of them wait for one another
EATER = """\
import os, pathlib, sys, time
megabytes, output = int(sys.argv[1]), sys.argv[3]
start = time.monotonic()
held = bytearray(megabytes << 20)
held[::4096] = b"x" * len(held[::4096])
place, together = pathlib.Path(output).parent, int(os.environ.get("TOGETHER", "0"))
pathlib.Path(output + ".began").touch()
while len(list(place.glob("*.began"))) < together and time.monotonic() < start + 60:
    time.sleep(0.05)
time.sleep(0.4)
open(output, "w").write(f"{start} {time.monotonic()}")
"""


def command(place: Path, limit: int, megabytes: int, output: str) -> list[str]:
    words = [sys.executable, "-IS", admission.__file__, str(limit * MEGABYTE), str(place / "memory")]
    return [*words, sys.executable, str(place / "eater.py"), str(megabytes), "-o", str(place / output)]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "eater.py").write_text(EATER)
    return tmp_path


def start(words: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(words)


def lines(place: Path) -> list[str]:
    queue = place / "memory.queue"
    return queue.read_text().splitlines() if queue.exists() else []


def most_at_a_time(place: Path, outputs: list[str]) -> int:
    spans = [tuple(map(float, (place / output).read_text().split())) for output in outputs]
    return max(sum(start <= moment < end for start, end in spans) for moment, _ in spans)


@pytest.mark.slow
def test_what_was_measured_decides(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = [f"o{number}" for number in range(4)]
    for running in [start(command(place, 10_000, 100, output)) for output in outputs]:
        assert running.wait() == 0
    taken = [int(line.split("\t")[0]) for line in (place / "memory").read_text().splitlines()]
    assert len(taken) == 4 and all(100 << 10 < each < 200 << 10 for each in taken)
    # two of them fit into 300 MB, three do not
    for output in outputs:
        (place / f"{output}.began").unlink()
    monkeypatch.setenv("TOGETHER", "2")
    for running in [start(command(place, 300, 100, output)) for output in outputs]:
        assert running.wait() == 0
    assert most_at_a_time(place, outputs) == 2
    assert (place / "memory.queue").read_text() == ""
    # one alone runs, whatever it takes
    monkeypatch.delenv("TOGETHER")
    assert start(command(place, 50, 100, "o0")).wait() == 0


@pytest.mark.slow
def test_nobody_overtakes(place: Path) -> None:
    (place / "memory").write_text(
        "".join(f"{size << 10}\t{place}/{name}\n" for name, size in {"a": 200, "large": 280, "b": 50}.items())
    )
    running = []
    for name in ("a", "large", "b"):
        running.append(start(command(place, 300, 10, name)))
        while running[-1].poll() is None and not any(line.startswith(f"{running[-1].pid} ") for line in lines(place)):
            time.sleep(0.02)
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
    words = command(place, 300, 10, "x")[:5]
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
    (place / "memory.queue").write_text("999999999 99999999 runs 1\n")
    assert start([*words, "true"]).wait() == 0


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("6G", 6 << 30),
        ("1.5G", 3 << 29),
        ("800M", 800 << 20),
        ("800MiB", 800 << 20),
        ("4096", 4096),
        ("7K", 7 << 10),
        ("2TB", 2 << 40),
        ("G", None),
        ("1.G", None),
        ("-1G", None),
        ("6g", None),
        ("auto", None),
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


def test_what_is_free(tmp_path: Path) -> None:
    assert admission.free(str(tmp_path)) == admission.machine(str(tmp_path))  # no /proc
    assert 0 < admission.free() < admission.machine()
    (tmp_path / "proc").mkdir()
    (tmp_path / "proc/meminfo").write_text("MemTotal: 2000 kB\nMemAvailable: 1000 kB\n")
    assert admission.free(str(tmp_path)) == 1000 << 10
    (tmp_path / "sys/fs/cgroup").mkdir(parents=True)
    (tmp_path / "sys/fs/cgroup/memory.max").write_text("500000\n")
    (tmp_path / "sys/fs/cgroup/memory.stat").write_text("anon 100000\nfile 300000\nshmem 1000\n")
    assert admission.free(str(tmp_path)) == 399_000  # pages of files can go


def test_auto_is_what_the_machine_has_at_that_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admission, "machine", lambda: 1000 << 10)
    monkeypatch.setattr(admission, "free", lambda: 500 << 10)
    assert [admission.limit_now("auto", now) for now in (0, 200, 800)] == [450, 650, 900]
    assert admission.limit_now(str(300 << 10), 800) == 300


def test_a_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / "tests/projects/greeting", tmp_path / "src")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("CXX", "/usr/bin/g++ -pipe")
    result = run("generate", "-o", "build.ninja", "src", "//greeting:hello")
    assert result.status == 0, result.err
    text = Path("build.ninja").read_text()
    script = re.search(r"^cxx = (\.bazel2ninja/admission/[0-9a-f]{16}/g\+\+) -pipe$", text, re.MULTILINE)
    assert script is not None and re.search(r"^cc = \.bazel2ninja/admission/gcc$", text, re.MULTILINE)
    assert "auto .bazel2ninja/memory /usr/bin/g++ " in Path(script[1]).read_text()
    database = json.loads(subprocess.run(["ninja", "-t", "compdb", "cxx"], capture_output=True).stdout)
    assert {entry["command"].split()[0].rpartition("/")[2] for entry in database} == {"g++"}
    built = subprocess.run(["ninja", "-j4"], capture_output=True, text=True)
    assert built.returncode == 0, built.stdout
    log = Path(".bazel2ninja/memory").read_text()
    assert re.search(r"^\d{4,}\tbazel-out/\S+/hello\.pic\.o$", log, re.MULTILINE)
    assert re.search(r"^\d{4,}\tbazel-out/\S+/hello$", log, re.MULTILINE)  # the link
    assert run("generate", "--memory=much", "src").status == 2
    assert run("generate", "--memory=none", "-o", "build.ninja", "src", "//greeting:hello").status == 0
    assert ".bazel2ninja/admission" not in Path("build.ninja").read_text()
    assert not Path(script[1]).exists()


# a stand-in for a compiler: takes in steps what the source says, and writes down each time that it began
COMPILER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **words) {
  const char *output = 0, *source = 0, *dependencies = 0;
  for (int n = 1; n < count; n++) {
    if (!strcmp(words[n], "-o")) output = words[++n];
    else if (!strcmp(words[n], "-MF")) dependencies = words[++n];
    else if (strlen(words[n]) > 3 && !strcmp(words[n] + strlen(words[n]) - 3, ".cc")) source = words[n];
  }
  FILE *file = fopen(source, "r");
  int megabytes = 0;
  if (!file || fscanf(file, "// %d", &megabytes) != 1) return 1;
  fclose(file);
  file = fopen("begun", "a");
  fprintf(file, "%s\n", source);
  fclose(file);
  for (int n = 0; n < megabytes; n += 4) {
    memset(malloc(4 << 20), 1, 4 << 20);
    usleep(30000);
  }
  usleep(100000);
  file = fopen(dependencies, "w");
  fprintf(file, "%s: %s\n", output, source);
  fclose(file);
  file = fopen(output, "w");
  fclose(file);
  return 0;
}
"""


class Machine:
    """Units of a seeded number of megabytes each, and what all processes of a build of them take together."""

    def __init__(self, place: Path, units: int, largest: int):
        self.place = place
        draw = random.Random(4)
        sizes = [draw.choice([largest, largest // 2, largest // 8, 4, 4]) for _ in range(units)]
        source = place / "src"
        source.mkdir()
        (source / "WORKSPACE").write_text("")
        (source / "BUILD").write_text(
            f'[cc_library(name = "u%d" % n, srcs = ["u%d.cc" % n], linkstatic = True) for n in range({units})]\n'
        )
        for number, size in enumerate(sizes):
            (source / f"u{number}.cc").write_text(f"// {size}\n")
        (place / "compiler.c").write_text(COMPILER)
        subprocess.run(["gcc", "-o", "compiler", "compiler.c"], cwd=place, check=True)

    def build(self, jobs: int) -> tuple[int, int]:
        """(MiB at most at a time, how many commands were begun again)."""
        for path in (self.place / "bazel-out").rglob("*.o"):
            path.unlink()
        (self.place / "begun").write_text("")
        most = 0
        with subprocess.Popen(["ninja", f"-j{jobs}"], cwd=self.place, stdout=subprocess.PIPE, text=True) as ninja:
            while ninja.poll() is None:
                eaters = {
                    each: admission._resident(each) for each in admission._family(ninja.pid) if self._compiles(each)
                }
                # one that has ended since it was looked at was not there together with what was looked at later
                most = max(most, sum(size for each, size in eaters.items() if self._compiles(each)))
                time.sleep(0.02)
            assert ninja.stdout is not None
            assert ninja.returncode == 0, ninja.stdout.read()
        begun = (self.place / "begun").read_text().splitlines()
        return most >> 10, len(begun) - len(set(begun))

    def _compiles(self, process: int) -> bool:
        try:
            return Path(f"/proc/{process}/exe").readlink() == self.place / "compiler"
        except OSError:
            return False


def limited(limit: str) -> None:
    done = run("generate", f"--memory={limit}", "-o", "build.ninja", "src")
    assert done.status == 0, done.err


@pytest.mark.slow
def test_a_build_keeps_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Even when what is expected of the commands is far from true."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CXX", str(tmp_path / "compiler"))
    machine = Machine(tmp_path, units=10, largest=64)
    limited("160M")
    assert machine.build(8)[0] <= 160
    log = Path(".bazel2ninja/memory")
    known = log.read_text()
    assert known.count("\n") == 10
    log.write_text(re.sub(r"^\d+", "10", known, flags=re.MULTILINE))
    most, again = machine.build(8)
    assert most <= 160 or again  # they are looked at every now and then, and the youngest make room


@pytest.mark.slow
def test_the_youngest_waits_again(place: Path) -> None:
    log = place / "memory"
    log.write_text("".join(f"10\t{place}/{name}\n" for name in ("a", "b")))
    (place / "eater.py").write_text(EATER.replace("0.4", "1.5"))
    running = []
    for name in ("a", "b"):
        running.append(start(command(place, 150, 100, name)))
        while running[-1].poll() is None and not any(
            line.startswith(f"{running[-1].pid} ") and " runs " in line for line in lines(place)
        ):
            time.sleep(0.02)
    assert [each.wait() for each in running] == [0, 0]
    assert most_at_a_time(place, ["a", "b"]) == 1  # each wrote once, when it was alone


@pytest.mark.real_project
def test_a_build_of_a_hundred_units_keeps_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CXX", str(tmp_path / "compiler"))
    machine = Machine(tmp_path, units=100, largest=256)
    found = []
    for limit in ("none", "1G", "1G"):  # no limit; nothing is known; everything is
        limited(limit)
        found.append(machine.build(16))
    log = Path(".bazel2ninja/memory")
    log.write_text(re.sub(r"^\d+", "10", log.read_text(), flags=re.MULTILINE))
    found.append(machine.build(16))
    print("MiB at most, begun again:", found)
    assert found[0][0] > 1200 and all(most <= 1024 for most, _ in found[1:3]) and found[2][1] == 0
    assert found[3][0] < found[0][0] and found[3][1]  # a log that is wrong: they are looked at every now and then

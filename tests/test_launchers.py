"""`generate --launcher`: compiler caches give back the same objects, distcc's servers make them."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from robust_support import run

UNITS = 6
BUILD = """\
genrule(name = "gen", outs = ["gen.h"], cmd = "echo '#define GENERATED 1' > $@")
cc_library(
    name = "units",
    srcs = ["gen.h"] + ["u%d.cc" % n for n in range(6)] + ["plain.c"],
    hdrs = ["shared.h"],
    local_defines = ["WORDS=two\\\\ words"],
)
"""
UNIT = """\
#include <cassert>
#include <string>
#include "lib/gen.h"
#include "lib/shared.h"
namespace {{ struct Local {{ virtual ~Local() {{}} int held = {0}; }}; }}
std::string unit{0}(int n) {{ assert(n > 0); Local local; return std::string(__FILE__) + SHARED; }}
"""


def needs(*programs: str) -> None:
    absent = [program for program in programs if not shutil.which(program)]
    if absent:
        pytest.skip(f"NOT TESTED: the launcher, for want of {', '.join(absent)} (apt install {absent[0]})")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lay(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in ("CC", "CXX", "CXXFLAGS", "CFLAGS", "CPPFLAGS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


def lay(place: Path) -> None:
    library = place / "src/lib"
    library.mkdir(parents=True)
    (place / "src/WORKSPACE").write_text("")
    (library / "BUILD").write_text(BUILD)
    (library / "shared.h").write_text('#define SHARED "shared"\n')
    (library / "plain.c").write_text('#include "lib/gen.h"\nint plain(void) { return GENERATED; }\n')
    for number in range(UNITS):
        (library / f"u{number}.cc").write_text(UNIT.format(number))


def build(place: Path, launcher: str, sources: str = "src", *words: str) -> dict[str, str]:
    """The digests of the objects of a build from nothing, which leaves nothing to do."""
    shutil.rmtree(place / "bazel-out", ignore_errors=True)
    before = os.getcwd()
    os.chdir(place)
    try:
        made = run("generate", "-o", "build.ninja", f"--launcher={launcher}", sources, *words)
    finally:
        os.chdir(before)
    assert made.status == 0, made.err
    done = subprocess.run(["ninja", "-j2"], cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:]
    assert "no work to do" in subprocess.run(["ninja"], cwd=place, capture_output=True, text=True).stdout
    objects = sorted((place / "bazel-out").rglob("*.o"))
    return {str(path.relative_to(place)): hashlib.sha256(path.read_bytes()).hexdigest() for path in objects}


def edited(place: Path) -> list[str]:
    """What is compiled again after a header has changed: depfiles work."""
    header = place / "src/lib/shared.h"
    header.write_text(header.read_text().replace('"shared"', '"changed"'))
    done = subprocess.run(["ninja", "-v"], cwd=place, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:]
    return sorted(re.findall(r" -c src/lib/(\S+)", done.stdout))


def ccache_counts() -> dict[str, int]:
    text = subprocess.run(["ccache", "--print-stats"], capture_output=True, text=True, check=True).stdout
    return {line.split("\t")[0]: int(line.split("\t")[1]) for line in text.splitlines()}


def hits(counts: dict[str, int]) -> int:
    return counts["direct_cache_hit"] + counts["preprocessed_cache_hit"]


@pytest.mark.slow
def test_ccache(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs("ccache")
    monkeypatch.setenv("CXXFLAGS", "-g")
    monkeypatch.setenv("CCACHE_DIR", str(place / "ccache"))
    plain = build(place, "")
    assert len(plain) == UNITS + 1
    assert build(place, "ccache") == plain
    first = ccache_counts()
    assert (hits(first), first["cache_miss"]) == (0, UNITS + 1)
    assert build(place, "ccache") == plain
    second = ccache_counts()
    assert (hits(second), second["cache_miss"]) == (UNITS + 1, UNITS + 1)
    # another directory of the same shape: nothing in the commands ties an object to the place
    other = place / "elsewhere"
    lay(other)
    assert build(other, "ccache") == plain
    assert (hits(ccache_counts()), ccache_counts()["cache_miss"]) == (2 * (UNITS + 1), UNITS + 1)
    assert edited(place) == [f"u{number}.cc" for number in range(UNITS)]


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.fixture
def sccache(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    needs("sccache")
    monkeypatch.setenv("SCCACHE_DIR", str(place / "sccache"))
    monkeypatch.setenv("SCCACHE_SERVER_PORT", str(free_port()))
    monkeypatch.setenv("SCCACHE_IDLE_TIMEOUT", "120")
    subprocess.run(["sccache", "--start-server"], check=True, capture_output=True)
    yield
    subprocess.run(["sccache", "--stop-server"], check=True, capture_output=True)


def sccache_counts() -> tuple[int, int, int]:
    """(hits, misses, compiles that it left alone)."""
    text = subprocess.run(["sccache", "--show-stats"], capture_output=True, text=True, check=True).stdout
    return tuple(
        int(found[1]) if (found := re.search(rf"^{name}\s+(\d+)$", text, re.MULTILINE)) else -1
        for name in ("Cache hits", "Cache misses", "Non-cacheable calls")
    )  # type: ignore[return-value]


@pytest.mark.slow
@pytest.mark.usefixtures("sccache")
def test_sccache(place: Path) -> None:
    plain = build(place, "")
    assert build(place, "sccache") == plain
    assert sccache_counts() == (0, UNITS + 1, 0)
    assert build(place, "sccache") == plain
    assert sccache_counts() == (UNITS + 1, UNITS + 1, 0)
    assert edited(place) == [f"u{number}.cc" for number in range(UNITS)]


class Servers:
    """Two servers of distcc on the loopback interface, and what each has compiled."""

    def __init__(self, place: Path):
        self._logs = [place / f"distccd{number}.log" for number in range(2)]
        self._running = []
        ports = [free_port() for _ in self._logs]
        for port, log in zip(ports, self._logs, strict=True):
            words = ["distccd", "--daemon", "--no-detach", f"--port={port}", "--listen=127.0.0.1", "--allow=127.0.0.1"]
            with log.open("w") as errors:
                self._running.append(
                    subprocess.Popen(
                        [*words, "--jobs=2", "--log-stderr", "--log-level=info"],
                        stderr=errors,
                        start_new_session=True,
                    )
                )
        self.hosts = " ".join(f"127.0.0.1:{port}/1" for port in ports)
        deadline = time.monotonic() + 60
        while any(not _answers(port) for port in ports):
            assert time.monotonic() < deadline, [log.read_text() for log in self._logs]
            time.sleep(0.1)

    def stop(self) -> None:
        for server in self._running:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait()

    def compiled(self) -> list[int]:
        return [len(re.findall(r"COMPILE_OK", log.read_text())) for log in self._logs]


def _answers(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def servers(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Servers]:
    needs("distcc", "distccd")
    found = Servers(place)
    monkeypatch.setenv("DISTCC_HOSTS", found.hosts)
    (place / "distcc").mkdir()
    monkeypatch.setenv("DISTCC_DIR", str(place / "distcc"))
    monkeypatch.setenv("DISTCC_FALLBACK", "0")
    yield found
    found.stop()


def stripped(place: Path) -> dict[str, str]:
    """The digests of the objects without debug information.

    A server sees preprocessed text.  For that gcc notes other columns and lines of what macros and system headers have
    made (gcc -E x.cc | gcc -x c++-cpp-output does, too); the code is the same.
    """
    found = {}
    for path in sorted((place / "bazel-out").rglob("*.o")):
        subprocess.run(["objcopy", "--strip-debug", path, place / "stripped"], check=True)
        found[str(path.relative_to(place))] = hashlib.sha256((place / "stripped").read_bytes()).hexdigest()
    return found


@pytest.mark.slow
def test_distcc(place: Path, servers: Servers) -> None:
    plain = build(place, "")
    assert build(place, "distcc") == plain
    counts = servers.compiled()
    assert sum(counts) == UNITS + 1 and all(counts)
    assert edited(place) == [f"u{number}.cc" for number in range(UNITS)]


@pytest.mark.slow
@pytest.mark.usefixtures("servers")
def test_distcc_with_debug_information(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXXFLAGS", "-g -O2 -D_FORTIFY_SOURCE=2 -Wdate-time")
    build(place, "")
    plain = stripped(place)
    build(place, "distcc")
    assert stripped(place) == plain and len(plain) == UNITS + 1


@pytest.mark.slow
def test_a_cache_before_distcc(place: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    needs("ccache")
    monkeypatch.setenv("CCACHE_DIR", str(place / "ccache"))
    monkeypatch.setenv("CCACHE_PREFIX", "distcc")
    plain = build(place, "")
    assert build(place, "ccache") == plain
    assert sum(servers.compiled()) == UNITS + 1
    assert build(place, "ccache") == plain
    assert sum(servers.compiled()) == UNITS + 1 and hits(ccache_counts()) == UNITS + 1


@pytest.mark.real_project
@pytest.mark.parametrize("project", ["abseil"])
def test_a_real_project(project: str, place: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its libraries, with the packager's flags: made plainly, by two servers, and taken from a cache."""
    needs("ccache")
    tree = os.path.join(os.environ.get("BAZEL2NINJA_SOURCES", ""), project)
    if not os.path.isdir(tree):
        pytest.skip("NOT TESTED: launchers with a real project; BAZEL2NINJA_SOURCES has none (tools/sources fetch)")
    flags = "-g -O0 -ffile-prefix-map=/nowhere=. -fstack-protector-strong"
    monkeypatch.setenv("CXXFLAGS", flags)
    monkeypatch.setenv("CCACHE_DIR", str(place / "ccache"))
    sources = os.path.relpath(tree, place)
    plain = build(place, "", sources, "//absl/strings")
    code = stripped(place)
    assert build(place, "distcc", sources, "//absl/strings").keys() == plain.keys()
    assert stripped(place) == code
    counts = servers.compiled()
    assert sum(counts) == len(plain) > 10 and all(counts)
    assert build(place, "ccache", sources, "//absl/strings") == plain
    assert build(place, "ccache", sources, "//absl/strings") == plain
    assert hits(ccache_counts()) == len(plain)
    print(f"{project}: {len(plain)} objects, {counts} by the servers, {hits(ccache_counts())} from the cache")

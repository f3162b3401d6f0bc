"""The same tree gives the same bytes, wherever it lies; what has changed is built again, and nothing else."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from killed_runs import changes_of, killed_before
from robust_support import ROOT, ninja, run, snapshot, spawn

GREETING = ROOT / "tests/projects/greeting"
GENERATED = "//greeting:words //greeting:punctuation"  # what is quickly built


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with the example project as `src`, in which a process of the test stands."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("CC", raising=False)
    copy(tmp_path / "src")
    return tmp_path


def copy(goal: Path) -> None:
    shutil.copytree(GREETING, goal)


def generate(*words: str) -> None:
    result = run("generate", *words)
    assert result.status == 0, result.err


def made(output: Path) -> dict[str, str]:
    """Everything that a run wrote, but what concerns only this disk (times of files, the cache of code)."""
    found = {}
    for path, (mode, _, content) in snapshot(output).items():
        if not re.match(r"\.bazel2ninja/(cache|regeneration\.json)", path):
            found[path] = f"{mode} {content}"
    return found


def edges(output: Path, *words: str) -> list[str]:
    """What ninja would run, by the descriptions of the edges."""
    told = ninja(output, "-n", *words)
    return sorted(re.sub(r"^\[\d+/\d+\] ", "", line) for line in told.splitlines() if line.startswith("["))


def later(path: Path, text: str | None = None) -> None:
    """Writes the file, or leaves its content, with a new time."""
    if text is not None:
        path.write_text(text)
    os.utime(path)


@pytest.mark.slow
def test_hash_seeds_do_not_count(place: Path) -> None:
    found = []
    for seed in ("0", "1", "2", "77", "4000000000"):
        output = place / "out"
        result = spawn("generate", "-o", "out/build.ninja", "src", cwd=place, environment={"PYTHONHASHSEED": seed})
        assert result.status == 0, result.err
        found.append(made(output))
        shutil.rmtree(output)
    assert "build.ninja" in found[0]
    assert any(path.startswith(".bazel2ninja/runfiles/") for path in found[0])
    assert all(other == found[0] for other in found[1:])


def test_the_place_does_not_count(place: Path) -> None:
    other = place / "some where/else"
    other.mkdir(parents=True)
    copy(other / "src")
    generate("-o", "out/build.ninja", "src")
    reference = made(place / "out")
    os.chdir(other)
    generate("-o", "out/build.ninja", "src")
    assert made(other / "out") == reference
    text = (other / "out/build.ninja").read_text()
    assert str(place) not in text.replace(str(ROOT), "")


@pytest.mark.parametrize("absolute", ["source", "output", "both", "link"])
def test_absolute_paths_are_made_relative(place: Path, absolute: str) -> None:
    generate("-o", "out/build.ninja", "src")
    reference = made(place / "out")
    shutil.rmtree(place / "out")
    source = str(place / "src") if absolute in ("source", "both") else "src"
    if absolute == "link":
        (place / "link").symlink_to(place / "src")
        source = "link"
    output = f"{place}/out/build.ninja" if absolute in ("output", "both") else "out/build.ninja"
    generate("-o", output, source)
    found = made(place / "out")
    assert found["build.ninja"] == reference["build.ninja"]
    assert {path for path in found if found[path] != reference.get(path)} <= {".bazel2ninja/regeneration.d"}


def test_standard_output_is_the_same_manifest(place: Path) -> None:
    generate("-o", "build.ninja", "src")
    assert run("generate", "src").out == (place / "build.ninja").read_text()


@pytest.mark.slow
def test_an_incremental_build_runs_what_has_changed(place: Path) -> None:
    out = place / "out"
    generate("-o", "out/build.ninja", "src")
    ninja(out, "-j2", "all", "//greeting:greeting_test")
    assert "no work to do" in ninja(out, "all", "//greeting:greeting_test")
    assert "missing deps" not in ninja(out, "-t", "missingdeps").replace("No missing", "")

    greeting = "bazel-out/k8-fastbuild/bin/greeting"
    compiles = [f"compile ../src/greeting/{name}.cc" for name in ("c_api", "greeting", "hello")]
    built = [f"link {greeting}/{name}" for name in ("hello", "libgreeting.so", "libgreeting_c.so")]
    built.append(f"archive {greeting}/libgreeting.a")
    # a header: what includes it, whatever those objects go into, and nothing else
    later(place / "src/greeting/greeting.h")
    assert edges(out) == sorted(compiles + built)
    ninja(out, "-j2")
    # a source file: its own compile
    later(place / "src/greeting/hello.cc")
    assert edges(out) == sorted([compiles[2], built[0]])
    ninja(out)
    # an input of a generated header that stays the same: restat stops it there
    later(place / "src/data/words.txt")
    told = ninja(out)
    assert "TextHeader //greeting:words" in told
    assert "compile" not in told
    # a BUILD file that is only touched: looked at, and nothing is made again
    before = (out / "build.ninja").read_bytes()
    later(place / "src/greeting/BUILD")
    told = ninja(out)
    assert "no work to do" in told
    assert (out / "build.ninja").read_bytes() == before
    assert "no work to do" in ninja(out)


def rewritten(out: Path, *present: str, absent: str = "") -> None:
    """Asserts that ninja makes the manifest again, with `present` in it, and that the next run has nothing to do."""
    told = ninja(out)
    text = (out / "build.ninja").read_text()
    for each in present:
        assert each in text, told
    assert not absent or absent not in text
    assert "no work to do" in ninja(out)


@pytest.mark.slow
def test_the_manifest_is_made_again(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, out = place / "src", place / "out"
    (source / "more").mkdir()
    (source / "more/one.txt").write_text("one\n")
    (source / "more/defs.bzl").write_text('NAME = "all"\n')
    (source / "more/BUILD").write_text(
        'load(":defs.bzl", "NAME")\n'
        'genrule(name = NAME, srcs = glob(["*.txt"]), outs = ["out.txt"],\n'
        '        cmd = "cat $(SRCS) > $@; echo $(WORD) >> $@")\n'
    )
    (source / ".bazelrc").write_text("build --define=WORD=first\n")
    monkeypatch.setenv("CFLAGS", "-DONE")
    generate("-o", "out/build.ninja", "src", "//more:all")
    made_file = out / "bazel-out/k8-fastbuild/bin/more/out.txt"
    ninja(out)
    assert made_file.read_text() == "one\nfirst\n"

    (source / "more/two.txt").write_text("two\n")
    rewritten(out, "more/two.txt")
    assert made_file.read_text() == "one\ntwo\nfirst\n"
    (source / "more/one.txt").unlink()
    rewritten(out, absent="more/one.txt")
    assert made_file.read_text() == "two\nfirst\n"
    (source / "more/readme.md").write_text("not matched\n")
    rewritten(out, absent="readme")
    later(source / ".bazelrc", "build --define=WORD=second\n")
    rewritten(out, "echo second")
    assert made_file.read_text() == "two\nsecond\n"
    later(source / "more/defs.bzl", 'NAME = "all"\n\nfail("broken")\n')
    told = ninja(out, status=1)
    assert "src/more/defs.bzl:3:1: error: broken" in told.replace("../", "")
    assert "echo second" in (out / "build.ninja").read_text()
    later(source / "more/defs.bzl", 'NAME = "all"  # mended\n')
    rewritten(out, "echo second")
    # the recorded environment counts, not that of whoever calls ninja
    monkeypatch.setenv("CFLAGS", "-DTWO")
    later(source / ".bazelrc", "build --define=WORD=third\n")
    rewritten(out, "-DONE", "echo third", absent="-DTWO")
    generate("-o", "out/build.ninja", "src", "//more:all")
    assert "-DTWO" in (out / "build.ninja").read_text()


@pytest.mark.slow
def test_an_end_between_side_files_and_manifest_is_noticed(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generate("-o", "build.ninja", "src")
    ninja(place)
    before = (place / "build.ninja").read_bytes()
    later(place / "src/greeting/BUILD", (place / "src/greeting/BUILD").read_text().replace("PUNCTUATION", "POINT"))

    def stop(path: str, data: bytes) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bazel2ninja.commands.generate.write_atomically", stop)
    with monkeypatch.context() as quiet:
        quiet.setattr("threading.excepthook", lambda arguments: None)
        run("generate", "-o", "build.ninja", "src")
    assert (place / "build.ninja").read_bytes() == before
    told = ninja(place, "-n")
    assert "POINT" not in before.decode()
    ninja(place, status=1)  # the sources say PUNCTUATION
    assert "POINT" in (place / "build.ninja").read_text(), told


@pytest.mark.slow
def test_a_killed_run_leaves_a_whole_manifest(place: Path) -> None:
    generate("-o", "build.ninja", "src")
    old = (place / "build.ninja").read_bytes()
    arguments = ["generate", "-o", "build.ninja", "--define=greeting=loud", "src"]
    changes = changes_of(arguments, place)
    new = (place / "build.ninja").read_bytes()
    assert new != old
    assert changes >= 3
    for end in [1, changes, *random.sample(range(2, changes), min(8, changes - 2))]:
        generate("-o", "build.ninja", "src")
        assert killed_before(end, arguments, place), f"{end} of {changes} changes"
        assert (place / "build.ninja").read_bytes() in (old, new), f"{end} of {changes} changes"
    # whatever was left behind, the next run is as good as the first
    generate("-o", "build.ninja", "--define=greeting=loud", "src")
    assert (place / "build.ninja").read_bytes() == new
    ninja(place, "-n")


def test_a_second_manifest_in_the_same_directory_is_refused(place: Path) -> None:
    generate("-o", "out/one of two.ninja", "src")
    generate("-o", "out/one of two.ninja", "src")
    before = snapshot(place / "out")
    result = run("generate", "-o", "out/build.ninja", "src")
    assert result.status == 1
    assert result.err.startswith("out/build.ninja: error: this directory has another manifest, 'one of two.ninja'\n")
    assert snapshot(place / "out") == before
    (place / "out/one of two.ninja").unlink()
    generate("-o", "out/build.ninja", "src")
    ninja(place / "out", "-n")


def test_nothing_is_written_into_the_source_tree(place: Path) -> None:
    before = snapshot(place / "src")
    generate("-o", "out/build.ninja", "src")
    ninja(place / "out", "-j2", "//greeting:hello")
    for words in (["query", "src", "deps(//...)"], ["graph", "src"], ["explain", "src", "//greeting:hello"]):
        assert run(*words).status == 0
    assert snapshot(place / "src") == before
    assert sorted(os.listdir(place)) == ["out", "src"]


def test_a_source_tree_that_cannot_be_written(place: Path) -> None:
    frozen = place / "frozen"
    frozen.mkdir()
    script = (
        f"mount --bind -o ro src frozen && {sys.executable} -m bazel2ninja generate -o out/build.ninja frozen"
        f" && ninja -C out {GENERATED} && ninja -C out {GENERATED}"
    )
    ran = subprocess.run(["unshare", "-rm", "sh", "-c", script], cwd=place, capture_output=True, text=True)
    if "unshare" in ran.stderr or "mount" in ran.stderr:
        pytest.skip("no mount namespaces here")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "no work to do" in ran.stdout


@pytest.mark.parametrize("output", ["src/out", "src"])
def test_an_output_root_inside_the_source_tree(place: Path, output: str) -> None:
    before = snapshot(place / "src")
    generate("-o", f"{output}/build.ninja", "src")
    wanted = GENERATED.split()
    ninja(place / output, *wanted)
    assert "no work to do" in ninja(place / output, *wanted)
    generate("-o", f"{output}/build.ninja", "src")
    assert "no work to do" in ninja(place / output, *wanted)
    targets = run("query", "src", "//...").out
    assert "//out" not in targets
    assert "bazel" not in targets
    after = snapshot(place / "src")
    own = {"build.ninja", "bazel-out", ".bazel2ninja", "out"}
    assert {path: what for path, what in after.items() if path.split("/")[0] not in own} == before

"""Benchmarks of `generate` and `regenerate` on real projects, against Bazel and against themselves."""

from __future__ import annotations

import argparse
import contextlib
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from processes import Sample, bazel2ninja, environment, measure, median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "oracle"))

import bazel_side
from bazel import Bazel
from workspace import prepare

ABSEIL = {"com_google_googletest": "googletest", "com_github_google_benchmark": "benchmark"}
EDITED = "absl/strings"  # a package that most others depend on
GOALS = {"time": 1 / 5, "memory": 1 / 5, "regenerate": 5.0, "edit": 1 / 3}


@dataclass(frozen=True, slots=True)
class Setting:
    """sources: directory of the projects' source packages; scratch: a directory of our own; runs: of each measure."""

    sources: Path
    scratch: Path
    runs: int
    variables: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, sources: Path, scratch: Path, runs: int) -> Setting:
        return cls(sources, scratch, runs, environment(scratch / "bytecode"))

    def generate(self, source: Path, output: Path, *words: str, targets: Sequence[str] = ()) -> Sample:
        """One `generate`; `output` is the output root."""
        output.mkdir(parents=True, exist_ok=True)
        return measure(
            bazel2ninja("generate", *words, "-o", str(output / "build.ninja"), str(source), *targets),
            self.scratch,
            self.variables,
        )

    def cold(self, source: Path, output: Path, *words: str) -> Sample:
        """One `generate` into an empty output root: no cache of ours."""
        shutil.rmtree(output, ignore_errors=True)
        return self.generate(source, output, *words)

    def python(self, text: str) -> Sample:
        return measure([sys.executable, "-c", text], self.scratch, self.variables)

    def abseil(self) -> tuple[Path, list[str]]:
        """The source tree of abseil, and the options that say where its repositories are."""
        words = [f"--override_repository={name}={self.sources / path}" for name, path in ABSEIL.items()]
        return self.sources / "abseil", words


Result = dict[str, object]


def _figures(sample: Sample) -> Result:
    return {"wall": round(sample.wall, 3), "cpu": round(sample.cpu, 3), "peak_kib": sample.peak_kib}


def _say(text: str) -> None:
    print(text, flush=True)


def _verdict(ratio: float, goal: float) -> str:
    return f"{ratio:.3f} (goal {goal:.3f}: {'met' if ratio <= goal else 'MISSED'})"


@contextlib.contextmanager
def _bazel(setting: Setting) -> Iterator[Bazel]:
    source, _ = setting.abseil()
    options = argparse.Namespace(
        source=source.resolve(),
        targets=["//..."],
        override=[(name, (setting.sources / path).resolve()) for name, path in ABSEIL.items()],
        self_override=["com_google_absl"],
        bare_workspace=True,
        flag=[],
    )
    scratch = setting.scratch / "bazel"
    scratch.mkdir()
    with prepare(options, scratch) as bazel:
        yield bazel


def cold(setting: Setting) -> Result:
    """`generate` of abseil with no cache of ours, beside Bazel's `aquery deps(//...)` with the start of its server."""
    source, words = setting.abseil()
    output = setting.scratch / "cold"
    ours: list[Sample] = []
    theirs: list[tuple[float, int]] = []
    with _bazel(setting) as bazel:
        for number in range(setting.runs + 1):
            pair = bazel_side.measure(bazel, "deps(//...)"), setting.cold(source, output, *words)
            if number:
                theirs.append(pair[0])
                ours.append(pair[1])
    each = sorted(mine.wall / bazels[0] for mine, bazels in zip(ours, theirs, strict=True))
    ratio = each[len(each) // 2]
    memory = median(ours).peak_kib / min(peak for _, peak in theirs)
    wall = sorted(seconds for seconds, _ in theirs)[len(theirs) // 2]
    sample = median(ours)
    _say(f"cold: bazel2ninja {sample.wall:.2f} s ({sample.cpu:.2f} s of processor), {sample.peak_kib:,} KiB")
    _say(f"cold: Bazel       {wall:.2f} s, {min(peak for _, peak in theirs):,} KiB")
    _say(f"cold: time {_verdict(ratio, GOALS['time'])}, memory {_verdict(memory, GOALS['memory'])}")
    return {"ours": _figures(sample), "bazel": theirs, "time": round(ratio, 4), "memory": round(memory, 4)}


def regenerate(setting: Setting) -> Result:
    """The `regenerate` command after a mere touch, and ninja with an up-to-date manifest, against `import networkx`."""
    source, words = setting.abseil()
    output = setting.scratch / "regenerate"
    setting.cold(source, output, *words)
    ours, theirs, ninja = [], [], []
    for number in range(setting.runs + 1):
        triple = (
            measure(bazel2ninja("regenerate"), output, setting.variables),
            setting.python("import networkx"),
            measure(["ninja", "-n", "build.ninja"], output, setting.variables),
        )
        if number:
            for samples, sample in zip((ours, theirs, ninja), triple, strict=True):
                samples.append(sample)
    ratio = median(ours).cpu / median(theirs).cpu
    both = (median(ours).cpu + median(ninja).cpu) / median(theirs).cpu
    _say(
        f"regenerate: nothing changed {median(ours).cpu:.3f} s, ninja {median(ninja).cpu:.3f} s, "
        f"import networkx {median(theirs).cpu:.3f} s"
    )
    _say(f"regenerate: {_verdict(ratio, GOALS['regenerate'])}, with ninja's own reading {both:.3f}")
    return {"ours": _figures(median(ours)), "networkx": _figures(median(theirs)), "ratio": round(ratio, 4)}


def _comment(text: str, number: int) -> str:
    return text + f"\n# a comment {number}\n"


def _new_target(text: str, number: int) -> str:
    return text + f'\ncc_library(name = "added{number}", hdrs = ["added{number}.h"], deps = [":strings"])\n'


def _changed_target(text: str, number: int) -> str:
    head, name, tail = text.partition('    name = "strings",\n')
    return f'{head}{name}    local_defines = ["CHANGED={number}"],\n{tail}'


EDITS: dict[str, Callable[[str, int], str]] = {
    "a comment": _comment,
    "a new target": _new_target,
    "a changed target": _changed_target,
}


def edit(setting: Setting) -> Result:
    """`regenerate` after an edit of one BUILD file of abseil, against a cold `generate`."""
    original, words = setting.abseil()
    source = setting.scratch / "abseil"
    shutil.copytree(original.resolve(), source, symlinks=True)
    output, other = setting.scratch / "edit", setting.scratch / "edit-cold"
    setting.cold(source, output, *words)
    path = next(source / EDITED / name for name in ("BUILD.bazel", "BUILD") if (source / EDITED / name).exists())
    text = path.read_text()
    result: Result = {}
    for kind, change in EDITS.items():
        ours, colds = [], []
        for number in range(setting.runs + 1):
            for added in (source / EDITED).glob("added*.h"):
                added.unlink()
            if kind == "a new target":
                (source / EDITED / f"added{number}.h").touch()
            path.write_text(change(text, number))
            pair = measure(bazel2ninja("regenerate"), output, setting.variables), setting.cold(source, other, *words)
            if number:
                ours.append(pair[0])
                colds.append(pair[1])
        if (output / "build.ninja").read_bytes() != (other / "build.ninja").read_bytes():
            raise AssertionError(f"after {kind} the regenerated manifest differs from a new one")
        ratio = median(ours).cpu / median(colds).cpu
        _say(
            f"edit: {kind}: {median(ours).cpu:.3f} s, cold {median(colds).cpu:.3f} s: {_verdict(ratio, GOALS['edit'])}"
        )
        result[kind] = {"ours": _figures(median(ours)), "cold": _figures(median(colds)), "ratio": round(ratio, 4)}
    return result


def warm(setting: Setting) -> Result:
    """A second `generate` with our caches there, for information."""
    result: Result = {}
    projects = {"abseil": (setting.abseil()[1], ()), "protobuf": ([f"--vendor={setting.sources}"], ("//:protoc",))}
    for name, (words, targets) in projects.items():
        output = setting.scratch / f"warm-{name}"
        source = setting.sources / name
        samples = [setting.generate(source, output, *words, targets=targets) for _ in range(setting.runs + 1)]
        _say(
            f"warm: {name} {median(samples[1:]).cpu:.3f} s of processor, first {samples[0].cpu:.3f} s, "
            f"{median(samples).peak_kib:,} KiB"
        )
        result[name] = _figures(median(samples[1:]))
    return result

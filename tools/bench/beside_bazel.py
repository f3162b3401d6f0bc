"""`generate` of one target beside a Bazel that has read the same: turns, medians, and what each would execute."""

from __future__ import annotations

import re
import shutil
import statistics
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from generating import Setting
from processes import ROOT, Sample, median

sys.path[:0] = [str(ROOT), str(ROOT / "tools/oracle")]

from bazel2ninja.crosscheck.dumps import read_actions  # noqa: E402
from bazel2ninja.crosscheck.oracle import needed  # noqa: E402

GOALS = {"time": 1 / 3, "memory": 1 / 5}
# Mnemonics and ninja's rules that are one kind of work.
BAZEL_KINDS: Mapping[str, str] = {"CppCompile": "compile", "Genrule": "generator", "ProtoCompile": "generator"}
BAZEL_KINDS = {**BAZEL_KINDS, "PythonSwig": "generator", "TemplateExpand": "expand", "CppArchive": "archive"}
NINJA_KINDS: Mapping[str, str] = {"cc": "compile", "cxx": "compile", "archive": "archive", "link": "link"}
NINJA_KINDS = {**NINJA_KINDS, "link_long": "link", "spawn": "generator", "expand": "expand"}
_BUILD = re.compile(r"^build (?:\S+ )*?\S+: (\w+)", re.MULTILINE)

# One cold run of Bazel: seconds with the start of its server, the server's peak memory in KiB.
Run = Callable[[], tuple[float, int]]


def executed_by_bazel(dump: bytes, output: str) -> Counter[str]:
    """Kinds of the actions that an output needs."""
    found: Counter[str] = Counter()
    for action in needed(read_actions(dump, "the dump"), [output]):
        if action.mnemonic == "CppLink":
            is_archive = any(path.endswith((".a", ".lo")) for path in action.outputs)
            found["archive" if is_archive else "link"] += 1
        elif action.mnemonic in BAZEL_KINDS:
            found[BAZEL_KINDS[action.mnemonic]] += 1
    return found


def executed_by_ninja(manifest: str) -> Counter[str]:
    """Kinds of the edges of a manifest."""
    text = manifest.replace("$\n", "")
    return Counter(NINJA_KINDS[rule] for rule in _BUILD.findall(text) if rule in NINJA_KINDS)


def measure(tree: Path, target: str, words: Sequence[str], runs: int, theirs: Run) -> str:
    """Runs both sides in turns and prints the figures; the first turn is not counted.  Returns our manifest."""
    bazel: list[tuple[float, int]] = []
    ours: list[Sample] = []
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        setting = Setting.of(tree, Path(scratch), runs)
        output = Path(scratch) / "out"
        for _ in range(runs + 1):
            bazel.append(theirs())
            shutil.rmtree(output, ignore_errors=True)
            ours.append(setting.generate(tree, output, *words, targets=[target]))
        manifest = (output / "build.ninja").read_text()
    del bazel[0], ours[0]
    sample = median(ours)
    seconds, peak = statistics.median(each[0] for each in bazel), min(each[1] for each in bazel)
    print(f"bazel2ninja {sample.wall:.2f} s ({sample.cpu:.2f} s of processor), {sample.peak_kib:,} KiB")
    print(f"Bazel       {seconds:.2f} s, {peak:,} KiB")
    for goal, ratio in (("time", sample.wall / seconds), ("memory", sample.peak_kib / peak)):
        print(f"{goal}: {ratio:.3f} (goal {GOALS[goal]:.3f}: {'met' if ratio <= GOALS[goal] else 'MISSED'})")
    return manifest


def report_work(manifest: str, dump: bytes, output: str) -> None:
    """Prints how many actions of each kind the two would execute."""
    mine, work = executed_by_ninja(manifest), executed_by_bazel(dump, output)
    print("actions: " + ", ".join(f"{kind} {mine[kind]} of {work[kind]}" for kind in sorted({*mine, *work})))

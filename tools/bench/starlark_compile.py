"""Reading, checking and compiling of real BUILD and .bzl files, against Python's own compile() of the same bytes.

Run: python3 tools/bench/starlark_compile.py DIRECTORY...
Prints seconds for Python, for a cold run (nothing cached) and for a warm one (all in the code cache).  The goals are
cold at most 3 times Python's, warm at most a fifth of it; exit status 1 when one is missed.

A file that Python's compile() refuses would cost it less than it costs us: such files count on neither side.  (Of
TensorFlow 2.14.1's 1,293 there is none.)
"""

from __future__ import annotations

import argparse
import gc
import re
import statistics
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.starlark import CodeCache, Dialect, Semantics, compile_source
from bazel2ninja.starlark.syntax import decode, parse

# also those that repository rules take as build_file
_BUILD_FILE = re.compile(r"(.+\.)?BUILD(\.bazel)?|BUILD\.system|.+\.bzl")


def dialect_of(path: Path) -> Dialect:
    return Dialect.BZL if path.suffix == ".bzl" else Dialect.BUILD


def compile_all(
    files: list[tuple[Path, bytes]], names: frozenset[str], cache: CodeCache | None, verbose: bool = False
) -> tuple[float, int]:
    """Seconds, and how many files had errors."""
    semantics = Semantics()
    errors = 0
    start = time.process_time()
    for path, source in files:
        try:
            compile_source(
                source,
                str(path),
                dialect=dialect_of(path),
                semantics=semantics,
                predeclared=names,
                cache=cache,
            )
        except WorkspaceError as problem:
            errors += 1
            if verbose:
                print(problem.diagnostic.location, problem.diagnostic.message)
    return time.process_time() - start, errors


def undefined_names(files: list[tuple[Path, bytes]]) -> frozenset[str]:
    """All identifiers of the files: what the host would predeclare is among them."""
    import ast

    names = set()
    for path, source in files:
        try:
            names.update(n.id for n in ast.walk(parse(decode(source), str(path))) if isinstance(n, ast.Name))
        except WorkspaceError:
            continue
    return frozenset(names)


def build_files(directories: Iterable[Path]) -> list[tuple[Path, bytes]]:
    """All BUILD and .bzl files below some directories, with what they hold."""
    return [
        (path, path.read_bytes())
        for directory in directories
        for path in sorted(directory.resolve().rglob("*"))
        if _BUILD_FILE.fullmatch(path.name) and path.is_file()
    ]


def _python_takes(source: bytes) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(source, "", "exec")
        except (SyntaxError, ValueError):
            return False
    return True


def python_alone(files: list[tuple[Path, bytes]]) -> float:
    """Seconds that Python's compile() takes."""
    warnings.simplefilter("ignore")
    start = time.process_time()
    for path, source in files:
        compile(source, str(path), "exec")
    return time.process_time() - start


def report(directories: Iterable[Path], runs: int = 3, verbose: bool = False) -> dict[str, object]:
    """Prints the medians of `runs` turns of Python, cold and warm."""
    found = build_files(directories)
    files = [(path, source) for path, source in found if _python_takes(source)]
    names = undefined_names(files)
    turns: list[tuple[float, float, float]] = []
    errors = 0
    gc.disable()  # as a run of bazel2ninja does, and for Python's side as well
    with tempfile.TemporaryDirectory() as directory:
        compile_all(files, names, CodeCache(directory))
        for _ in range(runs):
            python = python_alone(files)
            cold, errors = compile_all(files, names, None, verbose)
            warm, _ = compile_all(files, names, CodeCache(directory))
            turns.append((python, cold, warm))
            gc.collect()
    gc.enable()
    cold_ratio = statistics.median(cold / python for python, cold, _ in turns)
    warm_ratio = statistics.median(warm / python for python, _, warm in turns)
    size = sum(len(source) for _, source in files)
    print(
        f"compile: {len(files)} files, {size / 1e6:.1f} MB, {errors} refused; "
        f"{len(found) - len(files)} that Python refuses left out"
    )
    python, cold, warm = (statistics.median(column) for column in zip(*turns, strict=True))
    print(
        f"compile: Python {python:.3f} s, cold {cold:.3f} s: {cold_ratio:.2f} (goal 3), "
        f"warm {warm:.3f} s: {warm_ratio:.3f} (goal 0.2)",
        flush=True,
    )
    return {"cold": round(cold_ratio, 3), "warm": round(warm_ratio, 4), "files": len(files)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    found = report(arguments.directories, arguments.runs, arguments.verbose)
    return 0 if float(str(found["cold"])) <= 3 and float(str(found["warm"])) <= 0.2 else 1


if __name__ == "__main__":
    sys.exit(main())

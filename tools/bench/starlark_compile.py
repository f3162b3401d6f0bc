"""Reading, checking and compiling of real BUILD and .bzl files, against Python's own compile() of the same bytes.

Run: python3 tools/bench/starlark_compile.py DIRECTORY...
Prints seconds for Python, for a cold run (nothing cached) and for a warm one (all in the code cache).  The goals are
cold at most 3 times Python's, warm at most a fifth of it; exit status 1 when one is missed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.starlark import CodeCache, Dialect, Semantics, compile_source
from bazel2ninja.starlark.syntax import decode, parse


def dialect_of(path: Path) -> Dialect:
    return Dialect.BZL if path.suffix == ".bzl" else Dialect.BUILD


def compile_all(files: list[tuple[Path, bytes]], cache: CodeCache | None) -> tuple[float, int]:
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
                predeclared=NAMES,
                cache=cache,
            )
        except WorkspaceError as problem:
            errors += 1
            if VERBOSE:
                print(problem.diagnostic.location, problem.diagnostic.message)
    return time.process_time() - start, errors


NAMES: frozenset[str] = frozenset()
VERBOSE = False


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


def main() -> int:
    global NAMES, VERBOSE
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directories", nargs="+", type=Path)
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    VERBOSE = arguments.verbose
    files = [
        (path, path.read_bytes())
        for directory in arguments.directories
        for path in sorted(directory.rglob("*"))
        if path.is_file() and (path.name in ("BUILD", "BUILD.bazel") or path.suffix == ".bzl")
    ]
    NAMES = undefined_names(files)
    warnings.simplefilter("ignore")
    start = time.process_time()
    for path, source in files:
        try:
            compile(source, str(path), "exec")
        except (SyntaxError, ValueError):
            continue
    python = time.process_time() - start
    cold, errors = compile_all(files, None)
    with tempfile.TemporaryDirectory() as directory:
        cache = CodeCache(directory)
        compile_all(files, cache)
        warm, _ = compile_all(files, CodeCache(directory))
    size = sum(len(source) for _, source in files)
    print(f"{len(files)} files, {size / 1e6:.1f} MB, {errors} refused")
    print(f"Python {python:.3f} s, cold {cold:.3f} s ({cold / python:.2f}), warm {warm:.3f} s ({warm / python:.2f})")
    return 0 if cold <= 3 * python and warm <= python / 5 else 1


if __name__ == "__main__":
    sys.exit(main())

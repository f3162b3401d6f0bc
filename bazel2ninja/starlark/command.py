"""`bazel2ninja starlark`: runs a Starlark file, or test files in the chunked form."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..diagnostics import Diagnostic, Location, WorkspaceError, render
from .chunked import run_chunk, split_chunks
from .program import compile_source
from .semantics import Dialect, Semantics
from .syntax import decode
from .thread import Module, Thread, execute


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the subcommand."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="Starlark files")
    parser.add_argument(
        "--dialect",
        choices=("build", "bzl", "plain"),
        help="what the files may contain (default: by name, or plain)",
    )
    parser.add_argument("--bazel", metavar="VERSION", help="the Bazel release whose language it is (default: newest)")
    parser.add_argument(
        "--test", action="store_true", help="run chunked test files: '---' between chunks, '### regex' on failing lines"
    )


def run(arguments: argparse.Namespace, predeclared: Mapping[str, Any] | None = None) -> int:
    """Runs the files; exit status 1 when one fails.  `predeclared` holds names beyond the language's own."""
    semantics = Semantics.for_bazel(arguments.bazel) if arguments.bazel else Semantics()
    names = dict(predeclared or {})
    if arguments.test:
        dialect = Dialect(arguments.dialect) if arguments.dialect else Dialect.PLAIN
        return _test(arguments.files, dialect, semantics, names)
    runner = _Runner(semantics, arguments.dialect, names)
    for file in arguments.files:
        try:
            runner.module(file)
        except WorkspaceError as problem:
            for diagnostic in problem.diagnostics:
                print(render(diagnostic, _read_line), file=sys.stderr)
            return 1
    return 0


class _Runner:
    """Runs files that may load one another, by paths relative to the loading file."""

    def __init__(self, semantics: Semantics, dialect: str | None, predeclared: Mapping[str, Any]):
        self.semantics = semantics
        self.dialect = dialect
        self.predeclared = predeclared
        self.modules: dict[str, Module | None] = {}

    def module(self, file: str) -> Module:
        if file in self.modules:
            module = self.modules[file]
            if module is None:
                raise WorkspaceError(f"cycle in load graph: '{file}' loads itself")
            return module
        self.modules[file] = None
        try:
            source = Path(file).read_bytes()
        except OSError as problem:
            raise WorkspaceError(f"cannot read '{file}': {problem.strerror}") from None
        program = compile_source(
            source, file, dialect=self.dialect_of(file), semantics=self.semantics, predeclared=self.predeclared
        )
        thread = Thread(self.semantics, print=_print)
        module = execute(program, thread, self.predeclared, self.loader(file))
        self.modules[file] = module
        return module

    def dialect_of(self, file: str) -> Dialect:
        if self.dialect:
            return Dialect(self.dialect)
        name = Path(file).name
        if name.endswith(".bzl"):
            return Dialect.BZL
        if name in ("BUILD", "BUILD.bazel"):
            return Dialect.BUILD
        return Dialect.WORKSPACE if name in ("WORKSPACE", "WORKSPACE.bazel") else Dialect.PLAIN

    def loader(self, file: str) -> Callable[[str, Location], Mapping[str, Any]]:
        def load(name: str, where: Location) -> Mapping[str, Any]:
            path = Path(file).parent / name.removeprefix(":").removeprefix("//").replace(":", "/")
            return self.module(str(path)).globals

        return load


def _test(files: list[str], dialect: Dialect, semantics: Semantics, predeclared: Mapping[str, Any]) -> int:
    passed = failed = 0
    for file in files:
        try:
            text = decode(Path(file).read_bytes())
        except OSError as problem:
            print(render(Diagnostic(f"cannot read '{file}': {problem.strerror}")), file=sys.stderr)
            failed += 1
            continue
        for chunk in split_chunks(text):
            failures = run_chunk(chunk, file, dialect, semantics, predeclared)
            if failures:
                failed += 1
                print(f"{file}:{chunk.first_line}: chunk failed", *failures, sep="\n    ", file=sys.stderr)
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def _print(text: str, location: Location) -> None:
    print(text, file=sys.stderr)


def _read_line(location: Location) -> str | None:
    try:
        return decode(Path(location.path).read_bytes()).split("\n")[location.line - 1]
    except (OSError, IndexError):
        return None

"""Compiling source text to a program, and the cache of compiled programs."""

from __future__ import annotations

import ast
import hashlib
import marshal
import os
import sys
import warnings
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from types import CodeType
from typing import Any

from ..diagnostics import Diagnostic, Location, WorkspaceError
from .literals import Literals
from .semantics import Dialect, Semantics
from .statements import Statements, _is_docstring
from .syntax import decode, parse
from .universe import universe_names

FORMAT = "1"  # of the generated code and the cache's entries: counts up with every change of either


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled file."""

    path: str
    code: CodeType
    loads: tuple[tuple[str, tuple[tuple[str, str], ...], Location], ...]  # module, (local name, its name there), place
    exported: tuple[str, ...]  # the globals that the file itself binds
    renamed: frozenset[str]  # those globals whose name in the code ends in "%", as they hide a predeclared name
    doc: str | None


class CodeCache:
    """Compiled programs in a directory of the host's choice, by content, semantics and interpreter."""

    def __init__(self, directory: str | os.PathLike[str]):
        self.directory = Path(directory)

    def load(self, key: str) -> Any:
        try:
            return marshal.loads((self.directory / key).read_bytes())
        except (OSError, ValueError, EOFError, TypeError):
            return None

    def store(self, key: str, entry: Any) -> None:
        """Writes an entry; a cache that cannot be written is no error."""
        temporary = self.directory / f"{key}.{os.getpid()}"
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(marshal.dumps(entry))
            temporary.replace(self.directory / key)
        except OSError:
            return


def compile_source(
    source: bytes,
    path: str,
    *,
    dialect: Dialect,
    semantics: Semantics,
    predeclared: Collection[str],
    cache: CodeCache | None = None,
) -> Program:
    """Parses, checks and compiles a file; raises WorkspaceError with all errors found."""
    key = ""
    if cache is not None:
        digest = hashlib.blake2b(source, digest_size=20)
        settings = (FORMAT, sys.implementation.cache_tag, path, dialect.value, semantics.key(), *sorted(predeclared))
        digest.update("\0".join(settings).encode("utf-8", "surrogateescape"))
        key = digest.hexdigest()
        entry = cache.load(key)
        if entry is not None:
            code, loads, exported, renamed, doc = entry
            return Program(
                path,
                code,
                tuple((module, names, Location(path, line, column)) for module, names, line, column in loads),
                exported,
                renamed,
                doc,
            )
    program = _compile(source, path, dialect, semantics, predeclared)
    if cache is not None:
        loads = tuple((module, names, where.line, where.column) for module, names, where in program.loads)
        cache.store(key, (program.code, loads, program.exported, program.renamed, program.doc))
    return program


def _compile(source: bytes, path: str, dialect: Dialect, semantics: Semantics, predeclared: Collection[str]) -> Program:
    text = decode(source)
    literals = Literals(text, semantics)
    tree = parse(text, path)
    doc = tree.body[0].value.value if tree.body and _is_docstring(tree.body[0]) else None  # type: ignore[attr-defined]
    known = universe_names(semantics) | set(predeclared)
    rewriter = Statements(path, literals, dialect, semantics, known)
    try:
        rewriter.file(tree)
        if rewriter.errors:
            raise WorkspaceError(*sorted(rewriter.errors, key=lambda d: d.location or Location(path)))
        if not literals.ascii:
            _columns_in_characters(tree, literals)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = compile(tree, path, "exec", dont_inherit=True, optimize=0)
    except RecursionError:
        raise WorkspaceError(Diagnostic("expression is nested too deeply", Location(path))) from None
    except MemoryError:
        raise WorkspaceError(Diagnostic("the file is too large to compile", Location(path))) from None
    except SyntaxError as problem:
        where = Location(path, problem.lineno or 0, problem.offset or 0)
        raise WorkspaceError(Diagnostic(f"syntax error: {problem.msg}", where)) from None
    return Program(
        path,
        code,
        tuple(rewriter.loads),
        tuple(rewriter.exported),
        frozenset(name for name, renamed in rewriter.globals.items() if name != renamed),
        doc,
    )


def _columns_in_characters(tree: ast.Module, literals: Literals) -> None:
    """Python's columns are UTF-8 bytes; error messages count characters."""
    wide = {number for number, line in enumerate(literals.lines, 1) if not line.isascii()}
    seen: set[int] = set()
    for node in ast.walk(tree):
        if id(node) in seen or not hasattr(node, "lineno"):
            continue
        seen.add(id(node))
        if node.lineno in wide:
            node.col_offset = literals.column(node.lineno, node.col_offset) - 1
        if node.end_lineno in wide:
            node.end_col_offset = literals.column(node.end_lineno, node.end_col_offset) - 1

"""Compiling source text to a program, and the cache of compiled programs."""

# Starlark values are Any: their types are checked when the program runs.
# mypy: disable-error-code="no-any-return,type-arg"
from __future__ import annotations

import ast
import gc
import hashlib
import marshal
import os
import struct
import sys
import warnings
import zlib
from collections.abc import Collection, Iterator
from types import CodeType
from typing import Any

from ..diagnostics import Diagnostic, Location, WorkspaceError
from ..records import dataclass
from .literal_calls import Arguments, lift
from .literals import Literals
from .semantics import Dialect, Semantics
from .statements import Statements, _is_docstring
from .syntax import decode, parse, syntax_error

FORMAT = "7"  # of the generated code and the cache's entries: counts up with every change of either


@dataclass(frozen=True, slots=True)
class Program:
    """A compiled file."""

    path: str
    code: CodeType
    loads: tuple[tuple[str, tuple[tuple[str, str], ...], Location], ...]  # module, (local name, its name there), place
    exported: tuple[str, ...]  # the globals that the file itself binds
    renamed: frozenset[str]  # those globals whose name in the code ends in "%", as they hide a predeclared name
    doc: str | None
    literals: tuple[Arguments, ...] = ()  # of the calls that have no other arguments


class CodeCache:
    """Compiled programs, by content, settings and interpreter, in one file of a directory of the host's choice.

    The file is a sequence of records: key (16 bytes), length (4 bytes), CRC-32 (4 bytes), marshalled entry.  Processes
    append to it; a damaged end is ignored.
    """

    LIMIT = 256 << 20  # bytes, beyond which the file is begun anew

    def __init__(self, directory: str | os.PathLike[str]):
        name = f"starlark-{FORMAT}-{sys.implementation.cache_tag}-{sys.hexversion:x}.cache"
        self.path = os.path.join(directory, name)
        self._settings: dict[tuple[int, int, Dialect, Semantics], tuple[Collection[str], bytes]] = {}
        self._records: dict[bytes, tuple[int, int, int]] = {}
        self._data = b""
        self._size = 0
        try:
            with open(self.path, "rb") as file:
                self._data = file.read()
        except OSError:
            return
        data, position, end = self._data, 0, len(self._data)
        while position + _RECORD.size <= end:
            key, length, checksum = _RECORD.unpack_from(data, position)
            position += _RECORD.size
            if position + length > end:
                break
            self._records[key] = (position, length, checksum)
            position += length
        self._size = end
        if position != end or end > self.LIMIT:
            self._size = -1

    def key(
        self, source: bytes, path: str, dialect: Dialect, semantics: Semantics, predeclared: Collection[str]
    ) -> bytes:
        """The key of a compilation."""
        which = (id(predeclared), len(predeclared), dialect, semantics)
        known = self._settings.get(which)
        if known is None:
            text = "\0".join((dialect.value, semantics.key(), *sorted(predeclared)))
            known = self._settings[which] = predeclared, hashlib.blake2b(text.encode(), digest_size=16).digest()
        digest = hashlib.blake2b(source, digest_size=16, key=known[1])
        digest.update(path.encode("utf-8", "surrogateescape"))
        return digest.digest()

    def load(self, key: bytes) -> Any:
        """An entry, or None."""
        record = self._records.get(key)
        if record is None:
            return None
        position, length, checksum = record
        data = memoryview(self._data)[position : position + length]
        if zlib.crc32(data) != checksum:
            return None
        try:
            return marshal.loads(data)
        except (ValueError, EOFError, TypeError):
            return None

    def store(self, key: bytes, entry: Any) -> None:
        """Appends an entry; a cache that cannot be written is no error."""
        data = marshal.dumps(entry)
        record = _RECORD.pack(key, len(data), zlib.crc32(data)) + data
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        if self._size < 0:
            flags |= os.O_TRUNC
        try:
            os.makedirs(os.path.dirname(self.path) or ".", exist_ok=True)
            descriptor = os.open(self.path, flags, 0o666)
            try:
                os.write(descriptor, record)
            finally:
                os.close(descriptor)
        except OSError:
            return
        self._size = max(self._size, 0)


_RECORD = struct.Struct("<16sII")


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
    key = b""
    if cache is not None:
        key = cache.key(source, path, dialect, semantics, predeclared)
        entry = cache.load(key)
        if entry is not None:
            code, loads, exported, renamed, doc, literals = entry
            places = tuple([(module, names, Location(path, line, column)) for module, names, line, column in loads])
            return Program(path, code, places, exported, renamed, doc, literals)
    collecting = gc.isenabled()
    gc.disable()  # a syntax tree is many objects and no garbage
    try:
        program = _compile(source, path, dialect, semantics, predeclared)
    finally:
        if collecting:
            gc.enable()
    if cache is not None:
        loads = tuple((module, names, where.line, where.column) for module, names, where in program.loads)
        cache.store(key, (program.code, loads, program.exported, program.renamed, program.doc, program.literals))
    return program


def _compile(source: bytes, path: str, dialect: Dialect, semantics: Semantics, predeclared: Collection[str]) -> Program:
    text = decode(source)
    rewriter = Statements(path, Literals(text, semantics), dialect, semantics, predeclared)
    if dialect in (Dialect.BUILD, Dialect.WORKSPACE):
        shorter, rewriter.lifted = lift(text)
        if rewriter.lifted:
            try:
                return _compile_text(shorter, path, rewriter)
            except WorkspaceError:  # what is wrong is said of the whole text
                rewriter = Statements(path, rewriter.literals, dialect, semantics, predeclared)
    return _compile_text(text, path, rewriter)


def _compile_text(text: str, path: str, rewriter: Statements) -> Program:
    literals = rewriter.literals
    tree = parse(text, path, rewriter.semantics.legacy_octal)
    doc = tree.body[0].value.value if tree.body and _is_docstring(tree.body[0]) else None  # type: ignore[attr-defined]
    try:
        rewriter.file(tree)
        if rewriter.errors:
            raise WorkspaceError(*sorted(rewriter.errors, key=lambda d: d.location or Location(path)))
        if not literals.ascii:
            _columns_in_characters(tree, literals, path)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = compile(tree, path, "exec", dont_inherit=True, optimize=0)
    except RecursionError:
        raise WorkspaceError(Diagnostic("expression is nested too deeply", Location(path))) from None
    except MemoryError:
        raise WorkspaceError(Diagnostic("the file is too large to compile", Location(path))) from None
    except SyntaxError as problem:
        raise syntax_error(problem, text, path) from None
    return Program(
        path,
        code,
        tuple(rewriter.loads),
        tuple(rewriter.exported),
        frozenset(name for name, renamed in rewriter.globals.items() if name != renamed),
        doc,
        tuple(rewriter.literal_arguments),
    )


def _columns_in_characters(tree: ast.Module, literals: Literals, path: str) -> None:
    """Python's columns are UTF-8 bytes; error messages count characters."""
    wide = {number for number, line in enumerate(literals.lines, 1) if not line.isascii()}
    seen: set[int] = set()
    nodes: Iterator[Any] = ast.walk(tree)
    for node in nodes:
        if id(node) in seen or not hasattr(node, "lineno"):
            continue
        seen.add(id(node))
        identifier = getattr(node, "id", None) or getattr(node, "arg", None) or getattr(node, "attr", None)
        if isinstance(identifier, str) and not identifier.isascii():
            where = Location(path, node.lineno, literals.column(node.lineno, node.col_offset))
            raise WorkspaceError(
                Diagnostic(f"invalid character in identifier '{identifier.removeprefix('s_')}'", where)
            )
        if node.lineno in wide:
            node.col_offset = literals.column(node.lineno, node.col_offset) - 1
        if node.end_lineno in wide:
            node.end_col_offset = literals.column(node.end_lineno, node.end_col_offset) - 1

"""The test form that the Starlark implementations share: chunks of code, and the errors that they must raise.

Chunks are separated by lines `---`.  A line that ends in `### regex` must raise an error whose message matches; several
implementations' wordings may be told apart, as `### java: regex`, and then only ours and Bazel's count.
"""

# Starlark values are Any: their types are checked when the program runs.
# mypy: disable-error-code="no-any-return,type-arg"
from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from typing import Any

from ..diagnostics import Diagnostic, Location, WorkspaceError, render
from ..records import dataclass
from .errors import EvalError, FrozenError
from .operations import contains
from .program import compile_source
from .protocol import equal, less, to_repr, to_str
from .semantics import Dialect, Semantics
from .structs import Struct, freeze
from .syntax import parse
from .thread import Thread, execute
from .universe import builtin

# starlark-go's suites have a value `assert`, a reserved word for Python's parser and for Bazel.  The parser takes the
# spelling with a wide first letter for the same identifier.
_ASSERT = re.compile(r"(?<![\w\"'.])assert(?=\.[a-z]+\()")
_EXPECTATION = re.compile(r"(.*?)\s*###\s*(?:(go|java|rust|b2n):)?\s*(.*)")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a test file; `expected` has (line or 0, regex) of the errors it must raise."""

    first_line: int
    text: str
    expected: tuple[tuple[int, str], ...]


def split_chunks(text: str) -> list[Chunk]:
    """The chunks of a test file.  Each keeps its line numbers by leading empty lines."""
    chunks: list[Chunk] = []
    lines: list[str] = []
    expected: list[tuple[int, str]] = []
    first = 1
    for number, line in enumerate([*text.split("\n"), "---"], 1):
        if line.rstrip() == "---":
            chunks.append(Chunk(first, "\n" * (first - 1) + "\n".join(lines) + "\n", tuple(expected)))
            lines, expected, first = [], [], number + 1
            continue
        match = _EXPECTATION.fullmatch(line)
        if match:
            if match[2] in (None, "java", "b2n"):
                # An expectation on a line of its own holds for the whole chunk.
                expected.append((number if match[1] else 0, _unquoted(match[3].strip())))
            line = match[1]
        lines.append(line)
    return chunks


def _unquoted(pattern: str) -> str:
    if len(pattern) > 1 and pattern[0] == pattern[-1] and pattern[0] in '"`':
        body = pattern[1:-1]
        return body if pattern[0] == "`" else body.replace('\\"', '"').replace("\\\\", "\\")
    return pattern


def _multi_line_expressions(text: str) -> list[tuple[int, int]]:
    """(first line, last line) of expressions: an error in one may be expected on any of its lines."""
    try:
        tree = parse(text, "")
    except WorkspaceError:
        return []
    return [
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(tree)
        if isinstance(node, (ast.expr, ast.Assign, ast.AugAssign)) and node.end_lineno != node.lineno
    ]


def matches(pattern: str, message: str) -> bool:
    """Whether an error message is the expected one: it contains the pattern, as text or as a regex."""
    if pattern.lower() in message.lower():
        return True
    try:
        return re.search(pattern, message, re.IGNORECASE) is not None
    except re.error:
        return False


class MutableStruct(Struct):
    """A record with settable fields, for tests of x.f = v."""

    starlark_type = "mutablestruct"

    def starlark_name(self) -> str:
        return self.starlark_type

    def starlark_freeze(self, freeze_value: Any) -> None:
        super().starlark_freeze(freeze_value)
        self.__class__ = FrozenStruct

    def starlark_set_field(self, name: str, value: Any) -> None:
        if value == "bad":
            raise EvalError("bad field value")
        self.__dict__["s_" + name] = value


class FrozenStruct(MutableStruct):
    """A record whose fields can no longer be set."""

    def starlark_set_field(self, name: str, value: Any) -> None:
        raise FrozenError(f"cannot set field on a frozen {self.starlark_type}")


def predeclared_for_tests(report: Callable[[str], None]) -> dict[str, Any]:
    """assert_eq and its kin; failures are reported, not raised."""

    @builtin("assert_eq")
    def assert_eq(x: Any, y: Any) -> None:
        if not equal(x, y):
            report(f"{to_repr(x)} != {to_repr(y)}")

    @builtin("assert_ne")
    def assert_ne(x: Any, y: Any) -> None:
        if equal(x, y):
            report(f"{to_repr(x)} == {to_repr(y)}")

    @builtin("assert_")
    def assert_true(cond: Any, msg: Any = "assertion failed") -> None:
        if not cond:
            report(to_str(msg))

    @builtin("assert_lt")
    def assert_lt(x: Any, y: Any) -> None:
        if not less(x, y):
            report(f"{to_repr(x)} is not less than {to_repr(y)}")

    @builtin("assert_contains")
    def assert_contains(x: Any, y: Any) -> None:
        if not contains(y, x):
            report(f"{to_repr(x)} does not contain {to_repr(y)}")

    @builtin("assert_fails")
    def assert_fails(f: Any, regex: Any) -> None:
        message = error_of(f)
        if message is None:
            report(f"evaluation succeeded unexpectedly (want an error matching {to_repr(regex)})")
        elif not matches(regex, message):
            report(f"error {to_repr(message)} does not match {to_repr(regex)}")

    def error_of(f: Any) -> str | None:
        from .thread import current_thread

        try:
            current_thread().call(f)
        except WorkspaceError as problem:
            return problem.diagnostic.message
        return None

    @builtin("freeze")
    def freeze_value(x: Any) -> Any:
        return freeze(x)

    @builtin("catch")
    def catch(f: Any) -> str | None:
        return error_of(f)

    namespace = Struct(
        eq=assert_eq,
        ne=assert_ne,
        true=assert_true,
        lt=assert_lt,
        contains=assert_contains,
        fails=assert_fails,
        fail=builtin("fail")(lambda msg: report(to_str(msg))),
    )
    return {
        "assert_eq": assert_eq,
        "assert_ne": assert_ne,
        "assert_": assert_true,
        "assert_lt": assert_lt,
        "assert_contains": assert_contains,
        "assert_fails": assert_fails,
        "freeze": freeze_value,
        "catch": catch,
        "mutablestruct": builtin("mutablestruct")(lambda **fields: MutableStruct(**fields)),
        "hasfields": builtin("hasfields")(lambda: MutableStruct()),
        "_utf8_byte_strings": False,
        "%assert": namespace,
    }


def run_chunk(
    chunk: Chunk, path: str, dialect: Dialect, semantics: Semantics, predeclared: Mapping[str, Any]
) -> list[str]:
    """Runs one chunk; gives what is wrong with it, in lines to print."""
    failures: list[str] = []

    def report(message: str) -> None:
        from .thread import caller_location

        failures.append(f"{caller_location()}: {message}")

    names = {**predeclared_for_tests(report), **predeclared}
    namespace = names.pop("%assert")

    def load(module: str, where: Location) -> Mapping[str, Any]:
        if module.rpartition(":")[2].rpartition("/")[2] in ("assert.star", "asserts.star"):
            return {"assert": namespace, "asserts": namespace, "freeze": names["freeze"], "struct": Struct}
        raise EvalError(Diagnostic(f"cannot load '{module}'", where))

    if "option:recursion" in chunk.text:
        from dataclasses import replace

        semantics = replace(semantics, recursion=True)
    problems: list[Diagnostic] = []
    failed_in = ""
    try:
        program = compile_source(
            _ASSERT.sub("\uff41ssert", chunk.text).encode("utf-8", "surrogateescape"),
            path,
            dialect=dialect,
            semantics=semantics,
            predeclared=names,
        )
        thread = Thread(semantics, print=lambda text, where: print(f"{where}: {text}"))
        execute(program, thread, names, load)
    except WorkspaceError as problem:
        problems = list(problem.diagnostics)
        failed_in = problem.builtin if isinstance(problem, EvalError) else ""
    met: set[tuple[int, str]] = set()
    statements = _multi_line_expressions(chunk.text) if problems else []
    for diagnostic in problems:
        lines = [where.line for where, _ in diagnostic.frames]
        if diagnostic.location:
            lines.append(diagnostic.location.line)
        places = {0, *lines, *(line for first, last in statements if first in lines for line in range(first, last + 1))}
        message = f"Error in {failed_in}: {diagnostic.message}" if failed_in else diagnostic.message
        found = [w for w in chunk.expected if w[0] in places and matches(w[1], message)]
        met.update(found)
        if not found:
            failures.append("unexpected error: " + render(diagnostic))
    wanted = [w for w in chunk.expected if w not in met]
    failures.extend(f"{path}:{line}: expected an error matching {pattern!r}" for line, pattern in wanted)
    return failures

"""A file has one subject: about 500 lines at most.  Raising a limit here needs a reason beside it."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 520  # lines of code: without blank lines, comments and docstrings

LARGER: dict[str, int] = {}


def code_lines(source: str) -> int:
    """Lines that hold code: docstrings, comments and blank lines do not count."""
    documentation: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and node.body:
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                documentation.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return sum(
        1
        for number, line in enumerate(source.splitlines(), 1)
        if number not in documentation and line.strip() and not line.strip().startswith("#")
    )


def test_no_file_is_too_long() -> None:
    too_long = {}
    for path in sorted(ROOT.glob("bazel2ninja/**/*.py")):
        name = str(path.relative_to(ROOT))
        source = path.read_text()
        if len(source.splitlines()) <= LIMIT:
            continue
        lines = code_lines(source)
        if lines > LARGER.get(name, LIMIT):
            too_long[name] = lines
    assert too_long == {}


def test_counting() -> None:
    assert code_lines('"""Doc.\n\nMore."""\n\n# comment\nx = 1\n\n\ndef f():\n    """Doc."""\n    return x\n') == 3

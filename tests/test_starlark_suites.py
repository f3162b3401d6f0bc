"""The public conformance suites of the Starlark implementations.

BAZEL2NINJA_STARLARK_SUITES names a directory with trees of github.com/bazelbuild/starlark, google/starlark-go and
facebook/starlark-rust, under any names (bazelbuild/bazel's src/test/java/net/starlark/java/eval/testdata counts, too).
A chunk passes, passes but for the words of an error, or fails for a cause that is named here; where the implementations
differ, Bazel's behaviour is right, and was asked of Bazel 7.7.1 where it was in doubt.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest

from bazel2ninja.starlark import Dialect, Semantics, chunked
from bazel2ninja.starlark.syntax import decode

SUITES = os.environ.get("BAZEL2NINJA_STARLARK_SUITES")
DIRECTORIES = {
    "starlark": "test_suite/testdata",
    "starlark-go": "starlark*/testdata",
    "starlark-rust": "starlark/testcases/eval/go",
    "bazel": "net/starlark/java/eval/testdata",
}

# cause, the files, the failures: every failing chunk has one of these, and needs no other
CAUSES = (
    ("case and classes of letters are ASCII's", "string", r"(POR QU|UBOVI|ubovi)"),
    (
        "a list is one argument of %",
        "string",
        r'not enough arguments for format pattern "ab%scd%sef"|expected an error',
    ),
    ("a list that contains itself: text, equality to itself", "misc", r"\.\.\.|maximum recursion"),
    ("%g has other thresholds", "float", r"1000000\.0"),
    ("%i does not exist", "int", r"unsupported format character .i."),
    ("a frozen value refuses every mutating method", "(dict|set)", "trying to mutate a frozen"),
    ("an unhashable value is an error for `in`", "builtins?", "unhashable type: 'list'"),
    ("chr, ord, elem_ords, codepoints do not exist", "string", "name '(chr|ord)' is not defined"),
    ("bytes literals do not exist", "bytes", "syntax error at 'b'"),
    ("while does not exist", "while", "syntax error at 'while'"),
    ("lambda in the condition of a comprehension needs parentheses", "list", "syntax error at 'lambda'"),
    ("modules json, math, proto, time to be loaded", "(json|math|proto|time)", "cannot load"),
    ("that implementation's test values", "(control|struct)", "name '(fibonacci|gensym)' is not defined"),
    ("assert is a reserved word", "(assign|module)", "syntax error at '(=|assert)'"),
)


def suite_files(name: str) -> list[Path]:
    pattern = DIRECTORIES[name]
    return sorted(
        path
        for path in Path(SUITES or ".").rglob("*.star")
        if any(path.parent.match(pattern + deeper) for deeper in ("", "/go", "/java", "/rust"))
        and (name != "starlark" or path.parent.parent.parent.name == "test_suite")
        and not path.name.startswith("bench")
    )


def failures_of(chunk: chunked.Chunk, path: Path) -> list[str]:
    return chunked.run_chunk(chunk, path.name, Dialect.PLAIN, Semantics(), {})


def cause_of(path: Path, failures: list[str]) -> str:
    """The cause of all the failures of a chunk, or ""."""
    for cause, name, message in CAUSES:
        if re.fullmatch(name, path.stem) and all(re.search(message, failure) for failure in failures):
            return cause
    return ""


@pytest.mark.skipif(SUITES is None, reason="BAZEL2NINJA_STARLARK_SUITES names no directory with conformance suites")
@pytest.mark.parametrize("name", DIRECTORIES)
def test_a_suite(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    files = suite_files(name)
    if not files:
        pytest.skip(f"BAZEL2NINJA_STARLARK_SUITES has nothing of {name}")
    found: Counter[str] = Counter()
    unexplained = []
    for path in files:
        for chunk in chunked.split_chunks(decode(path.read_bytes())):
            if not failures_of(chunk, path):
                found["passed"] += 1
                continue
            with monkeypatch.context() as patch:
                patch.setattr(chunked, "matches", lambda pattern, message: True)
                failures = failures_of(chunk, path)
            cause = cause_of(path, failures) if failures else "other words"
            found[cause] += 1
            if not cause:
                unexplained.append((str(path), chunk.first_line, failures))
    for cause, count in found.most_common():
        print(f"{name}: {count:4} {cause}")
    assert unexplained == []
    assert found["passed"] > 30


def test_a_cause_explains_only_its_own_failures() -> None:
    assert cause_of(Path("while.star"), ["x:1: error: syntax error at 'while'"]) == "while does not exist"
    assert cause_of(Path("while.star"), ["x:1: error: syntax error at 'while'", "x:2: 1 != 2"]) == ""
    assert cause_of(Path("other.star"), ["x:1: error: syntax error at 'while'"]) == ""

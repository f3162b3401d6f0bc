"""What the specification of Starlark has and no release of Bazel: only for files that name no release."""

from __future__ import annotations

import pytest

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.starlark import Dialect, Semantics, Thread, compile_source, execute


def run(text: str, semantics: Semantics) -> object:
    program = compile_source(text.encode(), "f.bzl", dialect=Dialect.BZL, semantics=semantics, predeclared=frozenset())
    return execute(program, Thread(semantics), {}, lambda name, where: {}).get("x")


@pytest.mark.parametrize(
    ("expression", "value", "message"),
    [
        (r'"\x41"', "A", r"invalid escape sequence: \x. Use '\\' to insert '\'."),
        (r'"\u00e4"', "ä", r"invalid escape sequence: \u. Use '\\' to insert '\'."),
        (r'"\U0001f600"', "😀", r"invalid escape sequence: \U. Use '\\' to insert '\'."),
        ('"%c" % 65', "A", 'unsupported format character "c" at index 1 in "%c"'),
        ('"%s%c" % ("a", "b")', "ab", 'unsupported format character "c" at index 3 in "%s%c"'),
        ('" a  b ".split()', ["a", "b"], "split() missing 1 required positional argument: sep"),
        ('" a  b ".rsplit(maxsplit = 1)', [" a", "b"], "rsplit() missing 1 required positional argument: sep"),
        ('"a,b".split(",")', ["a", "b"], None),
    ],
)
def test_specified_strings(expression: str, value: object, message: str | None) -> None:
    assert run(f"x = {expression}", Semantics.tolerant()) == value
    for release in ("4.2.3", "7.7.1", "9.0.0"):
        if message is None:
            assert run(f"x = {expression}", Semantics.for_bazel(release)) == value
            continue
        with pytest.raises(WorkspaceError) as caught:
            run(f"x = {expression}", Semantics.for_bazel(release))
        assert message in caught.value.diagnostic.message


@pytest.mark.parametrize("growth", ["x = x + x", "x += x", "x.extend(x[:])"])
def test_a_list_has_a_limit(growth: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bazel2ninja.starlark.values._SIZE_LIMIT", 1000)
    with pytest.raises(WorkspaceError) as caught:
        run(f'def f():\n    x = ["a"]\n    for _ in range(60):\n        {growth}\nx = f()\n', Semantics())
    assert caught.value.diagnostic.message == "excessive capacity requested (512 + 512 elements)"
    assert str(caught.value.diagnostic.location).startswith("f.bzl:4:")

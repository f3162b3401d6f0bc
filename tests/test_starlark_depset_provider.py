"""Depsets and providers."""

from __future__ import annotations

import pytest

from bazel2ninja.analysis.depset import ORDERS, Depset, depset
from bazel2ninja.analysis.provider import Provider, provider
from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.starlark import Dialect, EvalError, List, Semantics, Thread, compile_source, execute, to_repr

NAMES = {"depset": depset, "provider": provider}


def run(text: str, semantics: Semantics | None = None) -> dict:
    chosen = semantics or Semantics()
    program = compile_source(text.encode(), "t", dialect=Dialect.PLAIN, semantics=chosen, predeclared=NAMES)
    return execute(program, Thread(chosen), NAMES, lambda name, where: {}).globals


def diamond(order: str) -> tuple:
    shared = Depset(["a"], (), order)
    return Depset(["d"], [Depset(["b"], [shared], order), Depset(["c"], [shared], order)], order).flatten()


@pytest.mark.parametrize(
    ("order", "expected"),
    [("default", "abcd"), ("postorder", "abcd"), ("preorder", "dbac"), ("topological", "dbca")],
)
def test_orders(order: str, expected: str) -> None:
    assert diamond(order) == tuple(expected)
    assert order in ORDERS


def test_a_depset_that_adds_nothing_is_its_only_part() -> None:
    shared = Depset(["shared"], (), "topological")
    other = Depset(["other"], (), "topological")
    shell = Depset([], [Depset([], [shared], "topological")], "topological")
    assert Depset(["top"], [shell, other, shared], "topological").flatten() == ("top", "shared", "other")


@pytest.mark.slow
def test_a_long_chain_of_depsets() -> None:
    for order in ORDERS:
        length = 100_000 if order == "default" else 10_000
        chain = Depset([0], (), order)
        for i in range(1, length):
            chain = Depset([i], [chain], order)
        assert sorted(chain.flatten()) == list(range(length))
        assert len(chain.to_list()) == length


def test_equal_elements_count_once_and_true_is_not_one() -> None:
    assert Depset([1, 2, 1], [Depset([2, 3])]).flatten() == (2, 3, 1)
    assert Depset([1, True, 1.0]).flatten() == (1, True)
    assert [to_repr(v) for v in Depset([(1,), (True,), (1.0,)]).flatten()] == ["(1,)", "(True,)"]
    flat = Depset(["a"], [Depset(["b"])])
    assert flat.flatten() is flat.flatten()
    assert isinstance(flat.to_list(), List)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("depset([[]])", "depset elements must not be mutable values: list"),
        ("depset([([],)])", "unhashable type: 'list'"),
        ("depset([1, 'a'])", "cannot add an item of type 'string' to a depset of 'int'"),
        ("depset([1], order = 'odd')", "Invalid order: odd"),
        ("depset(order = 'preorder', transitive = [depset([1], order = 'postorder')])", "is incompatible with order"),
        ("depset(transitive = [1])", "at index 0 of transitive, got element of type int, want depset"),
        ("[x for x in depset([1])]", "type 'depset' is not iterable"),
        ("depset([1]) + depset([2])", r"unsupported binary operation: depset \+ depset"),
        ("depset('abc')", "parameter 'direct' got value of type 'string'"),
    ],
)
def test_depset_errors(text: str, message: str) -> None:
    with pytest.raises(WorkspaceError, match=message):
        run(text)


def test_a_provider_with_frozen_lists_is_an_element() -> None:
    """As in Bazel, whose structs are immutable when what they hold is; until then it is an error."""
    made = run("P = provider()\np = P(files = ['a'], flags = {'k': ['v']}, n = P(deep = [['x']]))\nd = [p, p]")
    assert depset(made["d"]).flatten() == (made["p"],)
    with pytest.raises(WorkspaceError, match="unhashable type: 'struct'"):
        run("P = provider()\ndepset([P(files = ['a'])])")


def test_old_depset_operators() -> None:
    text = "x = list(depset([1]) + [2] | depset([3]))\ny = 2 in depset([2])\nz = depset(['a']).union(['b']).to_list()\n"
    assert run(text, Semantics.for_bazel("0.19.0")) == {"x": [1, 2, 3], "y": True, "z": ["a", "b"]}


def test_depset_text_and_truth() -> None:
    assert run("x = str(depset(['a'], order = 'preorder'))\ny = [bool(depset()), bool(depset([1]))]\n") == {
        "x": 'depset(["a"], order = "preorder")',
        "y": [False, True],
    }


def test_providers() -> None:
    info = Provider("FooInfo", ("x", "y"))
    assert info(x=1) == info(x=1)
    assert info(x=1) != info(x=2)
    assert info(x=1) != Provider("FooInfo", ("x", "y"))(x=1)
    assert len({info(x=1), info(x=1)}) == 1
    assert info(x=1).provider is info
    assert to_repr(info(y=2, x="a")) == 'FooInfo(x = "a", y = 2)'
    with pytest.raises(EvalError, match="got unexpected field 'z'") as caught:
        info(z=1)
    assert caught.value.diagnostic.help is None
    with pytest.raises(EvalError, match="unexpected positional arguments"):
        info(1)


def test_provider_init() -> None:
    text = """
def _init(x, y = 2):
    return {"x": x, "y": y}

Info, raw = provider(fields = ["x", "y"], init = _init)
a = Info(1)
b = raw(x = 5)
c = [a.x, a.y, b.x, hasattr(b, "y")]
"""
    assert run(text)["c"] == [1, 2, 5, False]
    with pytest.raises(WorkspaceError, match="got list for provider initializer callback"):
        run("P, raw = provider(init = lambda: [])\nP()")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("P(b = 3)", r"_init\(\) got unexpected keyword argument 'b'"),
        ("P()", r"_init\(\) missing 1 required positional argument: a"),
        ("P(1, 2)", r"_init\(\) accepts no more than 1 positional argument but got 2"),
        ("Native(nope = 1)", r"Native\(\) got unexpected keyword argument 'nope'"),
        ("Native(1)", r"Native\(\) does not accept positional arguments, but got 1"),
    ],
)
def test_arguments_that_an_initializer_does_not_take(call: str, message: str) -> None:
    def native(*, files: object = None) -> dict[str, object]:
        return {"files": files}

    names = {**NAMES, "Native": Provider("Native", ("files",), native)}
    text = f"def _init(a):\n    return {{'a': a}}\nP, raw = provider(init = _init)\n{call}\n"
    program = compile_source(text.encode(), "t", dialect=Dialect.PLAIN, semantics=Semantics(), predeclared=names)
    with pytest.raises(WorkspaceError, match=message) as caught:
        execute(program, Thread(Semantics()), names, lambda name, where: {})
    assert str(caught.value.diagnostic.location).startswith("t:4:")


def test_provider_errors() -> None:
    with pytest.raises(WorkspaceError, match="has no field or method 'nope'"):
        run("P = provider()\nP(a = 1).nope")
    with pytest.raises(WorkspaceError, match="at index 0 of fields, got element of type int, want string"):
        run("P = provider(fields = [1])")

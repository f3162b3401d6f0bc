"""Lifting literal arguments out of a text changes nothing that a program or its author can see."""

from __future__ import annotations

import random
import time

import pytest

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.starlark import Dialect, Semantics, Thread, builtin, caller_location, compile_source, execute, to_repr
from bazel2ninja.starlark import program as program_module
from bazel2ninja.starlark.literal_calls import lift


def outcome(text: str, lifting: bool, monkeypatch: pytest.MonkeyPatch) -> object:
    """What a BUILD file does, call by call with its place, or all that is wrong with it."""
    calls: list[object] = []

    @builtin("rule")
    def rule(*args: object, **kwargs: object) -> None:
        calls.append((caller_location(), to_repr(args), [(name, to_repr(value)) for name, value in kwargs.items()]))

    names = {"rule": rule, "x": 1, "y": 2}
    with monkeypatch.context() as patch:
        if not lifting:
            patch.setattr(program_module, "lift", lambda text: (text, {}))
        try:
            program = compile_source(
                text.encode(), "BUILD", dialect=Dialect.BUILD, semantics=Semantics(), predeclared=names
            )
            module = execute(program, Thread(), names, lambda name, where: {"a": 1, "b": 2})
        except WorkspaceError as problem:
            return [(d.location, d.message, d.help, d.frames) for d in problem.diagnostics]
    return calls, to_repr(tuple(module.all_globals().items()))


PIECES = [
    'rule(name = "a", srcs = ["b", "c"], n = 3, on = True, off = False, no = None)',
    "rule(\n    name = 'a',  # a \"comment\n    srcs = [\n        'b',  # b\n        \"c\",\n    ],\n)",
    'rule(\n    name = "a",\n    srcs = [],\n    deps = ["b"] + [x],\n    copts = ["c"],\n)',
    'rule(name = "a", text = """\nrule(name = "inner")\n""")',
    'rule(name = "a", text = """one\ntwo""", y = y)',
    'rule(name = "a", text = "b\\n", z = 1)',
    'rule(name = "a" "b")',
    'rule(name = "a", name = "b")',
    'rule(name = "a", b = x, name = "c")',
    'rule(name = "a", "b")',
    'rule(name = "a", *[x])',
    'rule(name = "a", **{"b": "c"})',
    'rule("a", name = "b")',
    'rule(class = "a")',
    'rule(name = "a", __debug__ = 1)',
    'rule(name = "a", number = 007)',
    'rule(name = "a", number = 1_000)',
    'rule(name = "a", number = 0x10, next = 1)',
    'rule(name = "a", number = 1.5)',
    'rule(name = "a", number = 12345678901234567890)',
    'rule(name = r"a", srcs = [r"b"])',
    'rule(name = "a",,)',
    'rule(name = "a"',
    'rule(name = "a"))',
    "rule(name = 'a', text = '''b''')",
    'rule(name = "", text = \'"\', list = ["\'", "#", "]", ",", ""])',
    'rule(\n    name = "a"\n)',
    'rule(name = ["a" "b"])',
    'rule(name = ["a",, "b"])',
    'rule(name = ["a", "b",], more = ["c"],)',
    'rule(\n\tname = "a",\n\f\tsrcs = [],\n)',
    'nothing(name = "a")',
    'not(name = "a")',
    'load(name = "a")',
    'load("m", "a", b = "b")',
    'rule(name = "a")(name = "b")',
    'rule(name = "a").field(name = "b")',
    '(\nrule(name = "a")\n)',
    '(x.\nrule(name = "a"))',
    'def f(name = "a"): pass',
    'def \\\nf(name = "a"):\n    pass',
    '[rule(name = "a", n = i) for i in [1, 2]]',
    'z = [\nrule(name = "a", srcs = ["b"]) for i in [1, 2]\n]',
    'rule(name = "a", äöü = "b")',
    'rule(name = "ä", srcs = ["b"], c = nope)',
    '"""\nrule(name = "a")\n"""',
    '# rule(name = "a\n',
    "x = 'it''s'",
    'rule = "unclosed',
    'y = f"{[" + "]}"',
    'rule(name = "a",\n     srcs = ["b"], other = rule(name = "c"))',
    'rule(name = "a" , b = lambda: 1)',
    'rule(name = "a"); rule(name = "b")',
    'rule(name = "a") if x else rule(name = "b")',
    'rule(name = "a") = x',
    'rule(name = "a") + x',
    'rule (name = "a")',
    'rule(name = "a"\\\n, b = "c")',
    "rule(name = True)",
    "rule(name = Truest)",
    'rule(name = "a", b = "c" + "d")',
    'rule(name = "a", b = ["c"][0])',
    'rule(name = "a", b = "c".upper())',
    'rule(name = "a", b = "c" if x else "d")',
    'rule(name = "a" for i in [])',
]


@pytest.mark.parametrize("piece", PIECES)
def test_each_piece_means_the_same(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in (f"\n{piece}\n", f'\n{piece}\nrule(name = "after", n = nope)\n', f'\nrule(name = "before")\n{piece}'):
        assert outcome(text, True, monkeypatch) == outcome(text, False, monkeypatch)


@pytest.mark.parametrize("seed", range(150))
def test_files_of_random_pieces_mean_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    text = "\n" + "\n".join(chance.choice(PIECES) for _ in range(chance.randrange(1, 6))) + "\n"
    if seed % 3 == 0:  # damage it
        at = chance.randrange(len(text))
        text = text[:at] + chance.choice("\"'#()[],\\\n") + text[at + chance.randrange(2) :]
    assert outcome(text, True, monkeypatch) == outcome(text, False, monkeypatch)


def test_what_is_lifted() -> None:
    text = '\nrule(\n    name = "a",\n    srcs = ["b",\n      "c"],\n    deps = x,\n)\n'
    assert lift(text) == (
        "\nrule(\n\n\n           \n    deps = x,\n)\n",
        {2: ("name", "a", "srcs", ("b", "c"))},
    )


def test_a_list_is_new_in_each_call() -> None:
    made: list[list] = []

    @builtin("rule")
    def rule(srcs: list) -> None:
        srcs.append("c")
        made.append(srcs)

    text = b'z = [\nrule(srcs = ["b"]) for i in [1, 2]\n]\n'
    names = {"rule": rule}
    program = compile_source(text, "BUILD", dialect=Dialect.BUILD, semantics=Semantics(), predeclared=names)
    assert program.literals
    execute(program, Thread(), names, lambda name, where: {})
    assert made == [["b", "c"], ["b", "c"]]


@pytest.mark.parametrize(
    "text",
    [
        "\n" + "'" * 200_001,
        "\n" + "rule(" * 100_000,
        "\nrule(a = [" + '"b", ' * 100_000,
        "\nrule(a = " + "\n" * 200_000,
        "\nrule(a = [" + "# \n" * 100_000,
        "\n\\" * 100_000,
        '\nrule(a = """' + "\n" * 200_000,
        '"\\' * 100_000,
    ],
    ids=range(8),
)
def test_the_time_is_linear(text: str) -> None:
    start = time.process_time()
    lift(text)
    assert time.process_time() - start < 2

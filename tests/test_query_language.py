"""The syntax of query expressions."""

from __future__ import annotations

import pytest

from bazel2ninja.query.language import Call, Let, Operation, QuerySyntaxError, SetOf, Word, parse


def test_words_and_operators_associate_to_the_left() -> None:
    tree = parse("//a:all + //b - //c")
    # "-" followed by a blank is the operator; inside a word it is part of it
    assert tree == Operation("except", Operation("union", Word("//a:all", 1), Word("//b", 11)), Word("//c", 17))
    assert parse("//a-b:c-d") == Word("//a-b:c-d", 1)


def test_functions_take_words_expressions_and_depths() -> None:
    tree = parse("kind('cc_.* rule', deps(//a, 2))")
    assert tree == Call("kind", ("cc_.* rule", Call("deps", (Word("//a", 25), 2), 20)), 1)


def test_let_and_set() -> None:
    tree = parse("let v = set(//a //b) in $v except //a")
    assert tree == Let(
        "v", SetOf((Word("//a", 13), Word("//b", 17))), Operation("except", Word("$v", 25), Word("//a", 35))
    )


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "the query is empty"),
        ("deps(//a", 9, "unexpected end of the query"),
        ("dep(//a)", 1, "unknown query function 'dep'"),
        ("deps(//a, x)", 11, "expected an integer"),
        ("//a //b", 5, "unexpected '//b'"),
        ("//a + ", 7, "unexpected end"),
        ("kind('x", 6, "unclosed quotation"),
        ("somepath(//a)", 13, "expected ','"),
    ],
)
def test_errors_name_the_column(text: str, column: int, message: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text)
    assert message in caught.value.diagnostic.message
    assert caught.value.diagnostic.location is not None
    assert caught.value.diagnostic.location.column == column
    assert caught.value.status == 2


def test_a_misspelt_function_gets_a_suggestion() -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse("rdep(//a, //b)")
    assert caught.value.diagnostic.help == "did you mean 'rdeps'?"

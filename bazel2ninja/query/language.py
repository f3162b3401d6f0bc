"""The syntax of query expressions, https://bazel.build/query/language#grammar."""

from __future__ import annotations

import re

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError, suggestion
from bazel2ninja.records import dataclass

# name -> kinds of its arguments: e expression, w word, i integer, v any number of words; "?" starts the optional ones
FUNCTIONS = {
    "allpaths": "ee",
    "allrdeps": "e?i",
    "attr": "wwe",
    "buildfiles": "e",
    "deps": "e?i",
    "executables": "e",
    "filter": "we",
    "kind": "we",
    "labels": "we",
    "loadfiles": "e",
    "rbuildfiles": "v",
    "rdeps": "ee?i",
    "same_pkg_direct_rdeps": "e",
    "siblings": "e",
    "some": "e?i",
    "somepath": "ee",
    "tests": "e",
    "visible": "ee",
}

_OPERATORS = {
    "+": "union",
    "-": "except",
    "^": "intersect",
    "union": "union",
    "except": "except",
    "intersect": "intersect",
}
_RESERVED = frozenset(_OPERATORS) | {"let", "in", "set", "(", ")", ",", "="}

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<quoted>"[^"]*"|'[^']*')
      | (?P<punctuation>[()=,+^]|-(?=\s|\())
      | (?P<word>[^\s()"'=,+^]+)
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Word:
    """A target pattern, or "$name" of a variable."""

    text: str
    column: int


@dataclass(frozen=True, slots=True)
class Operation:
    """left OPERATOR right; operator is "union", "except" or "intersect"."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Let:
    """let name = value in body."""

    name: str
    value: Expression
    body: Expression


@dataclass(frozen=True, slots=True)
class SetOf:
    """set(a b c)."""

    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """function(arguments): expressions, texts (str) and integers."""

    function: str
    arguments: tuple[Expression | str | int, ...]
    column: int


Expression = Word | Operation | Let | SetOf | Call


class QuerySyntaxError(WorkspaceError):
    """The expression is malformed; it is the command line that is wrong."""

    status = 2


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    column: int
    quoted: bool


class _Parser:
    def __init__(self, text: str):
        self.text = text
        self.tokens: list[_Token] = []
        self.position = 0
        place = 0
        while text[place:].strip():
            match = _TOKEN.match(text, place)
            if match is None:
                raise self.error("unclosed quotation", place + 1)
            kind = match.lastgroup or ""
            word = match[kind]
            column = match.start(kind) + 1
            quoted = kind == "quoted"
            self.tokens.append(_Token(word[1:-1] if quoted else word, column, quoted))
            place = match.end()

    def error(self, message: str, column: int, help: str | None = None) -> QuerySyntaxError:
        return QuerySyntaxError(Diagnostic(message, Location("<query>", 1, column), help=help))

    def peek(self) -> str | None:
        """The next unquoted token's text, None at the end or before a quoted one."""
        if self.position == len(self.tokens) or self.tokens[self.position].quoted:
            return None
        return self.tokens[self.position].text

    def take(self, expected: str | None = None) -> _Token:
        if self.position == len(self.tokens):
            raise self.error(
                f"unexpected end of the query{f', expected {expected!r}' if expected else ''}", len(self.text) + 1
            )
        token = self.tokens[self.position]
        if expected is not None and (token.quoted or token.text != expected):
            raise self.error(f"expected {expected!r}, got {token.text!r}", token.column)
        self.position += 1
        return token

    def expression(self) -> Expression:
        left = self.primary()
        while (operator := self.peek()) in _OPERATORS:
            self.take()
            assert operator is not None
            left = Operation(_OPERATORS[operator], left, self.primary())
        return left

    def word(self) -> Word:
        token = self.take()
        if not token.quoted and token.text in _RESERVED:
            raise self.error(f"expected a target pattern, got {token.text!r}", token.column)
        return Word(token.text, token.column)

    def primary(self) -> Expression:
        head = self.peek()
        if head == "(":
            self.take()
            inner = self.expression()
            self.take(")")
            return inner
        if head == "let":
            self.take()
            name = self.word().text
            self.take("=")
            value = self.expression()
            self.take("in")
            return Let(name, value, self.expression())
        if head == "set" and self.next_is_parenthesis():
            self.take()
            self.take("(")
            words = []
            while self.peek() != ")":
                words.append(self.word())
            self.take(")")
            return SetOf(tuple(words))
        if head is not None and self.next_is_parenthesis():
            return self.call()
        return self.word()

    def next_is_parenthesis(self) -> bool:
        after = self.position + 1
        return after < len(self.tokens) and not self.tokens[after].quoted and self.tokens[after].text == "("

    def call(self) -> Call:
        token = self.take()
        kinds = FUNCTIONS.get(token.text)
        if kinds is None:
            raise self.error(f"unknown query function {token.text!r}", token.column, suggestion(token.text, FUNCTIONS))
        self.take("(")
        arguments: list[Expression | str | int] = []
        optional = False
        for kind in kinds:
            if kind == "?":
                optional = True
                continue
            if optional and self.peek() == ")":
                break
            if kind == "v":
                arguments.append(self.word().text)
                while self.peek() == ",":
                    self.take()
                    arguments.append(self.word().text)
                break
            if arguments:
                self.take(",")
            arguments.append(self.argument(kind))
        self.take(")")
        return Call(token.text, tuple(arguments), token.column)

    def argument(self, kind: str) -> Expression | str | int:
        if kind == "e":
            return self.expression()
        if kind == "w":
            return self.word().text
        token = self.take()
        if not token.text.isdecimal():
            raise self.error(f"expected an integer, got {token.text!r}", token.column)
        return int(token.text)


def parse(text: str) -> Expression:
    """The expression that `text` spells; raises QuerySyntaxError with the column."""
    parser = _Parser(text)
    if not parser.tokens:
        raise parser.error("the query is empty", 1)
    expression = parser.expression()
    if parser.position < len(parser.tokens):
        token = parser.tokens[parser.position]
        raise parser.error(f"unexpected {token.text!r} after the expression", token.column)
    return expression

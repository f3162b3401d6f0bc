"""Operators as Python's own, guarded by type checks where the languages differ, with the helper functions as the rest.

Only code inside functions is treated so: a file's top level runs once, and the shorter form compiles faster.  Guards
repeat their operands, so these must be names or constants; others go through hidden variables (`%3 := ...`), which
Python does not allow in the clauses of a comprehension.
"""

# Starlark values are Any: their types are checked when the program runs.
# mypy: disable-error-code="no-any-return,type-arg"
from __future__ import annotations

import ast
from collections.abc import Collection
from itertools import groupby
from typing import Any

from .expressions import Expressions
from .strings import METHOD_NAMES, NATIVE_METHODS

_LOAD = ast.Load()
_STORE = ast.Store()
_NEVER_BOOL = frozenset({"%list", "%dict", "%display", "%dictcomp", "%slice", "%add", "%sub", "%mul", "%mod", "%text"})
_COMPARISONS = {ast.Eq: "%eq", ast.NotEq: "%ne", ast.Lt: "%lt", ast.LtE: "%le", ast.Gt: "%gt", ast.GtE: "%ge"}
_FORMAT_LIMIT = 20  # arguments of a % operation that is written out


def _simple(node: Any) -> bool:
    return node.__class__ is ast.Name or node.__class__ is ast.Constant


class InlineOperators(Expressions):
    """Rewrites the operators."""

    ints: Collection[str] = frozenset()  # local variables that only hold integers
    plain: Collection[str] = frozenset()  # local variables that never hold a boolean
    comprehensions = 0  # how many comprehensions enclose the current expression
    temporaries = 0

    def comprehension(self, node: Any, parts: Any) -> None:
        self.comprehensions += 1
        super().comprehension(node, parts)
        self.comprehensions -= 1

    def never_bool(self, node: Any) -> bool:
        """Whether a rewritten expression cannot be a boolean."""
        kind = node.__class__
        if kind is ast.Constant:
            return node.value is not True and node.value is not False
        if kind is ast.Name:
            return node.id in self.plain
        if kind is ast.Call:
            return node.func.__class__ is ast.Name and node.func.id in _NEVER_BOOL
        return kind is ast.Tuple or kind is ast.BinOp or kind is ast.JoinedStr or getattr(node, "never_bool", False)

    def is_int(self, node: Any) -> bool:
        """Whether a rewritten expression is an integer for certain."""
        return (node.__class__ is ast.Constant and node.value.__class__ is int) or (
            node.__class__ is ast.Name and node.id in self.ints
        )

    def _at(self, node: Any, made: Any) -> Any:
        return self.place(made, node)

    def temporary(self, at: Any) -> tuple[Any, Any]:
        """A new hidden variable: (store, load)."""
        self.temporaries += 1
        name = f"%{self.temporaries}"
        return self._at(at, ast.Name(name, _STORE)), self._at(at, ast.Name(name, _LOAD))

    def _operands(self, left: Any, right: Any) -> tuple[Any, Any, Any, Any, bool] | None:
        """(first use of left, later use, first use of right, later use, right comes first) for a guard, or None."""
        if _simple(left):
            if _simple(right):
                return left, left, right, right, False
            if self.comprehensions:
                return None
            store, load = self.temporary(right)
            return left, left, self._at(right, ast.NamedExpr(store, right)), load, True
        if _simple(right) and not self.comprehensions:
            store, load = self.temporary(left)
            return self._at(left, ast.NamedExpr(store, left)), load, right, right, False
        return None

    def _is(self, value: Any, other: Any, at: Any, negated: bool = False) -> Any:
        return self._at(at, ast.Compare(value, [ast.IsNot() if negated else ast.Is()], [other]))

    def _not_bool(self, value: Any, again: Any, at: Any) -> list:
        """Tests that a value is neither True nor False."""
        true, false = self._at(at, ast.Constant(True)), self._at(at, ast.Constant(False))
        return [self._is(value, true, at, negated=True), self._is(again, false, at, negated=True)]

    def _key_test(self, key: Any, at: Any) -> Any:
        """A test that a variable or constant is a key as Python's dict takes it; None where it is one for certain."""
        if self.is_int(key) or (key.__class__ is ast.Constant and key.value.__class__ is str):
            return None
        kinds = [self._has_type(key, kind, at) for kind in ("%str", "%int")]
        return self._at(at, ast.BoolOp(ast.Or(), kinds))

    def _has_type(self, value: Any, name: str, at: Any) -> Any:
        return self._is(self.helper("%type", [value], at), self._at(at, ast.Name(name, _LOAD)), at)

    def _all(self, tests: list, at: Any) -> Any:
        return tests[0] if len(tests) == 1 else self._at(at, ast.BoolOp(ast.And(), tests))

    def _choice(self, test: Any, body: Any, orelse: Any, at: Any) -> Any:
        return self._at(at, ast.IfExp(test, body, orelse))

    def binary_operation(self, node: Any, left: Any, right: Any) -> Any:
        if left.__class__ is ast.Constant and left.value.__class__ is str and node.op.__class__ is ast.Mod:
            formatted = self._format(node, left.value, right)
            if formatted is not None:
                return formatted
        operator = node.op.__class__
        if operator is ast.Add or operator is ast.Sub:
            if self.never_bool(left) and self.never_bool(right):
                node.left, node.right = left, right
                return node
            return self._guarded_sum(node, left, right)
        if self.functions and operator in (ast.Mult, ast.Mod, ast.FloorDiv):
            if operator is ast.Mult and self.is_int(left) and self.is_int(right):
                node.left, node.right = left, right
                return node
            return self._guarded_int(node, left, right)
        return super().binary_operation(node, left, right)

    def _guarded_sum(self, node: Any, left: Any, right: Any) -> Any:
        """a + b or a - b, where a boolean operand is replaced by one that refuses all operators."""
        if not self.functions:
            return super().binary_operation(node, left, right)
        for side in (left, right):
            if self.comprehensions and not _simple(side) and not self.never_bool(side):
                return super().binary_operation(node, left, right)
        node.left, node.right = self._no_bool(left), self._no_bool(right)
        return node

    def _no_bool(self, value: Any) -> Any:
        if self.never_bool(value):
            return value
        if _simple(value):
            first = again = value
        else:
            store, again = self.temporary(value)
            first = self._at(value, ast.NamedExpr(store, value))
        test = self._all(self._not_bool(first, again, value), value)
        return self._choice(test, again, self.helper("%boolean", [again], value), value)

    def _guarded_int(self, node: Any, left: Any, right: Any) -> Any:
        operands = self._operands(left, right)
        if operands is None:
            return super().binary_operation(node, left, right)
        left_first, left_again, right_first, right_again, right_leads = operands
        left_test = self._has_type(left_first, "%int", node)
        right_test = self._has_type(right_first, "%int", node)
        tests = [right_test, left_test] if right_leads else [left_test, right_test]
        if node.op.__class__ is not ast.Mult:
            tests.append(right_again)
        other = super().binary_operation(node, left_again, right_again)
        body = self._at(node, ast.BinOp(left_again, node.op, right_again))
        result = self._choice(self._all(tests, node), body, other, node)
        result.never_bool = True
        return result

    def _format(self, node: Any, template: str, right: Any) -> Any:
        """The f-string for a % operation with a constant template of %s and %d, or None."""
        pieces = _verbs(template)
        if pieces is None:
            return None
        verbs = [piece for piece in pieces if piece in ("%s", "%d")]
        if right.__class__ is ast.Tuple:
            if len(verbs) != len(right.elts) or len(verbs) > _FORMAT_LIMIT:
                return None
            return self._joined(node, pieces, [self._text(v, e) for v, e in zip(verbs, right.elts, strict=True)])
        if len(verbs) != 1 or not self.functions:
            return None
        if _simple(right):
            first = again = right
        elif self.comprehensions:
            return None
        else:
            store, again = self.temporary(right)
            first = self._at(right, ast.NamedExpr(store, right))
        if verbs == ["%d"]:
            test: Any = self._has_type(first, "%int", node)
        else:
            test = self._has_type(first, "%str", node)
        other = self.helper("%mod", [self._at(node, ast.Constant(template)), again], node)
        result = self._choice(test, self._joined(node, pieces, [again]), other, node)
        result.never_bool = True
        return result

    def _joined(self, node: Any, pieces: list[str], values: list) -> Any:
        source = iter(values)
        parts: list[Any] = []
        for is_text, group in groupby(pieces, lambda piece: piece not in ("%s", "%d")):
            if is_text:
                text = "".join("%" if piece == "%%" else piece for piece in group)
                parts.append(self._at(node, ast.Constant(text)))
            else:
                parts.extend(self._at(node, ast.FormattedValue(next(source), -1, None)) for _ in group)
        return self._at(node, ast.JoinedStr(parts))

    def _text(self, verb: str, value: Any) -> Any:
        if value.__class__ is ast.Constant and value.value.__class__ is str and verb == "%s":
            return value
        if value.__class__ is ast.Name and self.functions:
            wanted = [self._has_type(value, "%int", value)]
            if verb == "%s":
                wanted.insert(0, self._has_type(value, "%str", value))
            test = wanted[0] if len(wanted) == 1 else self._at(value, ast.BoolOp(ast.Or(), wanted))
            return self._choice(
                test, value, self.helper("%text" if verb == "%s" else "%decimal", [value], value), value
            )
        return self.helper("%text" if verb == "%s" else "%decimal", [value], value)

    def comparison(self, node: Any) -> Any:
        if len(node.ops) > 1:
            return super().comparison(node)
        operator = node.ops[0].__class__
        left, right = self.expression(node.left), self.expression(node.comparators[0])
        node.left, node.comparators = left, [right]
        if operator is ast.Eq or operator is ast.NotEq:
            for side in (left, right):
                if side.__class__ is ast.Constant and (
                    side.value is None
                    or side.value.__class__ is str
                    or (side.value.__class__ is int and side.value > 1)
                ):
                    return node
            if self.is_int(left) and self.is_int(right):
                return node
            if self.functions:
                return self._equality(node, left, right)
        elif operator in _COMPARISONS:
            if self.functions:
                return self._order(node, left, right)
        elif operator in (ast.In, ast.NotIn):
            if left.__class__ is ast.Constant and left.value.__class__ is str:
                return node
            if self.functions and _simple(left) and _simple(right):
                return self._membership(node, left, right)
        return self.compare_helper(node, operator, left, right)

    def _equality(self, node: Any, left: Any, right: Any) -> Any:
        operands = self._operands(left, right)
        if operands is None:
            return self.compare_helper(node, node.ops[0].__class__, left, right)
        left_first, a, right_first, b, _ = operands
        identical = self._is(left_first, right_first, node)
        equal = self._at(node, ast.Compare(a, [ast.Eq()], [b]))
        tests = [self._has_type(side, "%int", node) for side in (a, b) if not self.is_int(side)]
        same = [self._all(tests, node), self._has_type(a, "%str", node), self.helper("%same", [a, b], node)]
        nan = self._all([self._has_type(a, "%float", node), self.helper("%eq", [a, b], node)], node)
        result = self._choice(equal, self._at(node, ast.BoolOp(ast.Or(), same)), nan, node)
        result = self._at(node, ast.BoolOp(ast.Or(), [identical, result]))
        if node.ops[0].__class__ is ast.NotEq:
            return self._at(node, ast.UnaryOp(ast.Not(), result))
        return result

    def _order(self, node: Any, left: Any, right: Any) -> Any:
        operands = self._operands(left, right)
        operator = node.ops[0].__class__
        if operands is None:
            return self.compare_helper(node, operator, left, right)
        left_first, a, right_first, b, right_leads = operands
        tests = []
        for first, value in (
            ((right_first, right), (left_first, left))
            if right_leads
            else (
                (left_first, left),
                (right_first, right),
            )
        ):
            if not self.is_int(value):
                tests.append(self._has_type(first, "%int", node))
        other = self.compare_helper(node, operator, a, b)
        body = self._at(node, ast.Compare(a, node.ops, [b]))
        return self._choice(self._all(tests, node), body, other, node) if tests else body

    def _membership(self, node: Any, a: Any, b: Any) -> Any:
        """Python's `in` for a string on the left, and for integers in a mutable dict other than the ones that equal
        booleans."""
        operator = node.ops[0].__class__
        zero, one = self._at(node, ast.Constant(0)), self._at(node, ast.Constant(1))
        outside = self._at(
            node,
            ast.BoolOp(
                ast.Or(),
                [self._at(node, ast.Compare(a, [ast.Gt()], [one])), self._at(node, ast.Compare(a, [ast.Lt()], [zero]))],
            ),
        )
        if self.is_int(a):
            test = self._all([self._has_type(b, "%dict", node), outside], node)
        else:
            number = self._all([self._has_type(a, "%int", node), self._has_type(b, "%dict", node), outside], node)
            test = self._at(node, ast.BoolOp(ast.Or(), [self._has_type(a, "%str", node), number]))
        return self._choice(test, node, self.compare_helper(node, operator, a, b), node)

    def subscript(self, node: Any) -> Any:
        index = node.slice
        if index.__class__ is ast.Slice:
            return super().subscript(node)
        value, index = self.expression(node.value), self.expression(index)
        if index.__class__ is ast.Constant and index.value.__class__ is str:
            node.value, node.slice = value, index
            return node
        if self.functions and _simple(value) and _simple(index) and value.__class__ is ast.Name:
            natural = self._at(node, ast.Subscript(value, index, _LOAD))
            test = self._key_test(index, node)
            if test is None:
                return natural
            return self._choice(test, natural, self.helper("%index", [value, index], node), node)
        return self.helper("%index", [value, index], node)

    def call(self, node: Any) -> Any:
        function = node.func
        if function.__class__ is not ast.Attribute or function.attr not in METHOD_NAMES:
            return super().call(node)
        name = function.attr
        result = super().call(node)
        if result is not node:
            return result
        receiver = result.args[0]
        if receiver.__class__ is ast.Constant and receiver.value.__class__ is str:
            result.func.id = "%s_" + name
            return result
        arguments = result.args[1:]
        if not (
            self.functions and receiver.__class__ is ast.Name and not result.keywords and all(map(_simple, arguments))
        ):
            return result
        if name in NATIVE_METHODS and all(a.__class__ is ast.Constant and a.value.__class__ is str for a in arguments):
            method = self._at(function, ast.Attribute(receiver, name, _LOAD))
            ours = self._at(node, ast.Call(method, arguments, []))
        else:
            ours = self.helper("%s_" + name, [receiver, *arguments], node)
        theirs = self._at(
            node, ast.Call(self._at(function, ast.Attribute(receiver, "s_" + name, _LOAD)), arguments, [])
        )
        return self._choice(self._has_type(receiver, "%str", node), ours, theirs, node)


def _verbs(template: str) -> list[str] | None:
    """The pieces of a % template: texts, "%s", "%d" and "%%"; None when it has other verbs."""
    pieces: list[str] = []
    start = 0
    while True:
        percent = template.find("%", start)
        if percent < 0:
            if start < len(template):
                pieces.append(template[start:])
            return pieces
        if percent > start:
            pieces.append(template[start:percent])
        verb = template[percent : percent + 2]
        if verb not in ("%s", "%d", "%%"):
            return None
        pieces.append(verb)
        start = percent + 2

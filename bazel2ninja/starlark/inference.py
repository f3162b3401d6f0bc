"""Which local variables of a function can only hold integers, and which no booleans.

The operators on them need no guards.  A variable counts when every assignment to it gives such a value; that is found
by assuming it of all and dropping those that some assignment disproves, until nothing changes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from typing import Any

_INT_CALLS = frozenset({"len", "int", "hash"})
_PLAIN_CALLS = _INT_CALLS | {"str", "float", "list", "dict", "tuple", "range", "sorted", "enumerate", "zip", "repr"}
_INT_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)


def infer(body: list[Any], names: Collection[str], is_builtin: Callable[[str], bool]) -> tuple[set[str], set[str]]:
    """(variables that are always int, variables that are never bool) among a function's local variables `names`.

    `is_builtin(name)` says whether a name means the universal function in this function.
    """
    if not any(map(_has_loop, body)):
        return set(), set()  # guards cost where they are repeated; looking for what makes them needless costs always
    bindings: dict[str, list[Any]] = {name: [] for name in names}
    for statement in body:
        _collect(statement, bindings)
    found = []
    for test in (_is_int, _is_plain):
        kept = set(bindings)
        while True:
            dropped = {name for name in kept if not _all_are(test, bindings[name], kept, is_builtin)}
            if not dropped:
                break
            kept -= dropped
        found.append(kept)
    if found[1]:
        inside = _bound_inside(body)  # other variables of the same names, in comprehensions and nested functions
        return found[0] - inside, found[1] - inside
    return found[0], found[1]


def _has_loop(node: Any) -> bool:
    kind = node.__class__
    return kind is ast.For or (kind is ast.If and (any(map(_has_loop, node.body)) or any(map(_has_loop, node.orelse))))


def _all_are(
    test: Callable[[Any, set[str], Callable[[str], bool]], bool],
    values: list[Any],
    kept: set[str],
    is_builtin: Callable[[str], bool],
) -> bool:
    return bool(values) and all(value is not None and test(value, kept, is_builtin) for value in values)


def _collect(node: Any, bindings: dict[str, list[Any]]) -> None:
    """Notes the values that a statement assigns; None for one that is not known."""
    kind = node.__class__
    if kind is ast.Assign:
        _bind(node.targets[0], node.value, bindings)
    elif kind is ast.AnnAssign:
        _bind(node.target, node.value, bindings)
    elif kind is ast.AugAssign:
        target = node.target
        if target.__class__ is ast.Name:
            _bind(target, ast.BinOp(ast.Name(target.id), node.op, node.value), bindings)
    elif kind is ast.For:
        _bind(node.target, _element(node.iter), bindings)
        for child in node.body:
            _collect(child, bindings)
    elif kind is ast.If:
        for child in (*node.body, *node.orelse):
            _collect(child, bindings)
    elif kind is ast.FunctionDef and node.name in bindings:
        bindings[node.name].append(None)


def _element(iterable: Any) -> Any:
    """An expression like the elements of range(...), or None."""
    if iterable.__class__ is ast.Call and iterable.func.__class__ is ast.Name and iterable.func.id == "range":
        return ast.Call(ast.Name("range element"), [iterable.func], [])
    return None


def _bind(target: Any, value: Any, bindings: dict[str, list[Any]]) -> None:
    if target.__class__ is ast.Name:
        if target.id in bindings:
            bindings[target.id].append(value)
    elif target.__class__ is ast.Tuple or target.__class__ is ast.List:
        values: list[Any] = [None] * len(target.elts)
        if value.__class__ is ast.Tuple and len(value.elts) == len(target.elts):
            values = value.elts
        for each, item in zip(target.elts, values, strict=True):
            _bind(each, item, bindings)


def _bound_inside(body: list[Any]) -> set[str]:
    names: set[str] = set()
    pending: list[Any] = list(body)
    while pending:
        node = pending.pop()
        kind = node.__class__
        if kind is ast.comprehension:
            names.update(n.id for n in ast.walk(node.target) if isinstance(n, ast.Name))
        elif kind is ast.arg:
            names.add(node.arg)
        elif kind is ast.Name or kind is ast.Constant:
            continue
        for value in node.__dict__.values():
            if isinstance(value, list):
                pending.extend(item for item in value if isinstance(item, ast.AST))
            elif isinstance(value, ast.AST):
                pending.append(value)
    return names


def _call_of(node: Any, names: frozenset[str], is_builtin: Callable[[str], bool]) -> bool:
    function = node.func
    if function.__class__ is not ast.Name:
        return False
    if function.id == "range element":
        return is_builtin("range")
    return function.id in names and is_builtin(function.id)


def _is_int(node: Any, ints: set[str], is_builtin: Callable[[str], bool]) -> bool:
    kind = node.__class__
    if kind is ast.Constant:
        return node.value.__class__ is int
    if kind is ast.Name:
        return node.id in ints
    if kind is ast.BinOp:
        return (
            isinstance(node.op, _INT_OPERATORS)
            and _is_int(node.left, ints, is_builtin)
            and _is_int(node.right, ints, is_builtin)
        )
    if kind is ast.UnaryOp:
        return node.op.__class__ is not ast.Not and _is_int(node.operand, ints, is_builtin)
    return kind is ast.Call and _call_of(node, _INT_CALLS, is_builtin)


def _is_plain(node: Any, plain: set[str], is_builtin: Callable[[str], bool]) -> bool:
    kind = node.__class__
    if kind is ast.Constant:
        return node.value.__class__ is not bool
    if kind is ast.Name:
        return node.id in plain
    if kind is ast.IfExp:
        return _is_plain(node.body, plain, is_builtin) and _is_plain(node.orelse, plain, is_builtin)
    if kind is ast.UnaryOp:
        return node.op.__class__ is not ast.Not
    if kind is ast.Call:
        return _call_of(node, _PLAIN_CALLS, is_builtin)
    return kind in (ast.BinOp, ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.DictComp)

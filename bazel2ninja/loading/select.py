"""select() as a value: what a BUILD file wrote, before a configuration chooses.

https://bazel.build/reference/be/functions#select.  A `SelectList` is a concatenation, in order, of plain values and
`Select`s; `+` and `|` with plain values work on both sides.  Nothing here knows which branch is taken.
"""

from __future__ import annotations

from collections.abc import Mapping

from bazel2ninja.diagnostics import Location
from bazel2ninja.labels import Label, parse_label
from bazel2ninja.records import dataclass
from bazel2ninja.starlark import EvalError, caller_location, to_repr, type_name

DEFAULT_CONDITION = parse_label("//conditions:default")
"""The key of a select() that is taken when nothing else matches."""


@dataclass(frozen=True, slots=True, eq=False)
class Select:
    """One select(): branches in the order written (value None: the attribute's default), and the text of its error.

    Keys are the texts of the BUILD file until the value is given to an attribute: only then is the package known that
    they are relative to.  In the attributes of a target all keys are Labels.
    """

    branches: Mapping[Label | str, object]
    no_match_error: str = ""
    location: Location | None = None

    def starlark_repr(self) -> str:
        branches = ", ".join(f"{to_repr(key)}: {to_repr(value)}" for key, value in self.branches.items())
        error = f", no_match_error = {to_repr(self.no_match_error)}" if self.no_match_error else ""
        return f"select({{{branches}}}{error})"


@dataclass(frozen=True, slots=True, eq=False)
class SelectList:
    """`[...] + select({...}) + ...`: at least one element is a Select.  `operator` is "+" or "|"."""

    elements: tuple[object, ...]
    operator: str = "+"
    kind: str | None = None
    """Name of the type of its elements and branches, where it has been looked up."""

    starlark_type = "select"

    def __add__(self, other: object) -> SelectList:
        return _concatenate(self, other, "+")

    def __radd__(self, other: object) -> SelectList:
        return _concatenate(other, self, "+")

    def __or__(self, other: object) -> SelectList:
        return _concatenate(self, other, "|")

    def __ror__(self, other: object) -> SelectList:
        return _concatenate(other, self, "|")

    def starlark_repr(self) -> str:
        return f" {self.operator} ".join(
            element.starlark_repr() if isinstance(element, Select) else to_repr(element) for element in self.elements
        )


_CONCATENABLE: Mapping[str, frozenset[str]] = {
    "+": frozenset(("string", "int", "list", "dict")),
    "|": frozenset(("dict",)),
}


def _operand_type(value: object) -> str | None:
    """Name of the type that a value, or all branches of a select(), have; None when every branch is None.

    A placeholder, of which nobody knows what it stands for, has none either.
    """
    if isinstance(value, SelectList):
        return value.kind or next((kind for e in value.elements if (kind := _operand_type(e)) is not None), None)
    if isinstance(value, Select):
        for branch in value.branches.values():
            if branch is not None:
                return _operand_type(branch)
        return None
    kind = type_name(value)
    return {"tuple": "list", "placeholder": None}.get(kind, kind)


def _shown_type(value: object) -> str:
    if isinstance(value, SelectList):
        return f"select of {_operand_type(value) or 'NoneType'}"
    return type_name(value)


def _concatenate(left: object, right: object, operator: str) -> SelectList:
    """`left operator right`; raises EvalError for types that do not go together."""
    first, second = _operand_type(left), _operand_type(right)
    allowed = _CONCATENABLE[operator]
    if (
        (first is not None and first not in allowed)
        or (second is not None and second not in allowed)
        or (first is not None and second is not None and first != second)
    ):
        raise EvalError(
            f"'{operator}' operator applied to incompatible types ({_shown_type(left)}, {_shown_type(right)})"
        )
    elements: tuple[object, ...] = ()
    for value in (left, right):
        if isinstance(value, SelectList):
            if value.operator != operator and len(value.elements) > 1:
                raise EvalError("select() values cannot be combined with both '+' and '|'")
            elements += value.elements
        else:
            elements += (value,)
    return SelectList(elements, operator, first or second)


def select(x: object, no_match_error: object = "") -> SelectList:
    """The BUILD function select(); raises EvalError when `x` is no dict of conditions."""
    if not isinstance(x, dict):
        raise EvalError(
            f"in call to select(), parameter 'x' got value of type {type_name(x)!r}, want 'dict'",
        )
    if not x:
        raise EvalError(
            "select({}) with an empty dictionary can never resolve because it includes no conditions to match"
        )
    for key in x:
        if not isinstance(key, str | Label):
            raise EvalError(f"select: got {type_name(key)} for dict key, want a Label or label string")
    if not isinstance(no_match_error, str):
        raise EvalError(
            f"in call to select(), parameter 'no_match_error' got value of type {type_name(no_match_error)!r},"
            " want 'string'"
        )
    chosen = Select(dict(x.items()), no_match_error, caller_location())
    return SelectList((chosen,), "+", _operand_type(chosen))

"""Starlark's set type."""

# Starlark values are Any: their types are checked when the program runs.
# mypy: disable-error-code="no-any-return,type-arg"
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .errors import EvalError
from .protocol import to_repr, type_name
from .values import _frozen, _locked, _shown, _stored, _variant, iterate


class StarlarkSet(dict):
    """A Starlark set, in insertion order: the keys of a dict (booleans as BoolKey)."""

    __slots__ = ()
    starlark_type = "set"
    __hash__ = None

    def __init__(self, items: Iterable = ()):
        super().__init__()
        for item in items:
            dict.__setitem__(self, _stored(item), None)

    def __iter__(self) -> Any:
        return map(_shown, dict.__iter__(self))

    def __contains__(self, item: object) -> bool:
        return dict.__contains__(self, _stored(item))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StarlarkSet) and dict.keys(self) == dict.keys(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def s_add(self, element: Any, /) -> None:
        dict.setdefault(self, _stored(element), None)

    def s_remove(self, element: Any, /) -> None:
        if dict.pop(self, _stored(element), ...) is ...:
            raise EvalError(f"element {to_repr(element)} not found in set")

    def s_discard(self, element: Any, /) -> None:
        dict.pop(self, _stored(element), None)

    def s_pop(self) -> Any:
        for key in self:
            dict.pop(self, _stored(key))
            return key
        raise EvalError("set is empty")

    def s_clear(self) -> None:
        dict.clear(self)

    def s_update(self, *others: Any) -> None:
        for other in others:
            for item in list(_elements(other)):
                dict.setdefault(self, _stored(item), None)

    def s_union(self, *others: Any) -> StarlarkSet:
        result = StarlarkSet(self)
        result.s_update(*others)
        return result

    def s_intersection(self, *others: Any) -> StarlarkSet:
        result = self
        for other in others:
            keep = as_set(other)
            result = StarlarkSet(item for item in result if item in keep)
        return StarlarkSet(result)

    def s_difference(self, *others: Any) -> StarlarkSet:
        result = self
        for other in others:
            drop = as_set(other)
            result = StarlarkSet(item for item in result if item not in drop)
        return StarlarkSet(result)

    def s_symmetric_difference(self, other: Any, /) -> StarlarkSet:
        second = as_set(other)
        result = StarlarkSet(item for item in self if item not in second)
        for item in second:
            if item not in self:
                result.s_add(item)
        return result

    def s_intersection_update(self, *others: Any) -> None:
        self._become(self.s_intersection(*others))

    def s_difference_update(self, *others: Any) -> None:
        self._become(self.s_difference(*others))

    def s_symmetric_difference_update(self, other: Any, /) -> None:
        self._become(self.s_symmetric_difference(other))

    def _become(self, other: dict) -> None:
        dict.clear(self)
        dict.update(self, dict.items(other))

    def s_isdisjoint(self, other: Any, /) -> bool:
        return not self.s_intersection(other)

    def s_issubset(self, other: Any, /) -> bool:
        second = as_set(other)
        return all(item in second for item in self)

    def s_issuperset(self, other: Any, /) -> bool:
        return all(item in self for item in as_set(other))

    def __or__(self, other: Any) -> Any:
        return self.s_union(other) if isinstance(other, StarlarkSet) else NotImplemented

    def __and__(self, other: Any) -> Any:
        return self.s_intersection(other) if isinstance(other, StarlarkSet) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return self.s_difference(other) if isinstance(other, StarlarkSet) else NotImplemented

    def __xor__(self, other: Any) -> Any:
        return self.s_symmetric_difference(other) if isinstance(other, StarlarkSet) else NotImplemented

    def __ror__(self, other: Any) -> Any:
        return NotImplemented

    def __ior__(self, other: Any) -> Any:
        return self._augment(other, "s_update")

    def __iand__(self, other: Any) -> Any:
        return self._augment(other, "s_intersection_update")

    def __isub__(self, other: Any) -> Any:
        return self._augment(other, "s_difference_update")

    def __ixor__(self, other: Any) -> Any:
        return self._augment(other, "s_symmetric_difference_update")

    def _augment(self, other: Any, method: str) -> Any:
        if not isinstance(other, StarlarkSet):
            return NotImplemented
        getattr(self, method)(other)
        return self

    def __getitem__(self, key: Any) -> Any:
        raise EvalError("type 'set' has no operator [](" + type_name(key) + ")")

    def __setitem__(self, key: Any, value: Any) -> None:
        raise EvalError("can only assign an element in a dictionary or a list, not in a 'set'")


def as_set(value: Any) -> StarlarkSet:
    return value if isinstance(value, StarlarkSet) else StarlarkSet(_elements(value))


def _elements(value: Any) -> Iterable[Any]:
    try:
        return iterate(value)
    except EvalError:
        raise EvalError(f"got value of type '{type_name(value)}', want a collection of hashable elements") from None


_SET_MUTATORS = (
    "s_add",
    "s_remove",
    "s_discard",
    "s_pop",
    "s_clear",
    "s_update",
    "s_intersection_update",
    "s_difference_update",
    "s_symmetric_difference_update",
    "__ior__",
    "__iand__",
    "__isub__",
    "__ixor__",
)
LockedSet = _variant("LockedSet", StarlarkSet, _SET_MUTATORS, _locked)
FrozenSet = _variant("FrozenSet", StarlarkSet, _SET_MUTATORS, _frozen)

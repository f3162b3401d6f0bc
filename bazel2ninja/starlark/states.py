"""The states of mutable values: mutable, locked while a loop iterates over them, frozen."""

# Starlark values are Any: their types are checked when the program runs.
# mypy: disable-error-code="no-any-return,type-arg"
from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import chain
from typing import Any

from .sets import FrozenSet, LockedSet, StarlarkSet
from .values import (
    BoolDict,
    Dict,
    FrozenBoolDict,
    FrozenDict,
    FrozenList,
    List,
    LockedBoolDict,
    LockedDict,
    LockedList,
    iterate,
    unpack,
)

LOCKED: Mapping[type, type] = {
    List: LockedList,
    Dict: LockedDict,
    BoolDict: LockedBoolDict,
    StarlarkSet: LockedSet,
}
FROZEN: Mapping[type, type] = {
    List: FrozenList,
    LockedList: FrozenList,
    Dict: FrozenDict,
    LockedDict: FrozenDict,
    BoolDict: FrozenBoolDict,
    LockedBoolDict: FrozenBoolDict,
    StarlarkSet: FrozenSet,
    LockedSet: FrozenSet,
}
FROZEN_TYPES = frozenset({FrozenList, FrozenDict, FrozenBoolDict, FrozenSet})
for _class, _name in ((List, "list"), (Dict, "dict"), (StarlarkSet, "set")):
    for _each in (_class, *(c for c in (*FROZEN, *FROZEN_TYPES) if issubclass(c, _class))):
        _each.__name__ = _name  # what Python's own error messages call the type
del _class, _name, _each


class _Unlock:
    """The tail of a guarded iteration: when the loop gets there, or drops it, the value is mutable again."""

    __slots__ = ("mutable", "value")

    def __init__(self, value: Any, mutable: type):
        self.value = value
        self.mutable = mutable

    def __iter__(self) -> Any:
        self.__del__()
        return iter(())

    def __del__(self) -> None:
        mutable = self.mutable
        if self.value.__class__ is LOCKED[mutable]:
            self.value.__class__ = mutable


def each(value: Any) -> Any:
    """What a for loop or comprehension iterates over: mutable values are locked until the iterator is dropped."""
    kind = value.__class__
    if kind is tuple or kind is range:
        return value
    locked = LOCKED.get(kind)
    if locked is not None:
        if not value:
            return ()
        value.__class__ = locked
        return chain(value, _Unlock(value, kind))
    return iterate(value)


def each_of(values: Any, count: int) -> Any:
    """The elements of an iteration whose loop variables are `count` targets."""
    return map(partial(unpack, count=count), values)

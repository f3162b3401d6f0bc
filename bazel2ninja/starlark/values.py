"""Starlark's own data types: list, dict, set and struct, and their freezing.

The types derive from Python's, so that reading them runs at C speed.  A value changes its state by changing its class:
List is mutable, LockedList is being iterated over, FrozenList belongs to a finished module; they differ only in what
the mutating methods do.  Names with the prefix `s_` are what a Starlark program sees (`x.append` is compiled to
`x.s_append`), so no Python attribute can be named by one.
"""

# Starlark values are Any: their types are checked when the program runs.
# mypy: disable-error-code="no-any-return,type-arg"
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any, NoReturn

from .context import running_semantics
from .errors import EvalError, FrozenError
from .protocol import equal, int_argument, to_repr, type_name


class BoolKey:
    """What stands for True or False as a key of a dict or set, where Python takes True and 1 for the same."""

    __slots__ = ("value",)

    def __init__(self, value: bool):
        self.value = value


class KeyTuple(tuple):
    """What stands for a tuple with booleans in it, at any depth: the tuple of its elements' keys."""

    __slots__ = ()


TRUE_KEY = BoolKey(True)
FALSE_KEY = BoolKey(False)


def _stored(key: Any) -> Any:
    """What a dict or set keeps for a key: the key itself, where Python's equality is Starlark's."""
    kind = key.__class__
    if kind is bool:
        return TRUE_KEY if key else FALSE_KEY
    if kind is tuple:
        elements = [_stored(element) for element in key]
        if any(kept is not element for kept, element in zip(elements, key, strict=True)):
            return KeyTuple(elements)
    return key


def _shown(key: Any) -> Any:
    """The key that `_stored` was given."""
    kind = key.__class__
    if kind is BoolKey:
        return key.value
    return tuple(map(_shown, key)) if kind is KeyTuple else key


def _frozen(name: str) -> Callable[..., NoReturn]:
    def refuse(self: object, *args: object, **kwargs: object) -> NoReturn:
        raise FrozenError(f"trying to mutate a frozen {type_name(self)} value")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


def _locked(name: str) -> Callable[..., NoReturn]:
    def refuse(self: object, *args: object, **kwargs: object) -> NoReturn:
        raise FrozenError(f"{type_name(self)} value is temporarily immutable due to active for-loop iteration")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


_SIZE_LIMIT = 1 << 28  # elements of a list, as many as one repetition may make


def _excessive(first: Any, second: Any) -> EvalError:
    return EvalError(f"excessive capacity requested ({len(first)} + {len(second)} elements)")


class List(list):
    """A Starlark list."""

    __slots__ = ()
    starlark_type = "list"
    __hash__ = None

    s_append = list.append

    def s_extend(self, items: Any, /) -> None:
        added = sequence(items)
        if len(self) + len(added) > _SIZE_LIMIT:
            raise _excessive(self, added)
        list.extend(self, added)

    def s_insert(self, index: Any, item: Any, /) -> None:
        list.insert(self, int_argument("insert", "index", index), item)

    def s_pop(self, i: Any = -1, /) -> Any:
        index = int_argument("pop", "i", i)
        size = len(self)
        if not -size <= index < size:
            raise EvalError(f"index out of range (index is {index}, but sequence has {size} elements)")
        return list.pop(self, index)

    def s_remove(self, x: Any, /) -> None:
        list.__delitem__(self, _find(self, x, "remove"))

    def s_clear(self) -> None:
        list.clear(self)

    def s_index(self, x: Any, start: Any = None, end: Any = None, /) -> int:
        size = len(self)
        first, last, _ = slice(
            None if start is None else int_argument("index", "start", start),
            None if end is None else int_argument("index", "end", end),
        ).indices(size)
        for i in range(first, last):
            if equal(self[i], x):
                return i
        raise EvalError(f"item {to_repr(x)} not found in list")

    def __add__(self, other: Any) -> Any:
        if isinstance(other, list):
            if len(self) + len(other) > _SIZE_LIMIT:
                raise _excessive(self, other)
            return List(list.__add__(self, other))
        return NotImplemented

    def __iadd__(self, other: Any) -> Any:
        if isinstance(other, list):
            if len(self) + len(other) > _SIZE_LIMIT:
                raise _excessive(self, other)
            list.extend(self, other)
            return self
        return NotImplemented

    def __mul__(self, other: Any) -> Any:
        return NotImplemented

    __rmul__ = __mul__
    __imul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list) and list.__eq__(self, other) is True

    def __ne__(self, other: object) -> bool:
        return not self == other


def _find(items: list, x: object, method: str) -> int:
    for i, item in enumerate(items):
        if equal(item, x):
            return i
    raise EvalError(f"item {to_repr(x)} not found in list")


_LIST_MUTATORS = (
    "s_append",
    "s_extend",
    "s_insert",
    "s_pop",
    "s_remove",
    "s_clear",
    "__setitem__",
    "__delitem__",
    "__iadd__",
)


def _variant(name: str, base: type, mutators: tuple[str, ...], refuse: Callable[[str], Callable]) -> type:
    def reader(method: str) -> Callable:
        return refuse(method.removeprefix("s_"))

    return type(name, (base,), {"__slots__": (), "__hash__": None, **{m: reader(m) for m in mutators}})


LockedList = _variant("LockedList", List, _LIST_MUTATORS, _locked)
FrozenList = _variant("FrozenList", List, _LIST_MUTATORS, _frozen)


def key_hash(value: Any) -> int:
    """hash(value), which for a very deep tuple would overrun the stack of C."""
    return hash(tuple(map(key_hash, value))) if value.__class__ is tuple else hash(value)


def check_hashable(value: Any) -> None:
    """Raises EvalError for a value that cannot be a dict key."""
    if value.__class__ is FunctionType and "%module" not in value.__globals__:
        raise EvalError("unhashable type: 'builtin_function_or_method'")
    if value.__class__ is tuple:  # Python's own hash() of a very deep one would overrun the stack
        for element in value:
            check_hashable(element)
        return
    try:
        hashable = value.__class__ is not range
        hash(value)
    except TypeError:
        hashable = False
    if not hashable:
        raise EvalError(f"unhashable type: '{type_name(value)}'")


class Dict(dict):
    """A Starlark dict.  Boolean keys, and tuples with booleans, make it a BoolDict."""

    __slots__ = ()
    starlark_type = "dict"
    __hash__ = None

    def s_get(self, key: Any, default: Any = None, /) -> Any:
        if key.__class__ is str:
            return dict.get(self, key, default)
        check_hashable(key)
        return dict.get(self, _stored(key), default)

    def s_keys(self) -> List:
        return List(self)

    def s_values(self) -> List:
        return List(dict.values(self))

    def s_items(self) -> List:
        return List(dict.items(self))

    def s_pop(self, key: Any, default: Any = ..., /) -> Any:
        check_hashable(key)
        try:
            return dict.pop(self, _stored(key))
        except KeyError:
            if default is ...:
                raise EvalError(f"KeyError: {to_repr(key)}") from None
            return default

    def s_popitem(self) -> tuple:
        for key in self:
            return key, dict.pop(self, key)
        raise EvalError("popitem: empty dictionary")

    def s_setdefault(self, key: Any, default: Any = None, /) -> Any:
        check_hashable(key)
        return dict.setdefault(self, key_for(self, key), default)

    def s_update(self, *args: Any, **kwargs: Any) -> None:
        if len(args) > 1:
            raise EvalError(f"update() accepts no more than 1 positional argument but got {len(args)}")
        new = new_dict("update", args[0] if args else (), kwargs)
        for key, value in new.items():
            key_for(self, key)
            self[key] = value

    def s_clear(self) -> None:
        dict.clear(self)

    def __add__(self, other: Any) -> Any:
        if isinstance(other, Dict) and running_semantics().dict_plus:
            return self._union(other)
        return NotImplemented

    def __or__(self, other: Any) -> Any:
        if isinstance(other, Dict) and running_semantics().dict_union:
            return self._union(other)
        return NotImplemented

    def _union(self, other: Dict) -> Dict:
        result = Dict(dict.items(self))
        if self.__class__ in _BOOL_DICTS:
            result.__class__ = BoolDict
        result.s_update(other)
        return result

    def __ror__(self, other: Any) -> Any:
        return NotImplemented

    def __ior__(self, other: Any) -> Any:
        if isinstance(other, Dict):
            self.s_update(other)
            return self
        return NotImplemented

    def __eq__(self, other: object) -> bool:
        return (isinstance(other, Dict) or other.__class__ is dict) and dict.__eq__(self, other) is True

    def __ne__(self, other: object) -> bool:
        return not self == other


_DICT_MUTATORS = (
    "s_pop",
    "s_popitem",
    "s_setdefault",
    "s_update",
    "s_clear",
    "__setitem__",
    "__delitem__",
    "__ior__",
)


def _dict_variant(name: str, base: type, refuse: Callable[[str], Callable]) -> type:
    """A dict that refuses changes; calls of pop and setdefault that would change nothing pass in old Bazel."""
    made: Any = _variant(name, base, _DICT_MUTATORS, refuse)
    refused_pop, refused_setdefault = made.s_pop, made.s_setdefault

    def s_pop(self: Any, key: Any, default: Any = ..., /) -> Any:
        if default is not ... and running_semantics().frozen_dict_reads and self.s_get(key, ...) is ...:
            return default
        return refused_pop(self, key)

    def s_setdefault(self: Any, key: Any, default: Any = None, /) -> Any:
        if running_semantics().frozen_dict_reads:
            known = self.s_get(key, ...)
            if known is not ...:
                return known
        return refused_setdefault(self, key)

    made.s_pop, made.s_setdefault = s_pop, s_setdefault
    return made


LockedDict = _dict_variant("LockedDict", Dict, _locked)
FrozenDict = _dict_variant("FrozenDict", Dict, _frozen)


class BoolDict(Dict):
    """A dict that has, or had, a boolean key: stored as a BoolKey, shown as itself."""

    __slots__ = ()
    __hash__ = None

    def __getitem__(self, key: Any) -> Any:
        try:
            return dict.__getitem__(self, _stored(key))
        except KeyError:
            raise KeyError(key) from None

    def __setitem__(self, key: Any, value: Any) -> None:
        dict.__setitem__(self, _stored(key), value)

    def __contains__(self, key: object) -> bool:
        return dict.__contains__(self, _stored(key))

    def __iter__(self) -> Any:
        return map(_shown, dict.__iter__(self))

    def __reversed__(self) -> Any:
        return map(_shown, dict.__reversed__(self))

    def keys(self) -> Any:
        return [_shown(key) for key in dict.keys(self)]

    def items(self) -> Any:
        return [(_shown(key), value) for key, value in dict.items(self)]

    def get(self, key: Any, default: Any = None) -> Any:
        return dict.get(self, _stored(key), default)

    def s_items(self) -> List:
        return List(self.items())

    def s_popitem(self) -> tuple:
        for key in self:
            return key, dict.pop(self, _stored(key))
        raise EvalError("popitem: empty dictionary")


LockedBoolDict = _dict_variant("LockedBoolDict", BoolDict, _locked)
FrozenBoolDict = _dict_variant("FrozenBoolDict", BoolDict, _frozen)
_BOOL_DICTS = (BoolDict, LockedBoolDict, FrozenBoolDict)


def key_for(value: Dict, key: Any) -> Any:
    """What a mutable dict is to keep for a key; the dict is made ready for a boolean one."""
    kept = _stored(key)
    if kept is not key and value.__class__ is Dict:
        value.__class__ = BoolDict
    return kept


def set_item(container: Any, key: Any, value: Any) -> None:
    """container[key] = value, whatever the key."""
    if key.__class__ is not str and isinstance(container, Dict):
        check_hashable(key)
        if container.__class__ is Dict:
            key_for(container, key)
    elif key.__class__ is bool and isinstance(container, list):
        raise EvalError("got bool for sequence index, want int")
    if isinstance(container, list) and key.__class__ is int and isinstance(container, List):
        size = len(container)
        if not -size <= key < size and container.__class__ is List:
            raise EvalError(f"index out of range (index is {key}, but sequence has {size} elements)")
    if not hasattr(container.__class__, "__setitem__"):
        raise EvalError(f"can only assign an element in a dictionary or a list, not in a '{type_name(container)}'")
    try:
        container[key] = value
    except TypeError as problem:
        if "unhashable" in str(problem):
            raise EvalError(f"unhashable type: '{type_name(key)}'") from None
        if isinstance(container, list):
            raise EvalError(f"got {type_name(key)} for sequence index, want int") from None
        raise


def new_dict(function: str, pairs: Any, kwargs: Mapping[str, Any]) -> Dict:
    """What dict(pairs, **kwargs) makes; `function` is named in errors."""
    result = Dict()
    if isinstance(pairs, Dict):
        if pairs.__class__ in _BOOL_DICTS:
            result.__class__ = BoolDict
        dict.update(result, dict.items(pairs))
    else:
        for position, pair in enumerate(iterate(pairs, f"in {function}, ")):
            try:
                items = tuple(iterate(pair))
            except EvalError:
                raise EvalError(
                    f"in {function}, dictionary update sequence element #{position} is not iterable ({type_name(pair)})"
                ) from None
            if len(items) != 2:
                raise EvalError(
                    f"in {function}, item #{position} has length {len(items)}, but exactly two elements are required"
                )
            set_item(result, items[0], items[1])
    for name, value in kwargs.items():
        result[name] = value
    return result


def sequence(value: Any) -> Any:
    """The elements of an iterable Starlark value as something that list.extend takes safely."""
    if isinstance(value, (list, tuple, range)):
        return value
    return list(iterate(value))


def iterate(value: Any, context: str = "") -> Iterable:
    """The elements of an iterable value; raises EvalError for others."""
    if isinstance(value, (list, dict, tuple, range)):
        return value
    begin = getattr(value, "starlark_iterate", None)
    if begin is not None:
        return begin()
    if value.__class__ is str and running_semantics().string_iteration:
        return list(value)
    raise EvalError(
        f"{context}got {type_name(value)}, want iterable" if context else f"type '{type_name(value)}' is not iterable"
    )


def unpack(value: Any, count: int) -> Any:
    """The right side of an assignment to `count` targets."""
    kind = value.__class__
    if kind is not tuple and not isinstance(value, list):
        if not (isinstance(value, (dict, range)) or hasattr(value, "starlark_iterate")):
            raise EvalError(f"got '{type_name(value)}' in sequence assignment (want {count}-element sequence)")
        value = tuple(iterate(value))
    if len(value) != count:
        few = "few" if len(value) < count else "many"
        raise EvalError(f"too {few} values to unpack (got {len(value)}, want {count})")
    return value

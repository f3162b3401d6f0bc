"""The operators of the language as functions: what compiled code calls when Python's own operator would not do."""

# Starlark values are Any: their types are checked when the program runs.
# mypy: disable-error-code="no-any-return,type-arg"
from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .errors import EvalError
from .formatting import decimal, format_percent
from .protocol import equal, int32, ordered, same, to_repr, to_str, type_name
from .semantics import Semantics
from .sets import StarlarkSet
from .states import each, each_of
from .strings import bound_method
from .values import Dict, List, _stored, check_hashable, iterate, set_item, unpack

_NUMBERS = (int, float)
_SIZE_LIMIT = 1 << 28  # elements or characters that one repetition may make
_SHIFT_LIMIT = 512  # bits: as in Bazel, a count must be less


def unsupported(a: Any, b: Any, symbol: str) -> EvalError:
    return EvalError(f"unsupported binary operation: {type_name(a)} {symbol} {type_name(b)}")


def _generic(symbol: str, python: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def operate(a: Any, b: Any) -> Any:
        if a.__class__ is not bool and b.__class__ is not bool:
            try:
                return python(a, b)
            except TypeError as problem:
                if problem.__traceback__ is not None and problem.__traceback__.tb_next is not None:
                    raise
        raise unsupported(a, b, symbol)

    return operate


add = _generic("+", operator.add)
subtract = _generic("-", operator.sub)
bit_or = _generic("|", operator.or_)
bit_and = _generic("&", operator.and_)
bit_xor = _generic("^", operator.xor)


def add_all(first: Any, *others: Any) -> Any:
    """first + second + ..., from the left."""
    for other in others:
        first = add(first, other)
    return first


class BooleanOperand:
    """Stands for a boolean in a sum, where Python would take it for a number: every operation fails."""

    __slots__ = ("value",)

    def __init__(self, value: bool):
        self.value = value

    def __add__(self, other: Any) -> Any:
        raise unsupported(self.value, other.value if other.__class__ is BooleanOperand else other, "+")

    def __radd__(self, other: Any) -> Any:
        raise unsupported(other, self.value, "+")

    def __sub__(self, other: Any) -> Any:
        raise unsupported(self.value, other.value if other.__class__ is BooleanOperand else other, "-")

    def __rsub__(self, other: Any) -> Any:
        raise unsupported(other, self.value, "-")


def multiply(a: Any, b: Any) -> Any:
    if a.__class__ in _NUMBERS and b.__class__ in _NUMBERS:
        return a * b
    if a.__class__ is int:
        a, b = b, a
        swapped = True
    else:
        swapped = False
    if b.__class__ is int and isinstance(a, (str, tuple, bytes, List)):
        int32("repeat", b)
        if b > 0 and len(a) * b > _SIZE_LIMIT:
            unit = "characters" if a.__class__ is str else "elements"
            raise EvalError(f"excessive repeat ({len(a)} * {b} {unit})")
        return List(list.__mul__(a, b)) if isinstance(a, List) else a * max(b, 0)
    if swapped:
        a, b = b, a
    return _multiply(a, b)


_multiply = _generic("*", operator.mul)


def divide(a: Any, b: Any) -> Any:
    if a.__class__ in _NUMBERS and b.__class__ in _NUMBERS:
        if b == 0:
            raise EvalError("floating-point division by zero")
        return a / b
    raise unsupported(a, b, "/")


def floor_divide(a: Any, b: Any) -> Any:
    if a.__class__ in _NUMBERS and b.__class__ in _NUMBERS:
        if b == 0:
            raise EvalError("integer division by zero")
        if a.__class__ is int and b.__class__ is int:
            return a // b
        quotient = a / b
        return float(math.floor(quotient)) if quotient and math.isfinite(quotient) else quotient
    raise unsupported(a, b, "//")


def modulo(a: Any, b: Any) -> Any:
    if a.__class__ is str:
        return format_percent(a, b)
    if a.__class__ in _NUMBERS and b.__class__ in _NUMBERS:
        if b == 0:
            whole = a.__class__ is int and b.__class__ is int
            raise EvalError("integer modulo by zero" if whole else "floating-point modulo by zero")
        return a % b
    raise unsupported(a, b, "%")


def shift_left(a: Any, b: Any) -> Any:
    if a.__class__ is int and b.__class__ is int:
        if b < 0:
            raise EvalError(f"negative shift count: {b}")
        if b >= _SHIFT_LIMIT:
            raise EvalError(f"shift count too large: {b}")
        return a << b
    raise unsupported(a, b, "<<")


def shift_right(a: Any, b: Any) -> Any:
    if a.__class__ is int and b.__class__ is int:
        if b < 0:
            raise EvalError(f"negative shift count: {b}")
        return a >> b
    raise unsupported(a, b, ">>")


def negate(a: Any) -> Any:
    if a.__class__ in _NUMBERS:
        return -a
    raise EvalError(f"unsupported unary operation: -{type_name(a)}")


def plus(a: Any) -> Any:
    if a.__class__ in _NUMBERS:
        return a
    raise EvalError(f"unsupported unary operation: +{type_name(a)}")


def invert(a: Any) -> Any:
    if a.__class__ is int:
        return ~a
    raise EvalError(f"unsupported unary operation: ~{type_name(a)}")


def not_equal(a: Any, b: Any) -> bool:
    return not equal(a, b)


def less_than(a: Any, b: Any) -> bool:
    return ordered(a, b, "<") < 0


def less_equal(a: Any, b: Any) -> bool:
    return ordered(a, b, "<=") <= 0


def greater_than(a: Any, b: Any) -> bool:
    return ordered(a, b, ">") > 0


def greater_equal(a: Any, b: Any) -> bool:
    return ordered(a, b, ">=") >= 0


def contains(item: Any, container: Any) -> bool:
    """item in container."""
    kind = container.__class__
    if kind is str:
        if item.__class__ is not str:
            raise EvalError(f"'in <string>' requires string as left operand, not {type_name(item)}")
        return item in container
    if isinstance(container, (list, tuple)):
        try:
            found = item in container
        except RecursionError:
            return any(equal(item, x) for x in container)
        if found:
            return item.__class__ is str or any(equal(item, x) for x in container)
        return item != item and any(equal(item, x) for x in container)
    if isinstance(container, dict):
        check_hashable(item)
        return dict.__contains__(container, _stored(item))
    if kind is range:
        return item.__class__ is int and item in container
    if kind is bytes:
        if item.__class__ is bytes or (item.__class__ is int and 0 <= item < 256):
            return item in container
        raise EvalError(f"'in bytes' requires bytes or int as left operand, not {type_name(item)}")
    if hasattr(kind, "__contains__"):
        return item in container
    raise EvalError(f"unsupported binary operation: {type_name(item)} in {type_name(container)}")


def not_contains(item: Any, container: Any) -> bool:
    return not contains(item, container)


def distinct(values: Sequence[Any]) -> tuple[Any, ...]:
    """The values in order, of equal ones the first: 1 and True are not equal."""
    found: dict[Any, Any] = {}
    if tuple not in set(map(type, values)):
        found = dict.fromkeys(values)
        if True not in found and False not in found:
            return tuple(found)
        found = {}
    for value in values:
        found.setdefault(_stored(value), value)
    return tuple(found.values())


def index(a: Any, i: Any) -> Any:
    """a[i]."""
    kind = a.__class__
    if isinstance(a, Dict):
        check_hashable(i)
        try:
            return dict.__getitem__(a, _stored(i))
        except KeyError:
            pass
        raise EvalError(f"key {to_repr(i)} not found in dictionary")
    if kind is str or kind is tuple or kind is range or kind is bytes or isinstance(a, List):
        if i.__class__ is not int:
            raise EvalError(f"got {type_name(i)} for {'string' if kind is str else 'sequence'} index, want int")
        size = len(a)
        if -size <= i < size:
            return a[i]
        raise EvalError(f"index out of range (index is {i}, but sequence has {size} elements)")
    if hasattr(kind, "__getitem__"):
        return a[i]
    raise EvalError(f"type '{type_name(a)}' has no operator [](" + type_name(i) + ")")


def slice_of(a: Any, start: Any, stop: Any, step: Any) -> Any:
    """a[start:stop:step]."""
    kind = a.__class__
    for name, value in (("start", start), ("stop", stop), ("step", step)):
        if value is not None and value.__class__ is not int:
            raise EvalError(f"got {type_name(value)} for {name} index, want int")
    if step == 0:
        raise EvalError("slice step cannot be zero")
    if isinstance(a, List):
        return List(list.__getitem__(a, slice(start, stop, step)))
    if kind is str or kind is tuple or kind is range or kind is bytes:
        return a[start:stop:step]
    raise EvalError(f"invalid slice operand: {type_name(a)}")


def _in_place(symbol: str, python: Callable[[Any, Any], Any], plain: Callable[[Any, Any], Any]) -> Callable:
    def operate(a: Any, b: Any) -> Any:
        if isinstance(a, (list, dict)):
            try:
                return python(a, b)
            except TypeError as problem:
                if problem.__traceback__ is not None and problem.__traceback__.tb_next is not None:
                    raise
            raise unsupported(a, b, symbol)
        return plain(a, b)

    return operate


augment_add = _in_place("+", operator.iadd, add)
augment_or = _in_place("|", operator.ior, bit_or)
augment_and = _in_place("&", operator.iand, bit_and)
augment_xor = _in_place("^", operator.ixor, bit_xor)
augment_subtract = _in_place("-", operator.isub, subtract)


def star_arguments(value: Any) -> Any:
    """The value of *value in a call."""
    if isinstance(value, (tuple, list, range)):
        return value
    if isinstance(value, dict) or hasattr(value, "starlark_iterate"):
        return list(iterate(value))
    raise EvalError(f"argument after * must be an iterable, not {type_name(value)}")


def star_star_arguments(value: Any) -> Mapping[str, Any]:
    """The value of **value in a call."""
    if not isinstance(value, Dict):
        raise EvalError(f"argument after ** must be a dict, not {type_name(value)}")
    for key in value:
        if key.__class__ is not str:
            raise EvalError(f"keywords must be strings, not {type_name(key)}")
    return value


def literal_arguments(arguments: Sequence[Any]) -> dict[str, Any]:
    """The keyword arguments of a call that are all literals: name, value, name, value ..., tuples for lists."""
    pairs = iter(arguments)
    return {name: List(value) if value.__class__ is tuple else value for name, value in zip(pairs, pairs, strict=True)}


def call_in_order(
    function: Any, positional: tuple[Any, ...], named: Mapping[str, Any], star: Any, star_star: Mapping[str, Any]
) -> Any:
    """A call f(a, x = b, *c, **d): Python would evaluate c before b."""
    return function(*positional, *star, **named, **star_star)


def set_field(value: Any, name: str, field: Any) -> None:
    """value.name = field, for host values with a method `starlark_set_field`."""
    method = getattr(value, "starlark_set_field", None)
    if method is None:
        raise EvalError(f"{type_name(value)} value does not support field assignment")
    method(name, field)


def dict_display(*items: Any) -> Dict:
    """A dict display: keys and values in turn; a key given twice is an error."""
    result = Dict()
    pairs = iter(items)
    for count, key in enumerate(pairs):
        check_hashable(key)
        set_item(result, key, next(pairs))
        if len(result) == count:
            raise EvalError(f"dictionary expression has duplicate key: {to_repr(key)}")
    return result


def dict_comprehension(pairs: list[tuple[Any, Any]]) -> Dict:
    result = Dict()
    for key, value in pairs:
        if key.__class__ is str:
            result[key] = value
        else:
            check_hashable(key)
            set_item(result, key, value)
    return result


def get_attribute(value: Any, name: str) -> Any:
    """value.name, also for the methods of strings; raises AttributeError."""
    if value.__class__ is str:
        return bound_method(value, name)
    return getattr(value, "s_" + name)


def operators(semantics: Semantics) -> dict[str, Any]:
    """The names that compiled code uses for the functions above."""
    return {
        "%add": add,
        "%sum": add_all,
        "%sub": subtract,
        "%boolean": BooleanOperand,
        "%mul": multiply,
        "%div": floor_divide if semantics.integer_slash else divide,
        "%floordiv": floor_divide,
        "%mod": modulo,
        "%shl": shift_left,
        "%shr": shift_right,
        "%or": bit_or,
        "%and": bit_and,
        "%xor": bit_xor,
        "%neg": negate,
        "%pos": plus,
        "%inv": invert,
        "%eq": equal,
        "%ne": not_equal,
        "%same": same,
        "%lt": less_than,
        "%le": less_equal,
        "%gt": greater_than,
        "%ge": greater_equal,
        "%in": contains,
        "%notin": not_contains,
        "%index": index,
        "%slice": slice_of,
        "%setitem": set_item,
        "%iadd": augment_add,
        "%ior": augment_or,
        "%iand": augment_and,
        "%ixor": augment_xor,
        "%isub": augment_subtract,
        "%star": star_arguments,
        "%kwargs": star_star_arguments,
        "%list": List,
        "%dict": Dict,
        "%call": call_in_order,
        "%setfield": set_field,
        "%display": dict_display,
        "%dictcomp": dict_comprehension,
        "%set": StarlarkSet,
        "%each": each,
        "%eachof": each_of,
        "%unpack": unpack,
        "%attr": get_attribute,
        "%type": type,
        "%bool": bool,
        "%int": int,
        "%str": str,
        "%float": float,
        "%tuple": tuple,
        "%len": len,
        "%text": to_str,
        "%decimal": decimal,
    }

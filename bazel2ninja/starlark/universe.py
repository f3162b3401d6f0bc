"""The universal names: the built-in constants and functions of the language."""

# Starlark values are Any: their types are checked when the program runs.
# mypy: disable-error-code="no-any-return,type-arg"
from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

from .errors import EvalError
from .json_module import JsonModule
from .operations import get_attribute
from .protocol import attribute_names, compare, int32, int_argument, is_callable, to_repr, to_str, type_name
from .semantics import Semantics
from .sets import StarlarkSet
from .states import each
from .strings import METHOD_NAMES
from .structs import Struct
from .values import Dict, List, check_hashable, iterate, new_dict


def builtin(name: str) -> Callable[[Callable], Callable]:
    """Decorator: gives a Python function the name that Starlark knows it by."""

    def decorate(function: Callable) -> Callable:
        function.__name__ = function.__qualname__ = name
        return function

    return decorate


_CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")


@builtin("abs")
def _abs(x: Any, /) -> Any:
    if x.__class__ is int or x.__class__ is float:
        return abs(x)
    raise EvalError(f"in call to abs(), parameter 'x' got value of type '{type_name(x)}', want 'int or float'")


@builtin("all")
def _all(elements: Any, /) -> bool:
    return all(iterate(elements))


@builtin("any")
def _any(elements: Any, /) -> bool:
    return any(iterate(elements))


def _typed_iterable(function: str, parameter: str, value: Any) -> Any:
    try:
        return iterate(value)
    except EvalError:
        raise EvalError(
            f"in call to {function}(), parameter '{parameter}' got value of type '{type_name(value)}', want 'iterable'"
        ) from None


@builtin("bool")
def _bool(x: Any = False, /) -> bool:
    return bool(x)


@builtin("dict")
def _dict(pairs: Any = (), /, **kwargs: Any) -> Dict:
    return new_dict("dict", pairs, kwargs)


@builtin("dir")
def _dir(x: Any, /) -> List:
    return List(attribute_names(x))


@builtin("enumerate")
def _enumerate(list: Any, start: Any = 0) -> List:
    return List(enumerate(iterate(list), int32("start", int_argument("enumerate", "start", start))))


@builtin("fail")
def _fail(*args: Any, msg: Any = None, attr: Any = None, sep: Any = " ", stack_trace: Any = True) -> None:
    parts = [to_str(arg) for arg in args]
    if msg is not None:
        parts.insert(0, to_str(msg))
    # colours and other control sequences are for terminals, and messages go into logs, too
    text = _CONTROL.sub("", to_str(sep).join(parts)).strip("\n")
    raise EvalError(f"attribute {attr}: {text}" if attr is not None else text)


@builtin("float")
def _float(x: Any = 0.0, /) -> float:
    kind = x.__class__
    if kind is float:
        return x
    if kind is bool:
        return 1.0 if x else 0.0
    if kind is int:
        try:
            return float(x)
        except OverflowError:
            raise EvalError("int too large to convert to float") from None
    if kind is str:
        lower = x.lower().lstrip("+-")
        if lower in ("inf", "infinity", "nan") or (x and x.isascii() and not set(lower) - set("0123456789.e+-")):
            try:
                value = float(x)
            except ValueError:
                value = None
            if value is not None:
                if value in (float("inf"), float("-inf")) and lower[:1] != "i":
                    raise EvalError(f"floating-point number too large: {x}")
                return math.nan if value != value else value  # one NaN, so that it equals itself as a dict key
        raise EvalError(f"invalid float literal: {x}")
    raise EvalError(f"got {type_name(x)}, want string, int, float, or bool")


@builtin("getattr")
def _getattr(x: Any, name: Any, default: Any = ..., /) -> Any:
    if name.__class__ is not str:
        raise EvalError(f"in call to getattr(), parameter 'name' got value of type '{type_name(name)}', want 'string'")
    try:
        return get_attribute(x, name)
    except AttributeError as problem:
        if problem.name != "s_" + name or problem.obj is not x:
            raise
        if default is ...:
            describe = getattr(x, "starlark_missing", None)
            raise EvalError(
                describe(name) if describe else f"'{type_name(x)}' value has no field or method '{name}'"
            ) from None
        return default


@builtin("hasattr")
def _hasattr(x: Any, name: Any, /) -> bool:
    if name.__class__ is not str:
        raise EvalError(f"in call to hasattr(), parameter 'name' got value of type '{type_name(name)}', want 'string'")
    try:
        get_attribute(x, name)
    except AttributeError:
        return False
    return True


@builtin("hash")
def _hash(value: Any, /) -> int:
    if value.__class__ is not str:
        raise EvalError(f"in call to hash(), parameter 'value' got value of type '{type_name(value)}', want 'string'")
    result = 0
    for byte in value.encode("utf-8", "surrogatepass"):  # Java's String.hashCode() of what Bazel makes of the bytes
        result = (result * 31 + byte) & 0xFFFFFFFF
    return result - (1 << 32) if result >= 1 << 31 else result


_LONGEST_LITERAL = 1_000_000  # digits that int() reads, of a base that is no power of two
_DIGITS = {c: i for i, c in enumerate("0123456789abcdefghijklmnopqrstuvwxyz")}
_PREFIXES = {"0x": 16, "0o": 8, "0b": 2}


@builtin("int")
def _int(x: Any, /, base: Any = ...) -> int:
    kind = x.__class__
    if kind is str:
        return _parse_int(x, 10 if base is ... else int_argument("int", "base", base))
    if base is not ...:
        raise EvalError("can't convert non-string with explicit base")
    if kind is bool:
        return 1 if x else 0
    if kind is int:
        return x
    if kind is float:
        if x != x or x in (float("inf"), float("-inf")):
            raise EvalError(f"can't convert float {to_repr(x)} to int")
        return int(x)
    raise EvalError(
        f"in call to int(), parameter 'x' got value of type '{type_name(x)}', want 'string, bool, int, or float'"
    )


def _long_int(digits: str, base: int) -> int:
    half = len(digits) // 2
    if half < 1000:
        return int(digits, base)
    return _long_int(digits[:-half], base) * base**half + _long_int(digits[-half:], base)


def _parse_int(text: str, base: int) -> int:
    if base != 0 and not 2 <= base <= 36:
        raise EvalError(f"invalid base {base} (want 2 <= base <= 36)")
    if not text:
        raise EvalError("empty string")
    digits = text
    sign = ""
    if digits[:1] in ("+", "-"):
        sign, digits = digits[0], digits[1:]
    prefix = _PREFIXES.get(digits[:2].lower())
    wanted = base
    if prefix is not None and base in (0, prefix):
        digits, wanted = digits[2:], prefix
    elif base == 0:
        if len(digits) > 1 and digits[0] == "0" and digits.strip("0"):
            raise EvalError(f"cannot infer base when string begins with a 0: {to_repr(text)}")
        wanted = 10
    lower = digits.lower()
    if not digits or not digits.isascii() or any(_DIGITS.get(c, 99) >= wanted for c in lower):
        raise EvalError(f"invalid base-{wanted} literal: {to_repr(text)}")
    value = 0
    try:
        value = int(lower, wanted)
    except ValueError:  # beyond Python's limit for decimal digits
        if len(lower) > _LONGEST_LITERAL:
            raise EvalError(f"integer of {len(lower)} digits is too long") from None
        value = _long_int(lower, wanted)
    return -value if sign == "-" else value


@builtin("len")
def _len(x: Any, /) -> int:
    kind = x.__class__
    if kind is str or isinstance(x, (list, dict, tuple, range, bytes)) or hasattr(x, "__len__"):
        return len(x)
    kind = type_name(x)
    raise EvalError(
        f"in call to len(), parameter 'x' got value of type '{kind}', want 'iterable or string'; {kind} is not iterable"
    )


@builtin("list")
def _list(x: Any = (), /) -> List:
    return List(_typed_iterable("list", "x", x))


_NOTHING = object()


def _extreme(name: str, sign: int) -> Callable:
    @builtin(name)
    def extreme(*args: Any, key: Any = None) -> Any:
        if key is not None and not is_callable(key):
            raise EvalError(
                f"in call to {name}(), parameter 'key' got value of type '{type_name(key)}', "
                "want 'callable or NoneType'"
            )
        items = iter(each(args[0]) if len(args) == 1 else args)
        best = next(items, _NOTHING)
        if best is _NOTHING:
            raise EvalError("expected at least one item")
        best_key = best if key is None else key(best)
        for item in items:
            item_key = item if key is None else key(item)
            if compare(best_key, item_key, "<") * sign > 0:
                best, best_key = item, item_key
        return best

    return extreme


def _displayed(value: Any) -> str:
    """A value as print() shows it, for people."""
    method = getattr(value, "starlark_display", None)
    return to_str(value) if method is None else method()


@builtin("print")
def _print(*args: Any, sep: Any = " ") -> None:
    from .thread import caller_location, current_thread

    current_thread().print(to_str(sep).join(_displayed(arg) for arg in args), caller_location())


@builtin("range")
def _range(start_or_stop: Any, stop: Any = ..., step: Any = 1, /) -> range:
    first = int_argument("range", "start_or_stop", start_or_stop)
    if stop is ...:
        first, stop = 0, first
    int_argument("range", "stop", stop)
    if int_argument("range", "step", step) == 0:
        raise EvalError("step cannot be 0")
    result = range(int32("start", first), int32("stop", stop), int32("step", step))
    size = (stop - first) // step + bool((stop - first) % step)
    if size >= 1 << 31:
        raise EvalError(f"len({to_repr(result)}) exceeds signed 32-bit range")
    return result


@builtin("repr")
def _repr(x: Any, /) -> str:
    return to_repr(x)


@builtin("reversed")
def _reversed(sequence: Any, /) -> List:
    return List(reversed(list(_typed_iterable("reversed", "sequence", sequence))))


@builtin("set")
def _set(elements: Any = (), /) -> StarlarkSet:
    items = _typed_iterable("set", "elements", elements)
    for item in items:
        check_hashable(item)
    return StarlarkSet(items)


@builtin("sorted")
def _sorted(iterable: Any, /, *, key: Any = None, reverse: Any = False) -> List:
    items = list(_typed_iterable("sorted", "iterable", iterable))
    if reverse.__class__ is not bool:
        raise EvalError(
            f"in call to sorted(), parameter 'reverse' got value of type '{type_name(reverse)}', want 'bool'"
        )
    if key is not None and not is_callable(key):
        raise EvalError(f"for key, got {type_name(key)}, want callable")
    keys = items if key is None else [key(item) for item in items]
    kinds = {k.__class__ for k in keys}
    if kinds == {str} or kinds == {int}:
        if key is None:
            return List(sorted(items, reverse=reverse))
        order: Any = keys.__getitem__
    else:
        wrap = cmp_to_key(lambda a, b: compare(a, b, "<"))
        wrapped = [wrap(k) for k in keys]
        order = wrapped.__getitem__
    return List([items[i] for i in sorted(range(len(items)), key=order, reverse=reverse)])


@builtin("str")
def _str(x: Any, /) -> str:
    return to_str(x)


@builtin("tuple")
def _tuple(x: Any = (), /) -> tuple:
    return tuple(_typed_iterable("tuple", "x", x))


@builtin("type")
def _type(x: Any, /) -> str:
    return type_name(x)


@builtin("zip")
def _zip(*args: Any) -> List:
    return List(zip(*(iterate(arg) for arg in args), strict=False))


@builtin("struct")
def _struct(*args: Any, **kwargs: Any) -> Struct:
    if args:
        raise EvalError("struct() does not accept positional arguments, but got " + str(len(args)))
    return Struct(**kwargs)


_FUNCTIONS: dict[str, Any] = {
    f.__name__: f
    for f in (
        _abs, _all, _any, _bool, _dict, _dir, _enumerate, _fail, _float, _getattr, _hasattr, _hash, _int, _len, _list,
        _extreme("max", -1), _extreme("min", 1), _print, _range, _repr, _reversed, _set, _sorted, _str, _tuple, _type,
        _zip, _struct,
    )
}  # fmt: skip


def universe(semantics: Semantics) -> dict[str, Any]:
    """The universal names and their values."""
    names = {"None": None, "True": True, "False": False, "json": JsonModule(), **_FUNCTIONS}
    if not semantics.set_type:
        del names["set"]
    if not semantics.floats:
        del names["float"]
    return names


def universe_names(semantics: Semantics) -> frozenset[str]:
    """The names alone."""
    return frozenset(universe(semantics))


__all__ = ["METHOD_NAMES", "builtin", "is_callable", "universe", "universe_names"]

"""What every Starlark value answers: its type's name, its text, its truth, equality and order.

Host classes join by class attributes: `starlark_type` (the name that type() gives) and, where wanted,
`starlark_repr(self)`, `starlark_str(self, semantics)`, `starlark_freeze(self)`, `starlark_iterate(self)`.
"""

# Starlark values are Any: their types are checked when the program runs.
# mypy: disable-error-code="no-any-return,type-arg"
from __future__ import annotations

import math
from types import BuiltinMethodType, FunctionType, MethodDescriptorType, MethodType, NoneType
from typing import Any

from ..diagnostics import InternalError
from .context import running_semantics
from .errors import EvalError

_BUILTIN_TYPES: dict[type, str] = {
    str: "string",
    int: "int",
    bool: "bool",
    float: "float",
    NoneType: "NoneType",
    tuple: "tuple",
    range: "range",
    bytes: "bytes",
    BuiltinMethodType: "builtin_function_or_method",
    MethodType: "builtin_function_or_method",
    MethodDescriptorType: "builtin_function_or_method",
}


def type_name(value: Any) -> str:
    """What type(value) gives; raises InternalError for an object that is no Starlark value."""
    kind = value.__class__
    name = _BUILTIN_TYPES.get(kind)
    if name is not None:
        return name
    if kind is FunctionType:
        return "function" if "%module" in value.__globals__ else "builtin_function_or_method"
    name = getattr(value, "starlark_type", None)
    if name is None:
        raise InternalError(f"a Python object of type {kind.__name__} got into a Starlark value")
    return name


def is_callable(value: Any) -> bool:
    return callable(value) and not isinstance(value, type)


def truth(value: Any) -> bool:
    return bool(value)


def int32(name: str, value: int) -> int:
    """A number where Bazel takes only signed 32-bit ones."""
    if not -(1 << 31) <= value < 1 << 31:
        raise EvalError(f"got {value} for {name}, want value in signed 32-bit range")
    return value


def int_argument(function: str, parameter: str, value: Any) -> int:
    if value.__class__ is not int:
        raise EvalError(
            f"in call to {function}(), parameter '{parameter}' got value of type '{type_name(value)}', want 'int'"
        )
    return value


def same(a: Any, b: Any) -> bool:
    """Whether two values that Python takes for equal are equal in Starlark: 1 == True is not, at any depth."""
    if a is b:
        return True
    kind: Any = a.__class__
    if kind is str:
        return True
    if (kind is bool) is not (b.__class__ is bool):
        return False
    if kind is BuiltinMethodType or kind is MethodType:
        return False
    if isinstance(a, (list, tuple)):
        return all(map(same, a, b))
    if isinstance(a, dict):
        values = getattr(a, "starlark_type", "") == "dict"
        if values:
            return all(same(value, dict.get(b, key)) for key, value in dict.items(a))
    return True


def equal(a: Any, b: Any) -> bool:
    """Starlark's a == b."""
    try:
        if a == b:
            return same(a, b)
    except RecursionError:
        raise EvalError(endless_comparison(a, b)) from None
    return a.__class__ is float and b.__class__ is float and a != a and b != b


def _is_ordered(kind: Any) -> bool:
    return kind.__lt__ is not _UNORDERED


def _host_order(a: Any, b: Any) -> int:
    return -1 if a < b else 1 if b < a else 0


def less(a: Any, b: Any) -> bool:
    """Starlark's a < b; raises EvalError for unordered types."""
    return compare(a, b, "<") < 0


def ordered(a: Any, b: Any, operator: str) -> int:
    """As compare, for values that may refer to themselves."""
    try:
        return compare(a, b, operator)
    except RecursionError:
        raise EvalError(endless_comparison(a, b)) from None


def endless_comparison(a: Any, b: Any) -> str:
    return f"cannot compare self-referential or overly nested data structures {to_repr(a)} and {to_repr(b)}"


def _ordered_kind(value: Any) -> str:
    kind = value.__class__
    if kind is int or kind is float:
        return "number"
    return type_name(value)


def compare(a: Any, b: Any, operator: str) -> int:
    """-1, 0 or 1 as `a` is less than, equal to or greater than `b`; NaN is greater than all other numbers."""
    kind = _ordered_kind(a)
    if kind == _ordered_kind(b):
        if kind == "number":
            if a != a or b != b:
                return (a != a) - (b != b)
            return (a > b) - (a < b)
        if kind in ("string", "bool", "bytes"):
            return (a > b) - (a < b)
        if kind in ("list", "tuple"):
            for x, y in zip(a, b, strict=False):
                if not equal(x, y):
                    return compare(x, y, operator)
            return (len(a) > len(b)) - (len(a) < len(b))
        if hasattr(a, "starlark_type") and _is_ordered(a.__class__) and not isinstance(a, dict):
            return _host_order(a, b)
    raise EvalError(f"unsupported comparison: {type_name(a)} <=> {type_name(b)}")


_UNORDERED: Any = getattr(object, "__lt__")  # noqa: B009
_ESCAPES = str.maketrans({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def quote(text: str) -> str:
    """A string literal for `text`."""
    text = text.translate(_ESCAPES)
    if not text.isprintable():
        text = "".join(c if c >= " " and c != "\x7f" else f"\\x{ord(c):02x}" for c in text)
    return f'"{text}"'


_LONGEST_INT = 1 << 22  # bits that are written in decimal


def int_text(value: int) -> str:
    """Decimal digits of an integer, also beyond the limit of Python's str()."""
    try:
        return str(value)
    except ValueError:
        pass
    if value.bit_length() > _LONGEST_INT:
        raise EvalError(f"integer of {value.bit_length()} bits is too long to be written")
    sign, value = ("-", -value) if value < 0 else ("", value)
    chunk = 10**4000
    parts = []
    while value:
        value, rest = divmod(value, chunk)
        parts.append(str(rest).zfill(4000))
    return sign + "".join(reversed(parts)).lstrip("0")


def float_text(value: float) -> str:
    if math.isfinite(value):
        text = repr(value)
        if text.endswith("e+16"):  # below 1e17 all digits are written
            return f"{value:.1f}"
        return text if "." in text or "e" in text else text + ".0"
    return "nan" if value != value else "+inf" if value > 0 else "-inf"


def to_str(value: Any) -> str:
    """What str(value) gives."""
    kind = value.__class__
    if kind is str:
        return value
    if kind is bytes:
        return value.decode("utf-8", "replace")
    method = getattr(value, "starlark_str", None)
    if method is not None:
        return method(running_semantics())
    parts: list[str] = []
    _write(value, parts, None)
    return "".join(parts)


def to_repr(value: Any) -> str:
    """What repr(value) gives."""
    parts: list[str] = []
    _write(value, parts, set())
    return "".join(parts)


def _write(value: Any, parts: list[str], around: set[int] | None) -> None:
    """Appends the text of a value; `around` has the values that are being written.

    It is None for the argument of str(), which shows a list that contains itself once more than repr() does, as Bazel.
    """
    open_values = set() if around is None else around
    outermost = around is None
    kind: Any = value.__class__
    if kind is str:
        parts.append(quote(value))
    elif kind is bool or value is None:
        parts.append(str(value))
    elif kind is int:
        parts.append(int_text(value))
    elif kind is float:
        parts.append(float_text(value))
    elif kind is tuple and id(value) in open_values:
        parts.append("...")
    elif kind is tuple:
        _write_items("(", value, ",)" if len(value) == 1 else ")", parts, open_values, outermost)
    elif kind is range:
        step = f", {value.step}" if value.step != 1 else ""
        parts.append(f"range({value.start}, {value.stop}{step})")
    elif kind is bytes:
        parts.append("b" + _quote_bytes(value))
    elif isinstance(value, (list, dict)):
        if id(value) in open_values:
            parts.append("...")
            return
        name = type_name(value)
        if name == "list":
            _write_items("[", value, "]", parts, open_values, outermost)
        elif name == "set":
            if value:
                _write_items("set([", value, "])", parts, open_values)
            else:
                parts.append("set()")
        else:
            entered = 0 if outermost else id(value)
            open_values.add(entered)
            separator = "{"
            pairs: Any = value
            for key, item in pairs.items():
                parts.append(separator)
                _write(key, parts, open_values)
                parts.append(": ")
                _write(item, parts, open_values)
                separator = ", "
            parts.append("}" if value else "{}")
            open_values.discard(entered)
    else:
        parts.append(_other_repr(value, parts, open_values))


def _write_items(
    opening: str, items: Any, closing: str, parts: list[str], open_values: set[int], outermost: bool = False
) -> None:
    entered = 0 if outermost else id(items)
    open_values.add(entered)
    parts.append(opening)
    separator = False
    for item in items:
        if separator:
            parts.append(", ")
        separator = True
        _write(item, parts, open_values)
    parts.append(closing)
    open_values.discard(entered)


def _quote_bytes(value: bytes) -> str:
    return '"' + "".join(quote(chr(b))[1:-1] if b < 128 else f"\\x{b:02x}" for b in value) + '"'


def _other_repr(value: Any, parts: list[str], open_values: set[int]) -> str:
    fields = getattr(value, "starlark_fields", None)
    if fields is not None:  # struct-like: name and fields, which may refer back to a value that is being written
        if id(value) in open_values:
            return "..."
        open_values.add(id(value))
        parts.append(value.starlark_name() + "(")
        for position, (name, item) in enumerate(fields()):
            parts.append(f", {name} = " if position else f"{name} = ")
            _write(item, parts, open_values)
        open_values.discard(id(value))
        return ")"
    method = getattr(value, "starlark_repr", None)
    if method is not None:
        return method()
    name = type_name(value)
    if name == "function":
        module = value.__globals__["%module"]
        shown = "lambda" if value.__name__ == "<lambda>" else value.__name__
        return f"<function {shown} from {module.label}>" if module.label is not None else f"<function {shown}>"
    if name == "builtin_function_or_method":
        shown = value.__name__.removeprefix("s_")
        owner = getattr(value, "__self__", None)
        if owner is not None and not hasattr(owner, "__file__"):
            return f"<built-in method {shown} of {type_name(owner)} value>"
        return f"<built-in function {shown}>"
    return f"<{name}>"


def attribute_names(value: Any) -> list[str]:
    """What dir(value) gives."""
    if value.__class__ is str:
        from .strings import METHOD_NAMES

        return sorted(METHOD_NAMES)
    names = {name[2:] for name in dir(value) if name.startswith("s_")}
    extra = getattr(value, "starlark_dir", None)
    if extra is not None:
        names.update(extra())
    return sorted(names)

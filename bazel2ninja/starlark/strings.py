"""The methods of strings (and bytes)."""

# Starlark values are Any: their types are checked when the program runs.
# mypy: disable-error-code="no-any-return,type-arg"
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .context import running_semantics
from .errors import EvalError
from .formatting import format_method
from .protocol import int_argument, to_str, type_name
from .values import List, iterate


def _text(method: str, parameter: str, value: Any) -> str:
    if value.__class__ is not str:
        raise EvalError(
            f"in call to {method}(), parameter '{parameter}' got value of type '{type_name(value)}', want 'string'"
        )
    return value


def _bound(method: str, name: str, value: Any) -> Any:
    return None if value is None else int_argument(method, name, value)


def _prefix_test(method: str) -> Callable:
    python = getattr(str, method)

    def test(self: str, sub: Any, start: Any = None, end: Any = None, /) -> bool:
        if sub.__class__ is not str:
            if sub.__class__ is not tuple:
                raise EvalError(
                    f"in call to {method}(), parameter 'sub' got value of type '{type_name(sub)}', "
                    "want 'string or tuple'"
                )
            for element in sub:
                if element.__class__ is not str:
                    raise EvalError(f"at index 0 of sub, got element of type {type_name(element)}, want string")
        return python(self, sub, _bound(method, "start", start), _bound(method, "end", end))

    return test


def _search(method: str) -> Callable:
    python = getattr(str, method)

    def search(self: str, sub: Any, start: Any = None, end: Any = None, /) -> int:
        _text(method, "sub", sub)
        return python(self, sub, _bound(method, "start", start), _bound(method, "end", end))

    return search


def _index(method: str, find: Callable) -> Callable:
    def index(self: str, sub: Any, start: Any = None, end: Any = None, /) -> int:
        found = find(self, sub, start, end)
        if found < 0:
            raise EvalError("substring not found")
        return found

    return index


_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_WHITE_SPACE = " \t\n\v\f\r\x1c\x1d\x1e\x1f"


def _plain(method: str) -> Callable:
    """A method about letters and digits.

    To Bazel a text is bytes: what is beyond ASCII is neither letter nor digit nor white space, and has no case.
    """
    python = getattr(str, method)

    def apply(self: str) -> Any:
        if self.isascii():
            return python(self)
        result = python(_BEYOND_ASCII.sub("\0", self))
        if result.__class__ is str:
            return "".join([new if new != "\0" else old for old, new in zip(self, result, strict=True)])
        return result

    return apply


def _strip(method: str) -> Callable:
    python = getattr(str, method)

    def strip(self: str, chars: Any = None, /) -> str:
        return python(self, _WHITE_SPACE if chars is None else _text(method, "chars", chars))

    return strip


def _split(method: str) -> Callable:
    python = getattr(str, method)

    def split(self: str, sep: Any = None, maxsplit: Any = None) -> List:
        if sep is None:
            if not running_semantics().specified_strings:
                raise EvalError(f"{method}() missing 1 required positional argument: sep")
        else:
            _text(method, "sep", sep)
            if not sep:
                raise EvalError("Empty separator")
        return List(python(self, sep, -1 if maxsplit is None else int_argument(method, "maxsplit", maxsplit)))

    return split


def _partition(method: str) -> Callable:
    python = getattr(str, method)

    def partition(self: str, sep: Any, /) -> tuple:
        if not _text(method, "sep", sep):
            raise EvalError("empty separator")
        return python(self, sep)

    return partition


def _remove(method: str, parameter: str) -> Callable:
    python = getattr(str, method)

    def remove(self: str, affix: Any, /) -> str:
        return python(self, _text(method, parameter, affix))

    return remove


def _replace(self: str, old: Any, new: Any, count: Any = -1, /) -> str:
    _text("replace", "old", old)
    _text("replace", "new", new)
    return self.replace(old, new, int_argument("replace", "count", count))


def _join(self: str, elements: Any, /) -> str:
    if not isinstance(elements, (list, tuple)):
        elements = list(iterate(elements))
    try:
        return self.join(elements)
    except TypeError:
        for position, element in enumerate(elements):
            if element.__class__ is not str:
                raise EvalError(
                    f"expected string for sequence element {position}, "
                    f"got '{to_str(element)}' of type {type_name(element)}"
                ) from None
        raise


def _format(self: str, /, *args: Any, **kwargs: Any) -> str:
    return format_method(self, args, kwargs)


def _splitlines(self: str, keepends: Any = False, /) -> List:
    if keepends.__class__ is not bool:
        raise EvalError(
            f"in call to splitlines(), parameter 'keepends' got value of type '{type_name(keepends)}', want 'bool'"
        )
    lines = []
    start = 0
    size = len(self)
    while start < size:
        newline = self.find("\n", start)
        carriage = self.find("\r", start, newline if newline >= 0 else size)
        if carriage >= 0 and carriage + 1 != newline:
            end, following = carriage, carriage + 1
        elif newline >= 0:
            end, following = (carriage if carriage >= 0 else newline), newline + 1
        else:
            end = following = size
        lines.append(self[start : following if keepends else end])
        start = following
    return List(lines)


def _elems(self: str) -> List:
    return List(self)


def _methods() -> dict[str, Callable]:
    find, rfind = _search("find"), _search("rfind")
    methods: dict[str, Any] = {
        "count": _search("count"),
        "elems": _elems,
        "endswith": _prefix_test("endswith"),
        "find": find,
        "format": _format,
        "index": _index("index", find),
        "join": _join,
        "lstrip": _strip("lstrip"),
        "partition": _partition("partition"),
        "removeprefix": _remove("removeprefix", "prefix"),
        "removesuffix": _remove("removesuffix", "suffix"),
        "replace": _replace,
        "rfind": rfind,
        "rindex": _index("rindex", rfind),
        "rpartition": _partition("rpartition"),
        "rsplit": _split("rsplit"),
        "rstrip": _strip("rstrip"),
        "split": _split("split"),
        "splitlines": _splitlines,
        "startswith": _prefix_test("startswith"),
        "strip": _strip("strip"),
    }
    for name in (
        "capitalize",
        "isalnum",
        "isalpha",
        "isdigit",
        "islower",
        "isspace",
        "istitle",
        "isupper",
        "lower",
        "title",
        "upper",
    ):
        methods[name] = _plain(name)
    for name, method in methods.items():
        method.__name__, method.__qualname__ = name, f"string.{name}"
    return methods


STRING_METHODS = _methods()
METHOD_NAMES = frozenset(STRING_METHODS)
# Methods that are the same in Python when the arguments are strings, and refuse the same numbers of arguments.
NATIVE_METHODS = frozenset(
    {"startswith", "endswith", "find", "rfind", "replace", "count", "removeprefix", "removesuffix"}
)


class BoundMethod:
    """A string method as a value: "x".split without a call."""

    starlark_type = "builtin_function_or_method"

    def __init__(self, receiver: str, name: str):
        self.__self__ = receiver
        self.__name__ = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return STRING_METHODS[self.__name__](self.__self__, *args, **kwargs)

    def starlark_repr(self) -> str:
        return f"<built-in method {self.__name__} of string value>"


def bound_method(receiver: str, name: str) -> BoundMethod:
    if name not in STRING_METHODS:
        raise AttributeError(name="s_" + name, obj=receiver)
    return BoundMethod(receiver, name)


def _dispatcher(name: str, method: Callable) -> Callable:
    attribute = "s_" + name

    def dispatch(receiver: Any, /, *args: Any, **kwargs: Any) -> Any:
        if receiver.__class__ is str:
            return method(receiver, *args, **kwargs)
        return getattr(receiver, attribute)(*args, **kwargs)

    dispatch.__name__ = dispatch.__qualname__ = name
    return dispatch


def dispatchers() -> dict[str, Callable]:
    """The functions that a call x.method(...) compiles to, where strings have such a method."""
    direct = {"%s_" + name: method for name, method in STRING_METHODS.items()}
    return {"%m_" + name: _dispatcher(name, method) for name, method in STRING_METHODS.items()} | direct

"""Checks of arguments that Starlark code gives to functions of ours; errors have Bazel's wording."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.labels import Label
from bazel2ninja.loading.repository_placeholder import Placeholder
from bazel2ninja.starlark import EvalError, is_starlark_function, type_name


def wrong_type(value: Any, function: str, parameter: str, wanted: str) -> EvalError:
    """The error of an argument with the wrong type."""
    return EvalError(
        f"in call to {function}(), parameter '{parameter}' got value of type '{type_name(value)}', want '{wanted}'"
    )


def sequence(value: Any, function: str, parameter: str) -> tuple[Any, ...]:
    """A list or tuple; None stands for an empty one."""
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        raise wrong_type(value, function, parameter, "sequence")
    return tuple(value)


def strings(value: Any, function: str, parameter: str) -> tuple[str, ...]:
    """A list or tuple of strings."""
    if value is not None and not isinstance(value, list | tuple):
        raise wrong_type(value, function, parameter, "sequence of strings")
    found = sequence(value, function, parameter)
    for position, item in enumerate(found):
        if not isinstance(item, str):
            raise EvalError(
                f"in call to {function}(), at index {position} of '{parameter}', got element of type"
                f" {type_name(item)}, want string"
            )
    return found


def mapping(value: Any, function: str, parameter: str, kind: type | None = None) -> dict[str, Any]:
    """A dict with strings as keys, and with values of the class `kind`; None stands for an empty one."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise wrong_type(value, function, parameter, "dict")
    for key, item in value.items():
        if not isinstance(key, str):
            raise EvalError(f"in call to {function}(), '{parameter}' got a key of type {type_name(key)}, want string")
        if kind is not None and not isinstance(item, kind):
            wanted = ", want string" if kind is str else ""
            raise EvalError(f"in call to {function}(), '{parameter}' got {type_name(item)} for '{key}'{wanted}")
    return dict(value.items())


def labels(value: Any, function: str, parameter: str, convert: Callable[[object], Label]) -> tuple[Label, ...]:
    """A list or tuple of labels or texts that name some."""
    return tuple([label(item, function, parameter, convert) for item in sequence(value, function, parameter)])


def label(value: Any, function: str, parameter: str, convert: Callable[[object], Label]) -> Label:
    """A label or a text that names one."""
    if not isinstance(value, str | Label):
        raise wrong_type(value, function, parameter, "string or Label")
    try:
        return convert(value)
    except WorkspaceError as problem:
        raise EvalError(f"in call to {function}(), parameter '{parameter}': {problem.diagnostic.message}") from None


def function(value: Any, name: str, parameter: str) -> Any:
    """A function that Starlark code defines, or what stands for one of an absent repository."""
    if not is_starlark_function(value) and not isinstance(value, Placeholder):
        raise wrong_type(value, name, parameter, "function")
    return value


def text(value: Any, function: str, parameter: str) -> str:
    """A string; None stands for an empty one."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise wrong_type(value, function, parameter, "string")
    return value

"""Checking what .bzl files pass to the functions of cc_common."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.rules.cc_features import FeatureConfiguration
from bazel2ninja.starlark import EvalError, type_name


def _wrong(function: str, parameter: str, value: Any, want: str) -> EvalError:
    return EvalError(
        f"in call to {function}(), parameter '{parameter}' got value of type '{type_name(value)}', want '{want}'"
    )


def elements(function: str, parameter: str, value: Any) -> tuple[Any, ...]:
    """The elements of a list, tuple or depset; None has none."""
    if value is None:
        return ()
    if isinstance(value, Depset):
        return value.flatten()
    if isinstance(value, list | tuple):
        return tuple(value)
    raise _wrong(function, parameter, value, "sequence or depset")


def strings(function: str, parameter: str, value: Any) -> tuple[str, ...]:
    """Likewise, of strings; nested lists of strings are joined."""
    found: list[str] = []
    for item in elements(function, parameter, value):
        if isinstance(item, str):
            found.append(item)
        elif isinstance(item, list | tuple):
            found += strings(function, parameter, item)
        else:
            raise _wrong(function, parameter, item, "sequence of strings")
    return tuple(found)


def files(function: str, parameter: str, value: Any) -> tuple[Artifact, ...]:
    """Likewise, of Files; a pair (File, label), as old rules passed sources, stands for its File."""
    found = []
    for item in elements(function, parameter, value):
        file = item[0] if isinstance(item, tuple) and item else item
        if not isinstance(file, Artifact):
            raise _wrong(function, parameter, item, "sequence of Files")
        found.append(file)
    return tuple(found)


def file(function: str, parameter: str, value: Any) -> Artifact | None:
    if value is None or isinstance(value, Artifact):
        return value
    raise _wrong(function, parameter, value, "File or NoneType")


def typed(function: str, parameter: str, value: Any, kind: type) -> tuple[Any, ...]:
    """The elements of a sequence or depset, all of one class."""
    found = elements(function, parameter, value)
    for item in found:
        if not isinstance(item, kind):
            raise _wrong(function, parameter, item, f"sequence of {getattr(kind, 'starlark_type', kind.__name__)}")
    return found


def features(function: str, value: Any) -> FeatureConfiguration:
    if not isinstance(value, FeatureConfiguration):
        raise _wrong(function, "feature_configuration", value, "FeatureConfiguration")
    return value


def unsupported(function: str, **given: Any) -> None:
    """Raises EvalError for the first argument that is not empty."""
    for name, value in given.items():
        if value:
            raise EvalError(f"in call to {function}(), parameter '{name}' is not supported")


def instances(function: str, parameter: str, value: Any, provider: Any) -> tuple[Any, ...]:
    """The elements of a sequence, all of one provider."""
    found = elements(function, parameter, value)
    for item in found:
        if getattr(item, "provider", None) is not provider:
            raise _wrong(function, parameter, item, f"sequence of {provider.name}")
    return found


def depset_of(values: Iterable[Any]) -> Depset:
    return Depset(tuple(values))

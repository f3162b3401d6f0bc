"""Checks of what the functions of ctx.actions are given; errors have Bazel's wording."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.starlark import EvalError, type_name


def text_argument(function: str, parameter: str, value: Any) -> str:
    if not isinstance(value, str):
        raise EvalError(
            f"in call to {function}(), parameter '{parameter}' got value of type '{type_name(value)}', want 'string'"
        )
    return value


def file_argument(function: str, parameter: str, value: Any) -> Artifact:
    if not isinstance(value, Artifact):
        raise EvalError(
            f"in call to {function}(), parameter '{parameter}' got value of type '{type_name(value)}', want 'File'"
        )
    return value


def strings_argument(function: str, parameter: str, value: Any) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping) or not all(
        isinstance(key, str) and isinstance(text, str) for key, text in value.items()
    ):
        raise EvalError(f"in call to {function}(), parameter '{parameter}' must be a dict of strings")
    return dict(value.items())

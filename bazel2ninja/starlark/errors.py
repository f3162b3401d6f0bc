"""The error of a running Starlark program."""

from __future__ import annotations

from typing import Any

from ..diagnostics import Diagnostic, Location, WorkspaceError


class EvalError(WorkspaceError):
    """A Starlark program failed.

    Builtins raise it with a bare message; the thread adds the place and the call stack (`diagnostic.location`,
    `diagnostic.frames`, outermost first).
    """

    builtin = ""  # the built-in function that raised it, when one did
    thread: Any = None  # the thread that placed it

    @property
    def message(self) -> str:
        return self.diagnostic.message

    @property
    def frames(self) -> tuple[tuple[Location, str], ...]:
        return self.diagnostic.frames


class FrozenError(EvalError):
    """An attempt to change a frozen value, or one that a loop is iterating over."""


def error(message: str, help: str | None = None) -> EvalError:
    return EvalError(Diagnostic(message, help=help))

"""Which thread is running: what builtins and values ask for the semantics."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from .semantics import Semantics

running_thread: ContextVar[Any] = ContextVar("starlark_thread")


def running_semantics() -> Semantics:
    """The semantics of the running thread; the defaults outside of any."""
    thread = running_thread.get(None)
    return _DEFAULT if thread is None else thread.semantics


_DEFAULT = Semantics()

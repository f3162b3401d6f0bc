"""What is being done, on standard error: only on a terminal, and only when it takes longer than two seconds."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType

PATIENCE = 2.0  # seconds
_TICK = 0.5  # seconds


class Progress:
    """A context; `step(text)` says what comes next.  The line is wiped at the end."""

    def __init__(self, text: str):
        self._text = text
        self._started = time.monotonic()
        self._over = threading.Event()
        self._shown = False
        self._thread = threading.Thread(target=self._show, daemon=True) if sys.stderr.isatty() else None

    def step(self, text: str) -> None:
        """Names the next piece of work."""
        self._text = text

    def _show(self) -> None:
        while not self._over.wait(_TICK):
            seconds = time.monotonic() - self._started
            if seconds >= PATIENCE:
                self._shown = True
                print(f"\r\033[K[{seconds:.0f} s] {self._text}", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> Progress:
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        if self._shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

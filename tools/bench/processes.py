"""What one process costs: wall time, processor time, peak memory."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Sample:
    """wall, cpu: seconds, cpu is user and system time of the process and its children; peak_kib: resident memory."""

    wall: float
    cpu: float
    peak_kib: int


class ProcessError(Exception):
    """A measured command failed; the text holds what it printed."""


def environment(bytecode: Path) -> dict[str, str]:
    """The process's, with this tree's package, whose bytecode is kept as in an installed package."""
    found = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    found["PYTHONPATH"] = str(ROOT)
    found["PYTHONPYCACHEPREFIX"] = str(bytecode)
    return found


def measure(command: Sequence[str], directory: Path, variables: Mapping[str, str]) -> Sample:
    """Runs a command; raises ProcessError when it fails."""
    with tempfile.TemporaryFile() as messages:
        start = time.monotonic()
        process = subprocess.Popen(
            command, cwd=directory, env=variables, stdin=subprocess.DEVNULL, stdout=messages, stderr=messages
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            messages.seek(0)
            text = messages.read().decode("utf-8", "replace")[-4000:]
            raise ProcessError(f"{' '.join(command)} ended with status {process.returncode}:\n{text}")
    return Sample(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)


def median(samples: Sequence[Sample]) -> Sample:
    """The median of each figure, of the memory the greatest."""
    return Sample(
        statistics.median(sample.wall for sample in samples),
        statistics.median(sample.cpu for sample in samples),
        max(sample.peak_kib for sample in samples),
    )


def bazel2ninja(*words: str) -> list[str]:
    """The command line of one of our commands."""
    return [sys.executable, "-m", "bazel2ninja", *words]

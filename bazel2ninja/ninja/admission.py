"""Starts a command when there is memory for it: `python3 -m bazel2ninja.ninja.admission BYTES LOG COMMAND...`.

What a command took at most is written to LOG ("KIB <tab> OUTPUT", OUTPUT after -o), and is what it is expected to take
the next time.  Of one that never ran, as much is expected as nineteen of twenty known ones took.  LOG.queue has a line
"PID KIB STATE" for each command that runs or waits, in the order of arrival: nobody overtakes, so that a large one gets
its turn, and one alone always runs.
"""

from __future__ import annotations

import fcntl
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_UNKNOWN = 1 << 20  # KiB, while nothing is known
_MARGIN = 1.1
_PAUSE = 0.1  # seconds between two looks at the queue
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_OF_THE_MACHINE = 0.9


def size(text: str) -> int | None:
    """Bytes of "6G", "1.5G", "800M", "123456", or of "auto": nine tenths of the memory here.  None for another text."""
    if text == "auto":
        return int(machine() * _OF_THE_MACHINE)
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)i?B?", text)
    return int(float(match[1]) * _UNITS[match[2]]) if match else None


def machine(root: str = "/") -> int:
    """Bytes of memory that this machine, or the control group that we are in, has."""
    found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for name in ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            text = Path(root, name).read_text().strip()
        except OSError:
            continue
        if text.isdigit():
            found.append(int(text))
    return min(found)


@contextmanager
def _locked(path: str) -> Iterator[list[list[str]]]:
    """The fields of the lines of the file, those of processes that are gone left out; what is changed is written."""
    with open(path, "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        lines = [line.split() for line in file]
        lines = [fields for fields in lines if len(fields) == 3 and os.path.exists(f"/proc/{fields[0]}")]
        yield lines
        file.seek(0)
        file.truncate()
        file.write("".join(" ".join(fields) + "\n" for fields in lines))


@contextmanager
def admitted(queue: str, limit: int, need: int) -> Iterator[None]:
    """Waits for its turn, and for `need` of `limit` KiB to be free."""
    own = str(os.getpid())
    with _locked(queue) as lines:
        lines.append([own, str(need), "waits"])
    try:
        while True:
            with _locked(queue) as lines:
                before = lines[: next(n for n, fields in enumerate(lines) if fields[0] == own)]
                taken = sum(int(fields[1]) for fields in lines if fields[2] == "runs")
                first = all(fields[2] == "runs" for fields in before)
                if first and (taken + need <= limit or not taken):
                    lines[len(before)][2] = "runs"
                    break
            time.sleep(_PAUSE)
        yield
    finally:
        with _locked(queue) as lines:
            lines[:] = [fields for fields in lines if fields[0] != own]


def expected(log: str, output: str) -> tuple[int, int]:
    """(KiB that the command may take, what is known of it: 0 for nothing)."""
    try:
        with open(log, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
    except OSError:
        text = ""
    end = f"\t{output}\n"
    known = [int(line.split("\t")[0]) for line in text.splitlines(keepends=True) if line.endswith(end)]
    if known:
        return int(max(known) * _MARGIN), max(known)
    others = sorted(int(line.split("\t")[0]) for line in text.splitlines() if "\t" in line)
    return (int(others[len(others) * 19 // 20] * _MARGIN) if others else _UNKNOWN), 0


def run(command: Sequence[str]) -> tuple[int, int]:
    """(exit status as a shell has it, KiB of its largest process)."""
    process = subprocess.Popen(command)
    while True:
        try:
            _, status, usage = os.wait4(process.pid, 0)
            break
        except KeyboardInterrupt:
            continue  # the command has got the signal as well
        except SystemExit:
            process.terminate()
            raise
    code = os.waitstatus_to_exitcode(status)
    return (code if code >= 0 else 128 - code), usage.ru_maxrss


def main(words: Sequence[str]) -> int:
    limit, log, *command = words
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    output = command[command.index("-o") + 1] if "-o" in command[:-1] else command[-1]
    need, known = expected(log, output)
    with admitted(f"{log}.queue", int(limit) >> 10, need):
        try:
            status, taken = run(command)
        except OSError as error:
            print(f"{command[0]}: {(error.strerror or str(error)).lower()}", file=sys.stderr)
            return 127
    if status == 0 and taken > known:
        with open(log, "a", encoding="utf-8", errors="surrogateescape") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(f"{taken}\t{output}\n")
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)

"""Starts a command when there is memory for it: `python3 -IS admission.py LIMIT LOG COMMAND...`.

LIMIT is a number of bytes, or "auto" for what this machine has.  What a command took at most is written to LOG ("KIB
<tab> OUTPUT", OUTPUT after -o), and is what it is expected to take the next time.  Of one that never ran, as much is
expected as nineteen of twenty took that were measured last.  LOG.queue has a line "PID KIB STATE NOW" for each command
that runs or waits, in the order of arrival: nobody overtakes, so that a large one gets its turn, and one alone always
runs.  KIB is what the command may take, NOW what it will take soon if it goes on as it does.

An expectation can be wrong, in a first build above all.  So the processes of a running command are looked at: one that
outgrows what was expected holds the next ones back, and when all together come near the limit the youngest is ended and
started again when there is room.

Imports nothing of bazel2ninja and little else: a command waits for it to start.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

_UNKNOWN = 1 << 20  # KiB, while nothing is known
_MARGIN = 1.1
_PAUSE = 0.1  # seconds between two looks at the queue
_LOOK = 0.2  # seconds between two looks at a running command
_GROWING = 1.25  # what has outgrown its expectation is expected to reach this many times what it takes now
_AGAIN = 1.5  # and when it was ended for it
_NEAR = 0.9  # of the limit: from here on the youngest is ended
_PATIENCE = 2.0  # seconds that an ended command gets before it is killed
_RECENT = 1 << 16  # bytes of the log that stand for what is unknown
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_OF_THE_MACHINE = 0.9
AUTO = "auto"


def size(text: str) -> int | None:
    """Bytes of "6G", "1.5G", "800M", "123456".  None for another text."""
    number = text.removesuffix("B").removesuffix("i")
    unit = number[-1:] if number[-1:].isalpha() else ""
    whole, point, part = number.removesuffix(unit).partition(".")
    if unit not in _UNITS or not (whole.isascii() and whole.isdigit()) or (point and not part.isdigit()):
        return None
    return int(float(f"{whole}.{part or 0}") * _UNITS[unit])


def _text(root: str, name: str) -> str:
    try:
        with open(os.path.join(root, name)) as file:
            return file.read()
    except OSError:
        return ""


def machine(root: str = "/") -> int:
    """Bytes of memory that this machine, or the control group that we are in, has."""
    found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for name in ("sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"):
        text = _text(root, name).strip()
        if text.isdigit():
            found.append(int(text))
    return min(found)


def free(root: str = "/") -> int:
    """Bytes that programs could take here without one being swapped out or killed."""
    found = [int(line.split()[1]) << 10 for line in _text(root, "proc/meminfo").splitlines() if "MemAvailable:" in line]
    limit = _text(root, "sys/fs/cgroup/memory.max").strip()
    if limit.isdigit():
        stat = dict(line.split() for line in _text(root, "sys/fs/cgroup/memory.stat").splitlines())
        found.append(max(0, int(limit) - sum(int(stat.get(name, 0)) for name in ("anon", "shmem", "unevictable"))))
    return min(found, default=machine(root))


def limit_now(limit: str, now: int) -> int:
    """KiB that all commands may take together, of which they take `now`."""
    if limit != AUTO:
        return int(limit) >> 10
    return int(min(machine() * _OF_THE_MACHINE / 1024, now + free() * _OF_THE_MACHINE / 1024))


@contextmanager
def _locked(path: str) -> Iterator[list[list[str]]]:
    """The fields of the lines of the file, those of processes that are gone left out; what is changed is written."""
    with open(path, "a+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        old = file.read()
        lines = [line.split() for line in old.splitlines()]
        lines = [fields for fields in lines if len(fields) == 4 and os.path.exists(f"/proc/{fields[0]}")]
        yield lines
        new = "".join(" ".join(fields) + "\n" for fields in lines)
        if new != old:
            file.seek(0)
            file.truncate()
            file.write(new)


class Place:
    """A command's place in the queue, from its arrival to its end.  limit: as on the command line; need: KiB."""

    def __init__(self, queue: str, limit: str, need: int):
        self._queue = queue
        self._limit = limit
        self._own = [str(os.getpid()), str(need), "waits", "0"]
        self._outgrown = False

    def __enter__(self) -> Place:
        with _locked(self._queue) as lines:
            lines.append(self._own)
        return self

    def __exit__(self, *problem: object) -> None:
        with _locked(self._queue) as lines:
            lines[:] = [fields for fields in lines if fields[0] != self._own[0]]

    def _index(self, lines: list[list[str]]) -> int:
        found = next((number for number, fields in enumerate(lines) if fields[0] == self._own[0]), len(lines))
        lines[found : found + 1] = [self._own]
        return found

    def wait(self) -> None:
        """Until it is its turn and there is room."""
        while True:
            with _locked(self._queue) as lines:
                before = lines[: self._index(lines)]
                running = [fields for fields in lines if fields[2] == "runs"]
                taken = sum(max(int(fields[1]), int(fields[3])) for fields in running)
                room = limit_now(self._limit, sum(int(fields[3]) for fields in running)) - taken
                if all(fields[2] == "runs" for fields in before) and (int(self._own[1]) <= room or not running):
                    self._own[2] = "runs"
                    return
            time.sleep(_PAUSE)

    def grows(self, now: int, more: int) -> bool:
        """Tells what the command takes, in KiB; True when it has to end and to wait for another turn.

        more: what was added since the last time.  One that has outgrown its expectation is taken to go on like that.
        """
        with _locked(self._queue) as lines:
            self._index(lines)
            self._outgrown = self._outgrown or now > int(self._own[1])
            if self._outgrown:
                now += more
                self._own[1] = str(max(int(self._own[1]), int(now * _GROWING)))
            self._own[3] = str(now)
            running = [fields for fields in lines if fields[2] == "runs"]
            all_now = sum(int(fields[3]) for fields in running)
            return len(running) > 1 and running[-1] is self._own and all_now > _NEAR * limit_now(self._limit, all_now)

    def leave(self, most: int) -> None:
        """After its end: it waits again, and needs more than it had."""
        with _locked(self._queue) as lines:
            self._index(lines)
            self._own[1:] = [str(max(int(self._own[1]), int(most * _AGAIN))), "waits", "0"]


def expected(log: str, output: str) -> tuple[int, int]:
    """(KiB that the command may take, what is known of it: 0 for nothing)."""
    try:
        with open(log, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
    except OSError:
        text = ""
    end = f"\t{output}\n"
    known = 0
    at = text.find(end)
    while at >= 0:
        known = max(known, int(text[text.rfind("\n", 0, at) + 1 : at]))
        at = text.find(end, at + 1)
    if known:
        return int(known * _MARGIN), known
    recent = text[-_RECENT:].splitlines()[len(text) > _RECENT :]
    others = sorted(int(line.split("\t")[0]) for line in recent if "\t" in line)
    return (int(others[len(others) * 19 // 20] * _MARGIN) if others else _UNKNOWN), 0


def _family(process: int) -> list[int]:
    """The process and all that it has started, directly or not."""
    found = [process]
    for each in found:
        found += map(int, _text("/proc", f"{each}/task/{each}/children").split())
    return found


def _resident(process: int) -> int:
    """KiB that it and its children take."""
    numbers = [_text("/proc", f"{each}/statm").split() for each in _family(process)]
    return sum(int(fields[1]) for fields in numbers if fields) * (os.sysconf("SC_PAGE_SIZE") >> 10)


def _end(process: int, end: select.poll) -> None:
    """Ends the command and what it has started, a compiler's own processes too; waits until they are gone."""
    for number, patience in ((signal.SIGTERM, _PATIENCE), (signal.SIGKILL, None)):
        for each in reversed(_family(process)):
            with suppress(ProcessLookupError):
                os.kill(each, number)
        if end.poll(patience and patience * 1000):
            return


def run(command: list[str], place: Place) -> tuple[int | None, int]:
    """(exit status as a shell has it, KiB at most).  No status when it was ended because there was no room.

    Raises OSError when the command cannot be started.
    """
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})  # until somebody can pass it on
    process = 0
    most = now = 0
    ended = False
    try:
        process = os.posix_spawnp(command[0], command, os.environ, setsigmask=mask)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        end = select.poll()
        try:
            end.register(os.pidfd_open(process), select.POLLIN)
            looks = True
        except OSError:  # an old kernel
            looks = False
        while True:
            try:
                while looks and not end.poll(_LOOK * 1000):
                    before, now = now, _resident(process)
                    most = max(most, now)
                    if place.grows(now, max(0, now - before)):
                        ended = True
                        _end(process, end)
                _, status, usage = os.wait4(process, 0)
                break
            except KeyboardInterrupt:
                continue  # the command has got the signal as well
    except SystemExit:
        if process:
            os.kill(process, signal.SIGTERM)
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    code = os.waitstatus_to_exitcode(status)
    most = max(most, usage.ru_maxrss)
    if ended and code != 0:
        return None, most
    return (code if code >= 0 else 128 - code), most


def main(words: Sequence[str]) -> int:
    limit, log, *command = words
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    output = command[command.index("-o") + 1] if "-o" in command[:-1] else command[-1]
    need, known = expected(log, output)
    status = None
    with Place(f"{log}.queue", limit, need) as place:
        while status is None:
            place.wait()
            try:
                status, taken = run(command, place)
            except OSError as error:
                print(f"{command[0]}: {(error.strerror or str(error)).lower()}", file=sys.stderr)
                return 127
            if status is None:
                place.leave(taken)
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

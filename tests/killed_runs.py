"""Runs of this program that end before a chosen change of the file system, as if they were killed there."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

# What an audit hook of Python is told of: https://docs.python.org/3/library/audit_events.html
RUN = """
import os, runpy, signal, sys
end, place = int(sys.argv.pop(1)), os.getcwd()
others = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.utime")
writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT
changes = 0
def seen(event, arguments):
    global changes
    if event == "open":
        if isinstance(arguments[0], int) or not (arguments[2] or 0) & writing:
            return
    elif event not in others:
        return
    if os.path.abspath(os.fsdecode(arguments[0])).startswith(place):
        changes += 1
        if changes == end:
            os.kill(os.getpid(), signal.SIGKILL)
sys.addaudithook(seen)
leave = os._exit
def told(status):
    print("changes:", changes, flush=True)
    leave(status)
os._exit = told
runpy.run_module("bazel2ninja", run_name="__main__")
told(0)
"""


def changes_of(arguments: Sequence[str], place: Path) -> int:
    """How often a whole run of `bazel2ninja ARGUMENTS` changes the file system below `place`, its working directory."""
    command = [sys.executable, "-c", RUN, "0", *arguments]
    done = subprocess.run(command, cwd=place, check=True, stdout=subprocess.PIPE, text=True)
    return int(done.stdout.rpartition("changes:")[2])


def killed_before(change: int, arguments: Sequence[str], place: Path) -> bool:
    """Run `bazel2ninja ARGUMENTS` in `place` until just before that change of the file system (the first is 1).

    False if it made fewer of them and so ended by itself.
    """
    command = [sys.executable, "-c", RUN, str(change), *arguments]
    done = subprocess.run(command, cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return done.returncode == -signal.SIGKILL

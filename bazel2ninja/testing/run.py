"""Runs one test, or one shard: `python3 -m bazel2ninja.testing.run OPTIONS -- ARGUMENTS`.

The environment is that of https://bazel.build/reference/test-encyclopedia.  The result goes to the directory of
--directory: test.log, test.xml (JUnit), test.json (the record that the summary reads) and, after a pass only,
test.passed.  The exit status is 0 whatever the test does: the summary fails, so that every other test still runs.
It is 1 when the result cannot be written.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from types import FrameType
from typing import NamedTuple

from bazel2ninja.testing.junit import junit

SIDE = ".bazel2ninja"
# A function that shell tests may call; bash takes it from the environment.
_RLOCATION = ("BASH_FUNC_rlocation%%", '() { case "$1" in /*) echo "$1";; *) echo "$TEST_SRCDIR/$1";; esac; }')
_GRACE = 15.0  # seconds between SIGTERM and SIGKILL, Bazel's --local_termination_grace_seconds
_TAIL = 65536  # bytes of a failing test's log that are shown


class Test(NamedTuple):
    """One test as the command line describes it; directories are relative to the working directory."""

    label: str
    executable: str
    binary: str  # the executable's runfiles path, relative to the workspace's directory
    runfiles: str
    workspace: str
    directory: str
    size: str = "medium"
    timeout: float = 300.0
    shard: int = 1
    shards: int = 0
    attempts: int = 1
    filter: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    outputs: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    run_under: tuple[str, ...] = ()  # what stands before the program: an emulator, a debugger


class Outcome(NamedTuple):
    """status: "passed", "failed", "timeout" or "flaky" (passed after a failure); detail: why it is no pass."""

    status: str
    detail: str
    seconds: float


def parse(words: list[str]) -> Test:
    """The test that the command line describes; raises ValueError for an option that does not exist."""
    values: dict[str, str] = {}
    environment: dict[str, str] = {}
    outputs: list[str] = []
    run_under: list[str] = []
    end = words.index("--") if "--" in words else len(words)
    for word in words[:end]:
        name, _, text = word.removeprefix("--").partition("=")
        if name == "env":
            variable, _, text = text.partition("=")
            environment[variable] = text
        elif name == "inherit":
            if text in os.environ:
                environment[text] = os.environ[text]
        elif name == "output":
            outputs.append(text)
        elif name == "run_under":
            run_under.append(text)
        elif name == "shard" or name in Test._fields:
            values[name] = text
        else:
            raise ValueError(f"unknown option '{word}'")
    shard, _, shards = values.get("shard", "1/0").partition("/")
    return Test(
        label=values["label"],
        executable=values["executable"],
        binary=values["binary"],
        runfiles=values["runfiles"],
        workspace=values["workspace"],
        directory=values["directory"],
        size=values.get("size", "medium"),
        timeout=float(values.get("timeout", "300")),
        shard=int(shard),
        shards=int(shards),
        attempts=int(values.get("attempts", "1")),
        filter=values.get("filter", "") or os.environ.get("TESTBRIDGE_TEST_ONLY", ""),
        environment=tuple(sorted(environment.items())),
        outputs=tuple(outputs),
        arguments=tuple(words[end + 1 :]),
        run_under=tuple(run_under),
    )


def environment(test: Test, temporary: str) -> dict[str, str]:
    """The test's whole environment; `temporary` is its private directory, absolute."""
    here = os.getcwd()
    runfiles = os.path.join(here, test.runfiles)
    directory = os.path.join(here, test.directory)
    user = os.environ.get("USER") or os.environ.get("LOGNAME") or "nobody"
    found = {
        "PATH": "/bin:/usr/bin:/usr/local/bin",
        "TZ": "UTC",
        "USER": user,
        "LOGNAME": user,
        "PYTHONDONTWRITEBYTECODE": "1",
        **dict((_RLOCATION, *test.environment)),
        "BAZEL_TEST": "1",
        "HOME": temporary,
        "PWD": _working_directory(test),
        "TEST_SRCDIR": runfiles,
        "RUNFILES_DIR": runfiles,
        "RUNFILES_MANIFEST_FILE": os.path.join(runfiles, "MANIFEST"),
        "JAVA_RUNFILES": runfiles,
        "PYTHON_RUNFILES": runfiles,
        "RUN_UNDER_RUNFILES": "1",
        "TEST_BINARY": test.binary if "/" in test.binary else f"./{test.binary}",
        "TEST_TARGET": test.label,
        "TEST_WORKSPACE": test.workspace,
        "TEST_SIZE": test.size,
        "TEST_TIMEOUT": f"{test.timeout:g}",
        "TEST_TMPDIR": temporary,
        "TMPDIR": temporary,
        "GTEST_TMP_DIR": temporary,
        "TEST_UNDECLARED_OUTPUTS_DIR": os.path.join(directory, "test.outputs"),
        "TEST_UNDECLARED_OUTPUTS_ANNOTATIONS_DIR": os.path.join(directory, "test.outputs_manifest"),
        "TEST_WARNINGS_OUTPUT_FILE": os.path.join(directory, "test.warnings"),
        "TEST_PREMATURE_EXIT_FILE": os.path.join(directory, "test.exited_prematurely"),
        "TEST_INFRASTRUCTURE_FAILURE_FILE": os.path.join(directory, "test.infrastructure_failure"),
        "XML_OUTPUT_FILE": os.path.join(directory, "test.xml"),
        "GUNIT_OUTPUT": "xml:" + os.path.join(directory, "test.xml"),
    }
    found["PATH"] = f".:{found['PATH']}"  # a test of the root package is a program of the working directory
    if test.filter:
        found["TESTBRIDGE_TEST_ONLY"] = test.filter
    if test.shards:
        found["TEST_TOTAL_SHARDS"] = found["GTEST_TOTAL_SHARDS"] = str(test.shards)
        found["TEST_SHARD_INDEX"] = found["GTEST_SHARD_INDEX"] = str(test.shard - 1)
        found["TEST_SHARD_STATUS_FILE"] = found["GTEST_SHARD_STATUS_FILE"] = os.path.join(directory, "test.shard")
    return found


def _working_directory(test: Test) -> str:
    return os.path.join(os.getcwd(), test.runfiles, test.workspace)


def attempt(test: Test) -> Outcome:
    """Runs the test once; its output is in test.log, its processes are gone."""
    directory = test.directory
    _remove(os.path.join(directory, "test.outputs"), os.path.join(directory, "test.outputs_manifest"))
    for name in ("passed", "json", "xml", "log", "shard", "warnings", "exited_prematurely", "infrastructure_failure"):
        _unlink(os.path.join(directory, f"test.{name}"))
    for name in ("test.outputs", "test.outputs_manifest"):
        os.makedirs(os.path.join(directory, name))
    temporary = os.path.abspath(os.path.join(SIDE, "tmp", str(os.getpid())))
    _remove(temporary)
    os.makedirs(temporary)
    try:
        outcome = _run(test, environment(test, temporary))
    finally:
        _remove(temporary)
    for name in ("test.outputs", "test.outputs_manifest"):
        with contextlib.suppress(OSError):  # not empty, or the test has removed it
            os.rmdir(os.path.join(directory, name))
    return outcome


def _interpreter(program: str) -> list[str]:
    """Bash for a script without a first line "#!...", which the kernel refuses and Bazel's shell runs."""
    with open(program, "rb") as file:
        start = file.read(64)
    is_text = bool(start) and b"\0" not in start and not start.startswith((b"#!", b"\x7fELF"))
    return ["/bin/bash"] if is_text and os.access(program, os.X_OK) else []


def _run(test: Test, variables: dict[str, str]) -> Outcome:
    workplace = _working_directory(test)
    program = os.path.normpath(os.path.join(workplace, test.binary))
    if not os.path.exists(program):
        program = os.path.abspath(test.executable)
    os.makedirs(workplace, exist_ok=True)
    start = time.monotonic()
    process = None
    status = 0
    late = False
    with open(os.path.join(test.directory, "test.log"), "wb") as log:
        try:
            with _signals_wait():
                process = subprocess.Popen(
                    [*test.run_under, *_interpreter(program), program, *test.arguments],
                    cwd=workplace,
                    env=variables,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            try:
                process.wait(test.timeout)
            except subprocess.TimeoutExpired:
                late = True
                _signal(process.pid, signal.SIGTERM)
                process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            pass
        except OSError as error:
            detail = f"cannot be run: {(error.strerror or str(error)).lower()}"
            log.write(f"{test.executable}: {detail}\n".encode("utf-8", "surrogateescape"))
            return Outcome("failed", detail, 0.0)
        finally:
            if process is not None:
                _signal(process.pid, signal.SIGKILL)  # and whatever it has left behind
                status = process.wait()
        seconds = time.monotonic() - start
        if late:
            log.write(f"\n-- ran longer than {test.timeout:g} s and was ended\n".encode())
    if late:
        return Outcome("timeout", f"ran longer than {test.timeout:g} s", seconds)
    if status < 0:
        return Outcome("failed", f"ended by {_signal_name(-status)}", seconds)
    if status:
        return Outcome("failed", f"exit status {status}", seconds)
    if os.path.exists(variables["TEST_PREMATURE_EXIT_FILE"]):
        return Outcome("failed", "exited before the test framework had finished", seconds)
    return Outcome("passed", "", seconds)


def _signal(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _unlink(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


def _remove(*directories: str) -> None:
    for directory in directories:
        if os.path.lexists(directory):
            import shutil  # seldom needed, and slow to load

            shutil.rmtree(directory, ignore_errors=True)


def run(test: Test) -> Outcome:
    """Runs the test, again when it is flaky and failed, and leaves the record of it."""
    os.makedirs(test.directory, exist_ok=True)
    failures = 0
    while True:
        outcome = attempt(test)
        if outcome.status == "passed":
            break
        failures += 1
        if failures >= test.attempts:
            break
        earlier = os.path.join(test.directory, f"attempt_{failures}.log")
        os.replace(os.path.join(test.directory, "test.log"), earlier)
    if outcome.status == "passed" and failures:
        outcome = Outcome("flaky", f"passed after {failures} failed attempt{'s' * (failures > 1)}", outcome.seconds)
    log = os.path.join(test.directory, "test.log")
    report = os.path.join(test.directory, "test.xml")
    if not os.path.exists(report):
        with open(log, "rb") as file:
            text = file.read()
        with open(report, "wb") as file:
            file.write(junit(test.label, outcome.status in ("passed", "flaky"), outcome.detail, outcome.seconds, text))
    record = {
        "label": test.label,
        "shard": test.shard,
        "shards": test.shards,
        "status": outcome.status,
        "detail": outcome.detail,
        "seconds": round(outcome.seconds, 3),
        "log": log,
    }
    with open(os.path.join(test.directory, "test.json"), "w", encoding="utf-8") as record_file:
        json.dump(record, record_file)
    if outcome.status in ("passed", "flaky"):
        for output in (*test.outputs, os.path.join(test.directory, "test.passed")):
            with open(output, "ab"):
                os.utime(output)
    return outcome


def _show(test: Test, outcome: Outcome) -> None:
    shard = f" ({test.shard} of {test.shards})" if test.shards else ""
    log = os.path.join(test.directory, "test.log")
    print(f"{outcome.status.upper()}: {test.label}{shard}: {outcome.detail} (see {log})")
    with open(log, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL))
        text = file.read()
    if size > _TAIL:
        print(f"[{size - _TAIL} bytes left out]")
    sys.stdout.flush()
    sys.stdout.buffer.write(text)
    if text and not text.endswith(b"\n"):
        sys.stdout.buffer.write(b"\n")
    sys.stdout.flush()


_waiting: list[int] | None = None  # signals that came while a process was starting, which nobody could have ended


def _leave(number: int, frame: FrameType | None) -> None:
    if _waiting is None:
        raise SystemExit(128 + number)
    _waiting.append(number)


@contextlib.contextmanager
def _signals_wait() -> Iterator[None]:
    """What `_leave` is called for counts at the end only."""
    global _waiting
    came = _waiting = []
    try:
        yield
    finally:
        _waiting = None
        if came:
            _leave(came[0], None)


def main(words: list[str]) -> int:
    if len(words) == 1 and words[0].startswith("@"):
        with open(words[0][1:], encoding="utf-8", errors="surrogateescape") as file:
            words = file.read().split("\0")
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _leave)  # so that the test's processes end with us
    test = parse(words)
    try:
        outcome = run(test)
        if outcome.status != "passed":
            _show(test, outcome)
    except OSError as error:  # ours; what the test meets is its outcome
        where = f"{error.filename}: " if error.filename else ""
        reason = (error.strerror or str(error)).lower()
        print(f"error: {test.label}: the result cannot be written: {where}{reason}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

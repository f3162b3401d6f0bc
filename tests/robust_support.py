"""Broken workspaces on disk, run through the command line; for the tests named test_robust_*."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bazel2ninja.cli import main

ROOT = Path(__file__).resolve().parent.parent
WORKSPACE = {"WORKSPACE": 'workspace(name = "ws")\n'}
OLD = b"# an older manifest\nbuild all: phony\n"
Content = str | bytes | None


@dataclass(frozen=True, slots=True)
class Broken:
    """files: path in the source tree -> content (None: not even the usual WORKSPACE); words: after SRC.

    where: the place that the message begins with, "" for none; message, more: regular expressions, of the message and
    of the help or notes below it; status: exit status.
    """

    files: Mapping[str, Content]
    message: str
    where: str = ""
    more: str = ""
    words: Sequence[str] = ()
    status: int = 1
    links: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Result:
    status: int
    out: str
    err: str


def build(text: str, **more: Content) -> dict[str, Content]:
    """a/BUILD, and by keyword other files: b__BUILD is b/BUILD, a__d_bzl a/d.bzl."""
    return {"a/BUILD": text, **{key.replace("__", "/").replace("_bzl", ".bzl"): text for key, text in more.items()}}


def rule(body: str, call: str = 'r(name = "t")') -> dict[str, Content]:
    """A rule `r` whose implementation is `body`, called in a/BUILD on line 2."""
    attributes = '{"x": attr.string(), "dep": attr.label(), "out": attr.output()}'
    return {
        "a/defs.bzl": f"def _i(ctx):\n    {body}\n\nr = rule(implementation = _i, attrs = {attributes})\n",
        "a/BUILD": f'load(":defs.bzl", "r")\n{call}\n',
    }


def lay(place: Path, files: Mapping[str, Content], links: Mapping[str, str] | None = None) -> None:
    """Writes a source tree with a WORKSPACE."""
    for path, content in {**WORKSPACE, **files}.items():
        if content is None:
            continue
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(content if isinstance(content, bytes) else content.encode())
    for path, target in (links or {}).items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).symlink_to(target)


def snapshot(place: Path) -> dict[str, tuple[int, int, str]]:
    """Everything below a directory: path -> (mode, time, content or link)."""
    found = {}
    for directory, names, files in os.walk(place):
        for name in (*names, *files):
            path = os.path.join(directory, name)
            status = os.lstat(path)
            if os.path.islink(path):
                content = os.readlink(path)
            elif os.path.isfile(path):
                content = Path(path).read_bytes().decode("latin-1")
            else:
                content = ""
            found[os.path.relpath(path, place)] = (status.st_mode, status.st_mtime_ns if content else 0, content)
    return found


@contextlib.contextmanager
def captured() -> Iterator[tuple[io.TextIOWrapper, io.StringIO]]:
    """Standard output (with its bytes) and standard error, as files in memory."""
    out, err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogateescape"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield out, err


def run(*words: str) -> Result:
    """One command line in this process."""
    with captured() as (out, err):
        status = main(words)
        out.flush()
    return Result(status, out.buffer.getvalue().decode("utf-8", "surrogateescape"), err.getvalue())  # type: ignore[attr-defined]


def spawn(*words: str, cwd: Path, environment: Mapping[str, str] | None = None) -> Result:
    """One command line in a process of its own."""
    made = subprocess.run(
        [sys.executable, "-m", "bazel2ninja", *words],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
        capture_output=True,
        text=True,
        errors="surrogateescape",
    )
    return Result(made.returncode, made.stdout, made.stderr)


def ninja(cwd: Path, *words: str, status: int = 0) -> str:
    """What ninja prints."""
    made = subprocess.run(["ninja", *words], cwd=cwd, capture_output=True, text=True, errors="surrogateescape")
    assert made.returncode == status, made.stdout + made.stderr
    return made.stdout + made.stderr


def check(place: Path, broken: Broken, result: Result) -> None:
    """Asserts that `result` tells what is wrong with `broken`, once, and nothing else."""
    text = result.err
    assert result.status == broken.status, text
    assert "internal error" not in text
    assert not re.search(r'File ".*\.py", line', text)
    lines = text.splitlines()
    errors = [line for line in lines if re.match(r"(\S+: )?error: ", line)]
    assert len(errors) == 1, text
    where, _, message = errors[0].partition("error: ")
    assert where == (f"{broken.where}: " if broken.where else ""), text
    assert re.search(broken.message, message), text
    rest = "\n".join(lines[lines.index(errors[0]) + 1 :])
    assert re.search(broken.more, rest), text
    if broken.where.count(":") == 2 and len(place.joinpath(broken.where.split(":")[0]).read_bytes()) < 1000:
        assert re.search(r"^ +\^~*$", rest, re.MULTILINE), text

"""The command line: picks a subcommand, and turns what goes wrong into a message and an exit status.

Exit status: 0 all well; 1 the workspace is wrong; 2 usage; 3 differences found; 70 a bug in bazel2ninja.
A subcommand's module is imported only when it runs, so that the quick ones start quickly.
"""

from __future__ import annotations

import argparse
import errno
import gc
import importlib
import io
import os
import sys
import threading
from collections.abc import Callable, Sequence
from typing import NoReturn, Protocol

from bazel2ninja import __version__
from bazel2ninja.diagnostics import Diagnostic, Location, UsageError, WorkspaceError, render, suggestion
from bazel2ninja.filesystem import source_line

COMMANDS = {
    "generate": "write the ninja manifest of a Bazel workspace",
    "query": "ask about targets and their dependencies",
    "explain": "tell where a target or file comes from, and why it is as it is",
    "graph": "draw the dependency graph",
    "repositories": "list the external repositories that targets need, and what serves them",
    "crosscheck": "compare the actions with what Bazel says it would do",
    "starlark": "run a Starlark file, or chunked test files",
    "audit": "tell under which terms each file of a source tree is",
    "debhelper": "do a step of a Debian package build",
    "debianize": "write a debian/ directory for a Bazel project",
    "timeline": "show where the time of a build went",
    "isa-check": "find instructions above the baseline in what was built",
}
HIDDEN = {
    "regenerate": "make the manifest again if what it was made from has changed",
    "map-directory": "write the script of a map_directory() action",
}

_MACHINE_AT_FAULT = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, errno.EMFILE, errno.ENFILE)
)
_STACK_BYTES = 512 << 20  # deep dependency chains recurse through C frames; pages are only used when touched
_RECURSION_LIMIT = 1_000_000


class _Command(Protocol):
    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...

    def run(self, parser: argparse.ArgumentParser, words: Sequence[str]) -> int: ...


class Parser(argparse.ArgumentParser):
    """argparse with our form of messages."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(Diagnostic(message, help=f"see '{self.prog} --help'"))


def _top_parser() -> argparse.ArgumentParser:
    width = max(map(len, COMMANDS)) + 2
    parser = Parser(
        prog="bazel2ninja",
        usage="bazel2ninja COMMAND [ARGUMENT...]",
        description="Build Bazel projects with ninja, without Bazel.",
        epilog="commands:\n"
        + "\n".join(f"  {name:{width}}{summary}" for name, summary in COMMANDS.items())
        + "\n\n'bazel2ninja COMMAND --help' says more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"bazel2ninja {__version__}")
    parser.add_argument("command", metavar="COMMAND")
    return parser


def command_parser(name: str) -> argparse.ArgumentParser:
    """The parser of a subcommand, its arguments not yet added."""
    summary = COMMANDS[name] if name in COMMANDS else HIDDEN[name]
    return Parser(
        prog=f"bazel2ninja {name}",
        description=summary[0].upper() + summary[1:] + ".",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def _run_command(words: Sequence[str]) -> int:
    name = words[0] if words else ""
    if name not in COMMANDS and name not in HIDDEN:
        chosen = _top_parser().parse_known_args(words)[0].command
        raise UsageError(Diagnostic(f"unknown command '{chosen}'", help=suggestion(chosen, COMMANDS)))
    command: _Command = importlib.import_module(f"bazel2ninja.commands.{name.replace('-', '_')}")
    parser = command_parser(name)
    command.add_arguments(parser)
    return command.run(parser, words[1:])


def report(error: WorkspaceError) -> None:
    """Every diagnostic of `error`, on standard error."""
    for diagnostic in error.diagnostics:
        print(render(diagnostic, source_line), file=sys.stderr)


def _run(arguments: Sequence[str]) -> int:
    try:
        return _run_command(arguments)
    except SystemExit as end:  # argparse's --help and --version
        return end.code if isinstance(end.code, int) else 0
    except WorkspaceError as error:
        report(error)
        return error.status
    except BrokenPipeError:
        # the reader has gone (`| head`): nothing to say, and nobody to say it to
        _abandon_output()
        return 1
    except OSError as error:
        if error.errno not in _MACHINE_AT_FAULT:
            _report_bug(error)
            return 70
        where = Location(error.filename) if isinstance(error.filename, str) else None
        report(WorkspaceError(Diagnostic(os.strerror(error.errno).lower(), where)))
        try:
            sys.stdout.flush()
        except OSError:
            _abandon_output()
        return 1
    except Exception as error:
        _report_bug(error)
        return 70


def _abandon_output() -> None:
    """Lets what was not written go: at its end Python would try again, and fail with a status of its own."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report_bug(error: Exception) -> None:
    import traceback  # which takes its time to load

    if os.environ.get("BAZEL2NINJA_TRACEBACK"):
        traceback.print_exc()
    last = traceback.extract_tb(error.__traceback__)[-1]
    where = os.path.relpath(last.filename, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    print(
        f"bazel2ninja {__version__}: internal error: {type(error).__name__}: {error} ({where}:{last.lineno})\n"
        "help: this is a bug in bazel2ninja; please report it with the command that led to it and what it prints with "
        "BAZEL2NINJA_TRACEBACK=1 in the environment",
        file=sys.stderr,
    )


def _with_deep_stack(function: Callable[[], int]) -> int:
    result = [70]

    def body() -> None:
        result[0] = function()

    limit, size = sys.getrecursionlimit(), threading.stack_size(_STACK_BYTES)
    sys.setrecursionlimit(_RECURSION_LIMIT)
    try:
        thread = threading.Thread(target=body, name="main", daemon=True)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
    return result[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command line (default: the process's own) and returns its exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # names of files may be no text
            stream.reconfigure(errors="surrogateescape")
    limit = sys.getrecursionlimit()
    gc.disable()  # what a run makes it keeps to its end; looking for garbage took two thirds of an analysis
    try:
        return _with_deep_stack(lambda: _run(words))
    except KeyboardInterrupt:
        return 130
    finally:  # a caller in the same process has its own habits
        gc.enable()
        sys.setrecursionlimit(limit)

"""`bazel2ninja regenerate`: make the manifest again if what it was made from has changed; ninja calls it."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence

from bazel2ninja.ninja import regeneration


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "bazel2ninja regenerate      (in the output root)"


def run(parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    parser.parse_args(list(words))
    state = regeneration.load(".")
    changes = state.changes(".")
    if not changes:
        return 0
    output_root = enter(state)
    command = list(state.command)
    if not any(word in ("-o", "--output") or word.startswith("--output=") for word in command):
        command += ["-o", os.path.join(output_root, "build.ninja")]
    # imported only now: nothing has changed most of the time, and then this command must be quick
    from bazel2ninja.commands import generate

    again = type(parser)(prog="bazel2ninja generate")
    generate.add_arguments(again)
    # what -k leaves out was told, and the manifest has all the rest: with another status ninja would build nothing
    generate.run(again, command, generate.Earlier(state, tuple(changes)))
    return 0


def enter(state: regeneration.State) -> str:
    """Puts the process where the last run was, with its environment; returns the output root as seen from there."""
    # by the recorded command line and environment: what the caller has set since does not count
    for name, value in state.environment.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    output_root = os.path.relpath(".", state.directory)
    os.chdir(state.directory)
    return output_root

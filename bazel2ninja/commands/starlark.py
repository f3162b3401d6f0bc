"""`bazel2ninja starlark`: run one Starlark file, or chunked test files."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bazel2ninja.analysis.depset import depset
from bazel2ninja.analysis.provider import provider
from bazel2ninja.starlark import command


def add_arguments(parser: argparse.ArgumentParser) -> None:
    command.add_arguments(parser)


def run(parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    return command.run(parser.parse_args(words), {"depset": depset, "provider": provider})

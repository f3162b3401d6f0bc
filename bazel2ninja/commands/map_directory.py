"""`bazel2ninja map-directory TABLE`: write the script of a map_directory() action; ninja calls it.

TABLE is what ninja/map_directory.py writes.  The function is found again by loading its .bzl file as the run did that
made the manifest.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence

from bazel2ninja.commands import generate, workspace_words
from bazel2ninja.commands.regenerate import enter
from bazel2ninja.diagnostics import Note, WorkspaceError
from bazel2ninja.ninja import regeneration
from bazel2ninja.pipeline import map_directory
from bazel2ninja.pipeline.record import label_of
from bazel2ninja.pipeline.session import Request, Session
from bazel2ninja.starlark import Thread


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "bazel2ninja map-directory TABLE      (in the output root)"
    parser.add_argument("table", metavar="TABLE")


def run(parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    with open(parser.parse_args(list(words)).table, encoding="utf-8", errors="surrogateescape") as file:
        table = json.load(file)
    state = regeneration.load(".")
    here = os.getcwd()
    output_root = enter(state)
    recorded = type(parser)(prog="bazel2ninja generate")
    generate.add_arguments(recorded)
    own, source, rest = workspace_words.split(recorded, state.command)
    request = Request(
        source=source, words=rest, output_root=output_root, environment=os.environ, skipped=tuple(own.skip)
    )
    session = Session(request, print_to_stderr=False)
    label = label_of(table["file"])
    function = session.loader.module(label).get(table["function"])
    semantics = session.loader.semantics_of(session.loader.repository(label.repository))
    os.chdir(here)
    try:
        files = map_directory.expand(table, function, Thread(semantics))
    except WorkspaceError as error:
        raise error.at(None, Note(f"in map_directory() of {table['owner']}")) from None
    map_directory.write(files)
    return 0

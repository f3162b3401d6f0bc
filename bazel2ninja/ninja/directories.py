"""Actions whose command line, or text, names the files of a directory that another action makes.

A first edge looks what the directory holds and writes what is to be run; `expand_directories` does it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bazel2ninja.analysis.action import DirectoryWords, ParameterFile, SpawnAction, WriteAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.ninja import syntax
from bazel2ninja.ninja.context import Context
from bazel2ninja.ninja.paths import SIDE, inside
from bazel2ninja.ninja.statements import RESTAT, Edge, Rule

RULES = (Rule("expand_directories", "$python -P -m bazel2ninja.ninja.expand_directories $words", "$what", RESTAT),)


def needed(arguments: Iterable[Any]) -> bool:
    """Whether words of a command line, parameter files included, depend on what a directory holds."""
    return any(
        isinstance(word, DirectoryWords) or (isinstance(word, ParameterFile) and needed(word.arguments))
        for word in arguments
    )


def command_edge(context: Context, action: SpawnAction, assignments: Iterable[str]) -> tuple[Edge, str]:
    """The edge that writes the action's script, and the path of the script; `assignments` come before the words."""
    base = f"{SIDE}/expanded/{action.primary_output.exec_path}"
    script = f"{base}.sh"
    words: list[Any] = list(assignments)
    files: list[str] = []
    for word in action.arguments:
        if isinstance(word, ParameterFile):
            path = f"{base}-{len(files)}.params"
            files.append(syntax.path(path))
            words.append(
                {
                    "file": {
                        "words": _table(word.arguments),
                        "argument": word.argument.replace("%s", inside(path)),
                        "format": word.format,
                        "always": word.always,
                        "path": path,
                    }
                }
            )
        else:
            words += _table([word])
    nodes = _nodes(context, action.arguments)
    return _edge(context, action, {"output": script, "words": words}, [syntax.path(script), *files], nodes), script


def lower_write(context: Context, action: WriteAction) -> Iterator[Edge]:
    """A FileWrite of words."""
    assert not isinstance(action.content, str)
    output = action.primary_output
    table = {
        "output": output.exec_path,
        "words": _table(action.content),
        "format": action.content_format,
        "executable": action.executable,
    }
    yield _edge(context, action, table, [context.mapper.node(output)], context.inputs(action))


def _edge(
    context: Context, action: SpawnAction | WriteAction, table: Mapping[str, Any], outputs: list[str], inputs: list[str]
) -> Edge:
    name = f"{action.primary_output.exec_path}.json"
    path = context.side_files.add("directories", name, json.dumps(table, ensure_ascii=False, indent=1) + "\n")
    edge = Edge("expand_directories", outputs, implicit=[*inputs, syntax.path(path)])
    edge.variables["words"] = syntax.value(syntax.shell_word(path))
    edge.variables["what"] = syntax.value(f"look into directories for {action.primary_output.exec_path}")
    return edge


def _table(words: Iterable[Any]) -> list[Any]:
    """Words as JSON has them."""
    found: list[Any] = []
    for word in words:
        if isinstance(word, DirectoryWords):
            values = [value if isinstance(value, str) else {"directory": value.exec_path} for value in word.values]
            found.append({"values": values, "vector": dict(word.vector)})
        else:
            found.append(word)
    return found


def _nodes(context: Context, words: Iterable[Any]) -> list[str]:
    """What ninja watches for the directories among the words."""
    found: list[Artifact] = []
    for word in words:
        if isinstance(word, ParameterFile):
            found += _directories(word.arguments)
        else:
            found += _directories([word])
    return context.mapper.nodes(dict.fromkeys(found))


def _directories(words: Iterable[Any]) -> list[Artifact]:
    parts = (value for word in words if isinstance(word, DirectoryWords) for value in word.values)
    return [value for value in parts if isinstance(value, Artifact)]

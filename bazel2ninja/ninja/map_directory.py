"""Actions that a function makes when it sees what directories hold.

A first edge runs the function and writes one script of all that it wants done; a second one runs the script.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from bazel2ninja.analysis.action import MapDirectoryAction
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.analysis.depset import Depset
from bazel2ninja.analysis.providers_builtin import FilesToRun
from bazel2ninja.ninja import spawn, syntax
from bazel2ninja.ninja.context import Context
from bazel2ninja.ninja.paths import SIDE
from bazel2ninja.ninja.statements import RESTAT, Edge, Rule

RULES = (Rule("map_directory", "$python -P -m bazel2ninja map-directory $words", "$what", RESTAT),)


def lower_map_directory(context: Context, action: MapDirectoryAction) -> Iterator[Edge]:
    base = action.primary_output.exec_path
    script = f"{SIDE}/expanded/{base}.sh"
    table = {
        "output": script,
        "file": str(action.file),
        "function": action.function,
        "digest": action.digest,
        "owner": str(action.owner),
        "environment": dict(sorted(action.environment.items())),
        "parameters": {
            name: {key: _value(each) for key, each in given.items()} for name, given in action.parameters.items()
        },
    }
    path = context.side_files.add("directories", f"{base}.json", json.dumps(table, ensure_ascii=False, indent=1) + "\n")
    directories = dict.fromkeys(action.parameters["input_directories"].values())
    edge = Edge(
        "map_directory", [syntax.path(script)], implicit=[*context.mapper.nodes(directories), syntax.path(path)]
    )
    edge.variables["words"] = syntax.value(syntax.shell_word(path))
    edge.variables["what"] = syntax.value(f"look into directories for {base}")
    yield edge
    yield spawn.script_edge(context, action, script, edge.outputs)


def _value(value: Any) -> Any:
    """An argument of the function as JSON has it; texts, numbers and booleans stand for themselves."""
    if isinstance(value, Artifact):
        return {"file": _file(value)}
    if isinstance(value, FilesToRun):
        executable, manifest = value.executable, value.manifest
        return {"run": [executable and _file(executable), manifest and _file(manifest)]}
    if isinstance(value, Depset):
        return {"depset": [_file(each) for each in value.flatten()]}
    return value


def _file(artifact: Artifact) -> Mapping[str, Any]:
    found: dict[str, Any] = {"path": artifact.exec_path, "root": artifact.root.path, "owner": str(artifact.owner)}
    if artifact.is_directory:
        found["directory"] = True
    return found

"""Action -> its part of the manifest."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Any

from bazel2ninja.analysis.action import (
    Action,
    CppArchiveAction,
    CppCompileAction,
    CppLinkAction,
    FailAction,
    MapDirectoryAction,
    RunfilesTreeAction,
    SpawnAction,
    SymlinkAction,
    TemplateAction,
    TestAction,
    WriteAction,
)
from bazel2ninja.analysis.artifact import Artifact
from bazel2ninja.diagnostics import InternalError, Note, WorkspaceError
from bazel2ninja.ninja import cpp, directories, files, map_directory, spawn, tests
from bazel2ninja.ninja.context import Context
from bazel2ninja.ninja.parts import MADE, Part
from bazel2ninja.ninja.statements import Edge, rule_table

RULES = rule_table(cpp.RULES + spawn.RULES + directories.RULES + map_directory.RULES + files.RULES + tests.RULES)

_LOWER: MappingProxyType[type[Action], Callable[[Context, Any], Iterator[Edge]]] = MappingProxyType(
    {
        CppCompileAction: cpp.lower_compile,
        CppArchiveAction: cpp.lower_archive,
        CppLinkAction: cpp.lower_link,
        SpawnAction: spawn.lower_spawn,
        MapDirectoryAction: map_directory.lower_map_directory,
        WriteAction: files.lower_write,
        TemplateAction: files.lower_template,
        SymlinkAction: files.lower_symlink,
        RunfilesTreeAction: files.lower_runfiles,
        FailAction: files.lower_fail,
        TestAction: tests.lower_test,
    }
)


def lower_missing(context: Context, artifact: Artifact, message: str) -> Part:
    """What a source file that is not there adds to the manifest: whoever needs it fails with this message."""
    edges = files.missing_source(context, artifact, message)
    outputs = tuple(node for edge in edges for node in edge.outputs)
    text = "\n".join(edge.text() for edge in edges)
    return Part(artifact.exec_path, text, outputs, (), (), ("fail",), (), None)


def lower(context: Context, action: Action) -> Part:
    """What an action adds to the manifest; raises WorkspaceError for what ninja cannot express."""
    lowering = _LOWER.get(type(action))
    if lowering is None:
        raise InternalError(f"no way to write a {type(action).__name__} as an edge")
    context.used = {}
    files = context.side_files.files
    already = len(files)
    texts: list[str] = []
    rules: dict[str, None] = {}
    outputs: list[str] = []
    inputs: dict[str, None] = {}
    try:
        for edge in lowering(context, action):
            rules[edge.rule] = None
            texts.append(edge.text())
            outputs += edge.outputs
            outputs += edge.implicit_outputs
            for nodes in (edge.inputs, edge.implicit, edge.order_only):
                inputs.update(dict.fromkeys(nodes))
    except WorkspaceError as error:
        raise error.at(action.location, Note(f"in {action.mnemonic} of {action.owner}")) from error.__cause__
    if len(texts) > 1:
        for node in outputs:
            inputs.pop(node, None)
    return Part(
        action.primary_output.exec_path,
        "\n".join(texts),
        tuple(outputs),
        tuple([node for node in inputs if node.startswith(MADE)]),
        tuple(context.used),
        tuple(rules),
        tuple(itertools.islice(files, already, None)) if len(files) > already else (),
        tests.facts(action) if isinstance(action, TestAction) else None,
    )

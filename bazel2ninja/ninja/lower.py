"""Action -> edges of the manifest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Any

from bazel2ninja.analysis.action import (
    Action,
    CppArchiveAction,
    CppCompileAction,
    CppLinkAction,
    FailAction,
    RunfilesTreeAction,
    SpawnAction,
    SymlinkAction,
    TemplateAction,
    TestAction,
    WriteAction,
)
from bazel2ninja.diagnostics import InternalError
from bazel2ninja.ninja import cpp, directories, files, spawn, tests
from bazel2ninja.ninja.context import Context
from bazel2ninja.ninja.statements import Edge, rule_table

RULES = rule_table(cpp.RULES + spawn.RULES + directories.RULES + files.RULES + tests.RULES)

_LOWER: MappingProxyType[type[Action], Callable[[Context, Any], Iterator[Edge]]] = MappingProxyType(
    {
        CppCompileAction: cpp.lower_compile,
        CppArchiveAction: cpp.lower_archive,
        CppLinkAction: cpp.lower_link,
        SpawnAction: spawn.lower_spawn,
        WriteAction: files.lower_write,
        TemplateAction: files.lower_template,
        SymlinkAction: files.lower_symlink,
        RunfilesTreeAction: files.lower_runfiles,
        FailAction: files.lower_fail,
        TestAction: tests.lower_test,
    }
)


def lower(context: Context, action: Action) -> None:
    """Adds the edges of one action to the manifest."""
    lowering = _LOWER.get(type(action))
    if lowering is None:
        raise InternalError(f"no way to write a {type(action).__name__} as an edge")
    for edge in lowering(context, action):
        context.emit(edge)

"""What `bazel aquery` prints: https://bazel.build/query/aquery and src/main/protobuf/analysis.proto, analysis_v2.proto.

The protobuf forms are an ActionGraphContainer with numbered tables; version 1 (before Bazel 4) has whole paths and
string ids, version 2 has path fragments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import pyparsing as pp

from bazel2ninja.crosscheck.messages import inner, many, one
from bazel2ninja.crosscheck.oracle import OracleAction, is_exec_configuration
from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError

_WORD = re.compile(r"(?:'[^']*'|\\[^\n]|[^\s'\\])+")


def _grammar() -> pp.ParserElement:
    """Blocks of a title and indented fields; whole lines are tokens, so that megabytes take seconds."""
    comment = pp.Regex(r"#[^\n]*\n").leave_whitespace().suppress()
    blank = pp.Regex(r"[ \t]*\n").leave_whitespace().suppress()
    title = pp.Regex(r"[^\s#][^\n]*\n").leave_whitespace().suppress()
    words = r"(?:'[^']*'|\\[^\n]|\\\n|[^'\\])*?"
    command = pp.Regex(rf"  Command Line: \((?:exec )?(?P<words>{words})\)(?=\n|\Z)\n?").leave_whitespace()
    command.set_parse_action(lambda tokens: [("Command Line", tokens["words"])])
    field = pp.Regex(r"  (?!Command Line: \()(?P<name>[A-Z][A-Za-z ]*): (?P<value>[^\n]*)\n?").leave_whitespace()
    field.set_parse_action(lambda tokens: [(tokens["name"], tokens["value"])])
    # environment and the like over several lines; a command that does not end is an error
    other = pp.Regex(r"  (?!Command Line: \()[^\n]*\n?").leave_whitespace().suppress()
    block = pp.Group(title + pp.OneOrMore(command | field | other))
    return pp.ZeroOrMore(blank | comment | block)


def _list(text: str) -> tuple[str, ...]:
    inner = text.strip().removeprefix("[").removesuffix("]")
    return tuple(path.removesuffix(" (TreeArtifact)") for path in inner.split(", ")) if inner else ()


def shell_words(text: str) -> tuple[str, ...]:
    """The words of a command line as Bazel escapes it: bare, or in single quotes; lines end in a backslash."""
    found = []
    for match in _WORD.finditer(text):
        word = match.group()
        if "'" in word or "\\" in word:
            word = re.sub(r"'([^']*)'|\\(.)", lambda part: part[1] if part[1] is not None else part[2], word)
        found.append(word)
    return tuple(found)


def read_text(text: str, name: str) -> list[OracleAction]:
    """`--output=text`; raises WorkspaceError where the text is not of that form."""
    try:
        blocks = _grammar().parse_string(text, parse_all=True)
    except pp.ParseException as problem:
        location = Location(name, problem.lineno, problem.column)
        raise WorkspaceError(Diagnostic("not the text that aquery prints", location)) from None
    found = []
    for block in blocks:
        fields: dict[str, str] = {}
        for key, value in block:
            fields.setdefault(key, value)
        if "Mnemonic" not in fields:
            continue
        outputs = _list(fields.get("Outputs", ""))
        found.append(
            OracleAction(
                fields["Mnemonic"],
                fields.get("Target", ""),
                is_exec_configuration(outputs, fields.get("Configuration", "")),
                outputs,
                _list(fields.get("Inputs", "")),
                shell_words(fields.get("Command Line", "")),
            )
        )
    return found


class _Tables:
    """The numbered tables of an ActionGraphContainer, with paths and depsets put together on demand."""

    def __init__(self, tables: dict[str, Any]):
        def numbered(key: str) -> dict[str, dict[str, Any]]:
            return {one(row, "id"): row for row in inner(tables, key)}

        self.fragments = numbered("pathFragments")
        self.artifacts = numbered("artifacts")
        self.depsets = numbered("depSetOfFiles")
        self.targets = numbered("targets")
        self.configurations = numbered("configuration")
        self._paths: dict[str, str] = {}
        self._directories: dict[str, str] = {}

    def _fragment(self, number: str) -> str:
        parts: list[str] = []
        while number and number != "0":
            if len(parts) > 1000:
                raise ValueError(f"path fragment {number} is its own parent")
            row = self.fragments[number]
            parts.append(one(row, "label"))
            number = one(row, "parentId")
        return "/".join(reversed(parts))

    def path(self, artifact: str) -> str:
        found = self._paths.get(artifact)
        if found is None:
            row = self.artifacts[artifact]
            found = one(row, "execPath") or self._fragment(one(row, "pathFragmentId"))
            self._paths[artifact] = found
        return found

    def inputs(self, roots: Iterable[str]) -> tuple[str, ...]:
        found: dict[str, None] = {}
        pending = list(roots)
        seen: set[str] = set()
        while pending:
            number = pending.pop()
            if number in seen:
                continue
            seen.add(number)
            row = self.depsets[number]
            for artifact in many(row, "directArtifactIds"):
                found[self.path(artifact)] = None
            pending += many(row, "transitiveDepSetIds")
        return tuple(sorted(found))


def from_tables(raw: dict[str, Any], name: str) -> list[OracleAction]:
    """The actions of an ActionGraphContainer; raises WorkspaceError when it is broken."""
    found = []
    try:
        tables = _Tables(raw)
        for row in inner(raw, "actions"):
            outputs = tuple(tables.path(number) for number in many(row, "outputIds"))
            configuration = tables.configurations.get(one(row, "configurationId"), {})
            found.append(
                OracleAction(
                    one(row, "mnemonic"),
                    one(tables.targets.get(one(row, "targetId"), {}), "label"),
                    is_exec_configuration(outputs, one(configuration, "mnemonic")),
                    outputs,
                    tables.inputs(many(row, "inputDepSetIds")),
                    tuple(many(row, "arguments")),
                )
            )
    except KeyError as problem:
        raise WorkspaceError(
            Diagnostic(f"the dump refers to number {problem}, which it lacks", Location(name, 1, 1))
        ) from None
    except ValueError as problem:
        raise WorkspaceError(Diagnostic(f"not what aquery prints: {problem}", Location(name, 1, 1))) from None
    return found

"""Reading dumps of real Bazel, in every form in which they come.

Actions: JSON lines (keys m, t, host, o, i, argv), what `bazel aquery` prints, logs of `bazel build -s`, parameter files
of links.  Targets: what `bazel query` and `bazel cquery` print.  Each may be compressed with xz.  The form is told by
the content, not by the name.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterable
from typing import Any

from bazel2ninja.crosscheck import aquery, build_log, messages, parameter_file, query, target_forms
from bazel2ninja.crosscheck.oracle import ActionDump, OracleAction, is_exec_configuration
from bazel2ninja.crosscheck.targets import TargetDump
from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError


def _texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError
    return tuple(value)


def _json_lines(text: str, name: str) -> list[OracleAction]:
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            outputs = _texts(row["o"])
            found.append(
                OracleAction(
                    row["m"],
                    row["t"],
                    bool(row["host"]) or is_exec_configuration(outputs),
                    outputs,
                    _texts(row["i"]),
                    _texts(row["argv"]),
                )
            )
        except (ValueError, KeyError, TypeError):
            raise WorkspaceError(
                Diagnostic(
                    "not an action: expected a JSON object with m, t, host, o, i, argv", Location(name, number, 1)
                )
            ) from None
    return found


def _is_action(line: str) -> bool:
    try:
        row = json.loads(line)
    except ValueError:
        return False
    return isinstance(row, dict) and "m" in row


def json_lines(actions: Iterable[OracleAction]) -> str:
    """The actions as JSON lines, which read_actions reads again."""
    keys = ("m", "t", "host", "o", "i", "argv")
    rows = ((a.mnemonic, a.label, a.host, a.outputs, a.inputs, a.arguments) for a in actions)
    return "".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows)


def decompressed(content: bytes, name: str) -> bytes:
    """`content`, or what it holds when it is compressed with xz; raises WorkspaceError when that is broken."""
    if not content.startswith(b"\xfd7zXZ\x00"):
        return content
    try:
        return lzma.decompress(content)
    except lzma.LZMAError as problem:
        raise WorkspaceError(
            Diagnostic(f"cannot be decompressed: {str(problem).lower()}", Location(name, 1, 1))
        ) from None


Dump = ActionDump | TargetDump | tuple[str, ...]
"""Actions, targets, or files (execution paths)."""

_CONTROL = re.compile(r"[\0-\x08\x0e-\x1a]")  # no text has them, and every protocol buffer

_HELP = (
    "accepted are action lists (JSON lines, 'bazel aquery' as text, proto, textproto or jsonproto), the log of "
    "'bazel build -s', parameter files of links, and what 'bazel query' and 'bazel cquery' print"
)


def read(content: bytes, name: str) -> Dump:
    """What a dump holds, whatever its form; `name` is the file's, for messages.  Raises WorkspaceError for none."""
    content = decompressed(content, name)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        if b"\nSUBCOMMAND: # " in content:  # what programs print into a log may be anything
            return build_log.read(content.decode("utf-8", "replace"), name)
        return _from_message(messages.read_binary(content, name), name)
    if _CONTROL.search(text):
        return _from_message(messages.read_binary(content, name), name)
    found = _read_text(text, name)
    if found is None:
        raise WorkspaceError(Diagnostic("not an action list", Location(name, 1, 1), help=_HELP))
    return found


def _streamed_targets(text: str, name: str) -> Dump | None:
    """`query --output=streamed_jsonproto`: a target on each line."""
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            try:
                row = json.loads(line)
            except json.JSONDecodeError as problem:
                if not rows:
                    return None
                raise WorkspaceError(
                    Diagnostic(f"not JSON: {problem.msg.lower()}", Location(name, number, problem.colno))
                ) from None
            if not isinstance(row, dict) or "type" not in row:
                return None
            rows.append(row)
    return target_forms.read_messages({"target": rows}, name)


def _read_text(text: str, name: str) -> Dump | None:
    head = text.lstrip()[:4096]
    if head.startswith("{"):
        if _is_action(head.partition("\n")[0]) or _is_action(text.lstrip().partition("\n")[0]):
            return ActionDump(tuple(_json_lines(text, name)))
        streamed = _streamed_targets(text, name)
        return streamed if streamed is not None else _from_message(messages.read_json(text, name), name)
    if re.match(r"\w+ \{\n|\w+ <\n", head):
        return _from_message(messages.read_textproto(text, name), name)
    if head.startswith(("<?xml", "<query")):
        return target_forms.read_xml(text.lstrip(), name)
    if build_log.is_build_log(text):
        return build_log.read(text, name)
    if re.search(r"^  Mnemonic: ", text[:100_000], re.MULTILINE):
        return ActionDump(tuple(aquery.read_text(text, name)))
    if re.match(r"(# \S+:\d+:\d+\n)?\w+\(\n  name = ", head):
        return query.read_build(text, name)
    form = target_forms.list_form(text)
    if form is not None:
        return target_forms.read_graph(text, name) if form == "graph" else target_forms.read_list(text, name)
    if parameter_file.is_parameter_file(text):
        return parameter_file.read(text, name)
    if target_forms.is_files(text.splitlines()):
        return target_forms.read_files(text, name)
    return None


def _from_message(message: dict[str, Any], name: str) -> Dump:
    """What an action graph or the result of a query holds, whatever form it was written in."""
    if "actions" in message or "artifacts" in message:
        return ActionDump(tuple(aquery.from_tables(message, name)))
    if "target" in message or "results" in message:
        return target_forms.read_messages(message, name)
    raise WorkspaceError(
        Diagnostic("neither actions of aquery nor targets of query or cquery", Location(name, 1, 1), help=_HELP)
    )


def read_actions(content: bytes, name: str) -> list[OracleAction]:
    """The actions of a dump; raises WorkspaceError when it holds none."""
    found = read(content, name)
    if not isinstance(found, ActionDump):
        raise WorkspaceError(Diagnostic("not an action list, but a list of targets", Location(name, 1, 1)))
    return list(found.actions)

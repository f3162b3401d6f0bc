"""Reading action lists of real Bazel, in every form in which they come.

Forms: JSON lines (keys m, t, host, o, i, argv), and what `bazel aquery` prints as text, textproto and jsonproto; each
may be compressed with xz.  The form is told by the content, not by the name.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterable

from bazel2ninja.crosscheck import aquery
from bazel2ninja.crosscheck.oracle import OracleAction, is_exec_configuration
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
                Diagnostic("not an action: expected a JSON object with m, t, host, o, i, argv", Location(name, number))
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
        raise WorkspaceError(Diagnostic(f"cannot be decompressed: {str(problem).lower()}", Location(name))) from None


def read_actions(content: bytes, name: str) -> list[OracleAction]:
    """The actions of a dump; `name` is the file's, for messages.  Raises WorkspaceError when it is no dump."""
    content = decompressed(content, name)
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise WorkspaceError(Diagnostic("not an action list: neither text nor xz", Location(name))) from None
    head = text.lstrip()[:200]
    if head.startswith("{") and _is_action(text.lstrip().partition("\n")[0]):
        return _json_lines(text, name)
    if head.startswith("{"):
        return aquery.read_jsonproto(text, name)
    if re.match(r"\w+ \{\n|\w+ <\n", head):
        return aquery.read_textproto(text, name)
    if re.search(r"^  Mnemonic: ", text[:100_000], re.MULTILINE):
        return aquery.read_text(text, name)
    raise WorkspaceError(
        Diagnostic(
            "not an action list",
            Location(name),
            help="accepted are JSON lines, and 'bazel aquery' with --output=text, textproto or jsonproto",
        )
    )

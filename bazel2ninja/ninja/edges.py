"""The build statements of a ninja manifest, read back: what makes a file, and from what.

https://ninja-build.org/manual.html#_lexical_syntax.  Of variables only those of a whole file are known; that is what
paths may refer to in manifests that programs write.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from bazel2ninja.diagnostics import Diagnostic, Location, WorkspaceError
from bazel2ninja.records import dataclass

_CONTINUED = re.compile(r"(?<!\$)((?:\$\$)*)\$\n[ \t]*")
_ASSIGNMENT = re.compile(r"([\w.-]+)\s*=\s*(.*)")
_WORD = re.compile(r"(?:[^$ :|\n]|\$[$ :|^]|\$\{[\w.-]+\}|\$[\w-]+)+|\|\||\|@|\||:")
_ESCAPE = re.compile(r"\$(?:\{([\w.-]+)\}|([\w-]+)|(.))")


@dataclass(frozen=True, slots=True)
class Edge:
    """A build statement: inputs of every kind but validations, order-only ones included."""

    outputs: tuple[str, ...]
    rule: str
    inputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """edges: in the order written; variables: of the whole file, unexpanded."""

    edges: list[Edge]
    variables: Mapping[str, str]


def read(path: str) -> Manifest:
    """A manifest and those that it includes; raises WorkspaceError when one cannot be read."""
    manifest = Manifest([], {})
    variables: dict[str, str] = {}
    _read(path, manifest.edges, variables)
    return Manifest(manifest.edges, variables)


def _read(path: str, edges: list[Edge], variables: dict[str, str]) -> None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = file.read()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise WorkspaceError(Diagnostic(f"cannot read the manifest: {reason}", Location(path))) from None
    for line in _CONTINUED.sub(r"\1", text).split("\n"):
        if line.startswith("build "):
            edges.append(_edge(line[6:], variables))
        elif line.startswith(("include ", "subninja ")):
            name = _expanded(line.split(" ", 1)[1].strip(), variables)
            _read(os.path.join(os.path.dirname(path), name), edges, variables)
        elif match := _ASSIGNMENT.fullmatch(line):
            variables[match[1]] = match[2]


def _edge(text: str, variables: Mapping[str, str]) -> Edge:
    words = _WORD.findall(text)
    colon = words.index(":") if ":" in words else len(words)
    outputs = [_expanded(word, variables) for word in words[:colon] if word != "|"]
    rest = words[colon + 1 :]
    if "|@" in rest:
        rest = rest[: rest.index("|@")]
    inputs = [_expanded(word, variables) for word in rest[1:] if word not in ("|", "||")]
    return Edge(tuple(outputs), rest[0] if rest else "", tuple(inputs))


def _expanded(word: str, variables: Mapping[str, str]) -> str:
    if "$" not in word:
        return word
    return _ESCAPE.sub(lambda match: match[3] or variables.get(match[1] or match[2], ""), word)

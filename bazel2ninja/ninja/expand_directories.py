"""Completes command lines by the files of directories, while ninja runs.

`python3 -m bazel2ninja.ninja.expand_directories TABLE` writes one script, or one file, and the parameter files of it.
TABLE is JSON: {"output": path, "words": [...]} and, for a file, {"format": ..., "executable": bool}.  A word is a text,
{"values": [text or {"directory": exec path}], "vector": arguments of vector_words}, or {"file": a parameter file}.
Outputs keep their time when their content does not change.  Imports little: every expansion pays for the start.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from bazel2ninja.analysis.vectors import parameter_text, vector_words, written_text
from bazel2ninja.ninja.syntax import shell_words

PARAMETERS_LONG = 32_768
"""Bytes of a command line beyond which parameter files are used; Bazel's min_param_file_size."""


def files_below(directory: str) -> list[str]:
    """The files of a directory and of those in it, links followed, in the order of their paths' bytes."""
    found = []
    for place, _, names in os.walk(directory, followlinks=True):
        found += [os.path.join(place, name) for name in names]
    return sorted(found, key=os.fsencode)


def _texts(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
        else:
            yield from files_below(value["directory"])


def _expanded(words: Iterable[Any]) -> list[str]:
    found: list[str] = []
    for word in words:
        found += [word] if isinstance(word, str) else vector_words(_texts(word["values"]), **word["vector"])
    return found


def _command(words: list[Any]) -> str:
    """A script that runs the command; writes its parameter files."""
    parts = [_expanded(word["file"]["words"] if "file" in word else [word]) if isinstance(word, dict) else [word]
             for word in words]  # fmt: skip
    total = sum(len(text) for part in parts for text in part)
    command: list[str] = []
    for word, part in zip(words, parts, strict=True):
        file = word.get("file") if isinstance(word, dict) else None
        if file is None:
            command += part
            continue
        content = ""
        if file["always"] or total > PARAMETERS_LONG:
            content, rest = parameter_text(part, file["format"])
            command += [*rest, file["argument"]]
        else:
            command += part
        _write(file["path"], content)
    return f"exec env {shell_words(command)}\n"


def _write(path: str, text: str, mode: int = 0o644) -> None:
    data = text.encode("utf-8", "surrogateescape")
    try:
        with open(path, "rb") as old:
            if old.read() == data and os.fstat(old.fileno()).st_mode & 0o777 == mode:
                return
        os.unlink(path)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as new:
        new.write(data)
        os.fchmod(new.fileno(), mode)


def main(arguments: list[str]) -> int:
    with open(arguments[0], encoding="utf-8", errors="surrogateescape") as file:
        table = json.load(file)
    if "format" in table:
        mode = 0o755 if table["executable"] else 0o644
        _write(table["output"], written_text(_expanded(table["words"]), table["format"]), mode)
    else:
        _write(table["output"], _command(table["words"]))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

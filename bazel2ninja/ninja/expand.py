"""Expands a template while ninja runs: `python3 -m bazel2ninja.ninja.expand TEMPLATE OUTPUT TABLE`.

TABLE is JSON: {"substitutions": [[key, value], ...], "executable": bool}.  The output keeps its time when its content
does not change.  Imports little: every expansion pays for the start.
"""

from __future__ import annotations

import json
import os
import sys


def expand(template: bytes, substitutions: list[tuple[bytes, bytes]]) -> bytes:
    """Every key replaced by its value, one key after the other, as Bazel's expand_template does."""
    for key, value in substitutions:
        if key:
            template = template.replace(key, value)
    return template


def main(arguments: list[str]) -> int:
    source, output, table_path = arguments
    with open(table_path, encoding="utf-8", errors="surrogateescape") as file:
        table = json.load(file)
    with open(source, "rb") as template:
        text = expand(
            template.read(),
            [
                (key.encode("utf-8", "surrogateescape"), value.encode("utf-8", "surrogateescape"))
                for key, value in table["substitutions"]
            ],
        )
    mode = 0o755 if table["executable"] else 0o644
    try:
        with open(output, "rb") as old:
            if old.read() == text and os.fstat(old.fileno()).st_mode & 0o777 == mode and not os.path.islink(output):
                return 0
        os.unlink(output)
    except FileNotFoundError:
        pass
    with open(output, "wb") as new:
        new.write(text)
        os.fchmod(new.fileno(), mode)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Says how the tests went: `python3 -m bazel2ninja.testing.summary --stamp=FILE LIST`.

LIST names the test.passed of each test, one a line, quoted as for a shell; the record lies beside it.  The exit status
is 1 when a test failed; otherwise FILE is written, so that ninja need not ask again.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from typing import Any

GOOD = ("passed", "flaky")


def record(passed: str) -> dict[str, Any]:
    """The record of the test that `passed` belongs to."""
    directory = os.path.dirname(passed)
    try:
        with open(os.path.join(directory, "test.json"), encoding="utf-8") as file:
            found: dict[str, Any] = json.load(file)
            return found
    except (OSError, ValueError):
        return {
            "label": directory,
            "status": "failed",
            "detail": "left no record",
            "seconds": 0,
            "log": "",
            "shards": 0,
        }


def table(records: list[dict[str, Any]]) -> str:
    """A line for each test, those that did not pass last, and a line of totals."""
    lines = []
    names = {id(each): _name(each) for each in records}
    width = min(max(map(len, names.values()), default=0), 100)
    for each in sorted(records, key=lambda each: each["status"] not in GOOD):
        line = f"{names[id(each)]:<{width}}  {each['status'].upper():<7} {each['seconds']:8.1f} s"
        if each["status"] != "passed":
            line += f"  {each['detail']}"
        if each["status"] not in GOOD:
            line += f"\n    {each['log']}"
        lines.append(line)
    counts = {status: sum(each["status"] == status for each in records) for status in (*GOOD, "failed", "timeout")}
    words = {"passed": "passed", "flaky": "passed in a later attempt", "failed": "failed", "timeout": "timed out"}
    totals = ", ".join(f"{count} {words[status]}" for status, count in counts.items() if count)
    lines.append(f"{len(records)} test{'s' * (len(records) != 1)}: {totals}")
    return "\n".join(lines)


def _name(each: dict[str, Any]) -> str:
    return f"{each['label']} ({each['shard']} of {each['shards']})" if each["shards"] else str(each["label"])


def main(words: list[str]) -> int:
    stamp, listing = words
    with open(listing, encoding="utf-8", errors="surrogateescape") as file:
        records = [record(path) for path in shlex.split(file.read())]
    print(table(records))
    if any(each["status"] not in GOOD for each in records):
        return 1
    path = stamp.removeprefix("--stamp=")
    with open(path, "w"):
        os.utime(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

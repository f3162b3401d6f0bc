#!/usr/bin/env python3
"""Bazel's side of a comparison: time and memory of a cold `aquery deps(TARGET + ...)`, as one line of JSON.

    tools/bench/bazel_side.py SRC [--override NAME=PATH]... [--runs N] TARGET...

Printed: `seconds`, wall time from no server to the last line of the dump, median of the runs; `peak_kib`, the highest
peak resident memory of the server JVM (VmHWM) among them; `runs`, each run's pair. A run starts
a new server, which holds nothing in memory; the external repositories, the detected C++ toolchain and the files in the
page cache are there from an unmeasured first run. The peak depends on the machine's memory: a JVM takes a quarter of it
for its heap. Options and needs are those of tools/oracle/record.

Exit status: 0 all well, 1 Bazel refused or is missing, 2 usage.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "oracle"))

from bazel import Bazel, BazelError
from workspace import add_workspace_options, prepare


def measure(bazel: Bazel, expression: str) -> tuple[float, int]:
    """Seconds and peak KiB of one cold run; the first one for a workspace, which fetches, should not count."""
    bazel.stop_server()
    start = time.monotonic()
    bazel.run("aquery", "--output=text", expression)
    seconds = time.monotonic() - start
    return round(seconds, 3), bazel.server_peak_kib()


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; see the module's docstring."""
    parser = argparse.ArgumentParser(
        prog="tools/bench/bazel_side.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_workspace_options(parser)
    parser.add_argument("--runs", type=int, default=3, metavar="N")
    options = parser.parse_intermixed_args(arguments)
    if options.runs < 1:
        parser.error("--runs must be at least 1")
    try:
        with tempfile.TemporaryDirectory(prefix="oracle-") as scratch, prepare(options, Path(scratch)) as bazel:
            expression = f"deps({' + '.join(options.targets)})"
            found = [measure(bazel, expression) for _ in range(options.runs + 1)][1:]
    except (BazelError, FileNotFoundError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    seconds = statistics.median(pair[0] for pair in found)
    print(json.dumps({"seconds": seconds, "peak_kib": max(pair[1] for pair in found), "runs": found}))
    return 0


if __name__ == "__main__":
    sys.exit(main())

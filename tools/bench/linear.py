"""How time and memory of `generate` grow with the workspace: 1,000, 10,000 and 50,000 targets."""

from __future__ import annotations

from collections.abc import Sequence

import synthetic
from generating import Result, Setting

SIZES = (1_000, 10_000, 50_000)


def linear(setting: Setting, sizes: Sequence[int] = SIZES) -> Result:
    """A cold `generate` of synthetic workspaces; prints a table, and the cost of a thousand further targets."""
    result: Result = {}
    rows: list[tuple[int, float, int]] = []
    print(f"linear: {'targets':>8} {'seconds':>9} {'MiB':>8}   {'s/1000':>7} {'MiB/1000':>9}", flush=True)
    for size in sizes:
        source = setting.scratch / f"workspace-{size}"
        targets = synthetic.make(source, size)
        if not rows:
            setting.cold(source, setting.scratch / "linear")  # makes the bytecode
        sample = setting.cold(source, setting.scratch / "linear")
        line = f"linear: {targets:8,} {sample.cpu:9.2f} {sample.peak_kib / 1024:8.0f}"
        if rows:
            before, seconds, peak = rows[-1]
            thousands = (targets - before) / 1000
            time_each = (sample.cpu - seconds) / thousands
            memory_each = (sample.peak_kib - peak) / 1024 / thousands
            line += f"   {time_each:7.3f} {memory_each:9.1f}"
            result[f"{targets} step"] = {"seconds": round(time_each, 4), "mib": round(memory_each, 2)}
        rows.append((targets, sample.cpu, sample.peak_kib))
        result[str(targets)] = {"cpu": round(sample.cpu, 3), "peak_kib": sample.peak_kib}
        print(line, flush=True)
    return result

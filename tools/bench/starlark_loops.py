"""Ten fixed loops, each one Starlark function, against the same text run as plain Python.

Run: python3 tools/bench/starlark_loops.py [--repeat N].  Prints one line a loop and the geometric mean of the ratios;
the goal is a mean of at most 2 and no loop above 4.  Exit status 1 when it is missed.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bazel2ninja.starlark import Dialect, Semantics, Thread, compile_source, execute

ROUNDS = 200_000

LOOPS = {
    "==": """
def run(n):
    count = 0
    for i in range(n):
        if i == count:
            count += 1
    return count
""",
    "+": """
def run(n):
    total = 0
    for i in range(n):
        total = total + i
    return total
""",
    "append": """
def run(n):
    out = []
    for i in range(n):
        out.append(i)
    return len(out)
""",
    "dict": """
def run(n):
    d = {}
    for i in range(n):
        d[i] = i
        d[i] = d[i]
    return len(d)
""",
    "call": """
def f(x):
    return x

def run(n):
    total = 0
    for i in range(n):
        total = f(i)
    return total
""",
    "comprehension": """
def run(n):
    out = [i for i in range(n) if i]
    return len(out)
""",
    "%": """
def run(n):
    out = ""
    for i in range(n):
        out = "%s-%d" % (i, i)
    return out
""",
    "attribute": """
def run(n):
    text = "a,b,c"
    count = 0
    for i in range(n):
        if text.startswith("a,"):
            count += 1
    return count
""",
    "in": """
def run(n):
    names = {"a": 1, "b": 2}
    count = 0
    for i in range(n):
        if "b" in names:
            count += 1
        if i in names:
            count += 1
    return count
""",
    "nested for": """
def run(n):
    total = 0
    for i in range(n // 100):
        for j in range(100):
            total += i * j
    return total
""",
}


def starlark(text: str) -> Callable[[int], object]:
    """The function of a Starlark text."""
    program = compile_source(text.encode(), "loop.bzl", dialect=Dialect.BZL, semantics=Semantics(), predeclared=())
    thread = Thread()
    module = execute(program, thread, {}, lambda name, where: {})
    function = module.globals["run"]
    return lambda n: thread.call(function, (n,))


def python(text: str) -> Callable[[int], object]:
    """The function of the same text in Python."""
    namespace: dict = {}
    exec(compile(text, "loop.py", "exec"), namespace)
    return namespace["run"]


def fastest(function: Callable[[int], object], repeat: int) -> float:
    """Seconds of the fastest of `repeat` runs."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        function(ROUNDS)
        times.append(time.process_time() - start)
    return min(times)


def report(repeat: int = 5) -> dict[str, object]:
    """Prints one line a loop, and gives the geometric mean of the ratios and the greatest."""
    ratios = {}
    for name, text in LOOPS.items():
        ours, theirs = starlark(text), python(text)
        if ours(1000) != theirs(1000):
            raise AssertionError(f"the loop {name!r} has different results")
        slow, fast = fastest(ours, repeat), fastest(theirs, repeat)
        ratios[name] = slow / fast
        each = [seconds * 1e9 / ROUNDS for seconds in (fast, slow)]
        print(f"loops: {name:14} {each[0]:7.1f} ns Python  {each[1]:7.1f} ns Starlark  {slow / fast:5.2f}")
    mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
    print(f"loops: geometric mean {mean:.2f} (goal 2), greatest {max(ratios.values()):.2f} (goal 4)", flush=True)
    return {"mean": round(mean, 3), "greatest": round(max(ratios.values()), 3)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    found = report(parser.parse_args().repeat)
    return 0 if float(str(found["mean"])) <= 2 and float(str(found["greatest"])) <= 4 else 1


if __name__ == "__main__":
    sys.exit(main())

"""Keeps the slow checks within a budget: a seeded rotation, which says what it left out.

BAZEL2NINJA_MINUTES: what the builds of whole projects may take together, estimated (default: no limit).
BAZEL2NINJA_SEED: which of them come first (default: the name of the newest commit).
"""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

LEFT_OUT = pytest.StashKey[list[str]]()
SEED = pytest.StashKey[str]()


def seed() -> str:
    given = os.environ.get("BAZEL2NINJA_SEED")
    if given:
        return given
    words = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    done = subprocess.run(words, capture_output=True, text=True)
    return done.stdout.strip() or "0"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[LEFT_OUT] = []
    config.stash[SEED] = seed()
    limit = os.environ.get("BAZEL2NINJA_MINUTES")
    if not limit:
        return
    slow = [item for item in items if minutes(item)]
    random.Random(config.stash[SEED]).shuffle(slow)
    left = float(limit)
    dropped = []
    for item in slow:
        if minutes(item) <= left:
            left -= minutes(item)
        else:
            dropped.append(item)
    config.stash[LEFT_OUT] = sorted(item.name for item in dropped)
    items[:] = [item for item in items if item not in dropped]
    config.hook.pytest_deselected(items=dropped)


def minutes(item: pytest.Item) -> float:
    marker = item.get_closest_marker("minutes")
    return float(marker.args[0]) if marker else 0.0


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    for name in config.stash.get(LEFT_OUT, []):
        terminalreporter.write_line(f"LEFT OUT by the rotation (seed {config.stash[SEED]}): {name}", red=True)

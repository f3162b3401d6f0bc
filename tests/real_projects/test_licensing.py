"""The audit of real source packages: what ends up in TensorFlow's libraries, against files that people have read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from archive import ROOT, Project, fetch

pytestmark = pytest.mark.real_project

PROJECT = Project(name="tensorflow", source="tensorflow", suite="sid")
READ = json.loads((ROOT / "tests/data/licensing/tensorflow_closure.json").read_text())
TARGETS = {"libtensorflowlite.so": "//tensorflow/lite:libtensorflowlite.so", "libtensorflow_cc.so": "//tensorflow:libtensorflow_cc.so"}  # fmt: skip  # noqa: E501


@pytest.fixture(scope="module")
def audited(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """Name of the library -> file -> terms."""
    place = tmp_path_factory.mktemp("audit")
    words = [
        "--json=audit.json",
        "--allow-missing-repositories",
        *(f"--target={target}" for target in TARGETS.values()),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "bazel2ninja", "audit", str(fetch(PROJECT)), *words],
        cwd=place,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    found = {}
    for binary in json.loads((place / "audit.json").read_text())["binaries"]:
        name = Path(binary["output"]).name
        found[name] = {path: terms for terms, paths in binary["terms"].items() for path in paths}
    return found


@pytest.mark.minutes(4)
def test_what_was_read_is_what_is_concluded(audited: dict[str, dict[str, str]]) -> None:
    assert len(READ["files"]) == 50
    for row in READ["files"]:
        for name in row["binaries"]:
            assert audited[name].get(row["file"]) == row["verdict"], row


@pytest.mark.minutes(4)
def test_the_licences_of_the_libraries(audited: dict[str, dict[str, str]]) -> None:
    assert set(audited["libtensorflowlite.so"].values()) == {"Apache-2.0", "MPL-2.0"}
    assert set(audited["libtensorflow_cc.so"].values()) == {"Apache-2.0", "MPL-2.0", "Unicode-3.0"}
    assert len(audited["libtensorflow_cc.so"]) > 7500

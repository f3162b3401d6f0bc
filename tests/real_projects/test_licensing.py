"""The audit of real source packages: what ends up in TensorFlow's libraries, against files that people have read."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from archive import ROOT, Project, fetch

pytestmark = pytest.mark.real_project

PROJECT = Project(name="tensorflow", source="tensorflow", suite="sid")
READ = json.loads((ROOT / "tests/data/licensing/tensorflow_closure.json").read_text())
TARGETS = {"libtensorflowlite.so": "//tensorflow/lite:libtensorflowlite.so", "libtensorflow_cc.so": "//tensorflow:libtensorflow_cc.so"}  # fmt: skip  # noqa: E501

QUESTIONS = 150  # that a person is asked at most
CPU_COLD, CPU_WARM = 60, 6  # seconds, on a machine that has other things to do

# Files that people have found in the releases, or that a distribution has to look at, and the finding that names them.
KNOWN = {
    "2.14.1": {
        r"/gradle-wrapper\.jar$": ("prebuilt", 2),
        r"^tensorflow/compiler/aot/codegen_test_o\.golden$": ("prebuilt", 1),
        r"^tensorflow/lite/ios/testdata/.*/input\.a$": ("prebuilt", 5),
        r"/saved_model\.pb$": ("model", 30),
        r"ckpt.*\.data-": ("model", 3),
        r"\.tflite$": ("model", 1),
        r"^third_party/icu/data/icu_conversion_data\.c\.gz\.a": ("archive", 86),
        r"\.gz$": ("archive", 4),
        r"/grace_hopper\.(?:jpg|bmp)$": ("media", 1),
        r"^third_party/fft2d/LICENSE$": ("unclear", 1),
        r"^tensorflow/lite/g3doc/examples/on_device_training/overview\.ipynb$": ("notebook", 1),
    },
    "2.0.0": {
        r"/lena_\w+\.png$": ("dfsg-suspect", 4),
        r"/gradle-wrapper\.jar$": ("prebuilt", 3),
        r"^tensorflow/compiler/aot/codegen_test_o\.golden$": ("prebuilt", 1),
        r"\.mb$": ("model", 1),
        r"model\.ckpt-46900\.data-": ("model", 1),
        r"/saved_model\.pb$": ("model", 4),
        r"/with_custom_op\.lite$": ("model", 1),
        r"^third_party/icu/data/icu_conversion_data\.c\.gz\.a": ("archive", 10),
        r"\.pbtxt\.gz$": ("archive", 1),
        r"^third_party/sycl/sycl/LICENSE\.text$": ("non-free-words", 1),
        r"^third_party/fft2d/LICENSE$": ("unclear", 1),
        r"\.ipynb$": ("notebook", 6),
    },
}


def source_of(version: str) -> Path:
    if version == "2.14.1":
        return fetch(PROJECT)
    place = os.environ.get("BAZEL2NINJA_TENSORFLOW_2_0", "")
    if not place:
        pytest.skip("NOT TESTED: TensorFlow 2.0.0; set BAZEL2NINJA_TENSORFLOW_2_0 to its sources")
    return Path(place)


@pytest.mark.minutes(2)
@pytest.mark.parametrize("version", KNOWN)
def test_what_a_distribution_has_to_look_at(tmp_path: Path, version: str) -> None:
    words = [str(source_of(version)), "--json=audit.json", "--debian-copyright=", "--review=", "--exclude=debian/*"]

    def seconds() -> float:
        before = os.times()
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run([sys.executable, "-m", "bazel2ninja", "audit", *words], cwd=tmp_path, env=environment)
        assert done.returncode == 0
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    assert seconds() < CPU_COLD
    assert seconds() < CPU_WARM
    report = json.loads((tmp_path / "audit.json").read_text())
    assert sum(finding["asks"] for finding in report["findings"]) < QUESTIONS
    found: dict[str, set[str]] = {}
    for finding in report["findings"]:
        for path in finding["paths"]:
            found.setdefault(path, set()).add(finding["kind"])
    for pattern, (kind, count) in KNOWN[version].items():
        named = [path for path, kinds in found.items() if re.search(pattern, path) and kind in kinds]
        assert len(named) >= count, (pattern, named)
    silent = [path for path, each in report["files"].items() if each["kind"] != "text" and path not in found]
    assert silent == []  # every file that is no text is named by some finding


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

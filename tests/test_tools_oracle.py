"""The oracle tools against their own recordings: what reduces a dump must give the action list beside it."""

from __future__ import annotations

import importlib.util
import json
import lzma
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parent.parent
ORACLES = ROOT / "tests/data/oracles"


@pytest.fixture(scope="module")
def actions() -> ModuleType:
    """tools/oracle/actions.py, which is no part of the package."""
    specification = importlib.util.spec_from_file_location("oracle_actions", ROOT / "tools/oracle/actions.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module


def text(name: str) -> str:
    return lzma.decompress((ORACLES / name).read_bytes()).decode()


@pytest.mark.parametrize("project", ["double-conversion", "small"])
def test_dump_reduces_to_the_recorded_list(actions: ModuleType, project: str) -> None:
    dump = actions.Dump(text(f"dumps/{project}.aquery.jsonproto.xz"))
    assert "".join(f"{line}\n" for line in actions.lines(dump.rows)) == text(f"{project}.jsonl.xz")


def test_needed_keeps_what_an_output_is_made_of(actions: ModuleType) -> None:
    dump = actions.Dump(text("dumps/small.aquery.jsonproto.xz"))
    bin_folder = "bazel-out/k8-fastbuild/bin"
    rows = actions.needed(dump.rows, [f"{bin_folder}/lib/joined.lines.count"])
    mnemonics = {row.mnemonic for row in rows}
    # The counted text is joined from a genrule's output, whose tool is compiled and linked for the build machine.
    assert {"CountText", "UpperText", "JoinText", "SplitText", "Genrule"} <= mnemonics
    assert {row.label for row in rows if row.mnemonic == "CppLink"} == {"//tool:shout"}
    assert all(row.host for row in rows if row.mnemonic == "CppLink")
    with pytest.raises(KeyError):
        actions.needed(dump.rows, [f"{bin_folder}/lib/nothing"])


@pytest.mark.parametrize("path", sorted(ORACLES.glob("*.jsonl.xz")), ids=lambda path: path.name)
def test_lists_are_sorted_and_whole(path: Path) -> None:
    rows = [json.loads(line) for line in text(path.name).splitlines()]
    assert rows == sorted(rows, key=lambda row: row["o"][0])
    assert all(set(row) == {"m", "t", "host", "o", "i", "argv"} for row in rows)
    assert all(row["argv"] for row in rows if row["m"] in ("CppCompile", "CppLink"))

"""`bazel2ninja crosscheck` on a small workspace: forms of dumps, reports and exit statuses."""

from __future__ import annotations

import json
import lzma
import re
from pathlib import Path

import pytest

from bazel2ninja.cli import main

BUILD = """
genrule(
    name = "gen",
    srcs = ["in.txt"],
    outs = ["out.txt"],
    cmd = "cp $< $@",
)

filegroup(
    name = "files",
    srcs = select({"//conditions:default": [":gen"]}),
)
"""
COMMAND = "source external/bazel_tools/tools/genrule/genrule-setup.sh; cp a/in.txt bazel-out/k8-fastbuild/bin/a/out.txt"
LINE = {
    "m": "Genrule",
    "t": "@ws//a:gen",
    "host": False,
    "o": ["bazel-out/k8-fastbuild/bin/a/out.txt"],
    "i": ["a/in.txt", "external/bazel_tools/tools/genrule/genrule-setup.sh"],
    "argv": ["/bin/bash", "-c", COMMAND],
}
LABELS = """filegroup rule //a:files
genrule rule //a:gen
"""
QUERY = """# /ws/a/BUILD:2:8
genrule(
  name = "gen",
  srcs = ["//a:in.txt"],
  outs = ["//a:out.txt"],
  cmd = "cp $< $@",
)
# Rule gen instantiated at (most recent call last):
#   /ws/a/BUILD:2:8 in <toplevel>

# /ws/a/BUILD:9:10
filegroup(
  name = "files",
  srcs = select({"//conditions:default": ["//a:gen"]}),
)
"""


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "src" / "a").mkdir(parents=True)
    (tmp_path / "src" / "WORKSPACE").write_text('workspace(name = "ws")\n')
    (tmp_path / "src" / "a" / "BUILD").write_text(BUILD)
    (tmp_path / "src" / "a" / "in.txt").write_text("text\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(workspace: Path, content: str | bytes, *options: str) -> int:
    (workspace / "dump").write_bytes(content.encode() if isinstance(content, str) else content)
    return main(["crosscheck", "src", "//...", "--against", "dump", *options])


def test_agreement(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(workspace, json.dumps(LINE)) == 0
    assert "1 actions of Bazel, 1 of ours, 1 compared" in capsys.readouterr().out
    assert check(workspace, lzma.compress(json.dumps(LINE).encode())) == 0


def test_difference(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = json.dumps({**LINE, "argv": ["/bin/bash", "-c", "cp x y"]})
    assert check(workspace, wrong) == 3
    out = capsys.readouterr().out
    assert re.search(r"^src/a/BUILD:2:\d+: //a:gen: Genrule bazel-out/bin/a/out\.txt$", out, re.MULTILINE)
    assert "lacks the word of the command cp x y" in out
    assert check(workspace, wrong, "--json") == 3
    found = json.loads(capsys.readouterr().out)["unexplained"]
    assert {(each["field"], each["kind"]) for each in found} == {("command", "missing"), ("command", "extra")}


def test_missing_action_has_the_targets_place(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [LINE, {**LINE, "m": "Other", "t": "//a:files", "o": ["bazel-out/k8-fastbuild/bin/a/other"], "argv": []}]
    assert check(workspace, "\n".join(map(json.dumps, lines))) == 3
    out = capsys.readouterr().out
    assert re.search(r"^src/a/BUILD:9:\d+: //a:files: Other bazel-out/bin/a/other$", out, re.MULTILINE)


def test_further_intended_differences(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = json.dumps({**LINE, "argv": ["/bin/bash", "-c", "cp x y"]})
    (workspace / "more.toml").write_text(
        '[[difference]]\nid = "mine"\nreason = "the command is spelt in another way"\nmnemonic = "Genrule"\n'
        'field = "command"\nkind = ["missing", "extra"]\n'
    )
    assert check(workspace, wrong, "--intended", "more.toml") == 0
    assert "intended: 2 by 'mine'" in capsys.readouterr().out


def test_query_dumps(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(workspace, LABELS) == 0
    assert check(workspace, QUERY) == 0
    capsys.readouterr()
    assert check(workspace, LABELS + "cc_library rule //a:lib\n") == 3
    assert "//a:lib: cc_library rule //a:lib\n    lacks the target, a cc_library rule\n" in capsys.readouterr().out
    assert check(workspace, LABELS.replace("genrule rule", "sh_binary rule")) == 3
    assert "lacks the kind sh_binary rule" in capsys.readouterr().out
    assert check(workspace, QUERY.replace("cp $< $@", "mv $< $@")) == 3
    assert "//a:gen" in capsys.readouterr().out
    assert check(workspace, QUERY.replace('["//a:gen"]', '["//a:in.txt"]')) == 3


def test_mistakes(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(workspace, "nonsense\n") == 1
    assert "dump:1:1: error: not an action list" in capsys.readouterr().err
    assert main(["crosscheck", "src", "--against", "absent"]) == 1
    assert main(["crosscheck", "src"]) == 2


ORACLES = Path(__file__).parent / "data" / "oracles"


@pytest.mark.parametrize(
    "dump",
    [
        "small.jsonl.xz",
        "dumps/small.aquery.text.xz",
        "dumps/small.aquery.textproto.xz",
        "dumps/small.aquery.jsonproto.xz",
        "dumps/small.query.label_kind",
        "dumps/small.query.build",
    ],
)
def test_the_small_workspace_agrees_with_all_forms_of_its_dump(
    dump: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    status = main(["crosscheck", str(ORACLES / "small"), f"--against={ORACLES / dump}"])
    text = capsys.readouterr().out
    assert (status, text.splitlines()[-1]) == (0, "no unexplained difference"), text

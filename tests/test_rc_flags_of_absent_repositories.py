"""Flags in .bazelrc whose repositories nobody has: a project's rc file speaks for languages that are not built, too."""

from __future__ import annotations

from pathlib import Path

import pytest
from robust_support import lay, run

FILES = {
    "WORKSPACE": 'load("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive")\n'
    'http_archive(name = "rules_x", url = "https://example.org/x.tar.gz")\n',
    "BUILD": 'cc_library(name = "a", srcs = ["a.c"])\n'
    'config_setting(name = "c", flag_values = {"@rules_x//:flag": "True"})\n'
    'cc_library(name = "b", srcs = ["a.c"], copts = select({":c": ["-DC"], "//conditions:default": []}))\n',
    "a.c": "int a;\n",
    ".bazelrc": "build --copt=-DRC --@rules_x//:flag=True\n",
}


@pytest.mark.parametrize("words", [[], ["--allow-missing-repositories"]])
def test_in_an_rc_file(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lay(tmp_path / "src", FILES)
    result = run("generate", "-o", "build.ninja", *words, "src", "//:a")
    assert result.status == 0, result.err
    assert "src/.bazelrc:1:19: warning: option '--@rules_x//:flag' is left out: " in result.err
    assert result.err.count("warning: ") == 1
    assert "-DRC" in (tmp_path / "build.ninja").read_text()


def test_who_reads_it_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lay(tmp_path / "src", FILES)
    result = run("generate", "-o", "build.ninja", "src", "//:b")
    assert result.status == 1
    assert "error: repository '@rules_x' is not on disk" in result.err
    assert not (tmp_path / "build.ninja").exists()


def test_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lay(tmp_path / "src", FILES | {".bazelrc": ""})
    result = run("generate", "-o", "build.ninja", "--@rules_x//:flag=True", "src", "//:a")
    assert result.status == 2
    assert "error: option '--@rules_x//:flag': repository '@rules_x' is not on disk" in result.err


def test_a_misspelt_flag_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lay(tmp_path / "src", FILES | {".bazelrc": "build --//:flag=True\n"})
    result = run("generate", "-o", "build.ninja", "src", "//:a")
    assert result.status == 1
    assert "src/.bazelrc:1:7: error: option '--//:flag': no such target '//:flag'" in result.err

"""Trees, machines and command lines that cannot work: one clear message each, and nothing half-written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from repositories_support import write_tree
from system_library_support import StandIn

from bazel2ninja.cli import main
from bazel2ninja.configuration.bazelrc import read_bazelrc
from bazel2ninja.configuration.options import parse
from bazel2ninja.filesystem import MemoryFileSystem

TREE = {
    "WORKSPACE": 'workspace(name = "w")\nload("//:libs.bzl", "libs_configure")\nlibs_configure(name = "local_libs")\n',
    "libs.bzl": """
VALID = ["png", "zlib"]

def _fail(msg):
    red, no_colour = "\\033[0;31m", "\\033[0m"
    fail("\\n%sSystem Library Configuration Error:%s %s\\n" % (red, no_colour, msg))

def _libs(ctx):
    for name in ctx.os.environ.get("W_SYSTEM_LIBS", "").split(","):
        if name and name not in VALID:
            _fail("Invalid system lib set: " + name)
    ctx.file("BUILD", "filegroup(name = 'x', visibility = ['//visibility:public'])")

libs_configure = repository_rule(implementation = _libs, environ = ["W_SYSTEM_LIBS"])
""",
    "BUILD": """
genrule(name = "libs", srcs = ["@local_libs//:x"], outs = ["a"], cmd = "touch $@")
genrule(name = "gone", srcs = ["gone.txt"], outs = ["b"], cmd = "touch $@")
genrule(name = "absent", srcs = ["@absent//:x"], outs = ["c"], cmd = "touch $@")
cc_library(name = "zstd", srcs = ["z.c"], deps = ["@zstd//:zstd"])
config_setting(name = "one", define_values = {"one": "1"})
config_setting(name = "two", define_values = {"two": "1"})
genrule(name = "choice", outs = ["d"], cmd = select({":one": "echo 1", ":two": "echo 2"}))
""",
    "z.c": "",
    ".bazelrc": """
build --define=api=0
build:v1 --define=api=1
build:v2 --define=api=2 -c opt
build:also_v2 --config=v2
build:gpu --crosstool_top=@gpu//:toolchain --//:gpu
build:other_gpu --crosstool_top=@other//:toolchain --no//:gpu
build:fast -c opt --copt=-O3
build:slow -c opt --copt=-O0
""",
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_tree(tmp_path / "ws", TREE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("W_SYSTEM_LIBS", raising=False)
    return tmp_path


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The message of a generate that must fail and leave nothing behind."""
    assert main(["generate", "-o", "build.ninja", "ws", *words]) == 1
    assert not Path("build.ninja").exists()
    message = capsys.readouterr().err
    assert "\x1b" not in message and "Traceback (most recent call last):\n  File" not in message
    return message


def test_a_missing_repository(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(capsys, "//:absent")
    assert message.startswith("ws/BUILD:4:1: error: no repository '@absent'\n")
    assert "help: vendor it with --vendor DIR" in message and "note: needed by //:absent (ws/BUILD:4:1)" in message


def test_a_name_that_the_projects_own_rule_refuses(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(capsys, "//:libs", "--repo_env=W_SYSTEM_LIBS=png,pgn")
    last = "ws/libs.bzl:6:5: error: System Library Configuration Error: Invalid system lib set: pgn\n"
    assert last in message
    assert "note: repository '@local_libs' is made by libs_configure() (ws/WORKSPACE:3:1)" in message
    assert main(["generate", "-o", "build.ninja", "ws", "//:libs", "--repo_env=W_SYSTEM_LIBS=png"]) == 0


def test_a_file_that_a_patch_took_away(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "-o", "build.ninja", "ws", "//:gone"]) == 0
    message = capsys.readouterr().err
    assert message.startswith("ws/BUILD:3:1: warning: missing input file '//:gone.txt'\n")
    assert "note: what needs it cannot be built" in message
    Path("ws/gone.txt").touch()
    assert main(["generate", "-o", "build.ninja", "ws", "//:gone"]) == 0
    assert capsys.readouterr().err == ""
    Path("ws/libs.bzl").unlink()
    Path("build.ninja").unlink()
    message = refused(capsys, "//:libs")
    assert re.match(r"ws/WORKSPACE:2:\d+: error: ", message) and "libs.bzl" in message


@pytest.mark.parametrize("version", ["1.2.0", "1.3.0"])
def test_the_version_of_a_library_of_the_system(
    version: str, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The data for zstd want 1.3 or newer."""
    machine = StandIn(place / "machine")
    for name, value in machine.environment.items():
        monkeypatch.setenv(name, value)
    machine.package("libzstd-dev", f"{version}-1")
    machine.module("libzstd", version=version, libs="-lzstd")
    machine.header("zstd.h")
    words = ["//:zstd", "--system-libraries=zstd"]
    if version == "1.3.0":
        assert main(["generate", "-o", "build.ninja", "ws", *words]) == 0, capsys.readouterr().err
        return
    message = refused(capsys, *words)
    assert "zstd" in message and "1.2.0" in message and ">= 1.3" in message


def test_both_branches_of_a_choice(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(capsys, "//:choice", "--define=one=1", "--define=two=1")
    assert message.startswith("ws/BUILD:8:")
    assert "ambiguous match" in message and "//:one" in message and "//:two" in message
    message = refused(capsys, "//:choice")
    assert "//:one" in message and "//:two" in message


def warnings(*words: str) -> list[str]:
    files = MemoryFileSystem({"ws/.bazelrc": TREE[".bazelrc"]})
    return [warning.message for warning in parse(words, read_bazelrc(files, "ws")).warnings]


def test_configs_that_contradict_each_other(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert warnings("--config=v1") == warnings("--config=v2", "--config=also_v2") == []
    assert warnings("--config=fast", "--config=slow") == []  # what may be repeated adds up
    assert warnings("--config=v1", "--define=api=2") == []  # somebody said it in full
    assert warnings("--config=v1", "--config=also_v2") == [
        "'--config=v1' and '--config=also_v2' contradict each other: they set --define=api to '1' and '2'"
    ]
    both = "'--config=gpu' and '--config=other_gpu' contradict each other: they set"
    assert warnings("--config=gpu", "--config=other_gpu") == [
        f"{both} --crosstool_top to '@gpu//:toolchain' and '@other//:toolchain'",
        f"{both} --//:gpu to 'true' and 'false'",
    ]
    assert main(["generate", "-o", "build.ninja", "ws", "//:libs", "--config=v2", "--config=v1"]) == 0
    message = capsys.readouterr().err
    assert message.startswith("warning: '--config=v2' and '--config=v1' contradict each other")
    assert "help: the last one counts, as in Bazel: '1'; leave the other out" in message
    assert "note: '--config=v2' says '2' (ws/.bazelrc:4:10)" in message
    assert "note: '--config=v1' says '1' (ws/.bazelrc:3:10)" in message


def test_a_config_that_nobody_defines(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "-o", "build.ninja", "ws", "--config=v3"]) == 2
    assert "config value 'v3' is not defined in any rc file" in capsys.readouterr().err


PROFILE = """
name = "w"
[recognise]
workspace = "w"
[[recognise.version]]
file = "z.version"
patterns = ['(\\d+)']
[[contradiction]]
configs = ["gpu", "other_gpu"]
reason = "there is one compiler"
versions = "< 3"
"""


def test_configs_that_a_profile_refuses_together(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("ws/z.version").write_text("2\n")
    Path("p.toml").write_text(PROFILE)
    command = ["generate", "-o", "build.ninja", "ws", "//:libs", "--profile=p.toml", "--config=gpu"]
    assert main([*command, "--config=other_gpu"]) == 2
    message = capsys.readouterr().err
    assert message.startswith(
        "error: '--config=gpu' and '--config=other_gpu' exclude each other: there is one compiler\n"
    )
    assert "note: profile w says so (p.toml:8)" in message
    Path("p.toml").write_text(PROFILE.replace("configs", "config"))
    assert main([*command, "--config=other_gpu"]) == 1
    assert "p.toml:9: error: 'contradiction' of a profile has no key 'config'" in capsys.readouterr().err

"""`bazel2ninja repositories`: what targets need, and what serves it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from repositories_support import write_tree
from system_library_support import StandIn

from bazel2ninja.pipeline.repositories import version_in

ROOT = Path(__file__).resolve().parent.parent
FILES = {
    "WORKSPACE": """\
load("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive")
load("@bazel_tools//tools/build_defs/repo:git.bzl", "git_repository")
local_repository(name = "near", path = "near")
http_archive(name = "zlib", urls = ["https://x.org/zlib/archive/v1.2.11.tar.gz"], strip_prefix = "zlib-1.2.11")
http_archive(
    name = "gone",
    urls = ["https://x.org/o/gone/archive/e4635f223e7d36dfbea3b722a4ca4807a7e882e2.tar.gz"],
)
git_repository(name = "unwanted", remote = "https://x.org/unwanted.git", tag = "v3")
http_archive(name = "lz4", urls = ["https://x.org/lz4-1.9.2.tar.gz"])
""",
    "BUILD": """\
cc_library(name = "a", deps = ["@near//:n", "@zlib"])
cc_library(name = "b", deps = [":a", "@zlib"])
cc_library(name = "c", deps = [":b", "@gone//x", "@lz4"])
config_setting(name = "other", values = {"cpu": "other"})
cc_library(name = "d", deps = select({":other": ["@unwanted//:u"], "//conditions:default": []}))
""",
    "near/WORKSPACE": "",
    "near/BUILD": 'cc_library(name = "n", visibility = ["//visibility:public"])\n',
}


@pytest.fixture
def machine(tmp_path: Path) -> StandIn:
    made = StandIn(tmp_path / "machine")
    made.package("zlib1g-dev", "1:1.2.13-2")
    made.module("zlib", version="1.2.13", libs="-lz")
    made.header("zlib.h")
    write_tree(tmp_path / "src", FILES)
    return made


def run(machine: StandIn, *words: str, status: int = 0) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "bazel2ninja", "repositories", *words],
        cwd=machine.root.parent,
        env={**machine.environment, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == status, done.stderr
    return done.stdout, done.stderr


@pytest.mark.slow
def test_a_rule_that_makes_its_own_overlay(machine: StandIn) -> None:
    """Its targets hold the linker's flags only, so the library's package is needed; sources of its own need none."""
    rule = """\
def _made(ctx):
    ctx.file("BUILD", 'cc_library(name = "zlib", linkopts = ["-lz"], visibility = ["//visibility:public"])')
    ctx.file("defs.bzl", "X = 1")
    if ctx.attr.sources:
        ctx.file("zlib.c")
made = repository_rule(implementation = _made, attrs = {"sources": attr.bool()})
"""
    workspace = 'load("rule.bzl", "made")\nmade(name = "zlib")\n'
    needing = 'cc_library(name = "b", deps = ["@zlib"])\n'
    write_tree(machine.root.parent / "src", {"WORKSPACE": workspace, "rule.bzl": rule, "BUILD": needing})
    assert run(machine, "src", "//:b", "--format=build-depends")[0] == "Build-Depends: zlib1g-dev (>= 1:1.2.13~)\n"
    build = 'load("@zlib//:defs.bzl", "X")\ncc_library(name = "b")\n'
    write_tree(machine.root.parent / "src", {"BUILD": build})
    assert run(machine, "src", "//:b", "--format=build-depends")[0] == "Build-Depends: \n"
    workspace = workspace.replace(")\nmade(", ")\nmade(sources = True, ")
    write_tree(machine.root.parent / "src", {"WORKSPACE": workspace, "BUILD": needing})
    assert run(machine, "src", "//:b", "--format=build-depends")[0] == "Build-Depends: \n"


def test_the_table(machine: StandIn) -> None:
    text, _ = run(machine, "src", "//:a", "//:b", "//:d")
    assert [" ".join(line.split()) for line in text.splitlines()] == [
        "REPOSITORY PINNED SATISFIED BY WANTED BY",
        "@near - made here by local_repository() //:a",
        "@zlib 1.2.11 Debian: zlib1g-dev 1:1.2.13-2 //:a and 1 more",
        "",
        "2 repositories, 0 missing",
    ]


def test_the_table_counts_one_as_one(machine: StandIn) -> None:
    write_tree(machine.root.parent / "src", {"BUILD": 'cc_library(name = "a", deps = ["@zlib"])'})
    assert run(machine, "src")[0].endswith("\n1 repository, 0 missing\n")


def test_the_table_says_what_to_do(machine: StandIn) -> None:
    text, _ = run(machine, "src", status=1)
    rows = {line.split()[0]: " ".join(line.split()[2:]) for line in text.splitlines() if line.startswith("@")}
    assert rows["@lz4"] == "MISSING: apt install liblz4-dev //:c"
    assert rows["@gone"] == "MISSING: vendor it //:c"


def test_what_is_missing_tells_what_would_serve(machine: StandIn) -> None:
    text, _ = run(machine, "--format=json", "src", status=1)
    found = {entry["name"]: entry for entry in json.loads(text)}
    assert sorted(found) == ["gone", "lz4", "near", "zlib"]
    assert found["gone"]["status"] == found["lz4"]["status"] == "missing"
    assert (found["gone"]["version"], found["gone"]["wanted_by"]) == ("e4635f223e7d", ["//:c"])
    assert found["gone"]["declared"] == "src/WORKSPACE:5:1"
    (would_be,) = found["lz4"]["would_be_satisfied_by"]
    assert would_be == (
        "system library lz4: Debian package liblz4-dev (package 'liblz4-dev' is not installed; pkg-config knows no "
        "module 'liblz4')"
    )
    assert found["zlib"]["satisfied_by"].startswith("system library zlib (zlib1g-dev 1:1.2.13-2)")
    assert found["zlib"]["urls"] == ["https://x.org/zlib/archive/v1.2.11.tar.gz"]


def test_the_build_depends_line(machine: StandIn) -> None:
    text, errors = run(machine, "src", "--format", "build-depends", status=1)
    assert text == "Build-Depends: liblz4-dev, zlib1g-dev (>= 1:1.2.13~)\n"
    assert "note: 2 repositories are missing: @gone, @lz4" in errors


def test_an_override_and_a_vendored_directory_are_told(machine: StandIn) -> None:
    write_tree(machine.root.parent, {"v/gone/x/BUILD": 'cc_library(name = "x")', "o/BUILD": 'cc_library(name = "lz4")'})
    text, _ = run(machine, "src", "//:c", "--vendor=v", "--override_repository=lz4=o")
    assert "--override_repository lz4=o" in text
    assert "--vendor: 'v/gone' exists, with what http_archive() makes of it" in text


def test_the_version_of_a_module(machine: StandIn) -> None:
    files = {
        "m/MODULE.bazel": 'module(name = "m")\nbazel_dep(name = "zlib", version = "1.3.1")\n',
        "m/BUILD": 'cc_library(name = "a", deps = ["@zlib"])\n',
    }
    write_tree(machine.root.parent, files)
    text, _ = run(machine, "m", "--format=json")
    (found,) = json.loads(text)
    assert (found["name"], found["version"], found["status"]) == ("zlib+", "1.3.1", "system library")


def test_nothing_is_left_behind(machine: StandIn) -> None:
    run(machine, "src", "//:a")
    assert sorted(path.name for path in machine.root.parent.iterdir()) == ["machine", "src"]


def test_versions_in_names() -> None:
    assert version_in("abseil-cpp-20220623.1") == "20220623.1"
    assert version_in("v3.21.12") == "3.21.12"
    assert version_in("eigen-3147391d946bb4b6c68edd901f2add6ac1f31f8c") == "3147391d946b"
    assert version_in("curl-7_88_1") == "7_88_1"
    assert version_in("jsoncpp-1.9.4-rc1") == "1.9.4-rc1"
    assert version_in("sources") == ""


def test_a_build_file_without_sources_does_not_satisfy(machine: StandIn) -> None:
    files = {
        "b/WORKSPACE": """\
load("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive")
http_archive(name = "gone", urls = ["https://x.org/gone-1.0.tar.gz"], build_file = "//:gone.BUILD")
""",
        "b/BUILD": 'cc_library(name = "a", deps = ["@gone//:g", "@gone//below:h"])\n',
        "b/gone.BUILD": 'cc_library(name = "g", visibility = ["//visibility:public"])\n',
    }
    write_tree(machine.root.parent, files)
    text, errors = run(machine, "b", "--format=json", "--allow-missing-repositories", status=1)
    assert errors == "note: 1 repository is missing: @gone\n"  # not that it has no package `below`
    (found,) = json.loads(text)
    assert (found["name"], found["version"], found["status"]) == ("gone", "1.0", "missing")
    assert "its sources are absent" in found["would_be_satisfied_by"][0]

"""What query expressions mean, against a workspace on disk, and how the result is printed."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from robust_support import Content, lay, run

FILES: dict[str, Content] = {
    "a/defs.bzl": 'load("//b:more.bzl", "KIND")\n\ndef both(name):\n'
    '    native.filegroup(name = name, srcs = ["f.txt"])\n'
    '    native.genrule(name = name + "_gen", outs = [name + ".out"], cmd = "echo > $@")\n',
    "a/BUILD": """load(":defs.bzl", "both")

package(default_visibility = ["//b:__pkg__"])

both(name = "made")

cc_library(
    name = "top",
    srcs = ["top.cc"],
    hdrs = glob(["*.h"]),
    copts = ["-DX"],
    tags = ["one", "two"],
    deps = [":left", ":right"],
)

cc_library(
    name = "left",
    srcs = ["left.cc"],
    deps = ["//b:base"],
)

cc_library(
    name = "right",
    linkstatic = True,
    deps = select({
        "//b:wish": ["//b:base"],
        "//conditions:default": ["//b:other"],
    }),
)

cc_binary(
    name = "program",
    srcs = ["main.cc"],
    deps = [":top"],
)

test_suite(
    name = "some_tests",
    tests = [":t1"],
)

test_suite(name = "all_tests")

cc_test(
    name = "t1",
    size = "small",
    srcs = ["t.cc"],
    deps = [":left"],
)

cc_test(
    name = "t2",
    srcs = ["t.cc"],
    tags = ["manual"],
)

alias(
    name = "short",
    actual = ":top",
    visibility = ["//visibility:private"],
)
""",
    "b/more.bzl": 'KIND = "x"\n',
    "b/BUILD": """cc_library(
    name = "base",
    visibility = ["//visibility:public"],
)

cc_library(
    name = "other",
    visibility = ["//visibility:public"],
)

config_setting(
    name = "wish",
    define_values = {"wish": "1"},
    visibility = ["//visibility:public"],
)

package_group(name = "friends", packages = ["//a/..."])
""",
}
for _name in ("top.cc", "left.cc", "main.cc", "t.cc", "a.h", "f.txt"):
    FILES[f"a/{_name}"] = ""


@pytest.fixture
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lay(tmp_path / "src", FILES)


def query(expression: str, *options: str) -> list[str]:
    result = run("query", *options, "src", expression)
    assert result.status == 0, result.err
    return result.out.splitlines()


EXPRESSIONS = {
    "//a:top": "//a:top",
    "//b:all": "//b:base //b:other //b:wish",
    "//b/...": "//b:base //b:other //b:wish",
    "//b:*": "//b:BUILD //b:base //b:other //b:wish",
    "set(//a:top //b:base)": "//a:top //b:base",
    # operations, and that they associate to the left
    "//b:all - //b:wish": "//b:base //b:other",
    "//b:all except //b:wish except //b:base": "//b:other",
    "//b:all ^ set(//b:base //a:top)": "//b:base",
    "//b:all intersect //b:base union //a:top": "//a:top //b:base",
    "//b:wish + (//b:all - //b:all)": "//b:wish",
    "let x = //b:all in $x - //b:wish": "//b:base //b:other",
    "let x = //b:base in let y = //b:other in $x + $y": "//b:base //b:other",
    # dependencies
    "deps(//a:left) ^ //...": "//a:left //b:base",
    "deps(//a:top, 0)": "//a:top",
    "deps(//a:top, 1) ^ //...": "//a:left //a:right //a:top",
    "deps(//a:right) ^ //...": "//a:right //b:base //b:other //b:wish",
    "kind('source file', deps(//a:top)) ^ //a:*": "//a:a.h //a:left.cc //a:top.cc",
    "deps(//a:made_gen) ^ //a:*": "//a:made_gen",
    "deps(//a:made.out, 1) ^ //a:*": "//a:made.out //a:made_gen",
    "rdeps(//..., //b:base) - //a:all_tests": "//a:left //a:program //a:right //a:short //a:some_tests //a:t1 //a:top "
    "//b:base",
    "deps(//a:some_tests, 1)": "//a:some_tests //a:t1",
    "deps(//a:all_tests, 1)": "//a:all_tests //a:t1",
    "rdeps(//a:top, //b:base)": "//a:left //a:right //a:top //b:base",
    "rdeps(//..., //b:base, 1)": "//a:left //a:right //b:base",
    "rdeps(//a:left, //b:other)": "",
    "allrdeps(//a:program)": "//a:program",
    "allrdeps(//b:other, 1)": "//a:right //b:other",
    "same_pkg_direct_rdeps(//a:left)": "//a:t1 //a:top",
    "somepath(//a:program, //b:other)": "//a:program //a:right //a:top //b:other",
    "somepath(//b:base, //a:top)": "",
    "somepath(//a:top, //a:top)": "//a:top",
    "allpaths(//a:program, //b:base)": "//a:left //a:program //a:right //a:top //b:base",
    "allpaths(//b:base, //a:program)": "",
    # filters
    "kind(cc_test, //a:*)": "//a:t1 //a:t2",
    "kind('^cc_library rule$', //a:all)": "//a:left //a:right //a:top",
    "kind('generated file', //a:*)": "//a:made.out //a:program.dwp //a:program.stripped //a:t1.dwp //a:t2.dwp",
    "kind('package group', //b:friends)": "//b:friends",
    "filter('t[12]', //a:all)": "//a:t1 //a:t2",
    "filter('^//b', deps(//a:top)) ^ //...": "//b:base //b:other //b:wish",
    "attr(copts, '-DX', //a:all)": "//a:top",
    "attr(tags, '[\\[ ]two[,\\]]', //a:all)": "//a:top",
    "attr(linkstatic, 1, kind(cc_library, //a:all))": "//a:right",
    "attr(deps, '//b:other', //a:all)": "//a:right",
    "attr(size, medium, kind(cc_test, //...))": "//a:t2",
    "attr(no_such_attribute, '', //a:all)": "",
    "attr(generator_function, both, //a:all)": "//a:made //a:made_gen",
    # parts of targets
    "labels(srcs, //a:top)": "//a:top.cc",
    "labels(hdrs, //a:top)": "//a:a.h",
    "labels(deps, //a:right)": "//b:base //b:other",
    "labels(outs, //a:made_gen)": "//a:made.out",
    "labels(nope, //a:top)": "",
    "siblings(//b:base)": "//b:BUILD //b:base //b:friends //b:other //b:wish",
    "buildfiles(//a:top)": "//a:BUILD //a:defs.bzl //b:more.bzl",
    "buildfiles(//b:base)": "//b:BUILD",
    "loadfiles(//a:top)": "//a:defs.bzl //b:more.bzl",
    "rbuildfiles(b/more.bzl)": "//a:BUILD",
    "rbuildfiles(b/BUILD, a/BUILD)": "//a:BUILD //b:BUILD",
    "tests(//a:some_tests)": "//a:t1",
    "tests(//a:all_tests)": "//a:t1",
    "tests(//a:all)": "//a:t1 //a:t2",
    "executables(//...)": "//a:program //a:t1 //a:t2",
    "some(//b:all)": "//b:base",
    "some(//b:all, 2)": "//b:base //b:other",
    "visible(//b:base, set(//a:top //a:short))": "//a:top",
    "visible(//a:left, set(//a:top //a:short))": "//a:short //a:top",
}


def test_expressions(_place: None) -> None:
    wrong = {}
    for expression, expected in EXPRESSIONS.items():
        found = query(expression)
        if found != expected.split():
            wrong[expression] = found
    assert wrong == {}


def test_implicit_dependencies_can_be_left_out(_place: None) -> None:
    every = set(query("deps(//a:t1)"))
    named = set(query("deps(//a:t1)", "--noimplicit_deps"))
    assert named == {"//a:left", "//a:left.cc", "//a:t.cc", "//a:t1", "//b:base"}
    assert named < every
    assert all(label.startswith("@") for label in every - named)


def test_suites_in_a_circle(_place: None, tmp_path: Path) -> None:
    (tmp_path / "src/c").mkdir()
    circle = 'test_suite(name = "x", tests = [":y"])\ntest_suite(name = "y", tests = [":x", "//a:t1"])\n'
    (tmp_path / "src/c/BUILD").write_text(circle)
    assert query("tests(//c:x)") == ["//a:t1"]
    assert query("deps(//c:x) ^ //c:*") == ["//c:x", "//c:y"]


def test_manual_targets_are_part_of_wildcards(_place: None) -> None:
    assert "//a:t2" in query("//a/...")
    assert query("//a/... - //a:all") == []


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("deps(//a:nope)", "no such target '//a:nope'"),
        ("deps(//nope)", "no such package '//nope'"),
        ("$x", "<query>:1:1: error: undefined variable '$x'"),
        ("attr(x, '(', //a:all)", "<query>:1:1: error: invalid regular expression"),
        ("deps(@nope//:x)", "no repository '@nope'"),
    ],
)
def test_errors(_place: None, expression: str, message: str) -> None:
    result = run("query", "src", expression)
    assert result.status == 1
    assert message in result.err
    assert result.out == ""


def test_a_broken_package_leaves_the_others(_place: None, tmp_path: Path) -> None:
    (tmp_path / "src/c").mkdir()
    (tmp_path / "src/c/BUILD").write_text("x = y\n")
    result = run("query", "-k", "src", "//...")
    assert result.status == 1
    assert "src/c/BUILD:1:5: error: name 'y' is not defined" in result.err
    assert "//b:base" in result.out.splitlines()


def test_forms(_place: None) -> None:
    assert query("//a:t1 + //a:t.cc + //a:made.out + //b:friends", "--output=label_kind") == [
        "generated file //a:made.out",
        "source file //a:t.cc",
        "cc_test rule //a:t1",
        "package group //b:friends",
    ]
    assert query("//a:all + //b:base", "--output=package") == ["a", "b"]
    assert query("//a:left", "--output=location") == ["src/a/BUILD:16:1: cc_library rule //a:left"]
    graph = query("//a:top + //a:left + //b:base", "--output=graph")
    assert graph[0].startswith("digraph")
    assert graph[-1] == "}"
    assert [line.strip() for line in graph if "->" in line] == ['"//a:left" -> "//b:base"', '"//a:top" -> "//a:left"']


def test_form_build_can_be_read_again(_place: None, tmp_path: Path) -> None:
    text = "\n".join(query("//a:all", "--output=build"))
    assert "# src/a/BUILD:7:1\ncc_library(\n" in text
    assert '  generator_function = "both",' in text
    assert 'deps = select({"//b:wish": ["//b:base"], "//conditions:default": ["//b:other"]}),' in text
    kept = [line for line in text.splitlines() if "generator_" not in line]
    lay(tmp_path / "again", {**FILES, "a/BUILD": "\n".join(kept) + "\n"})
    os.chdir(tmp_path)
    again = run("query", "--output=label_kind", "again", "//a:all")
    assert again.out.splitlines() == query("//a:all", "--output=label_kind"), again.err


def test_form_json(_place: None) -> None:
    rows = {row["label"]: row for row in map(json.loads, query("//a:* + //b:friends", "--output=json"))}
    right = rows["//a:right"]
    assert right["kind"] == "cc_library rule"
    assert right["rule_class"] == "cc_library"
    assert right["location"] == "src/a/BUILD:22:1"
    assert right["attributes"]["deps"] == {
        "select": {"//b:wish": ["//b:base"], "//conditions:default": ["//b:other"]},
    }
    assert right["attributes"]["linkstatic"] is True
    assert right["visibility"] == ["//b:__pkg__"]
    assert {"//b:base", "//b:other", "//b:wish"} <= set(right["dependencies"])
    assert rows["//a:short"]["visibility"] == ["//visibility:private"]
    assert rows["//a:made_gen"]["outputs"] == ["//a:made.out"]
    assert rows["//a:made.out"]["generating_rule"] == "//a:made_gen"
    assert len(rows["//a:made"]["instantiation_stack"]) == 2
    assert rows["//a:t.cc"]["kind"] == "source file"
    assert rows["//b:friends"]["includes"] == []

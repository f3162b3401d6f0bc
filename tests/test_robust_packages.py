"""Broken packages: each is told once, at its place, and leaves everything as it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from robust_support import OLD, ROOT, Broken, build, check, lay, ninja, run, snapshot, spawn

CONDITION = 'config_setting(name = "c", values = {"%s": "%s"})\n'

BROKEN = {
    "no workspace file": Broken(
        {"WORKSPACE": None, "a/BUILD": ""}, "no WORKSPACE or MODULE.bazel file in 'src'", "", "root directory"
    ),
    "a workspace file further down": Broken(
        {"a/BUILD": "", "support/bazel/MODULE.bazel": "", "x/WORKSPACE": "", "x/y/WORKSPACE": "", "WORKSPACE": None},
        "no WORKSPACE or MODULE.bazel file in 'src'",
        "",
        "help: name the root directory of a Bazel project; here are some: 'src/support/bazel', 'src/x'$",
    ),
    "no package, asked for": Broken(
        build(""), "no such package '//b': BUILD file not found in directory 'src/b'", words=["//b:c"]
    ),
    "no package, needed": Broken(
        build('x = 1\nfilegroup(name = "x", srcs = ["//b:c"])'),
        "no such package '//b'",
        "src/a/BUILD:2:1",
        "needed by //a:x",
    ),
    "no target, asked for": Broken(
        build('filegroup(name = "hello")'),
        "no such target '//a:helo'",
        "",
        "did you mean 'hello'",
        words=["//a:helo"],
    ),
    "no target, needed": Broken(
        build('filegroup(name = "x", srcs = ["//b:helo"])', b__BUILD='filegroup(name = "hello")'),
        "no such target '//b:helo'",
        "src/a/BUILD:1:1",
        "(?s)did you mean 'hello'.*needed by //a:x",
    ),
    "a file of another package": Broken(
        build('filegroup(name = "x", srcs = ["b/y.txt"])', a__b__BUILD=""),
        "invalid label '//a:b/y.txt': 'a/b' is a package",
        "src/a/BUILD:1:1",
        "write '//a/b:y.txt'",
    ),
    "cycle": Broken(
        build('filegroup(name = "x", srcs = [":y"])\nfilegroup(name = "y", srcs = [":x"])'),
        "cycle in the dependency graph: //a:x",
        "src/a/BUILD:1:1",
        r"depends on //a:y \(src/a/BUILD:2:1\)\nnote: which depends on //a:x",
    ),
    "cycle of one": Broken(
        build('filegroup(name = "x", srcs = [":x"])'), "cycle in the dependency graph: //a:x", "src/a/BUILD:1:1"
    ),
    "cycle of aliases": Broken(
        build('alias(name = "x", actual = ":y")\nalias(name = "y", actual = ":x")'),
        "cycle in the dependency graph: //a:x",
        "src/a/BUILD:1:1",
    ),
    "cycle of test suites": Broken(
        build('test_suite(name = "x", tests = [":y"])\ntest_suite(name = "y", tests = [":x"])'),
        "test_suite //a:x contains itself",
        "src/a/BUILD:1:1",
    ),
    "cycle of conditions": Broken(
        build(
            'alias(name = "c", actual = select({":c": ":d", "//conditions:default": ":d"}))\n'
            'filegroup(name = "f", srcs = select({":c": [], "//conditions:default": []}))'
        ),
        "condition depends on itself: //a:c -> //a:c",
        "src/a/BUILD:1:28",
    ),
    "condition with a condition": Broken(
        build('config_setting(name = "c", values = select({":c": {}}))'), "not configurable", "src/a/BUILD:1:1"
    ),
    "cycle of loads": Broken(
        {
            "a/BUILD": 'load(":a.bzl", "A")',
            "a/a.bzl": 'load(":b.bzl", "B")\nA = B\n',
            "a/b.bzl": 'load(":a.bzl", "A")\nB = A\n',
        },
        "cycle of load.. statements: '//a:a.bzl' loads itself",
        "src/a/b.bzl:1:6",
        "'//a:a.bzl' loads '//a:b.bzl'",
    ),
    "unknown attribute": Broken(
        build('cc_library(\n    name = "x",\n    dep = [],\n)'),
        "no such attribute 'dep' in 'cc_library' rule",
        "src/a/BUILD:3:5",
        "did you mean 'deps'",
    ),
    "unknown rule": Broken(
        build('x = 1\ncc_libary(name = "x")'),
        "name 'cc_libary' is not defined",
        "src/a/BUILD:2:1",
        "did you mean 'cc_library'",
    ),
    "mandatory attribute": Broken(
        build('\ngenrule(name = "x", cmd = "")'), "missing value for mandatory attribute 'outs'", "src/a/BUILD:2:1"
    ),
    "no name": Broken(build("filegroup(srcs = [])"), "filegroup rule has no 'name' attribute", "src/a/BUILD:1:1"),
    "empty name": Broken(build('filegroup(name = "")'), "empty target name", "src/a/BUILD:1:1"),
    "name with a line break": Broken(
        build('filegroup(name = "x\\ny")'), r"invalid target name 'x\\ny'.*control characters", "src/a/BUILD:1:1"
    ),
    "duplicate name": Broken(
        build('filegroup(name = "x")\nfilegroup(name = "x")'),
        "filegroup rule 'x' in package 'a' conflicts with existing filegroup rule 'x'",
        "src/a/BUILD:2:1",
        r"first declared here \(src/a/BUILD:1:1\)",
    ),
    "duplicate label": Broken(
        build('filegroup(name = "y")\nfilegroup(name = "x", srcs = [":y", "//a:y"])'),
        "label '//a:y' is duplicated in the 'srcs' attribute of rule 'x'",
        "src/a/BUILD:2:1",
    ),
    "two branches": Broken(
        build(
            CONDITION % ("cpu", "k8")
            + 'config_setting(name = "d", values = {"compilation_mode": "fastbuild"})\n'
            + 'filegroup(name="f",\n    srcs = select({":c": ["c"], ":d": ["d"]}))',
            a__c="",
            a__d="",
        ),
        "ambiguous match: //a:c and //a:d match",
        "src/a/BUILD:4:12",
        "--cpu=k8 holds",
        words=["--cpu=k8"],
    ),
    "no branch": Broken(
        build(CONDITION % ("cpu", "s390x") + 'filegroup(name="f", srcs = select({":c": []}))'),
        "'srcs' of //a:f doesn't match this configuration",
        "src/a/BUILD:2:28",
        "(?s)//conditions:default.*does not match: --cpu=s390x is wanted, it is k8",
        words=["--cpu=k8"],
    ),
    "no branch, with words of its own": Broken(
        build(CONDITION % ("cpu", "x") + 'filegroup(name="f", srcs = select({":c": []}, no_match_error = "buy one"))'),
        "doesn't match this configuration: buy one",
        "src/a/BUILD:2:28",
    ),
    "condition on an unknown option": Broken(
        build(CONDITION % ("cpuu", "1") + 'filegroup(name="f", srcs = select({":c": [], "//conditions:default": []}))'),
        "unknown option: 'cpuu'",
        "src/a/BUILD:1:1",
        "did you mean 'cpu'",
    ),
    "condition that is missing": Broken(
        build('filegroup(name="f", srcs = select({":c": [], "//conditions:default": []}))'),
        "no such target '//a:c'",
        "src/a/BUILD:1:28",
    ),
    "condition that is none": Broken(
        build('filegroup(name = "c")\nfilegroup(name="f", srcs = select({":c": [], "//conditions:default": []}))'),
        "//a:c is a filegroup rule, which is not a valid key of select",
        "src/a/BUILD:2:28",
    ),
    "select of a list": Broken(
        build('filegroup(name = "f", srcs = select([]))'), r"select\(\).* 'list', want 'dict'", "src/a/BUILD:1:30"
    ),
    "missing repository": Broken(
        build('cc_library(name = "x", deps = ["@nolib//:z"])'),
        "no repository '@nolib'",
        "src/a/BUILD:1:1",
        "(?s)--vendor DIR.*--override_repository nolib=PATH.*needed by //a:x",
    ),
    "repository that is not on disk": Broken(
        {
            "WORKSPACE": 'load("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive")\n'
            'http_archive(name = "nolib", urls = ["https://example.org/nolib-1.2.tar.gz"])\n',
            "a/BUILD": 'cc_library(name = "x", deps = ["@nolib//:z"])',
        },
        "repository '@nolib' is not on disk: nothing is downloaded.*nolib-1.2.tar.gz",
        "src/a/BUILD:1:1",
        r"(?s)--vendor.*declared here, with http_archive\(\) \(src/WORKSPACE:2:1\).*needed by //a:x",
    ),
    "not visible": Broken(
        build(
            'filegroup(name = "x", srcs = ["//b:y"])',
            b__BUILD='\nfilegroup(name = "y", visibility = ["//visibility:private"])',
        ),
        "target '//b:y' is not visible from target '//a:x'",
        "src/a/BUILD:1:1",
        r"(?s)add '//a:__pkg__'.*declared here \(src/b/BUILD:2:1\)",
    ),
    "testonly": Broken(
        build('cc_library(name = "t", testonly = 1)\ncc_library(name = "x", deps = [":t"])'),
        "'//a:x' depends on testonly target '//a:t'",
        "src/a/BUILD:2:1",
    ),
    "no outputs": Broken(
        build('genrule(name = "x", outs = [], cmd = "")'), "'outs' .*must be non empty", "src/a/BUILD:1:1"
    ),
    "output and rule": Broken(
        build('genrule(name = "x", outs = ["y"], cmd = "")\nfilegroup(name = "y")'),
        "filegroup rule 'y' in package 'a' conflicts with existing generated file 'y' from rule 'x'",
        "src/a/BUILD:2:1",
    ),
    "output and source": Broken(
        build('genrule(name = "x", outs = ["o.txt"], cmd = "")\nexports_files(["o.txt"])', a__o="", **{"a__o.txt": ""}),
        "'o.txt' conflicts with existing generated file 'o.txt' from rule 'x'",
        "src/a/BUILD:2:1",
    ),
    "one output of two rules": Broken(
        build('genrule(name = "x", outs = ["o"], cmd = "")\ngenrule(name = "y", outs = ["o"], cmd = "")'),
        "generated file 'o' in rule 'y' conflicts with existing generated file 'o' from rule 'x'",
        "src/a/BUILD:2:1",
    ),
    "output inside an output": Broken(
        build('genrule(name = "x", outs = ["o"], cmd = "")\ngenrule(name = "y", outs = ["o/b"], cmd = "")'),
        "a/o/b' lies inside '.*a/o'",
        "src/a/BUILD:2:1",
        "(?s)'//a:y' makes.*'//a:x' makes",
    ),
    "output elsewhere": Broken(
        build('genrule(name = "x", outs = ["../o"], cmd = "")'), "invalid label '../o'", "src/a/BUILD:1:1"
    ),
    "glob without matches": Broken(
        build('filegroup(name = "x", srcs = glob(["*.nope"], allow_empty = False))'),
        r"glob pattern '\*.nope' didn't match anything",
        "src/a/BUILD:1:30",
    ),
    "glob elsewhere": Broken(
        build('filegroup(name = "x", srcs = glob(["a/../b"]))'), "segment '..' not permitted", "src/a/BUILD:1:30"
    ),
    "workspace loads nothing": Broken(
        {"WORKSPACE": 'workspace(name = "ws")\nload("//a:nope.bzl", "x")\n', "a/BUILD": ""},
        "cannot load '//a:nope.bzl'",
        "src/WORKSPACE:2:6",
    ),
    "workspace with a bad name": Broken(
        {"WORKSPACE": '\nworkspace(name = "a/b")\n', "a/BUILD": ""}, "not a legal workspace name", "src/WORKSPACE:2:1"
    ),
    "module file": Broken(
        {"WORKSPACE": None, "MODULE.bazel": 'module(name = "ws"\n', "a/BUILD": ""}, "'\\('", "src/MODULE.bazel:1:7"
    ),
    "visibility of nothing": Broken(
        build('filegroup(name = "x", visibility = "//visibility:public")'),
        "list.label.* for attribute 'visibility'",
        "src/a/BUILD:1:1",
    ),
}

TYPES = {  # rule, attribute, wrong value -> what is told
    "string": ("genrule", 'outs = ["o"], cmd = 1', "type 'string' for attribute 'cmd' .* got 1 .int"),
    "int": ("cc_test", 'shard_count = "1"', "type 'int' for attribute 'shard_count' .* got \"1\" .string"),
    "boolean": ("cc_binary", 'linkshared = "yes"', "type 'boolean' for attribute 'linkshared'"),
    "boolean 2": ("cc_binary", "linkshared = 2", "'linkshared' .* boolean is not one of .0, 1."),
    "tristate": ("cc_binary", "stamp = 3", "'stamp' .* tristate is not one of"),
    "list of strings": ("cc_library", 'copts = "-O2"', "type 'list.string.' for attribute 'copts'"),
    "element": ("cc_library", 'copts = ["-O2", 1]', "type 'string' for element 1 of attribute 'copts'"),
    "label": ("alias", 'actual = ["y"]', "type 'label' for attribute 'actual' .*list"),
    "label text": ("alias", 'actual = "//a:b:c"', "invalid label '//a:b:c'"),
    "list of labels": ("cc_library", "deps = 1", "type 'list.label.' for attribute 'deps' .*int"),
    "dict": ("config_setting", 'values = ["a"]', "type 'dict.string, string.' for attribute 'values'"),
    "dict value": ("config_setting", 'values = {"a": 1}', "type 'string' for dict value element .* 'values'"),
    "outputs": ("genrule", 'cmd = "", outs = "o"', "type 'list.output.' for attribute 'outs'"),
    "branch": ("filegroup", 'srcs = select({"//conditions:default": "x"})', "type 'list.label.' .* got \"x\""),
    "sum": ("filegroup", 'srcs = ["a"] + "b"', "unsupported binary operation: list . string"),
}


@pytest.fixture(autouse=True)
def _place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_package_is_told_once(name: str, tmp_path: Path) -> None:
    broken = BROKEN[name]
    lay(tmp_path / "src", broken.files)
    before = snapshot(tmp_path / "src")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/build.ninja").write_bytes(OLD)
    check(tmp_path, broken, run("generate", "-o", "out/build.ninja", "src", *broken.words))
    assert (tmp_path / "out/build.ninja").read_bytes() == OLD
    assert snapshot(tmp_path / "src") == before
    assert not list(tmp_path.glob("out/**/.writing-*"))


@pytest.mark.parametrize("name", TYPES)
def test_wrong_type(name: str, tmp_path: Path) -> None:
    kind, arguments, message = TYPES[name]
    lay(tmp_path / "src", build(f'x = 1\n{kind}(name = "x", {arguments})'))
    column = len(f'{kind}(name = "x", srcs = ') + 1 if name == "sum" else 1
    check(tmp_path, Broken({}, message, f"src/a/BUILD:2:{column}"), run("generate", "-o", "build.ninja", "src"))


@pytest.mark.parametrize("name", ["unknown attribute", "missing repository", "no workspace file"])
def test_on_standard_output_comes_what_ninja_refuses(name: str, tmp_path: Path) -> None:
    broken = BROKEN[name]
    lay(tmp_path / "src", broken.files)
    result = spawn("generate", "src", *broken.words, cwd=tmp_path)
    check(tmp_path, broken, result)
    assert len(result.out.splitlines()) == 1
    (tmp_path / "build.ninja").write_text(result.out)
    told = ninja(tmp_path, status=1)
    assert "unknown build rule 'bazel2ninja_could_not_generate_this_manifest'" in told
    # the statement says why, for who looks into the file
    assert result.err.partition("error: ")[2].split("\n")[0].split()[0] in result.out


def test_a_missing_source_file_is_an_error_of_what_needs_it(tmp_path: Path) -> None:
    lay(
        tmp_path / "src",
        build(
            'cc_library(name = "x", srcs = ["x.c", "libx.h", "sub/w.c"])\n'
            'filegroup(name = "hello")\nfilegroup(name = "y", srcs = [":helo"])\n'
            'genrule(name = "z", srcs = ["link"], outs = ["o"], cmd = "cp $< $@")\n'
            'genrule(name = "fine", outs = ["p"], cmd = "echo p > $@")\n',
            **{"a__libx.h": ""},
        ),
        {"a/link": "nowhere"},
    )
    result = run("generate", "-o", "build.ninja", "src")
    assert result.status == 0
    for text in (
        "src/a/BUILD:1:1: warning: missing input file '//a:x.c'",
        "src/a/BUILD:3:1: warning: missing input file '//a:helo'",
        "help: did you mean 'hello'?",
        "src/a/BUILD:4:1: warning: missing input file '//a:link'",
        "note: it would be 'src/a/link', a symbolic link that leads nowhere",
    ):
        assert text in result.err.splitlines()
    assert result.err.count("warning:") == 4
    told = ninja(tmp_path, "-k0", status=1)
    assert "src/a/BUILD:1:1: error: missing input file '//a:x.c'" in told
    assert "src/a/BUILD:4:1: error: missing input file '//a:link'" in told
    assert (tmp_path / "bazel-out/k8-fastbuild/bin/a/p").exists()  # what needs none of them is built
    assert not (tmp_path / "src/a/sub").exists()
    (tmp_path / "src/a/x.c").write_text("int x;\n")
    (tmp_path / "src/a/sub").mkdir()
    (tmp_path / "src/a/sub/w.c").write_text("int w;\n")
    ninja(tmp_path, "//a:x")


def test_calls_of_absent_macros_are_told(tmp_path: Path) -> None:
    calls = "".join(f'foo(name = "x{i}")\n' for i in range(7))
    lay(tmp_path / "src", build('load("@rules_foo//:defs.bzl", "foo")\n' + calls + 'filegroup(name = "y")\n'))
    result = run("generate", "-o", "build.ninja", "src")
    assert result.status == 0
    told = [line for line in result.err.splitlines() if "warning: " in line]
    assert len(told) == 6
    assert told[0].startswith("src/a/BUILD:2:1: warning: ")
    assert "rules_foo" in told[0]
    assert told[5] == "warning: 2 more calls of absent macros and rules are left out"
    assert "warning" not in run("generate", "-o", "build.ninja", "src", "//a:y").err
    # an error where it is needed
    result = run("generate", "-o", "build.ninja", "src", "//a:x3")
    assert result.status == 1
    assert "rules_foo" in result.err


def test_two_programs_of_one_name_stop_only_the_installation(tmp_path: Path) -> None:
    program = 'genrule(name = "g", outs = ["m.c"], cmd = "echo int main\\\\(void\\\\){return 0\\\\;} > $@")\n'
    program += 'cc_binary(name = "p", srcs = ["m.c"])\n'
    lay(tmp_path / "src", build(program, b__BUILD=program))
    assert run("generate", "-o", "build.ninja", "src").status == 0
    assert "both '//a:p' and '//b:p' would be installed as 'bin/p'" in ninja(tmp_path, "install", status=1)
    ninja(tmp_path, "-n", "all")


def test_with_keep_going_the_rest_is_written(tmp_path: Path) -> None:
    lay(
        tmp_path / "src",
        build('filegroup(name = "x", srcs = ["//b:y"])\ngenrule(name = "g", outs = ["o"], cmd = "echo > $@")'),
    )
    result = run("generate", "-o", "build.ninja", "-k", "src")
    assert result.status == 1
    assert "src/a/BUILD:1:1: error: no such package '//b'" in result.err
    assert "error: 1 target or package could not be analysed and is left out" in result.err
    ninja(tmp_path)


def test_with_keep_going_a_cause_is_told_once(tmp_path: Path) -> None:
    users = "".join(f'filegroup(name = "u{i}", srcs = [":x"])\n' for i in range(5))
    lay(tmp_path / "src", build(f'filegroup(name = "x", srcs = ["//b:y"])\n{users}'))
    result = run("generate", "-o", "build.ninja", "-k", "src")
    assert result.err.count("error: no such package '//b'") == 1
    assert "note: 5 further targets need it" in result.err
    assert "error: 6 targets or packages could not be analysed and are left out" in result.err


def test_with_keep_going_an_absent_repository_is_told_once(tmp_path: Path) -> None:
    users = "".join(f'filegroup(name = "u{i}", srcs = ["@gone//:x{i}"])\n' for i in range(5))
    users += "".join(f'filegroup(name = "v{i}", srcs = ["@missing//:x"])\n' for i in range(2))
    lay(tmp_path / "src", build(users))
    result = run("generate", "-o", "build.ninja", "-k", "src")
    assert result.err.count("no repository '@gone'") == result.err.count("no repository '@missing'") == 1
    assert "src/a/BUILD:1:1: error: no repository '@gone'" in result.err
    assert "note: 4 further targets need it" in result.err
    assert "note: 1 further target needs it" in result.err
    assert "error: 7 targets or packages could not be analysed and are left out" in result.err


def test_what_keep_going_leaves_out_does_not_stop_a_later_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A changed BUILD file makes the manifest again by the command of the first time; ninja goes on with the rest."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    program = 'genrule(name = "g", outs = ["o"], cmd = "echo %s > $@")\nfilegroup(name = "x", srcs = ["//b:y"])'
    lay(tmp_path / "src", build(program % "one"))
    assert run("generate", "-o", "build.ninja", "-k", "src").status == 1
    (tmp_path / "src/a/BUILD").write_text(program % "two")
    assert "error: 1 target or package could not be analysed and is left out" in ninja(tmp_path, "all")
    assert (tmp_path / "bazel-out/k8-fastbuild/bin/a/o").read_text() == "two\n"

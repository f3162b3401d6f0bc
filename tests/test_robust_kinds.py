"""Broken workspaces of further kinds: options, platforms, toolchains, what ninja cannot hold, what crosses packages."""

from __future__ import annotations

from pathlib import Path

import pytest
from robust_support import OLD, Broken, build, check, lay, rule, run, snapshot

LIBRARY = 'cc_library(name = "l", srcs = ["l.cc"], %s)\n'
SKYLIB = 'load("@bazel_skylib//rules:common_settings.bzl", "int_flag")\n'
TOOLCHAIN = {
    "a/d.bzl": 'r = rule(implementation = lambda ctx: [], toolchains = ["//a:tt"])\n',
    "a/BUILD": 'load(":d.bzl", "r")\ntoolchain_type(name = "tt")\nr(name = "x")\n',
}
TRANSITION = """
def _t(settings, attr):
    return {%s: "x"}

t = transition(implementation = _t, inputs = [], outputs = [%s])
r = rule(implementation = lambda ctx: [], cfg = t)
"""


def library(more: str, *, call: str = LIBRARY) -> dict[str, str | bytes | None]:
    return build(call % more, **{"a__l.cc": ""})


def transition(key: str, *, returned: str = "") -> dict[str, str | bytes | None]:
    text = TRANSITION % (f'"{returned or key}"', f'"{key}"')
    return build('load(":d.bzl", "r")\nr(name = "x")\n', a__d_bzl=text)


BROKEN = {
    "NUL in a copt": Broken(library('copts = ["a\\0b"]'), "NUL: .*a.x00b", "src/a/BUILD:1:1", "in CppCompile of //a:l"),
    "NUL in a define": Broken(library('defines = ["a\\0b"]'), "NUL: .*-Da.x00b", "src/a/BUILD:1:1"),
    "NUL in a directory": Broken(library('includes = ["a\\0b"]'), "NUL: ", "src/a/BUILD:1:1"),
    "NUL in a linkopt": Broken(
        library('linkopts = ["a\\0b"]', call=LIBRARY.replace("library", "binary")),
        "NUL: ",
        "src/a/BUILD:1:1",
        "in CppLink of //a:l",
    ),
    "NUL in a test's environment": Broken(
        library('env = {"A": "a\\0b"}', call=LIBRARY.replace("library", "test")),
        "of a test cannot hold the character NUL",
        "src/a/BUILD:1:1",
    ),
    "line break in an option": Broken(
        build("filegroup(name = 'x')"), "option '--action_env=A': ninja cannot .*a.nb", words=["--action_env=A=a\nb"]
    ),
    "platform that is missing": Broken(
        build("", p__BUILD='platform(name = "arm")\n'),
        "option '--platforms=//p:amr': no such target '//p:amr'",
        "",
        "did you mean 'arm'",
        words=["--platforms=//p:amr"],
        status=2,
    ),
    "platform that an rc file names": Broken(
        {**build(""), ".bazelrc": "build -c opt\nbuild --platforms=//p:arm\n"},
        "option '--platforms=//p:arm': no such package '//p'",
        "src/.bazelrc:2:7",
    ),
    "platform that is none": Broken(
        library(""), "//a:l is a cc_library rule, expected platform", "src/a/BUILD:1:1", words=["--platforms=//a:l"]
    ),
    "platform that is its own parent": Broken(
        build('platform(name = "p", parents = [":q"])\nplatform(name = "q", parents = [":p"])\n'),
        "platform //a:p is its own parent",
        "src/a/BUILD:1:1",
        words=["--platforms=//a:p"],
    ),
    "platform with two processors": Broken(
        build('platform(name = "p", constraint_values = ["@platforms//cpu:arm", "@platforms//cpu:x86_64"])\n'),
        "platform //a:p has two values of @platforms//cpu: ",
        "src/a/BUILD:1:1",
        words=["--platforms=//a:p"],
    ),
    "toolchain that is registered and missing": Broken(
        {**TOOLCHAIN, "WORKSPACE": '\nregister_toolchains("//a:nope")\n'},
        "no such target '//a:nope'",
        "src/a/BUILD:3:1",
        r"'//a:nope' is registered as a toolchain here \(src/WORKSPACE:2:1\)",
    ),
    "toolchain of the command line that is missing": Broken(
        TOOLCHAIN,
        "no such target '//a:nope'",
        "src/a/BUILD:3:1",
        "'//a:nope' is named by '--extra_toolchains'",
        words=["--extra_toolchains=//a:nope"],
    ),
    "cycle through a toolchain": Broken(
        {
            "WORKSPACE": 'register_toolchains("//a:tc")\n',
            "a/d.bzl": 'r = rule(implementation = lambda ctx: [], toolchains = ["//a:tt"])\n'
            "t = rule(implementation = lambda ctx: [platform_common.ToolchainInfo()],\n"
            '    attrs = {"deps": attr.label_list()})\n',
            "a/BUILD": 'load(":d.bzl", "r", "t")\ntoolchain_type(name = "tt")\n'
            'toolchain(name = "tc", toolchain_type = ":tt", toolchain = ":ti")\n'
            't(name = "ti", deps = [":x"])\nr(name = "x")\n',
        },
        "cycle in the dependency graph: //a:ti",
        "src/a/BUILD:4:1",
        "which depends on //a:ti",
    ),
    "cycle of aliases through select": Broken(
        build(
            'config_setting(name = "c", values = {"compilation_mode": "opt"})\n'
            'alias(name = "x", actual = select({":c": ":z", "//conditions:default": ":y"}))\n'
            'alias(name = "y", actual = ":x")\nfilegroup(name = "z")\n'
        ),
        "cycle in the dependency graph: //a:x",
        "src/a/BUILD:2:1",
        r"depends on //a:y \(src/a/BUILD:3:1\)",
    ),
    "incompatible target": Broken(
        build('\nfilegroup(name = "x", target_compatible_with = ["@platforms//:incompatible"])\n'),
        "target '//a:x' is incompatible with the target platform: .* lacks @platforms//:incompatible",
        "src/a/BUILD:2:1",
        words=["//a:x"],
    ),
    "compatible with a file": Broken(
        build('filegroup(name = "x", target_compatible_with = ["f"])\n', a__f=""),
        "in target_compatible_with attribute of filegroup rule //a:x: '//a:f' is a source file, expected constraint",
        "src/a/BUILD:1:1",
    ),
    "label twice, once in a select": Broken(
        build('filegroup(name = "x", srcs = ["f"] + select({"//conditions:default": ["f"]}))\n', a__f=""),
        "in srcs attribute of filegroup rule //a:x: label '//a:f' is duplicated",
        "src/a/BUILD:1:1",
    ),
    "name twice across macros": Broken(
        build(
            'load(":d.bzl", "m", "n")\nm("x")\nn("x")\n',
            a__d_bzl="def m(name):\n    native.filegroup(name = name)\n\n"
            'def n(name):\n    native.genrule(name = name, outs = ["o"], cmd = "")\n',
        ),
        "genrule rule 'x' in package 'a' conflicts with existing filegroup rule 'x'",
        "src/a/BUILD:3:1",
        r"first declared here \(src/a/BUILD:2:1\)",
    ),
    "type inside a dict": Broken(
        build('cc_test(name = "x", env = {"a": 1})\n'),
        "type 'string' for dict value element of attribute 'env' in 'cc_test' rule, but got 1 .int",
        "src/a/BUILD:1:1",
    ),
    "type inside a list inside a dict": Broken(
        build(
            'load(":d.bzl", "r")\nr(name = "x", d = {"a": ["b", 3]})\n',
            a__d_bzl='r = rule(implementation = lambda ctx: [], attrs = {"d": attr.string_list_dict()})\n',
        ),
        "'string' for dict value element of attribute 'd' in 'r' rule, but got 3 .int",
        "src/a/BUILD:2:1",
    ),
    "type inside a select": Broken(
        build('filegroup(name = "x", srcs = select({"//conditions:default": "a"}))\n'),
        "'list.label.' for attribute 'srcs' in 'filegroup' rule, but got \"a\" .string",
        "src/a/BUILD:1:1",
    ),
    "BUILD is a directory": Broken(
        {"a/BUILD": 'filegroup(name = "x", srcs = ["//b:x"])', "b/BUILD/x": ""},
        "no such package '//b': BUILD file not found",
        "src/a/BUILD:1:1",
        "needed by //a:x",
    ),
    "a .bzl file is a directory": Broken(
        {"a/BUILD": 'load(":d.bzl", "x")', "a/d.bzl/x": ""}, "cannot load '//a:d.bzl': no such file", "src/a/BUILD:1:6"
    ),
    "package that is a loop of links": Broken(
        build('filegroup(name = "x", srcs = ["//l:x"])'),
        "no such package '//l'",
        "src/a/BUILD:1:1",
        links={"l": "l"},
    ),
    "directory that is a loop of links": Broken(
        build('filegroup(name = "x", srcs = glob(["**/*.c"], allow_empty = True))', a__l__y=""),
        "infinite symlink expansion: 'src/a/l/loop' links to '../l'",
        "src/a/BUILD:1:30",
        links={"a/l/loop": "../l"},
    ),
    "name with a colon": Broken(build('filegroup(name = "a:b")'), "invalid target name 'a:b'", "src/a/BUILD:1:1"),
    "name of a source with a line break": Broken(
        build('filegroup(name = "a", srcs = ["x\\ny"])'), "control characters", "src/a/BUILD:1:1"
    ),
    "absolute source": Broken(
        build('filegroup(name = "a", srcs = ["/etc/passwd"])'), "may not start with '/'", "src/a/BUILD:1:1"
    ),
    "visibility of a word": Broken(
        build('filegroup(name = "x", visibility = ["//visibility:pubic"])'),
        "invalid visibility label '//visibility:pubic'",
        "src/a/BUILD:1:1",
    ),
    "package group of a rule": Broken(
        build(
            'filegroup(name = "h", srcs = ["//b:z"])\nfilegroup(name = "g")\n',
            b__BUILD='filegroup(name = "z", visibility = ["//a:g"])',
        ),
        "'//a:g' is used as a package group, but is a filegroup rule",
        "src/a/BUILD:2:1",
    ),
    "package group of a word": Broken(
        build('package_group(name = "g", packages = ["foo"])'),
        "invalid package specification 'foo'",
        "src/a/BUILD:1:1",
    ),
    "test suite of a library": Broken(
        build('filegroup(name = "f")\ntest_suite(name = "s", tests = [":f"])'),
        "expecting a test or a test_suite rule but '//a:f' is not one",
        "src/a/BUILD:2:1",
    ),
    "build setting with a wrong value": Broken(
        build(SKYLIB + 'int_flag(name = "i", build_setting_default = 1)\n'),
        "while parsing option '--//a:i=x': 'x' is not an int",
        words=["--//a:i=x"],
        status=2,
    ),
    "build setting that is none": Broken(
        {**library(""), ".bazelrc": "build --//a:l=1\n"}, "//a:l is a cc_library rule, not a build", "src/.bazelrc:1:7"
    ),
    "condition on a flag with a wrong value": Broken(
        build(
            SKYLIB + 'int_flag(name = "i", build_setting_default = 1)\n'
            'config_setting(name = "c", flag_values = {":i": "z"})\n'
            'filegroup(name = "f", srcs = select({":c": [], "//conditions:default": []}))\n'
        ),
        "config_setting //a:c: //a:i cannot be 'z': 'z' is not an int",
        "src/a/BUILD:3:1",
    ),
    "transition to an unknown option": Broken(
        transition("//command_line_option:cpuu"), "unknown option 'cpuu'", "src/a/d.bzl:5:5", "did you mean 'cpu'"
    ),
    "transition to what it does not declare": Broken(
        transition("//command_line_option:cpu", returned="//command_line_option:copt"),
        "transition function returned undeclared output '//command_line_option:copt'",
        "src/a/d.bzl:5:5",
    ),
    "transition to a setting that is missing": Broken(
        transition("//a:nope"), "no such target '//a:nope'", "src/a/BUILD:2:1"
    ),
    "file that is a directory, too": Broken(
        rule("f = ctx.actions.declare_file('o')\n    f = ctx.actions.declare_directory('o')"),
        "'.*/a/o' is declared both as a file and as another kind",
        "src/a/defs.bzl:3:9",
        "in r rule //a:t",
    ),
    "output outside the package": Broken(
        rule("ctx.actions.declare_file('../x')"), "not under package directory", "src/a/defs.bzl:2:5"
    ),
    "action without outputs": Broken(
        rule("ctx.actions.run_shell(outputs = [], command = 'x')"), "'outputs' must not be empty", "src/a/defs.bzl:2:5"
    ),
    "rule that is not exported": Broken(
        build(
            'load(":d.bzl", "m")\nm()\n',
            a__d_bzl='def m():\n    rule(implementation = lambda ctx: [])(name = "x")\n',
        ),
        "only after the .bzl file that makes it has exported it",
        "src/a/d.bzl:2:5",
    ),
    "field of a provider": Broken(
        build(
            'load(":d.bzl", "r")\nr(name = "x")\n',
            a__d_bzl='P = provider(fields = ["a"])\ndef _i(ctx):\n    return [P(b = 1)]\n'
            "r = rule(implementation = _i)\n",
        ),
        "unexpected field 'b' in call to instantiate provider P",
        "src/a/d.bzl:3:13",
    ),
    "BUILD file of a repository": Broken(
        {
            "WORKSPACE": '\nnew_local_repository(name = "x", path = "d", build_file = "//:no.BUILD")\n',
            "BUILD": "",
            "d/f": "",
            "a/BUILD": 'filegroup(name = "f", srcs = ["@x//:f"])\n',
        },
        "no such file '//:no.BUILD': 'src/no.BUILD' does not exist",
        "src/WORKSPACE:2:1",
        "needed by //a:f",
    ),
    "binding that is missing": Broken(
        build('filegroup(name = "f", srcs = ["//external:x"])\n'),
        "no such target '//external:x'",
        "src/a/BUILD:1:1",
        "the package is defined by src/WORKSPACE",
    ),
    "binding to what is missing": Broken(
        {
            "WORKSPACE": 'bind(name = "x", actual = "//a:no")\n',
            **build('filegroup(name = "f", srcs = ["//external:x"])'),
        },
        "no such target '//a:no'",
        "src/WORKSPACE:1:1",
        "needed by //a:f",
    ),
    "module extension that is missing": Broken(
        {
            "WORKSPACE": None,
            "MODULE.bazel": 'e = use_extension("//a:e.bzl", "ext")\nuse_repo(e, "r")\n',
            "a/e.bzl": "",
            "a/BUILD": 'filegroup(name = "f", srcs = ["@r//:x"])\n',
        },
        "'//a:e.bzl' does not define a module extension 'ext'",
        "src/MODULE.bazel:1:5",
        "needed by //a:f",
    ),
    "cycle of rc files": Broken(
        {**build(""), ".bazelrc": "import %workspace%/b.rc\n", "b.rc": "\ntry-import %workspace%/.bazelrc\n"},
        "import loop: 'src/.bazelrc' imports itself",
        "src/b.rc:2:12",
    ),
    "configuration with a name close to another": Broken(
        {**build(""), ".bazelrc": "build:asan --copt=-g\n"},
        "config value 'asn' is not defined in any rc file",
        "",
        "did you mean 'asan'",
        words=["--config=asn"],
        status=2,
    ),
    "regular expression of an option": Broken(
        {**build(""), ".bazelrc": "build --per_file_copt=(@-O\n"}, "invalid regular expression", "src/.bazelrc:1:7"
    ),
}


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_told_once(name: str, tmp_path: Path) -> None:
    broken = BROKEN[name]
    lay(tmp_path / "src", broken.files, broken.links)
    before = snapshot(tmp_path / "src")
    (tmp_path / "out").mkdir()
    (tmp_path / "out/build.ninja").write_bytes(OLD)
    check(tmp_path, broken, run("generate", "-o", "out/build.ninja", "src", *broken.words))
    assert (tmp_path / "out/build.ninja").read_bytes() == OLD
    assert snapshot(tmp_path / "src") == before


@pytest.mark.parametrize(
    ("text", "named"),
    [("foo\n", True), ("latest\n", False), ("last_green\n", False), ("6.1.0\n", False), ("someone/5.0.0\n", False)],
)
def test_a_version_that_is_none_is_told(text: str, named: bool, tmp_path: Path) -> None:
    lay(tmp_path / "src", {**build('filegroup(name = "x")\n'), ".bazelversion": text})
    result = run("generate", "-o", "out/build.ninja", "src")
    assert result.status == 0
    assert ("src/.bazelversion:1:1: warning: 'foo' names no release" in result.err) == named

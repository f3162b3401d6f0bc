"""Packages: rules, files, macros, and their errors."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from loading_support import disk_loader, failure, make_loader, package, target

from bazel2ninja.diagnostics import WorkspaceError, render
from bazel2ninja.labels import PackageIdentifier, parse_label
from bazel2ninja.loading.loader import BrokenPackageError, NoSuchPackageError, NoSuchTargetError
from bazel2ninja.loading.target import OutputFile, RuleTarget, SourceFile


def test_a_library_with_its_files() -> None:
    made = package('cc_library(name = "x", srcs = ["x.cc", ":x.h"], deps = ["//b", "@r//:c"], copts = ["-O"])')
    rule = made.targets["x"]
    assert isinstance(rule, RuleTarget)
    assert rule.kind == "cc_library rule"
    assert rule.attributes["srcs"] == (parse_label("//a:x.cc"), parse_label("//a:x.h"))
    assert rule.attributes["deps"] == (parse_label("//b:b"), parse_label("@r//:c"))
    assert rule.value("copts") == ("-O",)
    assert rule.value("linkopts") == ()
    assert isinstance(made.targets["x.cc"], SourceFile)
    assert isinstance(made.targets["BUILD"], SourceFile)
    assert rule.frames[0][0].line == 1


def test_a_rule_made_by_a_macro_remembers_how() -> None:
    made = package(
        'load(":defs.bzl", "twice")\n\ntwice(name = "m", n = 1)\n',
        BZL="def _one(name):\n    native.filegroup(name = name)\n\n"
        "def twice(name, n):\n    _one(name + '_1')\n    _one(name + '_2')\n",
    )
    rule = made.targets["m_2"]
    assert isinstance(rule, RuleTarget)
    assert [(where.path, where.line, name) for where, name in rule.frames] == [
        ("src/a/BUILD", 3, "<toplevel>"),
        ("src/a/defs.bzl", 6, "twice"),
        ("src/a/defs.bzl", 2, "_one"),
    ]
    assert (rule.generator_function, rule.generator_name) == ("twice", "m")
    assert made.loads == (parse_label("//a:defs.bzl"),)


def test_outputs_are_targets_of_their_own() -> None:
    made = package('genrule(name = "g", outs = ["g.h", "sub/g.cc"], cmd = "")')
    output = made.targets["sub/g.cc"]
    assert isinstance(output, OutputFile)
    assert output.generating_rule is parse_label("//a:g")
    assert made.targets["g"].outputs == {"outs": (parse_label("//a:g.h"), parse_label("//a:sub/g.cc"))}


def test_a_rule_may_make_a_file_of_its_own_name() -> None:
    made = package('genrule(name = "g.h", outs = ["g.h"], cmd = "")')
    assert isinstance(made.targets["g.h"], RuleTarget)


def test_unknown_attribute_points_at_the_argument() -> None:
    text = failure('cc_library(\n    name = "x",\n    dep = [],\n)')
    assert "src/a/BUILD:3:5: error: no such attribute 'dep' in 'cc_library' rule" in text
    assert "did you mean 'deps'?" in text


def test_all_wrong_rules_of_a_file_are_reported() -> None:
    text = failure('cc_library(name = "x", dep = [])\ncc_library(name = "y", srcs = "y.cc")\ngenrule(name = "z")')
    assert "no such attribute 'dep'" in text
    assert (
        "expected value of type 'list(label)' for attribute 'srcs' in 'cc_library' rule, but got \"y.cc\" (string)"
        in text
    )
    assert "missing value for mandatory attribute 'outs' in 'genrule' rule" in text


def test_wrong_rule_and_failing_statement_are_both_reported() -> None:
    text = failure('cc_library(name = "x", dep = [])\nfail("stop")')
    assert "no such attribute 'dep'" in text
    assert "stop" in text


def test_name_conflicts_name_both_places() -> None:
    text = failure('filegroup(name = "x")\n\ncc_library(name = "x")')
    assert (
        "src/a/BUILD:3:1: error: cc_library rule 'x' in package 'a' conflicts with existing filegroup rule 'x'" in text
    )
    assert "first declared here (src/a/BUILD:1:1)" in text


def test_two_rules_cannot_make_one_file() -> None:
    text = failure('genrule(name = "x", outs = ["o"])\ngenrule(name = "y", outs = ["o"])')
    assert "generated file 'o' in rule 'y' conflicts with existing generated file 'o' from rule 'x'" in text


def test_duplicate_labels_are_refused() -> None:
    assert "label '//a:b.cc' is duplicated in the 'srcs' attribute of rule 'x'" in failure(
        'cc_library(name = "x", srcs = ["b.cc", ":b.cc"])'
    )


def test_missing_package_suggests_the_nearest() -> None:
    loader = make_loader({"tools/lib/BUILD": "", "top/BUILD": "", "top/in/x.cc": ""})
    with pytest.raises(NoSuchPackageError) as caught:
        loader.package(PackageIdentifier("", "tools/lip"))
    assert "no such package '//tools/lip': BUILD file not found" in str(caught.value)
    assert caught.value.diagnostic.help == "did you mean 'lib'?"
    with pytest.raises(NoSuchPackageError) as caught:
        loader.package(PackageIdentifier("", "top/in"))
    assert "the directory belongs to package '//top'" in (caught.value.diagnostic.help or "")


def test_missing_target_suggests_and_says_who_asked() -> None:
    loader = make_loader(
        {"a/BUILD": 'cc_library(name = "x", deps = ["//b:libary"])', "b/BUILD": 'filegroup(name = "library")'}
    )
    asking = target(loader, "//a:x")
    assert isinstance(asking, RuleTarget)
    with pytest.raises(NoSuchTargetError) as caught:
        loader.target(parse_label("//b:libary"), asking)
    text = render(caught.value.diagnostic)
    assert "src/a/BUILD:1:1: error: no such target '//b:libary'" in text
    assert "did you mean 'library'?" in text
    assert "wanted by '//a:x'" in text


def test_a_file_that_is_not_exported_is_explained() -> None:
    loader = make_loader({"b/BUILD": "", "b/data.txt": ""})
    with pytest.raises(NoSuchTargetError) as caught:
        target(loader, "//b:data.txt")
    assert "exports_files" in (caught.value.diagnostic.help or "")


def test_a_label_must_not_cross_into_a_package() -> None:
    loader = make_loader({"a/BUILD": 'filegroup(name = "x", srcs = ["sub/f"])', "a/sub/BUILD": "", "a/sub/f": ""})
    assert "sub/f" not in loader.package(PackageIdentifier("", "a")).targets
    with pytest.raises(NoSuchTargetError) as caught:
        target(loader, "//a:sub/f")
    assert caught.value.diagnostic.help == "write '//a/sub:f'"


def test_missing_source_file() -> None:
    loader = make_loader({"a/BUILD": 'filegroup(name = "x", srcs = ["main.cc"])', "a/maim.cc": ""})
    source = target(loader, "//a:main.cc")
    assert isinstance(source, SourceFile)
    with pytest.raises(NoSuchTargetError) as caught:
        loader.check_source(source)
    assert "missing input file '//a:main.cc'" in str(caught.value)
    assert caught.value.diagnostic.help == "did you mean 'maim.cc'?"


def test_one_broken_package_does_not_hide_another_and_fails_the_same_way_twice() -> None:
    loader = make_loader({"a/BUILD": "nonsense(", "b/BUILD": 'filegroup(name = "x")'})
    messages = set()
    for _ in range(2):
        with pytest.raises(BrokenPackageError) as caught:
            loader.package(PackageIdentifier("", "a"))
        messages.add(render(caught.value.at(None).diagnostic))
    assert len(messages) == 1
    assert target(loader, "//b:x").label is parse_label("//b:x")


def test_build_bazel_comes_first() -> None:
    loader = make_loader({"a/BUILD": 'filegroup(name = "old")', "a/BUILD.bazel": 'filegroup(name = "new")'})
    made = loader.package(PackageIdentifier("", "a"))
    assert "new" in made.targets
    assert made.build_file is parse_label("//a:BUILD.bazel")


def test_wrong_call_of_a_rule_is_an_error_of_the_user() -> None:
    assert "unexpected positional arguments" in failure('cc_library("x")')
    assert "cc_library rule has no 'name' attribute" in failure("cc_library(srcs = [])")
    with pytest.raises(WorkspaceError, match="can only be used while evaluating a BUILD file"):
        package('load(":defs.bzl", "x")', BZL="x = native.glob(['*'])")


SOURCES = os.environ.get("BAZEL2NINJA_SOURCES")


@pytest.mark.real_project
@pytest.mark.skipif(SOURCES is None, reason="BAZEL2NINJA_SOURCES names no directory with source packages")
@pytest.mark.parametrize(("project", "rules"), [("double-conversion", 2), ("re2", 25), ("abseil", 404)])
def test_real_build_files_load(project: str, rules: int, tmp_path: Path) -> None:
    shims = tmp_path / "rules_cc"
    (shims / "cc").mkdir(parents=True)
    (shims / "cc" / "BUILD").write_text("")
    (shims / "cc" / "defs.bzl").write_text(
        "cc_library = native.cc_library\ncc_test = native.cc_test\ncc_binary = native.cc_binary\n"
    )
    skylib = tmp_path / "bazel_skylib"
    (skylib / "lib").mkdir(parents=True)
    (skylib / "lib" / "BUILD").write_text("")
    (skylib / "lib" / "selects.bzl").write_text(
        "selects = struct(config_setting_group = lambda name, match_any = [], match_all = [], visibility = None:"
        " native.filegroup(name = name, visibility = visibility))\n"
    )
    loader = disk_loader(f"{SOURCES}/{project}", {"rules_cc": str(shims), "bazel_skylib": str(skylib)}, {})
    found = sum(
        isinstance(one, RuleTarget)
        for identifier in loader.packages_below(PackageIdentifier("", ""))
        for one in loader.package(identifier).targets.values()
    )
    assert found >= rules


def test_an_output_of_a_target_whose_name_begins_with_an_at_sign() -> None:
    """As Bazel has it: `bazel query //:*` shows @y.out."""
    made = make_loader(
        {
            "a/defs.bzl": "made = rule(implementation = lambda ctx: [], outputs = {'o': '%{name}.out'})\n",
            "a/BUILD": "load(':defs.bzl', 'made')\nmade(name = '@y')\n",
        },
    ).package(PackageIdentifier("", "a"))
    assert "@y.out" in made.targets


def test_prelude() -> None:
    files = {
        "tools/build_rules/BUILD": "",
        "tools/build_rules/prelude_bazel": 'load(":m.bzl", "mm", other = "more")\n'
        "X = 3\ndef _inner(name):\n    native.filegroup(name = name)\n",
        "tools/build_rules/m.bzl": "def mm(name):\n    native.filegroup(name = name)\nmore = 5\n",
        "a/BUILD": 'mm(name = "one")\n_inner(name = "two")\nmm(name = "n%d%d" % (X, other))\n',
    }
    assert sorted(make_loader(files).package(PackageIdentifier("", "a")).targets) == ["BUILD", "n35", "one", "two"]
    no_package = {path: text for path, text in files.items() if path != "tools/build_rules/BUILD"}
    with pytest.raises(WorkspaceError, match="name 'mm' is not defined"):
        make_loader(no_package).package(PackageIdentifier("", "a"))


def test_prelude_that_fails() -> None:
    files = {"tools/build_rules/BUILD": "", "tools/build_rules/prelude_bazel": "fail('no')\n", "a/BUILD": ""}
    with pytest.raises(WorkspaceError, match=r"^no$"):
        make_loader(files).package(PackageIdentifier("", "a"))

"""testing.analysis_test(), rules with analysis_test = True, and targets whose analysis may fail."""

from __future__ import annotations

import pytest
from analysis_support import Analysis, analyse

from bazel2ninja.analysis.action import WriteAction
from bazel2ninja.loading.target import RuleTarget

USE = 'load(":defs.bzl", "m")\nm(name = "x")\n'
PASS = 'AnalysisTestResultInfo(success = True, message = "all well")'


def script(run: Analysis, label: str) -> str:
    """The program of an analysis test."""
    run.target(label)
    (action,) = [each for each in run.actions("FileWrite") if str(each.owner) == label]
    assert isinstance(action, WriteAction)
    assert isinstance(action.content, str)
    return action.content


def test_a_call_declares_a_test_of_a_kind_of_its_own() -> None:
    run = analyse(
        USE + 'filegroup(name = "f", srcs = ["BUILD"])\n',
        """
def _impl(ctx):
    files = [file.path for file in ctx.files.target]
    return [AnalysisTestResultInfo(success = files == ["a/BUILD"], message = "%s %s" % (files, ctx.attr.word))]
def m(name):
    testing.analysis_test(
        name = name,
        implementation = _impl,
        attrs = {"target": attr.label(), "word": attr.string()},
        attr_values = {"target": ":f", "word": "w", "tags": ["t"], "size": "small"},
    )
""",
    )
    assert script(run, "//a:x").endswith("printf '%s\\n' '[\"a/BUILD\"] w'\nexit 0\n")
    target = run.target("//a:x").target
    assert isinstance(target, RuleTarget)
    assert target.kind == "x_test rule"
    assert run.action("TestRunner").size == "small"  # type: ignore[attr-defined]
    assert run.action("TestRunner").tags == ("t",)  # type: ignore[attr-defined]


def test_one_that_fails_is_a_test_that_fails() -> None:
    run = analyse(
        USE,
        "def m(name):\n    testing.analysis_test(name, lambda ctx: [AnalysisTestResultInfo(False, 'no good')])\n",
    )
    assert script(run, "//a:x").endswith("printf '%s\\n' 'no good'\nexit 1\n")
    assert run.actions("TestRunner")


@pytest.mark.parametrize(
    ("bzl", "message"),
    [
        (
            f"testing.analysis_test(name = 'x', implementation = lambda ctx: [{PASS}])\ndef m(name):\n    pass\n",
            "analysis_test can only be called in a BUILD thread",
        ),
        (
            "def m(name):\n    testing.analysis_test(name = 'x-y', implementation = lambda ctx: [])\n",
            "'name' is limited to Starlark identifiers, got x-y",
        ),
        (
            "def m(name):\n    testing.analysis_test(name, lambda ctx: [], attr_values = {'name': 'z'})\n",
            "'name' cannot be set or overridden in 'attr_values'",
        ),
        (
            "def m(name):\n    testing.analysis_test(name, lambda ctx: [], attr_values = {'foo': 'z'})\n",
            "no such attribute 'foo' in 'x_test' rule",
        ),
        (
            "def m(name):\n    testing.analysis_test(name, lambda ctx: [], attrs = {'size': attr.int()})\n",
            "attribute `size`: built-in attributes cannot be overridden.",
        ),
        (
            "def m(name):\n    testing.analysis_test()\n",
            "analysis_test() missing 2 required positional arguments: name, implementation",
        ),
        (
            "def m(name):\n    testing.analysis_test(name = 'x', implementation = 3)\n",
            "in call to analysis_test(), parameter 'implementation' got value of type 'int', want 'function'",
        ),
        (
            "def m(name):\n    testing.analysis_test(name, lambda ctx: [])\n",
            "in x_test rule //a:x: rules with analysis_test=true must return an instance of AnalysisTestResultInfo",
        ),
        (
            "def m(name):\n    testing.analysis_test(name, lambda ctx: [AnalysisTestResultInfo(1, '')])\n",
            "in call to AnalysisTestResultInfo(), parameter 'success' got value of type 'int', want 'bool'",
        ),
        (
            "def m(name):\n    testing.analysis_test(name, lambda c: c.actions.write(c.outputs.executable, ''))\n",
            (
                "implementation function of a rule with analysis_test=true may not register actions. Analysis test "
                "rules may only return success/failure information via AnalysisTestResultInfo."
            ),
        ),
        (
            "def m(name):\n    testing.ExecutionInfo({1: 2})\n",
            "got dict<int, int> for 'requirements', want dict<string, string>",
        ),
    ],
)
def test_misuse(bzl: str, message: str) -> None:
    assert message in analyse(USE, bzl).failure("//a:x")


def test_execution_info_is_a_provider() -> None:
    run = analyse(
        'load(":defs.bzl", "r")\nr(name = "x")\n',
        """
Info = provider()
def _impl(ctx):
    e = testing.ExecutionInfo({"a": "b"}, "x")
    return [e, testing.TestEnvironment({"A": "b"}, ["C"]), Info(v = (type(testing.ExecutionInfo), e.exec_group))]
r = rule(_impl)
""",
    )
    (info,) = [each for key, each in run.target("//a:x").providers.items() if getattr(key, "name", "") == "Info"]
    assert info.get("v") == ("Provider", "x")


FAILING = """
Info = provider()
def _broken(ctx):
    fail("boom at " + ctx.label.name)
broken = rule(_broken)
user = rule(lambda ctx: [Info()], attrs = {"dep": attr.label(providers = [Info])})
Seen = provider()
seen = aspect(lambda target, ctx: [Seen()], attr_aspects = ["dep"])
def _impl(ctx):
    dep = ctx.attr.dep
    dep = dep[0] if type(dep) == "list" else dep
    causes = dep[AnalysisFailureInfo].causes.to_list() if AnalysisFailureInfo in dep else []
    text = "; ".join(["%s: %s" % (cause.label.name, cause.message) for cause in causes])
    return [AnalysisTestResultInfo(success = "boom at b" in text, message = text)]
fails = analysis_test_transition(settings = {"//command_line_option:allow_analysis_failures": "True"})
expect_test = rule(_impl, attrs = {"dep": attr.label(cfg = fails, aspects = [seen])}, analysis_test = True)
"""


def test_a_failure_may_be_what_a_test_wants() -> None:
    build = """
load(":defs.bzl", "broken", "expect_test", "user")
broken(name = "b", tags = ["manual"])
user(name = "u", dep = ":b", tags = ["manual"])
user(name = "wrong", dep = ":BUILD", tags = ["manual"])
filegroup(name = "fine")
expect_test(name = "direct_test", dep = ":b")
expect_test(name = "indirect_test", dep = ":u")
expect_test(name = "own_test", dep = ":wrong")
expect_test(name = "fine_test", dep = ":fine")
"""
    run = analyse(build, FAILING)
    assert "'b: boom at b'\nexit 0\n" in script(run, "//a:direct_test")
    assert "'b: boom at b'\nexit 0\n" in script(run, "//a:indirect_test")
    own = script(run, "//a:own_test")
    assert "wrong: in dep attribute of user rule" in own
    assert own.endswith("exit 1\n")
    assert "printf '%s\\n' ''\nexit 1\n" in script(run, "//a:fine_test")
    assert "boom at b" in analyse(build, FAILING).failure("//a:u")


def test_the_transition_is_for_analysis_tests_only() -> None:
    run = analyse(
        'load(":defs.bzl", "r")\nr(name = "x")\n',
        "t = analysis_test_transition(settings = {})\nr = rule(lambda ctx: [], attrs = {'t': attr.label(cfg = t)})\n",
    )
    assert (
        "Only rule definitions with analysis_test=True may have attributes with analysis_test_transition transitions"
        in run.failure("//a:x")
    )

"""Wrong numbers and names of arguments: what is said of every function and method never shows Python."""

from __future__ import annotations

import re

import pytest
from analysis_support import Analysis

from bazel2ninja.analysis.bzl_globals import words
from bazel2ninja.diagnostics import InternalError, WorkspaceError, render

PYTHON = re.compile(
    r"__|takes (?:\d+|from|no|exactly|at)|\b(?:\d+ )?(?:were|was) given|unexpected keyword argument '\w+'\. Did"
    r"|\bs_\w|<lambda>|<locals>|'\w+' object (?:is|has)|Traceback|object at 0x|expected at (?:least|most) \d"
    r"|keyword-only|positional-only argument|(?!Args)\b[A-Z]\w+\.\w+\(\)|internal error"
)
CALLS = (
    "{}()",
    "{}(None)",
    "{}(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30)",
    "{}(no_such_parameter = 1)",
    "{}(1, no_such_parameter = 1)",
)
UNIVERSE = words(
    "abs all any bool bytes dict dir enumerate fail float getattr hasattr hash int len list max min "
    "ord print range repr reversed set sorted str tuple type zip "
)
VALUES = {
    "string": '"abc"',
    "list": "[1]",
    "dict": "{1: 2}",
    "set": "set([1])",
    "bytes": 'b"a"',
    "depset": "depset([1])",
    "struct": "struct(a = 1)",
    "Label": 'Label("//a:x")',
    "provider": "provider()",
}
MODULES = ("json", "native", "attr", "config", "config_common", "platform_common", "testing", "cc_common")
GLOBALS = words(
    "Label rule aspect macro transition analysis_test_transition exec_group subrule visibility "
    "provider depset configuration_field select repository_rule module_extension tag_class "
    "DefaultInfo OutputGroupInfo RunEnvironmentInfo InstrumentedFilesInfo AnalysisTestResultInfo "
    "PackageSpecificationInfo CcInfo "
)
CONTEXT = """
def _i(ctx):
    {}
    return []
r = rule(_i, attrs = {{"d": attr.label(default = ":f", allow_files = True)}}, toolchains = [])
"""
BUILD = 'load(":defs.bzl", "r")\nfilegroup(name = "f", srcs = ["BUILD"])\nr(name = "x")\n'
IN_RULES = {
    "ctx": "ctx",
    "actions": "ctx.actions",
    "args": "ctx.actions.args()",
    "template_dict": "ctx.actions.template_dict()",
    "runfiles": "ctx.runfiles()",
    "target": "ctx.attr.d",
    "file": "ctx.files.d[0]",
    "configuration": "ctx.configuration",
    "cpp": "ctx.fragments.cpp",
    "cc_common": "cc_common",
    "label": "ctx.label",
    "files": "ctx.attr.d.files",
}


def messages(bzl: str, build: str = BUILD) -> str:
    """What is said of a file, "" for nothing."""
    try:
        run = Analysis({"a/BUILD": build, "a/defs.bzl": bzl})
        run.target("//a:x")
    except InternalError as problem:
        return f"internal error: {problem}"
    except WorkspaceError as problem:
        return "\n".join(render(diagnostic) for diagnostic in problem.diagnostics)
    return ""


def methods(value: str) -> list[str]:
    """The callable fields of a value that an expression of a rule's implementation gives."""
    bzl = CONTEXT.format(f"""fail("FIELDS " + " ".join([
        n for n in dir({value})
        if n not in ("host_configuration", "outputs", "rule", "aspect_ids", "build_setting_value", "custom_malloc",
            "new_file", "tree_relative_path")
        and type(getattr({value}, n, None)) in ("builtin_function_or_method", "function", "Provider", "rule", "macro")
    ]))""")
    found = re.search(r"FIELDS (.*)", messages(bzl))
    return found[1].split() if found else []


def wrong(expression: str) -> list[str]:
    """The messages with Python in them, of calls in a rule's implementation."""
    found = []
    for call in CALLS:
        text = call.format(expression)
        said = messages(CONTEXT.format(text)).split("\n")[0]
        if PYTHON.search(said):
            found.append(f"{text[:60]}: {said}")
    return found


@pytest.mark.parametrize("names", [UNIVERSE, GLOBALS], ids=["universe", "globals"])
def test_functions(names: list[str]) -> None:
    assert [said for name in names for said in wrong(name)] == []


@pytest.mark.parametrize("kind", VALUES)
def test_methods(kind: str) -> None:
    names = methods(VALUES[kind])
    assert [said for name in names for said in wrong(f"{VALUES[kind]}.{name}")] == []


@pytest.mark.parametrize("module", MODULES)
def test_modules(module: str) -> None:
    names = [name for name in methods(module) if module != "native" or name in NATIVE_SAMPLE]
    assert names
    assert [said for name in names for said in wrong(f"{module}.{name}")] == []


NATIVE_SAMPLE = words("glob package_name existing_rule existing_rules cc_library package_group exports_files")


@pytest.mark.parametrize("kind", IN_RULES)
def test_objects_of_rules(kind: str) -> None:
    names = methods(IN_RULES[kind])
    assert names or kind in ("file", "target", "label")
    assert [said for name in names for said in wrong(f"{IN_RULES[kind]}.{name}")] == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("[1].clear(1)", "clear() does not accept positional arguments, but got 1"),
        ("[1].append()", "append() missing 1 required positional argument"),
        ("[1].append(1, 2)", "append() accepts no more than 1 positional argument but got 2"),
        ('"a".split(1, 2, 3, 4)', "split() accepts no more than 2 positional arguments but got 4"),
        ("OutputGroupInfo(3)", "OutputGroupInfo() does not accept positional arguments, but got 1"),
        ("Label(1, 2, 3)", "Label() accepts no more than 2 positional arguments but got 3"),
        (
            "ctx.actions.declare_file(1, 2, sibling = 3)",
            "declare_file() accepts no more than 1 positional argument",
        ),
        ("(lambda a: a)(1, 2)", "lambda() accepts no more than 1 positional argument but got 2"),
    ],
)
def test_the_value_of_a_method_does_not_count(call: str, message: str) -> None:
    assert message in messages(CONTEXT.format(call))


def test_the_pattern_would_find_python() -> None:
    for text in ("f() takes 1 positional argument but 2 were given", "OutputGroupInfo.__call__() got", "s_add() got"):
        assert PYTHON.search(text)

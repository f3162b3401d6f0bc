"""Whatever a BUILD or .bzl file passes to our functions, the answer is a diagnostic with a place, never a crash."""

from __future__ import annotations

import pytest
from loading_support import make_loader

from bazel2ninja.diagnostics import WorkspaceError, render
from bazel2ninja.labels import PackageIdentifier, parse_label

VALUES = (
    *("1", '"x"', "None", "[1]", "[None]", '{"a": 1}', "{1: 2}", "(1,)", '["//a:"]', '[["a"]]', '"//:"', '""'),
    *("-5", "len", 'select({":c": [1]})'),
)
BUILD_FUNCTIONS = {
    "package": (
        "",
        "default_visibility features default_copts default_applicable_licenses default_deprecation licenses",
    ),
    "package_group": ('name = "g"', "name packages includes"),
    "exports_files": ('srcs = ["f"]', "srcs visibility licenses"),
    "glob": ("", "include exclude exclude_directories allow_empty"),
    "subpackages": ('include = ["x"]', "include exclude allow_empty"),
    "licenses": ("", "license_strings"),
    "existing_rule": ("", "name"),
    "package_relative_label": ("", "input"),
    "select": ("", "x no_match_error"),
    "cc_library": ('name = "n"', "name srcs copts visibility tags testonly values malloc deps features"),
    "genrule": ('name = "n"', "outs cmd name"),
    "cc_test": ('name = "n"', "size shard_count env flaky timeout"),
}
RULE = "implementation = _i"
BZL_FUNCTIONS = {
    "rule": (
        RULE,
        "implementation attrs outputs test toolchains exec_compatible_with provides cfg initializer parent subrules",
    ),
    "aspect": (RULE, "implementation attr_aspects attrs required_providers provides requires fragments toolchains"),
    "macro": (RULE, "implementation attrs inherit_attrs doc"),
    "transition": (f"{RULE}, inputs = [], outputs = []", "implementation inputs outputs"),
    "exec_group": ("", "toolchains exec_compatible_with"),
    "subrule": (RULE, "implementation attrs toolchains fragments"),
    "visibility": ("", "value"),
    "Label": ("", "input"),
    "configuration_field": ('fragment = "f", name = "n"', "fragment name"),
    "config_common.toolchain_type": ("", "name"),
    "attr.string": ("", "default doc values"),
    "attr.string_dict": ("", "default doc"),
    "attr.label": ("", "default doc allow_files allow_single_file providers aspects cfg allow_rules"),
    "attr.label_list": ("", "default allow_files providers aspects cfg"),
}


def without(arguments: str, parameter: str) -> str:
    kept = [one for one in arguments.split(", ") if one and not one.startswith(f"{parameter} =")]
    return "".join(f"{one}, " for one in kept)


def load(files: dict[str, str]) -> None:
    """Raises AssertionError for an error without a place, and whatever is no WorkspaceError."""
    loader = make_loader(files)
    try:
        for one in loader.package(PackageIdentifier("", "a")).targets.values():
            loader.is_visible(parse_label("//b:c"), one)
    except WorkspaceError as problem:
        for diagnostic in problem.diagnostics:
            assert diagnostic.location is not None, diagnostic.message
            assert render(diagnostic)


@pytest.mark.parametrize("function", BUILD_FUNCTIONS)
def test_functions_of_build_files(function: str) -> None:
    arguments, parameters = BUILD_FUNCTIONS[function]
    for parameter in parameters.split():
        for value in VALUES:
            load({"a/BUILD": f"{function}({without(arguments, parameter)}{parameter} = {value})"})
            load({"a/BUILD": f"{function}({value})"})


@pytest.mark.parametrize("function", BZL_FUNCTIONS)
def test_functions_of_bzl_files(function: str) -> None:
    arguments, parameters = BZL_FUNCTIONS[function]
    use = 'x(name = "n")' if function in ("rule", "macro") else ""
    for parameter in parameters.split():
        for value in (*VALUES, "_i", "[_i]", '{"a": attr.string()}', '{"a": "%{b}"}'):
            call = f"{function}({without(arguments, parameter)}{parameter} = {value})"
            bzl = f"def _i(*args, **kwargs):\n    pass\n\nx = {call}\n"
            load({"a/BUILD": f'load(":x.bzl", "x")\n{use}', "a/x.bzl": bzl})

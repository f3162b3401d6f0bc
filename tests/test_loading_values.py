"""select(), the conversion of attribute values, and visibility."""

from __future__ import annotations

from dataclasses import replace

import pytest
from loading_support import failure, make_loader, natives, package, rule_class, target

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.labels import Label, PackageIdentifier, RepositoryMapping, parse_label
from bazel2ninja.loading.attributes import LabelConverter, convert, labels_in
from bazel2ninja.loading.rule_class import Attribute, AttributeType
from bazel2ninja.loading.select import DEFAULT_CONDITION, Select, SelectList, select
from bazel2ninja.loading.target import RuleTarget, Visibility
from bazel2ninja.starlark import (
    Dialect,
    Dict,
    EvalError,
    List,
    Semantics,
    StarlarkSet,
    Thread,
    compile_source,
    execute,
)

T = AttributeType


class Depset:
    starlark_type = "depset"

    def s_to_list(self) -> List:
        return List(["a"])


LABELS = LabelConverter(PackageIdentifier("", "a"))


def value_of(build: str, attribute: str, name: str = "x") -> object:
    rule = package(build).targets[name]
    assert isinstance(rule, RuleTarget)
    return rule.value(attribute)


def test_select_is_kept_with_converted_branches() -> None:
    value = value_of(
        'cc_library(name = "x", srcs = ["x.cc"] + select({":c": ["y.cc"], "//conditions:default": None}) + ["z.cc"])',
        "srcs",
    )
    assert isinstance(value, SelectList)
    first, chosen, last = value.elements
    assert first == (parse_label("//a:x.cc"),)
    assert isinstance(chosen, Select)
    assert dict(chosen.branches) == {parse_label("//a:c"): (parse_label("//a:y.cc"),), DEFAULT_CONDITION: None}
    assert last == (parse_label("//a:z.cc"),)
    assert labels_in(value) == [parse_label(f"//a:{name}.cc") for name in "xyz"]


def test_files_in_select_branches_are_targets() -> None:
    made = package('cc_library(name = "x", srcs = select({":c": ["y.cc"], "//conditions:default": ["z.cc"]}))')
    assert {"y.cc", "z.cc"} <= made.targets.keys()
    assert "c" not in made.targets


def test_the_default_condition_means_the_same_in_every_repository() -> None:
    loader = make_loader(
        {"@r/BUILD": 'filegroup(name = "x", srcs = select({"//conditions:default": []}))'}, repositories={"r": "r"}
    )
    rule = target(loader, "@r//:x")
    assert isinstance(rule, RuleTarget)
    value = rule.value("srcs")
    assert isinstance(value, SelectList)
    assert isinstance(value.elements[0], Select)
    assert list(value.elements[0].branches) == [DEFAULT_CONDITION]


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("select({})", "select({}) with an empty dictionary can never resolve"),
        ("select([])", "parameter 'x' got value of type 'list', want 'dict'"),
        ("select({1: []})", "select: got int for dict key, want a Label or label string"),
        ('select({":c": []}) + "x"', "'+' operator applied to incompatible types (select of list, string)"),
        ('"x" + select({":c": []})', "'+' operator applied to incompatible types (string, select of list)"),
        ('select({":c": []}) | {}', "'|' operator applied to incompatible types (select of list, dict)"),
        ('select({":c": True}) + select({":c": True})', "incompatible types (select of bool, select of bool)"),
    ],
)
def test_misuse_of_select(expression: str, message: str) -> None:
    assert message in failure(f'cc_library(name = "x", srcs = {expression})')


def test_select_as_a_value() -> None:
    made = package(
        'load(":defs.bzl", "look")\nlook()',
        BZL="def look():\n"
        "    x = [1] + select({'//c:d': [2]}, no_match_error = 'no')\n"
        "    native.filegroup(name = type(x))\n"
        "    native.filegroup(name = 'same' if type(x) == type(select({'a': 1})) else 'other')\n"
        "    native.filegroup(name = 'r', testonly = repr(x) =="
        ' \'[1] + select({"//c:d": [2]}, no_match_error = "no")\')\n'
        "    native.filegroup(name = 'yes' if x else 'no')\n",
    )
    assert {"select", "same", "yes"} <= made.targets.keys()
    assert made.targets["r"].value("testonly") is True


def test_dicts_are_united() -> None:
    value = Thread().call(lambda: Dict({"a": "1"}) | select(Dict({"//c:d": Dict({"b": "2"})})))
    assert isinstance(value, SelectList)
    assert value.operator == "|"
    converted = convert(value, Attribute("define_values", T.STRING_DICT), LABELS, "k")
    assert isinstance(converted, SelectList)
    assert converted.elements[0] == {"a": "1"}


@pytest.mark.parametrize(
    ("type", "given", "wanted"),
    [
        (T.BOOLEAN, 1, True),
        (T.BOOLEAN, False, False),
        (T.TRISTATE, True, 1),
        (T.TRISTATE, -1, -1),
        (T.INTEGER, 7, 7),
        (T.STRING, "s", "s"),
        (T.STRING_LIST, ("a", "b"), ("a", "b")),
        (T.INTEGER_LIST, List([1]), (1,)),
        (T.STRING_LIST, StarlarkSet(["a", "b"]), ("a", "b")),
        (T.STRING_LIST, Depset(), ("a",)),
        (T.STRING_LIST, Dict({"a": "1", "b": 2}), ("a", "b")),
        (T.INTEGER_LIST, range(2), (0, 1)),
        (T.STRING_DICT, Dict({"a": "b"}), {"a": "b"}),
        (T.STRING_LIST_DICT, Dict({"a": List(["b"])}), {"a": ("b",)}),
        (T.LABEL, ":f", parse_label("//a:f")),
        (T.LABEL, parse_label("//q:f"), parse_label("//q:f")),
        (T.LABEL_LIST, List(["f", parse_label("//q:f")]), (parse_label("//a:f"), parse_label("//q:f"))),
        (T.LABEL_KEYED_STRING_DICT, Dict({":f": "v"}), {parse_label("//a:f"): "v"}),
        (T.STRING_KEYED_LABEL_DICT, Dict({"k": ":f"}), {"k": parse_label("//a:f")}),
        (T.LABEL_LIST_DICT, Dict({"k": List([":f"])}), {"k": (parse_label("//a:f"),)}),
        (T.OUTPUT, "o", parse_label("//a:o")),
        (T.LABEL_LIST, None, None),
    ],
)
def test_conversion(type: AttributeType, given: object, wanted: object) -> None:
    found = convert(given, Attribute("x", type), LABELS, "k")
    assert found == wanted
    assert found.__class__ is wanted.__class__


@pytest.mark.parametrize(
    ("type", "given", "message"),
    [
        (T.BOOLEAN, 2, "boolean is not one of [0, 1]"),
        (T.TRISTATE, 2, "tristate is not one of [-1, 0, 1]"),
        (T.INTEGER, True, "expected value of type 'int' for attribute 'x' in 'k' rule, but got True (bool)"),
        (T.INTEGER, 1 << 31, "signed 32-bit range"),
        (T.STRING, 1, "expected value of type 'string' for attribute 'x' in 'k' rule, but got 1 (int)"),
        (T.STRING_LIST, List(["a", 1]), "expected value of type 'string' for element 1 of attribute 'x'"),
        (T.STRING_DICT, Dict({1: "a"}), "expected value of type 'string' for dict key element of attribute 'x'"),
        (T.STRING_DICT, Dict({"a": 1}), "expected value of type 'string' for dict value element of attribute 'x'"),
        (
            T.LABEL_LIST,
            "a",
            "expected value of type 'list(label)' for attribute 'x' in 'k' rule, but got \"a\" (string)",
        ),
        (T.LABEL_LIST, List([1]), "expected value of type 'label' for element 0 of attribute 'x'"),
        (T.LABEL, "//a:", "empty target name in attribute 'x' in 'k' rule"),
        (T.LABEL_KEYED_STRING_DICT, Dict({":f": "", "f": ""}), "'//a:f' is given more than once"),
        (T.OUTPUT, "//b:o", "label '//b:o' is not in the current package"),
        (T.OUTPUT, SelectList((Select({"a": "o"}),)), "attribute 'x' in 'k' rule is not configurable"),
        (T.BOOLEAN, SelectList((True, Select({"a": True}))), "'boolean' doesn't support select concatenation"),
        (T.STRING, SelectList((Select({"a": "s", ":a": "t"}),)), "names the condition '//a:a' twice"),
    ],
)
def test_refused_values(type: AttributeType, given: object, message: str) -> None:
    with pytest.raises(EvalError) as caught:
        convert(given, Attribute("x", type), LABELS, "k", "t")
    assert message in str(caught.value)


def test_allowed_values_and_emptiness() -> None:
    with pytest.raises(EvalError, match='has to be one of "a" or "b" instead of "c"'):
        convert("c", Attribute("x", T.STRING, allowed_values=("a", "b")), LABELS, "k")
    with pytest.raises(EvalError, match="attribute must be non empty"):
        convert(List(), Attribute("x", T.LABEL_LIST, allow_empty=False), LABELS, "k")


def test_attributes_of_every_rule() -> None:
    text = failure('sh_test(name = "x", size = "tiny")\nfilegroup(name = "y", size = "small")')
    assert 'has to be one of "small" or "medium"' in text
    assert "no such attribute 'size' in 'filegroup' rule" in text
    assert value_of('sh_test(name = "x", tags = ["manual"], env = {"A": "b"})', "tags") == ("manual",)
    assert value_of('sh_test(name = "x")', "size") == "medium"
    assert "attribute 'tags' in 'filegroup' rule is not configurable" in failure(
        'filegroup(name = "x", tags = select({"//conditions:default": []}))'
    )


def test_defaults_of_the_package_and_of_tests() -> None:
    package_line = 'package(default_testonly = True, default_deprecation = "old", default_package_metadata = ["//l"])\n'
    assert value_of(package_line + 'filegroup(name = "x")', "testonly") is True
    assert value_of(package_line + 'filegroup(name = "x", testonly = False)', "testonly") is False
    assert value_of(package_line + 'filegroup(name = "x")', "deprecation") == "old"
    assert value_of(package_line + 'filegroup(name = "x")', "applicable_licenses") == (parse_label("//l"),)
    assert value_of('sh_test(name = "x")', "testonly") is True
    assert value_of('filegroup(name = "x")', "testonly") is False


def test_repository_mapping_applies_to_labels() -> None:
    loader = make_loader(
        {"a/BUILD": 'filegroup(name = "x", srcs = ["@short//b:c", "@@exact//b:c"])'},
        mappings={"": RepositoryMapping("", {"short": "long+1"}, strict=True)},
    )
    rule = target(loader, "//a:x")
    assert isinstance(rule, RuleTarget)
    assert [str(label) for label in rule.attributes["srcs"]] == ["@long+1//b:c", "@exact//b:c"]  # type: ignore[attr-defined]


VISIBILITY = """
package(default_visibility = ["//friends:__subpackages__"])
package_group(name = "group", packages = ["//far/...", "-//far/out"], includes = [":more"])
package_group(name = "more", packages = ["//near"])
filegroup(name = "default")
filegroup(name = "public", visibility = ["//visibility:public"])
filegroup(name = "private", visibility = ["//visibility:private"])
filegroup(name = "one", visibility = ["//one:__pkg__"])
filegroup(name = "grouped", visibility = [":group"])
genrule(name = "g", outs = ["g.out"], cmd = "", visibility = ["//one:__pkg__"])
exports_files(["open.txt"])
exports_files(["closed.txt"], visibility = ["//visibility:private"])
"""


@pytest.mark.parametrize(
    ("name", "seen_by"),
    [
        ("default", {"a", "friends", "friends/x"}),
        ("public", {"a", "friends", "friends/x", "one", "one/x", "far", "far/out", "far/in", "near"}),
        ("private", {"a"}),
        ("one", {"a", "one"}),
        ("grouped", {"a", "far", "far/in", "near"}),
        ("g.out", {"a", "one"}),
        ("open.txt", {"a", "friends", "friends/x", "one", "one/x", "far", "far/out", "far/in", "near"}),
        ("closed.txt", {"a"}),
    ],
)
def test_visibility(name: str, seen_by: set[str]) -> None:
    loader = make_loader({"a/BUILD": VISIBILITY})
    dependency = target(loader, f"//a:{name}")
    packages = ["a", "friends", "friends/x", "one", "one/x", "far", "far/out", "far/in", "near"]
    found = {p for p in packages if loader.is_visible(Label(PackageIdentifier("", p), "t"), dependency)}
    assert found == seen_by


def test_invisible_target_is_explained() -> None:
    loader = make_loader({"a/BUILD": 'filegroup(name = "x")', "b/BUILD": 'filegroup(name = "y", srcs = ["//a:x"])'})
    consumer = target(loader, "//b:y")
    assert isinstance(consumer, RuleTarget)
    with pytest.raises(WorkspaceError) as caught:
        loader.check_visibility(consumer, parse_label("//a:x"))
    assert "target '//a:x' is not visible from target '//b:y'" in str(caught.value)
    assert caught.value.diagnostic.help == "add '//b:__pkg__' to the visibility of '//a:x'"


def test_visibility_labels_are_checked() -> None:
    assert "invalid visibility label '//visibility:pubic'" in failure(
        'filegroup(name = "x", visibility = ["//visibility:pubic"])'
    )
    assert "invalid package specification 'b'" in failure('package_group(name = "g", packages = ["b"])')


def test_common_attributes_are_one_table() -> None:
    kind = rule_class("k")
    assert {"name", "visibility", "tags", "target_compatible_with"} <= kind.attributes.keys()
    assert "size" not in kind.attributes
    assert {"size", "env", "args"} <= natives()["cc_test"].attributes.keys()
    assert Visibility() == Visibility(packages=())


@pytest.mark.parametrize(
    ("semantics", "texts"),
    [
        (Semantics.for_bazel("5.4.0"), ["//a:b", "@r//a:b"]),
        (Semantics.tolerant(), ["//a:b", "@r//a:b"]),
        (Semantics.for_bazel("6.0.0"), ["@//a:b", "@r//a:b"]),
        (replace(Semantics(), module_labels=True), ["@@//a:b", "@@r//a:b"]),
    ],
)
def test_labels_as_text(semantics: Semantics, texts: list[str]) -> None:
    source = "x = [str(L), '%s' % M, '{} {}'.format(L, M).split(' '), repr(L), [L]]\nprint(L, str(L))\n"
    shown: list[str] = []
    predeclared = {"L": parse_label("//a:b"), "M": parse_label("@r//a:b")}
    program = compile_source(source.encode(), "t", dialect=Dialect.PLAIN, semantics=semantics, predeclared=predeclared)
    thread = Thread(semantics, print=lambda text, where: shown.append(text))
    found = execute(program, thread, predeclared, lambda name, where: {}).globals["x"]
    assert found == [*texts, texts, 'Label("//a:b")', [predeclared["L"]]]
    assert shown == [f"//a:b {texts[0]}"]

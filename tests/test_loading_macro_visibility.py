"""Who sees what, when symbolic macros declare targets (https://bazel.build/concepts/visibility)."""

from __future__ import annotations

import pytest
from loading_support import make_loader

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.labels import Label, parse_label
from bazel2ninja.loading.loader import Loader
from bazel2ninja.loading.target import RuleTarget

MACROS = """
def _inner(name, visibility, dep):
    native.filegroup(name = name, srcs = [dep], visibility = visibility)

inner = macro(implementation = _inner, attrs = {"dep": attr.label(configurable = False)})

def _outer(name, visibility, deps, quiet):
    native.filegroup(name = name + "_hidden", srcs = ["//tool:script"])
    native.filegroup(name = name, srcs = deps + [":" + name + "_hidden"], visibility = visibility)
    inner(name = name + "_own", dep = "//tool:script")
    if deps:
        inner(name = name + "_passed", dep = deps[0])
    if not quiet:
        native.filegroup(name = name + "_bad", srcs = ["//app:private"])

outer = macro(implementation = _outer, attrs = {
    "deps": attr.label_list(configurable = False),
    "quiet": attr.bool(configurable = False, default = True),
})
"""
FILES = {
    "rules/BUILD": "",
    "rules/m.bzl": MACROS,
    "tool/BUILD": 'filegroup(name = "script", visibility = ["//rules:__pkg__"])\n',
    "secret/BUILD": 'filegroup(name = "of_app", visibility = ["//app:__pkg__"])\nfilegroup(name = "of_nobody")\n',
    "app/BUILD": 'load("//rules:m.bzl", "outer")\n'
    'filegroup(name = "private")\n'
    'outer(name = "x", deps = ["//secret:of_app", ":private"], visibility = ["//friend:__pkg__"])\n'
    'outer(name = "y", deps = ["//secret:of_nobody"], visibility = ["//visibility:private"], quiet = False)\n'
    'filegroup(name = "direct", srcs = ["//tool:script"])\n'
    'filegroup(name = "user", srcs = [":x", ":x_hidden", ":y"])\n',
    "friend/BUILD": 'filegroup(name = "f", srcs = ["//app:x", "//app:y"])\n',
}


def rule_of(loader: Loader, label: str) -> RuleTarget:
    found = loader.target(parse_label(label))
    assert isinstance(found, RuleTarget)
    return found


@pytest.mark.parametrize(
    ("consumer", "dependency", "visible"),
    [
        ("//app:direct", "//tool:script", False),  # a target of the BUILD file
        ("//app:x_hidden", "//tool:script", True),  # the macro is defined where it is visible
        ("//app:x_own", "//tool:script", True),
        ("//app:x", "//secret:of_app", True),  # the caller sees it and has passed it on
        ("//app:x_passed", "//secret:of_app", True),  # the same through two macros
        ("//app:x", "//app:private", True),
        ("//app:x_hidden", "//app:private", True),  # what a call passes all of its targets may use
        ("//app:y", "//secret:of_nobody", False),
        ("//app:y_bad", "//app:private", False),  # the macro names it by itself
        ("//app:x", "//app:x_hidden", True),
        ("//app:user", "//app:x", True),  # visible to the place of the call, whatever `visibility` says
        ("//app:user", "//app:y", True),
        ("//app:user", "//app:x_hidden", False),  # internal, though of the same package
        ("//friend:f", "//app:x", True),
        ("//friend:f", "//app:y", False),
    ],
)
def test_macros(consumer: str, dependency: str, visible: bool) -> None:
    loader = make_loader(FILES)
    rule = rule_of(loader, consumer)
    if visible:
        loader.check_visibility(rule, parse_label(dependency))
        return
    with pytest.raises(WorkspaceError) as caught:
        loader.check_visibility(rule, parse_label(dependency))
    assert f"target '{dependency}' is not visible from target '{consumer}'" in str(caught.value)


def test_what_the_message_says() -> None:
    loader = make_loader(FILES)
    with pytest.raises(WorkspaceError) as caught:
        loader.check_visibility(rule_of(loader, "//app:user"), parse_label("//app:x_hidden"))
    notes = [note.message for note in caught.value.diagnostic.notes]
    assert "it is a target of the macro 'outer', which '//rules' defines" in notes
    with pytest.raises(WorkspaceError) as caught:
        loader.check_visibility(rule_of(loader, "//app:y_bad"), parse_label("//app:private"))
    assert caught.value.diagnostic.help == "add '//rules:__pkg__' to the visibility of '//app:private'"


def test_the_argument_visibility() -> None:
    loader = make_loader(
        {
            "m.bzl": "def _m(name, visibility):\n"
            "    native.filegroup(name = name, tags = [str(v) for v in visibility])\n"
            "m = macro(implementation = _m)\n"
            "def _n(name, visibility):\n    m(name = name)\n    m(name = name + '_v', visibility = visibility)\n"
            "n = macro(implementation = _n)\n",
            "BUILD": "",
            "a/BUILD": 'load("//:m.bzl", "m", "n")\n'
            'package(default_visibility = ["//d:__pkg__"])\n'
            'm(name = "default")\n'
            'm(name = "private", visibility = ["//visibility:private"])\n'
            'm(name = "public", visibility = ["//visibility:public"])\n'
            'm(name = "given", visibility = ["//b:__pkg__"])\n'
            'n(name = "nested")\n',
        }
    )

    def tags(name: str) -> list[str]:
        value = rule_of(loader, f"//a:{name}").attributes["tags"]
        assert isinstance(value, tuple)
        return [text.lstrip("@") for text in value]

    assert tags("default") == ["//d:__pkg__", "//a:__pkg__"]
    assert tags("private") == ["//a:__pkg__"]
    assert tags("public") == ["//visibility:public"]
    assert tags("given") == ["//b:__pkg__", "//a:__pkg__"]
    assert tags("nested") == ["//:__pkg__"]
    assert tags("nested_v") == ["//d:__pkg__", "//a:__pkg__", "//:__pkg__"]


def test_rules_outside_of_macros_have_no_scope() -> None:
    loader = make_loader(FILES)
    rule_of(loader, "//app:direct")
    assert loader.scope(Label(parse_label("//app:direct").package, "direct")) is None
    assert loader.scope(parse_label("//app:x_hidden")) is not None

"""What stays in memory of a package that has been loaded: its targets, each thing once."""

from __future__ import annotations

import ast
import gc
import os
from pathlib import Path
from typing import Any

import pytest

from bazel2ninja.labels import PackageIdentifier
from bazel2ninja.loading.select import SelectList
from bazel2ninja.loading.target import Package, RuleTarget
from bazel2ninja.pipeline.session import Request, Session
from bazel2ninja.starlark.thread import Module

FILES = {
    "WORKSPACE": "",
    "defs.bzl": """
def options():
    return ["-DA"] + select({":on": ["-DX"], "//conditions:default": []})

def _impl(ctx):
    return []

numbers = rule(_impl, attrs = {"n": attr.int(), "b": attr.bool()})

def both(name):
    numbers(name = name, n = _of({":on": 1}), b = _of({":on": 1}))

def _of(branches):
    return select(branches)
""",
    "BUILD": """
load("//:defs.bzl", "both", "options")
config_setting(name = "on", values = {"define": "on=1"})
[cc_library(name = "lib%d" % n, copts = options(), visibility = ["//visibility:public"]) for n in range(3)]
both(name = "numbers")
""",
}


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.chdir(tmp_path)
    for path, text in FILES.items():
        Path(path).write_text(text)
    return Session(Request(source=".", words=["//..."], output_root="out", environment=dict(os.environ)))


def package_of(session: Session) -> Package:
    return session.loader.own_package(PackageIdentifier("", ""))


def selects(package: Package, target: str, attribute: str) -> list[Any]:
    found = package.targets[target]
    assert isinstance(found, RuleTarget)
    value = found.attributes[attribute]
    assert isinstance(value, SelectList)
    return [element for element in value.elements if not isinstance(element, tuple)]


def test_neither_syntax_trees_nor_modules_of_build_files_stay(session: Session) -> None:
    """The collector of cycles is off while a command runs: what leads back to itself would stay."""
    gc.collect()
    gc.disable()
    try:
        package = package_of(session)
        objects = gc.get_objects()
        trees = [each for each in objects if isinstance(each, ast.stmt)]
        modules = [each for each in objects if isinstance(each, Module) and each.path.endswith("BUILD")]
    finally:
        gc.enable()
    assert "lib1" in package.targets
    assert not trees
    assert not [module for module in modules if module.namespace]


def test_equal_selects_are_one(session: Session) -> None:
    package = package_of(session)
    (first,), (second,) = (selects(package, name, "copts") for name in ("lib0", "lib1"))
    assert first is second


def test_a_number_is_no_boolean(session: Session) -> None:
    package = package_of(session)
    values = [next(iter(selects(package, "numbers", name)[0].branches.values())) for name in ("n", "b")]
    assert [type(value) for value in values] == [int, bool]

"""Packages as bytes: the same again, and nothing but packages."""

from __future__ import annotations

import gc
import os
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest
from robust_support import run

from bazel2ninja.labels import Label, PackageIdentifier
from bazel2ninja.loading import kept_packages
from bazel2ninja.loading.loader import Loader
from bazel2ninja.loading.rule_class import RuleClass
from bazel2ninja.loading.target import Package, RuleTarget, Visibility
from bazel2ninja.pipeline.definitions import definitions
from bazel2ninja.pipeline.session import Request, Session

DEFS = """
def _impl(ctx):
    return []

ours = rule(_impl, attrs = {"names": attr.string_dict(), "deps": attr.label_list(), "n": attr.int()})
_hidden = rule(_impl, attrs = {})

def both(name):
    ours(name = name, names = {"a": "b"}, deps = [":one"], n = 1 << 20)
    _hidden(name = name + "_hidden")

def _macro_impl(name, visibility):
    native.filegroup(name = name)

symbolic = macro(implementation = _macro_impl)
"""
BUILD = """
load("//:defs.bzl", "both")
package(default_visibility = ["//a:__subpackages__"], default_copts = ["-DP"])
licenses(["notice"])
package_group(name = "friends", packages = ["//...", "-//b"])
cc_library(
    name = "one",
    srcs = ["one.cc"] + select({":on": ["on.cc"], "//conditions:default": []}),
    copts = select({":on": ["-DX"]}, no_match_error = "neither") + ["-DY"],
    visibility = [":friends"],
)
config_setting(name = "on", values = {"define": "on=1"})
genrule(name = "made", outs = ["made.h"], cmd = "touch $@")
both(name = "two")
"""


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Session]:
    monkeypatch.chdir(tmp_path)

    def opened(build: str) -> Session:
        for path, text in {"WORKSPACE": "", "defs.bzl": DEFS, "BUILD": build}.items():
            Path(path).write_text(text)
        return Session(Request(source=".", words=["//..."], output_root="out", environment=dict(os.environ)))

    return opened


def package_of(session: Session) -> Package:
    return session.loader.own_package(PackageIdentifier("", ""))


def bytes_of(package: Package, loader: Loader) -> bytes:
    content = kept_packages.to_bytes(package, loader.rule_class)
    assert content is not None
    return content


def test_a_package_is_the_same_again(session: Callable[[str], Session]) -> None:
    opened = session(BUILD)
    package, loader = package_of(opened), opened.loader
    again = kept_packages.from_bytes(bytes_of(package, loader), loader.rule_class)
    assert again is not package
    assert list(again.targets) == list(package.targets)
    assert definitions(again) == definitions(package)
    assert (again.identifier, again.build_file, again.directory, again.loads) == (
        package.identifier,
        package.build_file,
        package.directory,
        package.loads,
    )
    for name, old in package.targets.items():
        new = again.targets[name]
        assert (new.label, new.location, new.visibility) == (old.label, old.location, old.visibility)
        if isinstance(old, RuleTarget):
            assert isinstance(new, RuleTarget)
            assert new.rule_class is old.rule_class
            assert new.frames == old.frames
            assert new.generator_name == old.generator_name
            assert new.package_defaults is again.targets["one"].package_defaults  # type: ignore[union-attr]


def test_nothing_stays_behind(session: Callable[[str], Session]) -> None:
    """The garbage collector is off while a command runs: what leads back to itself would stay with all that it saw."""
    opened = session(BUILD)
    package, loader = package_of(opened), opened.loader
    gc.disable()
    try:
        kept_packages.from_bytes(bytes_of(package, loader), loader.rule_class)
        left = [each for each in gc.get_objects() if isinstance(each, pickle.Pickler | pickle.Unpickler)]
    finally:
        gc.enable()
    assert not left


def test_what_only_loading_can_make_is_not_kept(session: Callable[[str], Session]) -> None:
    opened = session('load("//:defs.bzl", "symbolic")\nsymbolic(name = "s")\n')
    package = package_of(opened)
    assert kept_packages.to_bytes(package, opened.loader.rule_class) is None
    other = session(BUILD)
    assert kept_packages.to_bytes(package_of(other), lambda file, name: None) is None


def test_a_kind_that_is_no_more(session: Callable[[str], Session]) -> None:
    opened = session(BUILD)
    content = bytes_of(package_of(opened), opened.loader)

    def fewer(file: Label | None, name: str) -> RuleClass | None:
        return None if name == "ours" else opened.loader.rule_class(file, name)

    with pytest.raises(pickle.UnpicklingError, match="no rule 'ours'"):
        kept_packages.from_bytes(content, fewer)


class _Command:
    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("touch touched",)


@pytest.mark.parametrize(
    "content",
    [b"", b"\x80\x05", pickle.dumps(_Command()), pickle.dumps(print), pickle.dumps([1]), pickle.dumps(Visibility())],
    ids=["nothing", "a beginning", "a command", "a function", "a list", "no package"],
)
def test_nothing_but_packages_is_made(content: bytes, session: Callable[[str], Session]) -> None:
    with pytest.raises(pickle.UnpicklingError):
        kept_packages.from_bytes(content, session(BUILD).loader.rule_class)
    assert not os.path.exists("touched")


def test_a_file_with_other_lines_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The lines of a kept package would be those before the comment."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(Path(kept_packages.__file__).parents[2]))
    for path, text in {
        "src/WORKSPACE": "",
        "src/a/BUILD": 'cc_library(name = "low", visibility = ["//visibility:public"])\n',
        "src/b/BUILD": 'cc_library(name = "high", deps = ["//a:low"])\n',
    }.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)
    assert run("generate", "-o", "out/build.ninja", "src").status == 0
    loaded: list[str] = []
    run_build_file = Loader._run_build_file

    def counted(self: Loader, identifier: PackageIdentifier, *rest: object) -> Package:
        loaded.append(str(identifier))
        return run_build_file(self, identifier, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Loader, "_run_build_file", counted)

    def edit(comment: str, copts: str) -> list[str]:
        loaded.clear()
        if comment:
            low = Path("src/a/BUILD").read_text()
            Path("src/a/BUILD").write_text(comment + low)
        Path("src/b/BUILD").write_text(f'cc_library(name = "high", deps = ["//a:low"], linkopts = ["{copts}"])\n')
        with monkeypatch.context() as patch:
            patch.chdir("out")
            assert run("regenerate").status == 0
        return [name for name in loaded if not name.startswith("@")]

    assert edit("", "-lx") == ["//b"]
    assert edit("# a line\n", "-ly") == ["//b", "//a"]

"""$(location), "Make" variables and the splitting of words."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bazel2ninja.analysis.artifact import Artifact, ArtifactRoot
from bazel2ninja.analysis.expansion import LocationExpander, expand
from bazel2ninja.analysis.shell import escape, tokenize
from bazel2ninja.diagnostics import Diagnostic, WorkspaceError
from bazel2ninja.labels import PackageIdentifier, parse_label

BASE = PackageIdentifier("", "a")
BIN = ArtifactRoot("bazel-out/k8-fastbuild/bin")


def _file(path: str, root: ArtifactRoot = ArtifactRoot("")) -> Artifact:  # noqa: B008 - a value without state
    return Artifact(f"{root.path}/{path}".lstrip("/"), root, parse_label("//a:x"))


def _expander(runfiles: bool = False) -> LocationExpander:
    files = {
        parse_label("//a:one"): (_file("a/one.txt"),),
        parse_label("//a:two"): (_file("a/one.txt"), _file("a/two 2.txt", BIN)),
        parse_label("//a:many"): (_file("b"), _file("a/z"), _file("a", BIN), _file("a/z")),
        parse_label("//a:none"): (),
        parse_label("@r//:f"): (_file("external/r/f"),),
    }
    return LocationExpander(files, lambda text: parse_label(text, BASE), "ws", runfiles=runfiles)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x $(location one) $(location //a:one) y", "x a/one.txt a/one.txt y"),
        ("$(locations two)", "a/one.txt 'bazel-out/k8-fastbuild/bin/a/two 2.txt'"),
        ("$(locations many)", "./b a/z bazel-out/k8-fastbuild/bin/a"),
        ("$(rootpaths two)", "a/one.txt 'a/two 2.txt'"),
        ("$(execpath @r//:f) $(rootpath @r//:f) $(rlocationpath @r//:f)", "external/r/f ../r/f r/f"),
        ("$(rlocationpath :one)", "ws/a/one.txt"),
        ("$(dirname x) $(OTHER) $$(location one)", "$(dirname x) $(OTHER) $$(location one)"),
    ],
)
def test_locations(text: str, wanted: str) -> None:
    assert _expander().expand(text) == wanted


def test_a_label_of_the_main_repository_in_the_text_of_another_one() -> None:
    """ "$(location {})".format(Label("@main//a:one")) in a macro that a BUILD file of @r calls."""
    files = {parse_label("//a:one"): (_file("a/one.txt"),), parse_label("@r//b:two"): (_file("external/r/b/two"),)}
    base = parse_label("@r//b:x").package
    expander = LocationExpander(files, lambda text: parse_label(text, base), "ws")
    assert expander.expand("$(location //a:one) $(location //b:two)") == "a/one.txt external/r/b/two"
    with pytest.raises(WorkspaceError, match="is not a declared prerequisite"):
        expander.expand("$(location //a:other)")


def test_location_in_arguments_is_a_runfiles_path() -> None:
    assert _expander(runfiles=True).expand("$(location @r//:f) $(execpath @r//:f)") == "../r/f external/r/f"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("$(location two)", "expands to more than one file, please use $(locations two) instead"),
        ("$(location none)", "label '//a:none' in $(location) expression expands to no files"),
        ("$(location other)", "label '//a:other' in $(location) expression is not a declared prerequisite"),
        ("$(location one", "unterminated $(location) expression"),
        ("$(location a:b:c)", "invalid label in $(location) expression"),
    ],
)
def test_wrong_locations(text: str, message: str) -> None:
    with pytest.raises(WorkspaceError) as caught:
        _expander().expand(text)
    assert message in caught.value.diagnostic.message


def _variable(values: Mapping[str, str]) -> object:
    def find(name: str) -> str:
        if name not in values:
            raise WorkspaceError(Diagnostic(f"$({name}) not defined"))
        return values[name]

    return find


VALUES = {"A": "1", "B": "$(A)2", "@": "out", "@D": "dir", "LOOP": "$(LOOP) x", "<": "in"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("$(A)-$(B)", "1-12"),
        ("$@ $(@D) $<", "out dir in"),
        ("$$HOME $$(date) $(location one)", "$HOME $(date) a/one.txt"),
        ("no dollars", "no dollars"),
    ],
)
def test_variables(text: str, wanted: str) -> None:
    assert expand(text, _variable(VALUES), _expander()) == wanted  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("$(NO)", "$(NO) not defined"),
        ("$HOME", "'$HOME' syntax is not supported; use '$(HOME)' instead"),
        ("${HOME}", "'${HOME}' syntax is not supported; use '$(HOME)' instead"),
        ("x$", "unterminated $"),
        ("$(A", "unterminated variable reference"),
        ("$(LOOP)", "potentially unbounded recursion"),
        ("$(shell ls)", "$(shell) not defined"),
    ],
)
def test_wrong_variables(text: str, message: str) -> None:
    with pytest.raises(WorkspaceError) as caught:
        expand(text, _variable(VALUES), _expander())  # type: ignore[arg-type]
    assert message in caught.value.diagnostic.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a  b\tc", ("a", "b", "c")),
        ("-DX='a b' \"c d\"e", ("-DX=a b", "c de")),
        ("''", ("",)),
        (r"a\ b '\n' \"", ("a b", r"\n", '"')),
        (r'"\q \" \\"', (r"\q " + '"' + " \\",)),
        ("", ()),
    ],
)
def test_words(text: str, words: tuple[str, ...]) -> None:
    assert tokenize(text) == words


@pytest.mark.parametrize("text", ["'a", '"', "a\\"])
def test_unfinished_words(text: str) -> None:
    with pytest.raises(WorkspaceError):
        tokenize(text)


@pytest.mark.parametrize("word", ["", "plain", "two words", "it's", "$HOME", "a'b\"c\\"])
def test_escaping_is_undone_by_splitting(word: str) -> None:
    assert tokenize(escape(word)) == (word,)

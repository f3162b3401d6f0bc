"""Labels and target patterns in every spelling, and what is refused."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bazel2ninja.labels import (
    Label,
    LabelSyntaxError,
    PackageIdentifier,
    RepositoryMapping,
    parse_label,
    parse_target_pattern,
)

BASE = PackageIdentifier("", "a/b")
EXTERNAL = PackageIdentifier("ext", "p")


@pytest.mark.parametrize(
    ("text", "base", "expected"),
    [
        ("//x/y:z", BASE, "//x/y:z"),
        ("//x/y", BASE, "//x/y:y"),
        ("//:z", BASE, "//:z"),
        (":z", BASE, "//a/b:z"),
        ("z", BASE, "//a/b:z"),
        ("sub/z.cc", BASE, "//a/b:sub/z.cc"),
        ("//x:z", EXTERNAL, "@ext//x:z"),
        (":z", EXTERNAL, "@ext//p:z"),
        ("@//x:z", EXTERNAL, "//x:z"),
        ("@foo", BASE, "@foo//:foo"),
        ("@foo//x", BASE, "@foo//x:x"),
        ("@@foo//x:y", BASE, "@foo//x:y"),
        ("//x:a+b=c,d e@f", BASE, "//x:a+b=c,d e@f"),
    ],
)
def test_spellings(text: str, base: PackageIdentifier, expected: str) -> None:
    assert str(parse_label(text, base)) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        ":",
        "//",
        "//a:",
        "//a/:b",
        "///a",
        "//a//b",
        "a:b",
        ":a/../b",
        "//a:/b",
        "//a:b/",
        "@",
        "@x y//a",
        "//..:x",
        "//a:b\n",
    ],
)
def test_malformed_labels_are_refused(text: str) -> None:
    with pytest.raises(LabelSyntaxError, match="invalid label"):
        parse_label(text, BASE)


def test_equal_labels_are_the_same_object() -> None:
    label = parse_label("//a/b:c")
    assert parse_label(":c", BASE) is label
    assert pickle.loads(pickle.dumps(label)) is label


def test_mapping() -> None:
    mapping = RepositoryMapping("", {"gtest": "com_google_googletest"}, strict=True)
    assert str(parse_label("@gtest//:main", BASE, mapping)) == "@com_google_googletest//:main"
    assert str(parse_label("@@gtest//:main", BASE, mapping)) == "@gtest//:main"
    with pytest.raises(LabelSyntaxError, match="no repository visible as '@other'"):
        parse_label("@other//:main", BASE, mapping)


def test_exec_paths() -> None:
    assert parse_label("//a/b:c.cc").exec_path == "a/b/c.cc"
    assert parse_label("//:c.cc").exec_path == "c.cc"
    assert parse_label("@r//:c.cc").exec_path == "external/r/c.cc"
    assert parse_label("@r//p:c.cc").package.exec_path == "external/r/p"


@pytest.mark.parametrize(
    ("text", "package", "name", "recursive"),
    [
        ("//...", "//", None, True),
        ("//a/...", "//a", None, True),
        ("//a/...:all", "//a", None, True),
        ("//a:all", "//a", None, False),
        ("//a:*", "//a", None, False),
        ("//a", "//a", "a", False),
        ("//a:x", "//a", "x", False),
        ("a/b:x", "//a/b", "x", False),
        ("...", "//", None, True),
        (":x", "//", "x", False),
        ("@r//...", "@r//", None, True),
        ("-//a/...", "//a", None, True),
    ],
)
def test_target_patterns(text: str, package: str, name: str | None, recursive: bool) -> None:
    pattern = parse_target_pattern(text)
    assert (str(pattern.package), pattern.name, pattern.recursive) == (package, name, recursive)
    assert pattern.negative == text.startswith("-")


def test_a_recursive_pattern_covers_what_lies_below() -> None:
    pattern = parse_target_pattern("//a/...")
    assert pattern.matches_package(PackageIdentifier("", "a"))
    assert pattern.matches_package(PackageIdentifier("", "a/b"))
    assert not pattern.matches_package(PackageIdentifier("", "ab"))
    assert not pattern.matches_package(PackageIdentifier("r", "a"))


@given(st.text())
def test_any_text_is_a_label_or_a_clear_error(text: str) -> None:
    try:
        label = parse_label(text, BASE)
    except LabelSyntaxError as error:
        assert "\n" not in error.diagnostic.message
    else:
        assert isinstance(label, Label)
        assert parse_label(str(label)) is label


@pytest.mark.parametrize("text", ["@.", "@..", "@..//a", "@@.//a:b"])
def test_a_repository_is_no_directory_of_a_path(text: str) -> None:
    with pytest.raises(LabelSyntaxError, match="repository names are not allowed to be"):
        parse_label(text)

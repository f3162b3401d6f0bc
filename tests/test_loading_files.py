"""glob(), subpackages(), target patterns, and where packages are."""

from __future__ import annotations

from pathlib import Path

import pytest
from loading_support import disk_loader, failure, make_loader, package, target

from bazel2ninja.diagnostics import WorkspaceError
from bazel2ninja.filesystem import Disk, MemoryFileSystem
from bazel2ninja.labels import PackageIdentifier
from bazel2ninja.loading.globber import Globber
from bazel2ninja.loading.loader import NoSuchPackageError
from bazel2ninja.loading.target import RuleTarget
from bazel2ninja.starlark import Semantics

TREE = (
    "BUILD",
    "a.cc",
    "a.h",
    "b.cc",
    ".hidden.cc",
    "x/c.cc",
    "x/y/d.cc",
    "x/y/e.txt",
    "p/BUILD",
    "p/f.cc",
    "q/r/BUILD.bazel",
    "q/r/g.cc",
    "q/h.cc",
    ".dot/i.cc",
    "a+b/j.cc",
)


@pytest.fixture
def globber() -> Globber:
    return Globber(MemoryFileSystem({f"src/{path}": "" for path in TREE}), "src")


@pytest.mark.parametrize(
    ("include", "found"),
    [
        (["*.cc"], ["a.cc", "b.cc"]),
        (["a.*", "a.cc"], ["a.cc", "a.h"]),
        (["*"], [".hidden.cc", "BUILD", "a.cc", "a.h", "b.cc"]),
        ([".*.cc"], [".hidden.cc"]),
        (["x/*.cc"], ["x/c.cc"]),
        (["x/**"], ["x/c.cc", "x/y/d.cc", "x/y/e.txt"]),
        (["**/*.cc"], [".dot/i.cc", "a+b/j.cc", "a.cc", "b.cc", "q/h.cc", "x/c.cc", "x/y/d.cc"]),
        (["**/y/*"], ["x/y/d.cc", "x/y/e.txt"]),
        (["x/**/*.txt"], ["x/y/e.txt"]),
        (["**/x/**/d.cc"], ["x/y/d.cc"]),
        (["a+b/*"], ["a+b/j.cc"]),
        (["p/*", "q/r/*", "q/**"], ["q/h.cc"]),
        (["none", "x", "x/y"], []),
        (["a.cc"], ["a.cc"]),
    ],
)
def test_include(globber: Globber, include: list[str], found: list[str]) -> None:
    assert globber.glob(include) == found


@pytest.mark.parametrize(
    ("exclude", "found"),
    [
        (["*.cc"], ["x/c.cc", "x/y/d.cc"]),
        (["**/*.cc"], []),
        (["x/**"], ["a.cc", "b.cc"]),
        (["**/d.cc"], ["a.cc", "b.cc", "x/c.cc"]),
        (["x/*/d.cc", "a.cc"], ["b.cc", "x/c.cc"]),
        (["**"], []),
        (["//x:c.cc", "../a.cc"], ["a.cc", "b.cc", "x/c.cc", "x/y/d.cc"]),
    ],
)
def test_exclude(globber: Globber, exclude: list[str], found: list[str]) -> None:
    assert globber.glob(["*.cc", "x/**/*.cc"], exclude) == found


def test_directories_on_request(globber: Globber) -> None:
    assert globber.glob(["x/*"], directories=True) == ["x/c.cc", "x/y"]
    assert globber.glob(["*"], ["*.*", ".*", "BUILD"], directories=True) == ["a+b", "q", "x"]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        ("/a", "pattern cannot be absolute"),
        ("a//b", "empty segment not permitted"),
        ("../a", "segment '..' not permitted"),
        ("a/**b", "recursive wildcard must be its own segment"),
        ("a?", "wildcard ? forbidden"),
        ("", "pattern cannot be empty"),
    ],
)
def test_bad_patterns(globber: Globber, pattern: str, message: str) -> None:
    with pytest.raises(WorkspaceError, match="invalid glob pattern") as caught:
        globber.glob([pattern])
    assert message in str(caught.value)


def test_each_directory_is_listed_once() -> None:
    class Counting(MemoryFileSystem):
        listed: list[str]

        def entries(self, path: str) -> tuple[tuple[str, str], ...]:
            self.listed.append(path)
            return super().entries(path)

    tree = Counting({f"src/{path}": "" for path in TREE})
    tree.listed = []
    globber = Globber(tree, "src")
    globber.glob(["**/*.cc"])
    globber.glob(["**/*.h", "x/**", "x/y/*"])
    assert len(tree.listed) == len(set(tree.listed))


def test_links_are_followed_but_not_in_circles(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "f.cc").write_text("")
    (tmp_path / "link").symlink_to("real")
    assert Globber(Disk(), str(tmp_path)).glob(["**/*.cc"]) == ["link/f.cc", "real/f.cc"]
    (tmp_path / "real" / "up").symlink_to("..")
    with pytest.raises(WorkspaceError, match="infinite symlink expansion"):
        Globber(Disk(), str(tmp_path)).glob(["**/*.cc"])


def test_a_directory_that_cannot_be_read(tmp_path: Path) -> None:
    class Unreadable(Disk):
        def entries(self, path: str) -> tuple[tuple[str, str], ...]:
            if path.endswith("closed"):
                raise WorkspaceError("cannot list the directory: permission denied")
            return super().entries(path)

    (tmp_path / "closed").mkdir()
    with pytest.raises(WorkspaceError, match="permission denied"):
        Globber(Unreadable(), str(tmp_path)).glob(["**"])


def test_glob_in_a_build_file() -> None:
    loader = make_loader(
        {
            "a/BUILD": 'filegroup(name = "x", srcs = glob(["**/*.cc"], exclude = ["t.cc"]))',
            "a/s.cc": "",
            "a/t.cc": "",
            "a/b/u.cc": "",
            "a/c/BUILD": "",
            "a/c/v.cc": "",
        }
    )
    rule = target(loader, "//a:x")
    assert isinstance(rule, RuleTarget)
    assert [label.name for label in rule.attributes["srcs"]] == ["b/u.cc", "s.cc"]  # type: ignore[attr-defined]


def test_empty_globs() -> None:
    assert "glob pattern '*.cc' didn't match anything, but allow_empty is set to False" in failure('glob(["*.cc"])')
    assert "all files in the glob have been excluded" in failure('glob(["*"], exclude = ["**"])')
    package('glob(["*.cc"], allow_empty = True)')
    old = make_loader({"a/BUILD": 'glob(["*.cc"])\nglob([])'}, semantics=Semantics.for_bazel("7.0.0"))
    assert old.package(PackageIdentifier("", "a")).targets.keys() == {"BUILD"}
    assert "at index 0 of 'include', got element of type int, want string" in failure("glob([1])")


def test_subpackages() -> None:
    made = make_loader(
        {
            "BUILD": "[filegroup(name = 'in-' + p) for p in subpackages(include = ['**'], exclude = ['no/*'])]",
            "x/y/BUILD": "",
            "x/y/z/BUILD": "",
            "no/n/BUILD": "",
            "w/BUILD": "",
        }
    ).package(PackageIdentifier("", ""))
    assert made.targets.keys() == {"BUILD", "in-w", "in-x/y"}


PROJECT = {
    "BUILD": 'filegroup(name = "root")',
    "a/BUILD": 'filegroup(name = "a", srcs = ["f.txt"])\nfilegroup(name = "m", tags = ["manual"])',
    "a/b/BUILD": 'genrule(name = "b", outs = ["b.out"], cmd = "")',
    "a/no/c.txt": "",
    "z/BUILD": 'filegroup(name = "z")',
}


@pytest.mark.parametrize(
    ("patterns", "found"),
    [
        (["//..."], ["//:root", "//a:a", "//a:m", "//a/b:b", "//z:z"]),
        (["//a/..."], ["//a:a", "//a:m", "//a/b:b"]),
        (["//a:all"], ["//a:a", "//a:m"]),
        (["//a:*"], ["//a:BUILD", "//a:a", "//a:f.txt", "//a:m"]),
        (["//a/b/...:all-targets"], ["//a/b:BUILD", "//a/b:b", "//a/b:b.out"]),
        (["//a", "//z:z", "//a"], ["//a:a", "//z:z"]),
        (["//...", "-//a/..."], ["//:root", "//z:z"]),
        (["//...", "-//a/...", "//a:m"], ["//:root", "//z:z", "//a:m"]),
        (["z", "a/f.txt", "a/..."], ["//z:z", "//a:f.txt", "//a:a", "//a:m", "//a/b:b"]),
        ([":root"], ["//:root"]),
    ],
)
def test_patterns(patterns: list[str], found: list[str]) -> None:
    assert [str(label) for label in make_loader(PROJECT).expand(patterns)] == found


def test_the_caller_filters_wildcards_only() -> None:
    loader = make_loader(PROJECT)

    def automatic(one: object) -> bool:
        return not (isinstance(one, RuleTarget) and "manual" in one.value("tags"))  # type: ignore[operator]

    assert [str(label) for label in loader.expand(["//a:all"], accept=automatic)] == ["//a:a"]
    assert [str(label) for label in loader.expand(["//a:m"], accept=automatic)] == ["//a:m"]


def test_broken_packages_are_reported_and_the_others_found() -> None:
    loader = make_loader({**PROJECT, "broken/BUILD": "x"})
    problems: list[WorkspaceError] = []
    labels = loader.expand(["//...", "//nowhere:x"], report=problems.append)
    assert [str(label) for label in labels] == ["//:root", "//a:a", "//a:m", "//a/b:b", "//z:z"]
    assert ["name 'x' is not defined" in str(problem) for problem in problems] == [True, False]
    assert "no such package '//nowhere'" in str(problems[1])
    with pytest.raises(WorkspaceError, match="name 'x' is not defined"):
        loader.expand(["//..."])
    with pytest.raises(WorkspaceError, match="no targets found beneath 'a/no'"):
        loader.expand(["//a/no/..."])


def test_ignored_deleted_and_skipped_directories() -> None:
    loader = make_loader(
        {
            **PROJECT,
            ".bazelignore": "# comment\nignored\n\n",
            "ignored/BUILD": 'filegroup(name = "i")',
            "out/BUILD": 'filegroup(name = "o")',
            "all/BUILD": "",
        },
        deleted_packages=[PackageIdentifier("", "z")],
        skipped_directories=["src/out"],
    )
    assert [p.path for p in loader.packages_below(PackageIdentifier("", ""))] == ["", "a", "a/b", "all"]
    with pytest.raises(NoSuchPackageError, match=r"ignored by \.bazelignore"):
        loader.package(PackageIdentifier("", "ignored"))
    with pytest.raises(NoSuchPackageError, match="considered deleted due to --deleted_packages"):
        loader.package(PackageIdentifier("", "z"))


def test_a_glob_enters_deleted_packages_but_no_ignored_directory() -> None:
    loader = make_loader(
        {
            ".bazelignore": "a/no",
            "a/BUILD": 'filegroup(name = "x", srcs = glob(["**/*.cc"]))',
            "a/gone/BUILD": "",
            "a/gone/f.cc": "",
            "a/no/g.cc": "",
            "a/out/h.cc": "",
            "a/i.cc": "",
        },
        deleted_packages=[PackageIdentifier("", "a/gone")],
        skipped_directories=["src/a/out"],
    )
    rule = target(loader, "//a:x")
    assert isinstance(rule, RuleTarget)
    assert [label.name for label in rule.attributes["srcs"]] == ["gone/f.cc", "i.cc"]  # type: ignore[attr-defined]


def test_output_links_are_not_walked(tmp_path: Path) -> None:
    (tmp_path / "BUILD").write_text("")
    (tmp_path / "bazel-src").mkdir()
    (tmp_path / "bazel-src" / "BUILD").write_text("")
    (tmp_path / "elsewhere" / "deep").mkdir(parents=True)
    (tmp_path / "elsewhere" / "deep" / "BUILD").write_text("")
    (tmp_path / "bazel-out").symlink_to("elsewhere")
    (tmp_path / "self").symlink_to(".")
    loader = disk_loader(str(tmp_path), {}, {})
    assert [p.path for p in loader.packages_below(PackageIdentifier("", ""))] == ["", "bazel-src", "elsewhere/deep"]


def test_repository_file() -> None:
    loader = make_loader(
        {
            "REPO.bazel": 'repo(default_visibility = ["//visibility:public"])\nignore_directories(["skip"])',
            "a/BUILD": 'filegroup(name = "x")',
            "skip/BUILD": "",
        }
    )
    assert target(loader, "//a:x").visibility.public
    assert [p.path for p in loader.packages_below(PackageIdentifier("", ""))] == ["a"]


@pytest.mark.parametrize(
    ("patterns", "packages"),
    [
        (["*"], [""]),
        (["**/skip"], ["", "a", "a/b", "c"]),
        (["a/*"], ["", "a", "c", "c/skip"]),
        (["**/s*p", "c/"], ["", "a", "a/b"]),
        (["a/**"], ["", "c", "c/skip"]),
        (["a/**/*"], ["", "a", "c", "c/skip"]),
        (["c/**/skip", "a/skip/deep"], ["", "a", "a/b", "a/skip", "c"]),
    ],
)
def test_ignored_directories_with_wildcards(patterns: list[str], packages: list[str]) -> None:
    files = dict.fromkeys(("BUILD", "a/BUILD", "a/b/BUILD", "a/skip/BUILD", "a/skip/deep/BUILD", "c/BUILD"), "")
    loader = make_loader({**files, "c/skip/BUILD": "", "REPO.bazel": f"ignore_directories({patterns!r})"})
    assert [each.path for each in loader.packages_below(PackageIdentifier("", ""))] == packages

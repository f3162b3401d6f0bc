"""`regenerate` after real edits of one BUILD file after the other, each beside a cold `generate` of the same tree."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from processes import ProcessError, Sample, bazel2ninja, measure

GOAL = 1 / 3
_BUILD_FILES = ("BUILD.bazel", "BUILD")
_GLOB = re.compile(r'\bglob\(\s*\[\s*"([^"*]*)(\*\*/)?[^"*/]*\*(\.\w+)"')


class NoSuchEditError(Exception):
    """A BUILD file has nothing that an edit of this kind could change."""


@dataclass(frozen=True, slots=True)
class Package:
    """directory: of a BUILD file; text: of the file before any edit."""

    directory: Path
    build_file: Path
    text: str


@dataclass(frozen=True, slots=True)
class Figure:
    """What an edit of a kind in a package took; seconds of processor, medians of the turns."""

    package: str
    kind: str
    ours: float
    cold: float

    @property
    def ratio(self) -> float:
        return self.ours / self.cold


def _calls(text: str) -> list[tuple[str, ast.Call]]:
    """(name, call) of the top-level calls of C++ rules, or macros named after them, in the order of the file."""
    found = []
    for statement in ast.parse(text).body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        names = [each.value for each in call.keywords if each.arg == "name"]
        if re.search(r"cc_(library|binary|test)", call.func.id) and names and isinstance(names[0], ast.Constant):
            found.append((str(names[0].value), call))
    return found


def _with_keyword(text: str, call: ast.Call, keyword: str, word: str) -> str:
    """The file with `word` in a list that a call gives by keyword."""
    lines = text.encode().splitlines(keepends=True)

    def position(line: int, column: int) -> int:
        return sum(map(len, lines[: line - 1])) + column

    content = text.encode()
    for each in call.keywords:
        if each.arg == keyword:
            assert each.value.end_lineno is not None
            assert each.value.end_col_offset is not None
            place = position(each.value.end_lineno, each.value.end_col_offset)
            return (content[:place] + f' + ["{word}"]'.encode() + content[place:]).decode()
    assert call.func.end_lineno is not None
    assert call.func.end_col_offset is not None
    place = content.index(b"(", position(call.func.end_lineno, call.func.end_col_offset)) + 1
    return (content[:place] + f'\n    {keyword} = ["{word}"],'.encode() + content[place:]).decode()


def _copt(package: Package, number: int, place: Callable[[int], int]) -> str:
    calls = _calls(package.text)
    if not calls:
        raise NoSuchEditError
    return _with_keyword(package.text, calls[place(len(calls))][1], "copts", f"-DEDITED={number}")


def _first_copt(package: Package, number: int) -> str:
    return _copt(package, number, lambda _: 0)


def _middle_copt(package: Package, number: int) -> str:
    return _copt(package, number, lambda count: count // 2)


def _define(package: Package, number: int) -> str:
    calls = _calls(package.text)
    if not calls:
        raise NoSuchEditError
    return _with_keyword(package.text, calls[0][1], "defines", f"EDITED={number}")


def _new_target(package: Package, number: int) -> str:
    name = f"added_by_an_edit_{number}"
    libraries = [name for name, call in _calls(package.text) if ast.unparse(call.func) == "cc_library"]
    deps = f'":{libraries[len(libraries) // 2]}"' if libraries else ""
    (package.directory / f"{name}.cc").touch()
    return f'{package.text}\ncc_library(name = "{name}", srcs = ["{name}.cc"], deps = [{deps}])\n'


def _new_file(package: Package, number: int) -> str:
    """The file is the edit, and the text stays."""
    match = _GLOB.search(package.text)
    directory = package.directory / (match[1] if match else "")
    if match is None or not directory.is_dir():
        raise NoSuchEditError
    (directory / f"added_by_an_edit_{number}{match[3]}").touch()
    return package.text


KINDS: dict[str, Callable[[Package, int], str]] = {
    "a copt of the middle target": _middle_copt,
    "a copt of the first target": _first_copt,
    "a define of the first target, which its users see": _define,
    "a new target": _new_target,
    "a new file of a glob": _new_file,
}


class Turns:
    """Edits in a copy of a source tree: `ours` is the output root that is regenerated, `cold` the one from nothing.

    words, targets: of `generate`; variables: the environment.
    """

    def __init__(
        self, tree: Path, scratch: Path, words: Sequence[str], targets: Sequence[str], variables: dict[str, str]
    ):
        self.tree = scratch / "tree"
        shutil.copytree(tree.resolve(), self.tree, symlinks=True)
        self.ours, self.cold = scratch / "ours", scratch / "cold"
        self.words, self.targets = words, targets
        self.variables = variables

    def generate(self, output: Path) -> Sample:
        """A `generate` into an empty output root."""
        shutil.rmtree(output, ignore_errors=True)
        output.mkdir()
        words = ["generate", *self.words, "-o", str(output / "build.ninja"), str(self.tree), *self.targets]
        return measure(bazel2ninja(*words), self.tree.parent, self.variables)

    def regenerate(self) -> Sample:
        return measure(bazel2ninja("regenerate"), self.ours, self.variables)

    def packages(self, count: int) -> list[Package]:
        """So many of the tree's packages that the last run has read, evenly over the sorted list."""
        state = json.loads((self.ours / ".bazel2ninja/regeneration.json").read_text())
        found = []
        for name in sorted(state["files"]):
            path = Path(os.path.normpath(self.ours / name))
            if path.name in _BUILD_FILES and path.is_relative_to(self.tree):
                package = Package(path.parent, path, path.read_text())
                if _calls(package.text):
                    found.append(package)
        count = min(count, len(found))
        return [found[number * len(found) // count] for number in range(count)]

    def edit(self, package: Package, kind: str, runs: int) -> Figure | None:
        """The figure of an edit, made `runs` times, each another one; the tree is as before afterwards.

        None when there is nothing to edit, or when a run from nothing refuses the edit.  Raises AssertionError when the
        regenerated manifest is not the one of a run from nothing.
        """
        pairs = []
        try:
            for number in range(runs):
                package.build_file.write_text(KINDS[kind](package, number))
                try:
                    cold = self.generate(self.cold)
                except ProcessError:
                    return None
                pairs.append((self.regenerate(), cold))
                if (self.ours / "build.ninja").read_bytes() != (self.cold / "build.ninja").read_bytes():
                    raise AssertionError(f"{package.build_file}: {kind}: regenerated otherwise than from nothing")
        except NoSuchEditError:
            return None
        finally:
            package.build_file.write_text(package.text)
            for path in package.directory.rglob("added_by_an_edit_*"):
                path.unlink()
            self.regenerate()
        ours, theirs = (statistics.median(pair[side].cpu for pair in pairs) for side in (0, 1))
        return Figure(str(package.directory.relative_to(self.tree)), kind, ours, theirs)

    def figures(self, count: int, kinds: Sequence[str], runs: int) -> Iterator[Figure]:
        """The figures of all kinds of edits in `count` packages."""
        self.generate(self.ours)
        for package in self.packages(count):
            for kind in kinds:
                figure = self.edit(package, kind, runs)
                if figure is not None:
                    yield figure


def summary(figures: Sequence[Figure]) -> Iterator[str]:
    """Lines with the median and the worst ratio, of each kind of edit and of all."""
    for kind in (*KINDS, "all"):
        chosen = sorted((each for each in figures if kind in (each.kind, "all")), key=lambda each: each.ratio)
        if chosen:
            ratio = statistics.median(each.ratio for each in chosen)
            worst = chosen[-1]
            verdict = "met" if ratio <= GOAL else "MISSED"
            yield (
                f"edits: {kind}: {len(chosen)} edits, median {ratio:.3f} (goal {GOAL:.3f}: {verdict}), "
                f"{chosen[0].ratio:.3f} to {worst.ratio:.3f} (//{worst.package})"
            )

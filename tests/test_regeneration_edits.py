"""Edits of a workspace, one after the other: `regenerate` always makes what a run from nothing makes, byte for byte."""

from __future__ import annotations

import copy
import os
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from killed_runs import changes_of, killed_before
from robust_support import ROOT, Result, run, snapshot

from bazel2ninja.pipeline.again import Again
from bazel2ninja.pipeline.record import PATH

DEFS = """
Seen = provider(fields = ["files"])

def _collect_impl(target, ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".seen")
    below = [dep[Seen].files for dep in getattr(ctx.rule.attr, "deps", []) if Seen in dep]
    seen = [ctx.rule.attr.tags, getattr(ctx.rule.attr, "copts", [])]
    ctx.actions.write(out, "%s %s\\n" % (target.label, seen))
    return [Seen(files = depset([out], transitive = below))]

collect = aspect(implementation = _collect_impl, attr_aspects = ["deps"])

def _report_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name + ".report")
    files = depset(transitive = [dep[Seen].files for dep in ctx.attr.deps])
    args = ctx.actions.args()
    args.add_all(files)
    ctx.actions.run_shell(outputs = [out], inputs = files, arguments = [args], command = "cat $@ > " + out.path)
    return [DefaultInfo(files = depset([out]))]

report = rule(_report_impl, attrs = {"deps": attr.label_list(aspects = [collect])})

def _fast_impl(settings, attr):
    return {"//command_line_option:compilation_mode": attr.mode}

fast = transition(implementation = _fast_impl, inputs = [], outputs = ["//command_line_option:compilation_mode"])

def _other_impl(ctx):
    return [DefaultInfo(files = depset(transitive = [dep[DefaultInfo].files for dep in ctx.attr.dep]))]

other = rule(_other_impl, attrs = {
    "dep": attr.label(cfg = fast),
    "mode": attr.string(default = "opt"),
    "_allowlist_function_transition": attr.label(
        default = "@bazel_tools//tools/allowlists/function_transition_allowlist",
    ),
})

def _declared_impl(ctx):
    out = ctx.actions.declare_file(ctx.attr.file)
    ctx.actions.write(out, ctx.attr.text)
    return [DefaultInfo(files = depset([out]))]

def _held_impl(name, visibility, dep, hidden):
    native.filegroup(name = name + "_inner", srcs = [dep] if hidden else [])
    native.filegroup(name = name, srcs = [dep, name + "_inner"], visibility = visibility)

held = macro(implementation = _held_impl, attrs = {
    "dep": attr.label(configurable = False),
    "hidden": attr.bool(configurable = False),
})

declared = rule(_declared_impl, attrs = {"file": attr.string(), "text": attr.string()})

def pair(name, **kwargs):
    native.genrule(name = name + "_1", outs = [name + ".1"], cmd = "echo SUFFIX > $@", **kwargs)
    native.genrule(name = name + "_2", srcs = [name + "_1"], outs = [name + ".2"], cmd = "cp $< $@", **kwargs)
"""
FRIENDS = 'package_group(name = "friends", packages = ["//..."])\n'
PACKAGES = ("a", "a/b", "c", "d", "e")
LOAD = 'load("//defs:defs.bzl", "declared", "held", "other", "pair", "report")\n'
Attributes = dict[str, Any]


class Tree:
    """A source tree whose BUILD files are values: package -> name of a target -> (kind, attributes)."""

    def __init__(self, place: Path, seed: int):
        self.place = place
        self.chance = random.Random(seed)
        self.packages: dict[str, dict[str, tuple[str, Attributes]]] = {}
        self.heads: dict[str, str] = {}
        self.number = 0
        self.file("WORKSPACE", 'workspace(name = "ws")\n')
        self.file("defs/BUILD", FRIENDS)
        self.file("defs/defs.bzl", DEFS)
        self.file(".bazelrc", "")
        self.file(
            "flags/BUILD",
            'config_setting(name = "on", values = {"define": "on=1"}, visibility = ["//visibility:public"])\n',
        )
        for package in PACKAGES:
            self.packages[package] = {}
            self.heads[package] = LOAD + 'package(default_visibility = ["//visibility:public"])\n'
            for _ in range(4):
                self.new_target(package)
            self.write(package)
        self.keep()

    def file(self, path: str, text: str) -> None:
        goal = self.place / path
        goal.parent.mkdir(parents=True, exist_ok=True)
        goal.write_text(text)

    def write(self, package: str) -> None:
        calls = [
            f"{kind}({', '.join(f'{key} = {value}' for key, value in {'name': repr(name), **given}.items())})\n"
            for name, (kind, given) in self.packages[package].items()
        ]
        self.file(f"{package}/BUILD", self.heads[package] + "".join(calls))

    def some_package(self) -> str:
        return self.chance.choice(list(self.packages))

    def labels(self, *kinds: str) -> list[str]:
        return [
            f"//{package}:{name}"
            for package, targets in self.packages.items()
            for name, (kind, _) in targets.items()
            if kind in kinds
        ]

    def some_labels(self, *kinds: str) -> str:
        known = self.labels(*kinds)
        return repr(sorted(set(self.chance.choices(known, k=self.chance.randrange(4))))) if known else "[]"

    def new_target(self, package: str) -> None:
        self.number += 1
        kind = self.chance.choice(
            (*["library"] * 3, "binary", "test", "genrule", "report", "other", "alias", "suite", "pair", "held")
        )
        name = f"t{self.number}"
        if kind in ("library", "binary", "test"):
            self.file(f"{package}/{name}.cc", "")
            given = {"srcs": f'["{name}.cc"]', "deps": self.some_labels("cc_library")}
            if kind == "library" and self.chance.random() < 0.5:
                self.file(f"{package}/{name}/one.h", "")
                given["hdrs"] = f'glob(["{name}/*.h"], allow_empty = True)'
            target = f"cc_{kind}", given
        elif kind == "genrule":
            target = kind, {"outs": f'["{name}.txt"]', "cmd": '"echo > $@"', "srcs": self.some_labels("genrule")}
        elif kind == "report":
            target = kind, {"deps": self.some_labels("cc_library", "genrule")}
        elif kind == "held":
            known = self.labels("cc_library", "genrule", "filegroup", "held") or ["//defs:friends"]
            target = kind, {"dep": repr(self.chance.choice(known)), "hidden": "False"}
        elif kind == "other" or kind == "alias":
            known = self.labels("cc_library", "genrule") or ["//defs:friends"]
            target = kind, {"dep" if kind == "other" else "actual": repr(self.chance.choice(known))}
        elif kind == "suite":
            target = "test_suite", {"tests": self.some_labels("cc_test")}
        else:
            target = "pair", {}
        self.packages[package][name] = target

    # Edits.

    def add_target(self) -> None:
        package = self.some_package()
        self.new_target(package)
        self.write(package)

    def remove_target(self) -> None:
        package = self.some_package()
        if self.packages[package]:
            self.packages[package].pop(self.chance.choice(list(self.packages[package])))
        self.write(package)

    def change_target(self) -> None:
        package = self.some_package()
        if not self.packages[package]:
            return
        kind, given = self.packages[package][self.chance.choice(list(self.packages[package]))]
        self.number += 1
        if kind.startswith("cc_"):
            key, value = self.chance.choice(
                (
                    ("deps", self.some_labels("cc_library")),
                    ("defines", f'["D{self.number}"]'),
                    ("local_defines", f'["L{self.number}"]'),
                    ("copts", f'select({{"//flags:on": ["-DON{self.number}"], "//conditions:default": []}})'),
                    ("copts", f'["-DC{self.number}"]'),
                    ("cxxopts", f'["-DX{self.number}"]'),
                    ("linkopts", f'["-lx{self.number}"]'),
                    ("tags", '["manual"]'),
                    ("testonly", "True"),
                    ("visibility", '["//defs:friends"]'),
                    ("visibility", '["//visibility:private"]'),
                    ("visibility", '["//a:__subpackages__"]'),
                    ("linkstatic", "True"),
                    ("target_compatible_with", '["@platforms//os:windows"]'),
                )
            )
            if given.get(key) == value:
                del given[key]
            else:
                given[key] = value
        elif kind == "genrule":
            given["cmd"] = f'"echo {self.number} > $@"'
            given["srcs"] = self.some_labels("genrule", "cc_binary", "report")
        elif kind == "report":
            given["deps"] = self.some_labels("cc_library", "genrule")
        elif kind == "other":
            given["mode"] = self.chance.choice(('"opt"', '"dbg"', '"fastbuild"'))
        elif kind == "held":
            key, value = self.chance.choice((("hidden", "True"), ("visibility", '["//visibility:private"]')))
            if given.get(key) == value:
                given[key] = "False" if key == "hidden" else '["//visibility:public"]'
            else:
                given[key] = value
        elif kind == "test_suite":
            given["tests"] = self.some_labels("cc_test")
        elif kind == "alias":
            given["actual"] = repr(self.chance.choice(self.labels("cc_library", "genrule") or ["//defs:friends"]))
        self.write(package)

    def declare_twice(self) -> None:
        package = self.some_package()
        self.number += 1
        file = self.chance.choice(("same", f"other{self.number}", "same/below"))
        self.packages[package][f"t{self.number}"] = "declared", {"file": repr(file), "text": f'"{self.number}"'}
        self.write(package)

    def comment(self) -> None:
        package = self.some_package()
        self.heads[package] = "# a line\n" + self.heads[package]
        self.write(package)

    def change_defaults(self) -> None:
        package = self.some_package()
        options = ("", ", default_testonly = True", ', features = ["-x"]', ', default_copts = ["-DP"]')
        self.heads[package] = (
            LOAD + f'package(default_visibility = ["//visibility:public"]{self.chance.choice(options)})\n'
        )
        self.write(package)

    def break_file(self) -> None:
        package = self.some_package()
        self.heads[package] += self.chance.choice(
            ("x = = 1\n", "nonsense()\n", 'cc_library(name = "n", deps = [":no"])\n')
        )
        self.write(package)
        self.heads[package] = LOAD + 'package(default_visibility = ["//visibility:public"])\n'

    def keep(self) -> None:
        """Takes the packages as they are for good."""
        self.good = copy.deepcopy((self.packages, self.heads))

    def mend(self) -> None:
        """Makes the packages good again."""
        for package in self.packages.keys() - self.good[0].keys():
            (self.place / package / "BUILD").unlink()
        self.packages, self.heads = copy.deepcopy(self.good)
        self.file("defs/BUILD", FRIENDS)
        for package in self.packages:
            self.write(package)

    def add_file(self) -> None:
        package = self.some_package()
        self.number += 1
        directories = sorted(path for path in (self.place / package).iterdir() if path.is_dir())
        goal = self.chance.choice([self.place / package, *directories])
        (goal / f"new{self.number}.h").touch()

    def remove_file(self) -> None:
        files = sorted((self.place / self.some_package()).rglob("*.h"))
        if files:
            self.chance.choice(files).unlink()

    def change_bzl(self) -> None:
        self.number += 1
        self.file("defs/defs.bzl", DEFS.replace("SUFFIX", str(self.number)))

    def change_flags(self) -> None:
        self.file(".bazelrc", self.chance.choice(("", "build --define=on=1\n", "build -c dbg\n", "build --copt=-g3\n")))

    def change_condition(self) -> None:
        name = self.chance.choice(("on=1", "off=1"))
        self.file(
            "flags/BUILD",
            f'config_setting(name = "on", values = {{"define": "{name}"}}, visibility = ["//visibility:public"])\n',
        )

    def change_group(self) -> None:
        packages = self.chance.choice(('"//..."', '"//a/..."', '"//c"'))
        self.file("defs/BUILD", f'package_group(name = "friends", packages = [{packages}])\n')

    def new_package(self) -> None:
        self.number += 1
        package = f"{self.some_package()}/p{self.number}"
        self.packages[package] = {}
        self.heads[package] = LOAD + 'package(default_visibility = ["//visibility:public"])\n'
        self.new_target(package)
        self.write(package)

    def remove_package(self) -> None:
        package = self.some_package()
        if len(self.packages) > 2:
            del self.packages[package]
            (self.place / package / "BUILD").unlink()

    def edit(self) -> str:
        """One edit; returns its name."""
        chosen: Callable[[], None] = self.chance.choice(
            (
                *[self.change_target] * 8,
                *[self.add_target] * 3,
                *[self.remove_target] * 2,
                *[self.mend] * 2,
                self.declare_twice,
                self.comment,
                self.change_defaults,
                self.break_file,
                self.add_file,
                self.remove_file,
                self.change_bzl,
                self.change_flags,
                self.change_condition,
                self.change_group,
                self.new_package,
                self.remove_package,
            )
        )
        chosen()
        return chosen.__name__


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for name in ("CC", "CFLAGS", "CXXFLAGS"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def reused(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Grows by True whenever a manifest was made from parts."""
    found: list[bool] = []
    make = Again.make

    def counted(self: Again, changed: Any) -> Any:
        made = make(self, changed)
        found.append(True)
        return made

    monkeypatch.setattr(Again, "make", counted)
    return found


def regenerate(place: Path) -> Result:
    os.chdir(place / "out")
    try:
        return run("regenerate")
    finally:
        os.chdir(place)


def cold(place: Path, *words: str) -> Result:
    shutil.rmtree(place / "cold", ignore_errors=True)
    return run("generate", "-o", "cold/build.ninja", "src", *words)


def made(output: Path) -> dict[str, str]:
    """The manifest and what it refers to."""
    found = {}
    for path, (mode, _, content) in snapshot(output).items():
        if not re.match(r"\.bazel2ninja/(cache|regeneration\.)", path):
            found[path] = f"{mode} {content}"
    return found


def same_as_cold(place: Path, what: str, *words: str) -> bool:
    """Checks a regeneration against a run from nothing; False when both fail."""
    before = (place / "out/build.ninja").read_bytes()
    ours, theirs = regenerate(place), cold(place, *words)
    assert (ours.status, theirs.status) in ((0, 0), (1, 1)), f"{what}: {ours.err}\n{theirs.err}"
    if theirs.status:
        assert ours.err == theirs.err, f"{what}: {ours.err}\n{theirs.err}"
        assert (place / "out/build.ninja").read_bytes() == before
        return False
    left, right = made(place / "out"), made(place / "cold")
    # what is of no more use stays for now: the script that installs, links to repositories, what a killed run began
    extra = [
        path
        for path in left.keys() - right.keys()
        if not re.match(r"\.bazel2ninja/(install\.sh|external/|(.*/)?\.writing-)|\.writing-", path)
    ]
    assert not extra, what
    for path, content in right.items():
        assert left.get(path) == content, f"{what}: {path}"
    return True


SEEDS = (3, 4, 7)


def some_tree(place: Path, seed: int) -> Tree:
    """One for which a manifest has been made."""
    while True:
        tree = Tree(place / "src", seed)
        for _ in range(20):
            if run("generate", "-o", "out/build.ninja", "src").status == 0:
                return tree
            tree.edit()
        shutil.rmtree(place / "src")
        seed += 1000


@pytest.mark.slow
@pytest.mark.parametrize("seed", list(map(int, os.environ.get("BAZEL2NINJA_EDIT_SEEDS", "").split() or SEEDS)))
def test_any_edits(place: Path, seed: int, reused: list[bool]) -> None:
    tree = some_tree(place, seed)
    tree.keep()
    for step in range(10):
        name = tree.edit()
        if same_as_cold(place, f"seed {seed}, step {step}: {name}"):
            tree.keep()
        elif tree.chance.random() < 0.8:
            tree.mend()
            assert same_as_cold(place, f"seed {seed}, step {step}: {name}, mended")
    assert reused or seed not in SEEDS


EDITS = {
    "a flag of its own": ("a/BUILD", 'name = "high"', 'name = "high", copts = ["-DX=1"]'),
    "a flag of a test": ("c/BUILD", 'name = "more_test"', 'name = "more_test", cxxopts = ["-DX=1"]'),
    "a define": ("a/BUILD", 'name = "low"', 'name = "low", local_defines = ["X=1"]'),
    "a define for all": ("a/BUILD", 'name = "low"', 'name = "low", defines = ["X=1"]'),
    "a dependency": ("a/BUILD", 'name = "high"', 'name = "high", deps = ["//c:more"]'),
    "one dependency less": ("c/BUILD", 'deps = ["//a:low"]', "deps = []"),
    "a target": ("a/BUILD", "# end", 'cc_library(name = "new", hdrs = ["low.h"])'),
    "a target less": ("c/BUILD", 'cc_library(name = "free")', ""),
    "a test": ("c/BUILD", "# end", 'cc_test(name = "new_test", srcs = ["more.cc"], shard_count = 3)'),
    "a branch": ("c/BUILD", '"//conditions:default": []', '"//conditions:default": ["-DY"]'),
    "an output": ("c/BUILD", 'outs = ["made.txt"]', 'outs = ["made.txt", "second.txt"]'),
    "a program": ("c/BUILD", "# end", 'cc_binary(name = "program", srcs = ["more.cc"])'),
    "a visibility": ("a/BUILD", 'name = "low"', 'name = "low", visibility = ["//c:__pkg__"]'),
}
BUILDS = {
    "a/BUILD": 'package(default_visibility = ["//visibility:public"])\ncc_library(name = "low", hdrs = ["low.h"])\n'
    'cc_library(name = "high", srcs = ["high.cc"], hdrs = glob(["*.inc"], allow_empty = True))\n# end\n',
    "a/low.h": "",
    "a/high.cc": "",
    "c/BUILD": 'package(default_visibility = ["//visibility:public"])\n'
    'cc_library(name = "more", srcs = ["more.cc"], deps = ["//a:low"])\ncc_library(name = "free")\n'
    'genrule(name = "made", outs = ["made.txt"], cmd = "touch $(OUTS)")\n'
    'cc_library(name = "choice", srcs = ["more.cc"], copts = select({"//c:on": ["-DX"], "//conditions:default": []}))\n'
    'config_setting(name = "on", values = {"define": "on=1"})\n'
    'cc_test(name = "more_test", srcs = ["more.cc"], deps = [":more"])\n# end\n',
    "c/more.cc": "",
    "WORKSPACE": "",
}


def lay(place: Path) -> None:
    for path, text in BUILDS.items():
        (place / "src" / path).parent.mkdir(parents=True, exist_ok=True)
        (place / "src" / path).write_text(text)
    assert run("generate", "-o", "out/build.ninja", "src").status == 0


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_made_from_parts_and_taken_back_again(place: Path, edit: str, reused: list[bool]) -> None:
    lay(place)
    path, old, new = EDITS[edit]
    text = BUILDS[path]
    assert old in text
    (place / "src" / path).write_text(text.replace(old, new))
    assert same_as_cold(place, edit)
    assert reused == [True]
    (place / "src" / path).write_text(text)
    assert same_as_cold(place, f"{edit}, taken back")
    assert reused == [True, True]


@pytest.mark.slow
def test_edits_that_come_and_go(place: Path, reused: list[bool]) -> None:
    """The same results are there again and again: the record must not take a former one for the last one."""
    chance = random.Random(1)
    texts = {path: BUILDS[path] for path in ("a/BUILD", "c/BUILD")}
    texts["c/BUILD"] += 'cc_library(name = "top", srcs = ["more.cc"], deps = [":more"])\n'
    lay(place)
    for path, text in texts.items():
        (place / "src" / path).write_text(text)
    assert same_as_cold(place, "a new target")
    for step in range(24):
        name = chance.choice(("low", "more", "free"))
        path = "a/BUILD" if name == "low" else "c/BUILD"
        said = chance.choice(('defines = ["A"]', 'defines = ["B"]', 'copts = ["-DC"]', 'data = ["high.cc"]'))
        if name != "low":
            said = said.replace("high.cc", "more.cc")
        (place / "src" / path).write_text(texts[path].replace(f'name = "{name}"', f'name = "{name}", {said}'))
        assert same_as_cold(place, f"step {step}: {name} has {said}")
        if chance.random() < 0.7:
            (place / "src" / path).write_text(texts[path])
            assert same_as_cold(place, f"step {step}: {name} has {said}, taken back")
    assert all(reused)


@pytest.mark.slow
def test_a_killed_regeneration_leaves_what_the_next_one_can_use(place: Path) -> None:
    lay(place)
    texts = [BUILDS["a/BUILD"].replace('name = "low"', f'name = "low", defines = ["K{number}"]') for number in range(7)]
    (place / "src/a/BUILD").write_text(texts[0])
    changes = changes_of(["regenerate"], place / "out")
    assert changes >= 3
    ends = [1, changes, *random.sample(range(2, changes), min(4, changes - 2))]
    for number, (end, text) in enumerate(zip(ends, texts[1:], strict=False), 1):
        before = (place / "out/build.ninja").read_bytes()
        (place / "src/a/BUILD").write_text(text)
        assert killed_before(end, ["regenerate"], place / "out"), f"{end} of {changes} changes"
        after = (place / "out/build.ninja").read_bytes()
        assert after == before or f"K{number}".encode() in after, f"{end} of {changes} changes"
        assert same_as_cold(place, f"edit {number}, killed before change {end} of {changes}")


def test_a_new_file_of_a_glob(place: Path, reused: list[bool]) -> None:
    lay(place)
    (place / "src/a/new.inc").touch()
    assert same_as_cold(place, "a new file")
    (place / "src/a/new.inc").unlink()
    assert same_as_cold(place, "the file is gone")
    assert reused == [True, True]


def test_what_a_condition_says_counts_for_everything(place: Path, reused: list[bool]) -> None:
    lay(place)
    text = BUILDS["c/BUILD"].replace('"define": "on=1"', '"cpu": "k8"')
    (place / "src/c/BUILD").write_text(text)
    assert same_as_cold(place, "a condition")
    assert not reused


@pytest.mark.parametrize("content", [b"", b"bazel2ninja", b"half", b"flipped", b"version"])
def test_a_damaged_record_does_not_count(place: Path, content: bytes, reused: list[bool]) -> None:
    lay(place)
    path = place / "out" / PATH
    good = path.read_bytes()
    if content == b"half":
        content = good[: len(good) // 2]
    elif content == b"flipped":
        content = good[:-100] + bytes([good[-100] ^ 1]) + good[-99:]
    elif content == b"version":
        content = good.replace(b" ", b".1 ", 1)
    path.write_bytes(content)
    (place / "src/a/BUILD").write_text(BUILDS["a/BUILD"].replace('name = "low"', 'name = "low", defines = ["X"]'))
    assert same_as_cold(place, "a damaged record")
    assert not reused


def test_a_record_of_another_state_does_not_count(place: Path, reused: list[bool]) -> None:
    lay(place)
    old = (place / "out" / PATH).read_bytes()
    for define in ("X", "Y"):
        (place / "src/a/BUILD").write_text(
            BUILDS["a/BUILD"].replace('name = "low"', f'name = "low", defines = ["{define}"]')
        )
        assert same_as_cold(place, define)
        (place / "out" / PATH).write_bytes(old)
    assert reused == [True]


def test_a_side_file_that_somebody_took_is_there_again(place: Path) -> None:
    lay(place)
    files = sorted((place / "out/.bazel2ninja/runfiles").rglob("*.list"))
    assert files
    files[0].unlink()
    (place / "src/a/BUILD").write_text(BUILDS["a/BUILD"].replace('name = "high"', 'name = "high", defines = ["X"]'))
    assert same_as_cold(place, "a side file")
    assert files[0].exists()


def test_a_call_of_an_absent_macro_that_nobody_needs(place: Path, reused: list[bool]) -> None:
    """Targets that are named one by one are made again without it; a wildcard that covers it warns each time."""
    (place / "src/a").mkdir(parents=True)
    (place / "src/WORKSPACE").write_text("")
    text = 'load("@nowhere//:defs.bzl", "thing")\nthing(name = "other")\ncc_library(name = "x", srcs = ["x.cc"])\n'
    (place / "src/a/x.cc").touch()
    for number, words in enumerate((["//a:x"], ["//a:all", "-k"])):
        (place / "src/a/BUILD").write_text(text)
        run("generate", "-o", "out/build.ninja", "src", *words)
        (place / "src/a/BUILD").write_text(text.replace('["x.cc"]', '["x.cc"], defines = ["EDITED"]'))
        assert "EDITED" not in (place / "out/build.ninja").read_text()
        regenerate(place)
        cold(place, *words)
        assert "EDITED" in (place / "out/build.ninja").read_text()
        assert made(place / "out") == made(place / "cold")
        assert reused == [True], number

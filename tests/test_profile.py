"""Profiles: recognising a tree, what they give, and what is wrong with a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazel2ninja import profile
from bazel2ninja.cli import main
from bazel2ninja.diagnostics import WorkspaceError, render
from bazel2ninja.filesystem import Disk, MemoryFileSystem
from bazel2ninja.pipeline.session import Request, Session

PROFILE = """
name = "p"
[recognise]
workspace = "thing"
[[recognise.version]]
file = "absent.h"
patterns = ['(x)']
[[recognise.version]]
file = "version.h"
patterns = ['MAJOR (\\d+)', 'MINOR (\\d+)']
[[release]]
versions = "< 2"
bazel = "0.26.1"
reason = "old"
[[target]]
versions = ">= 1.2, < 1.4"
patterns = ["//a:x"]
reason = "the product"
[[target]]
versions = "> 1.3"
patterns = ["//a:not"]
reason = "later"
[[option]]
words = ["--define=a=profile", "--define=b=profile"]
reason = "why not"
[[environment]]
name = "FLAGS"
words = ["--copt={value}"]
each_word = true
reason = "as users know it"
[[environment]]
name = "SWITCH"
values = ["1"]
words = ["--define=switch=on"]
reason = "as users know it"
[[repository]]
name = "other"
directory = "other"
reason = "nobody has it"
[[repository]]
name = "made"
rule = "//:rule.bzl%made"
reason = "the tree can make it"
[[option]]
words = ["--define=b=late", "--define=c=late"]
after_bazelrc = true
reason = "the tree's own default is for something else"
versions = ">= 1.3.5"
[[always]]
repository = "settings"
reason = "its rule refuses wrong names"
[[file]]
label = "//a:gen/version.json"
content = '{"git": false}'
reason = "./configure writes it"
"""
CHECK = """
def _check(ctx):
    for name in ctx.os.environ.get("NAMES", "known").split(","):
        if name != "known":
            fail("unknown name: " + name)
    ctx.file("BUILD", "")

settings = repository_rule(implementation = _check, environ = ["NAMES"])
"""
FILES = {
    "WORKSPACE": 'workspace(name = "thing")\nload("//:check.bzl", "settings")\nsettings(name = "settings")\n',
    "BUILD": "",
    "check.bzl": CHECK,
    "version.h": "#define MAJOR 1\n#define MINOR 3\n",
    ".bazelrc": "build --define=b=rc\n",
    "a/BUILD": "cc_library(\n    name = 'x',\n    copts = select({':on': ['-DON'], '//conditions:default': []}),\n)\n"
    "config_setting(name = 'on', define_values = {'switch': 'on'})\n",
}


def tree(tmp_path: Path, **changes: str) -> str:
    for name, text in {**FILES, **changes}.items():
        path = tmp_path / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "p.toml").write_text(PROFILE)
    (tmp_path / "other").mkdir(exist_ok=True)
    return str(tmp_path / "src")


def session(tmp_path: Path, *words: str, source: str = "", **environment: str) -> Session:
    return Session(
        Request(
            source=source or tree(tmp_path),
            words=(f"--profile={tmp_path / 'p.toml'}", *words),
            output_root=str(tmp_path / "out"),
            environment=environment,
        )
    )


def test_what_a_profile_gives(tmp_path: Path) -> None:
    made = session(tmp_path, "--define=c=line", FLAGS="-O3 -g", SWITCH="0")
    assert made.profile is not None and made.profile.version == (1, 3)
    assert made.targets == ("//a:x",)
    assert made.release == (0, 26, 1)
    assert made.workspace.bazel_version == "0.26.1"
    settings = made.configurations.target.settings
    assert dict(settings.defines) == {"a": "profile", "b": "rc", "c": "line"}
    assert settings.copts == ("-O3", "-g")
    assert made.workspace.repository("other").origin.reason == "profile p: nobody has it"
    assert made.environment_reads >= {"FLAGS", "SWITCH"}


@pytest.mark.parametrize(("words", "value"), [((), "on"), (("--define=switch=line",), "line")])
def test_who_sets_a_variable_means_it(tmp_path: Path, words: tuple[str, ...], value: str) -> None:
    source = tree(tmp_path, **{".bazelrc": "build --define=switch=rc\n"})
    made = session(tmp_path, *words, source=source, SWITCH="1")
    assert dict(made.configurations.target.settings.defines)["switch"] == value


def test_a_repository_by_a_rule_of_the_tree(tmp_path: Path) -> None:
    rule = (
        "def _make(ctx):\n    ctx.file('BUILD', 'filegroup(name = \"t\")')\n\n"
        "made = repository_rule(implementation = _make)\nnot_a_rule = 1\n"
    )
    source = tree(tmp_path, **{"BUILD": "alias(name = 'l', actual = '@made//:t')\n", "rule.bzl": rule})
    made = session(tmp_path, source=source)
    found = made.workspace.repository("made")
    assert found.origin.reason == "profile p: the tree can make it"
    assert made.loader.target(made.workspace.label("@made//:t")).kind == "filegroup rule"
    (tmp_path / "p.toml").write_text(PROFILE.replace("bzl%made", "bzl%not_a_rule"))
    with pytest.raises(WorkspaceError, match=r"'//:rule.bzl' has no repository rule 'not_a_rule'"):
        session(tmp_path, source=source).workspace.repository("made")


def test_options_after_those_of_bazelrc(tmp_path: Path) -> None:
    version = "#define MAJOR 1\n#define MINOR 4\n"
    made = session(tmp_path, "--define=c=line", source=tree(tmp_path, **{"version.h": version}))
    defines = dict(made.configurations.target.settings.defines)
    assert defines == {"a": "profile", "b": "late", "c": "line"}


def test_a_file_that_a_script_would_write_into_the_tree(tmp_path: Path) -> None:
    text = "genrule(name = 'g', srcs = ['gen/version.json'], outs = ['v'], cmd = 'cp $< $@')\n"
    source = tree(tmp_path, **{"a/BUILD": text})
    words = ["generate", "-o", str(tmp_path / "out/build.ninja"), source, "//a:g"]
    (tmp_path / "out").mkdir()
    assert main([*words, f"--profile={tmp_path / 'p.toml'}"]) == 0
    written = tmp_path / "out/.bazel2ninja"
    assert any(
        path.read_text() == '{"git": false}'
        for path in written.rglob("*")
        if path.is_file() and path.stat().st_size == 14
    )
    assert "bazel-out/k8-fastbuild/bin/a/gen/version.json" in (tmp_path / "out/build.ninja").read_text()
    assert main([*words, "--noprofile"]) == 0  # ninja will say that the file is missing
    assert "bin/a/gen/version.json" not in (tmp_path / "out/build.ninja").read_text()
    (tmp_path / "src/a/gen").mkdir()
    (tmp_path / "src/a/gen/version.json").write_text("own")
    (tmp_path / "src/a/BUILD").write_text("exports_files(['gen/version.json'])\n" + text)
    assert main([*words, f"--profile={tmp_path / 'p.toml'}"]) == 0
    assert "bin/a/gen/version.json" not in (tmp_path / "out/build.ninja").read_text()


def test_a_repository_that_checks_what_the_user_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing that is built needs it."""
    words = ["generate", "-o", str(tmp_path / "out/build.ninja"), f"--profile={tmp_path / 'p.toml'}", tree(tmp_path)]
    (tmp_path / "out").mkdir()
    assert main([*words, "--repo_env=NAMES=known"]) == 0
    assert main([*words, "--repo_env=NAMES=known,no_such"]) == 1
    assert "unknown name: no_such" in capsys.readouterr().err


def test_the_command_line_wins(tmp_path: Path) -> None:
    made = session(tmp_path, "//b:y", "--bazel_release", "7.1", "--define=a=line", SWITCH="1")
    assert made.targets == ("//b:y",) and made.release == (7, 1)
    assert dict(made.configurations.target.settings.defines) == {"a": "line", "b": "rc", "switch": "on"}
    made = session(tmp_path, source=tree(tmp_path, **{".bazelversion": "6.1.0\n"}))
    assert made.release == (6, 1, 0)


def test_trees_that_are_not_recognised(tmp_path: Path) -> None:
    for changes, message in (
        ({"WORKSPACE": 'workspace(name = "thing2")\n'}, "is not for this tree: its workspace is not 'thing'"),
        ({"version.h": "#define MAJOR 1\n"}, "finds no version in the files of this tree"),
    ):
        with pytest.raises(WorkspaceError, match=message):
            session(tmp_path, source=tree(tmp_path, **changes))
    with pytest.raises(WorkspaceError, match="no profile"):
        profile.find(Disk(), tree(tmp_path), {}, path="absent.toml")
    assert profile.find(Disk(), tree(tmp_path), {}) is None


def test_no_profile(tmp_path: Path) -> None:
    made = Session(Request(source=tree(tmp_path), words=("--noprofile",), output_root=str(tmp_path / "out")))
    assert made.profile is None and made.targets == ("//...",)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("reason = 'x'", "", ""),
        ('bazel = "0.26.1"', 'bazl = "0.26.1"', "p.toml:13:0: error: 'release' of a profile has no key 'bazl'"),
        ('name = "p"\n', 'name = "p"\nnmae = 1\n', "p.toml:3:0: error: a profile has no key 'nmae'"),
        ("[[option]]", "[[options]]", "p.toml:23:0: error: a profile has no key 'options'"),
        ('reason = "later"\n', "", "p.toml:19:0: error: 'reason' of 'target' of a profile must be a text"),
        ('rule = "//', 'directory = "x"\nrule = "//', "p.toml:40:0: error: 'repository' of a profile has either a"),
        ("bzl%made", "bzl", "p.toml:42:0: error: 'rule' of 'repository' of a profile is not 'LABEL%SYMBOL'"),
        ('"> 1.3"', '"~> 1.3"', "p.toml:20:0: error: not a comparison of versions: '~> 1.3'"),
        ("'(x)'", "'x'", "p.toml:7:0: error: the pattern 'x' must have one group, the number"),
        ("'(x)'", "'('", "p.toml:7:0: error: not a regular expression: '('"),
        ('patterns = ["//a:x"]', 'patterns = "//a:x"', "p.toml:17:0: error: 'patterns' of 'target' of a profile"),
        ('name = "p"', "name = ", "p.toml:2:8: error: not TOML"),
    ],
)
def test_wrong_files(old: str, new: str, message: str) -> None:
    if not message:
        assert profile.ProfileFile(PROFILE, "p.toml").name == "p"
        return
    assert old in PROFILE
    with pytest.raises(WorkspaceError) as caught:
        profile.ProfileFile(PROFILE.replace(old, new, 1), "p.toml")
    assert message.replace(":0:", ":") in render(caught.value.diagnostic).replace(":0:", ":")


def test_a_wrong_option_of_a_profile_is_told_with_its_place(tmp_path: Path) -> None:
    source = tree(tmp_path)
    (tmp_path / "p.toml").write_text(PROFILE.replace("--define=a=profile", "--defin=a"))
    with pytest.raises(WorkspaceError) as caught:
        Session(Request(source=source, words=(f"--profile={tmp_path / 'p.toml'}",)))
    assert "p.toml:23: error: unrecognized option '--defin'" in render(caught.value.diagnostic)


def test_built_in_profiles_are_sound() -> None:
    names = [path for path in Path(profile.DIRECTORY).iterdir() if path.suffix == ".toml"]
    assert names
    for path in names:
        file = profile.ProfileFile(path.read_text(), str(path))
        assert "opt" in {line.config for line in file.applied((2, 14, 1), {}).lines}
        for version in ((1, 4, 1), (1, 15, 5), (2, 0, 0), (2, 14, 1), (2, 21, 0)):
            made = file.applied(version, {})
            assert made.targets


@pytest.mark.parametrize(
    ("version", "release"), [("1 4 1", (0, 8, 1)), ("1 9 0", (0, 11, 1)), ("2 0 0", (0, 26, 1)), ("2 14 1", ())]
)
def test_a_tree_is_known_by_its_content(version: str, release: tuple[int, ...]) -> None:
    major, minor, patch = version.split()
    header = f"#define TF_MAJOR_VERSION {major}\n#define TF_MINOR_VERSION {minor}\n#define TF_PATCH_VERSION {patch}\n"
    files = {"s/WORKSPACE": 'workspace(name = "org_tensorflow")\n', "s/tensorflow/core/public/version.h": header}
    path = Path(profile.DIRECTORY) / "tensorflow.toml"
    file = profile.ProfileFile(path.read_text(), str(path))
    found = file.recognise(MemoryFileSystem(files), "s")
    assert found == (int(major), int(minor), int(patch))
    assert file.applied(found, {}).release == release


CHECK = """
[[check]]
repository = "local_tool"
file = "found.h"
version = 'VERSION "(.*)"'
asked = 'THINGS (.*)'
item = '(\\d+)\\.?(\\d)'
what = "thing"
of = "tool"
help = "say other things"
reason = "late is bad"
[check.needs]
"1.0" = "< 3"
"2.0" = ">= 2.5"
"""
TOOL = """
def _impl(ctx):
    ctx.file("BUILD", 'exports_files(["found.h"])')
    ctx.file("found.h", '#define VERSION "%s"\\n#define THINGS %s\\n' % (ctx.attr.version, ctx.attr.things))

tool = repository_rule(implementation = _impl, attrs = {"version": attr.string(), "things": attr.string()})
"""


@pytest.mark.parametrize(
    ("version", "things", "message"),
    [
        ("2.6", "10, 2.0", ""),
        ("2.6", "", ""),
        ("2.6", "X", ""),
        ("2.4", "1.0, 2.0", "thing 2.0 needs tool >= 2.5, and tool 2.4 was found"),
        ("3.0.1", "20, 10", "thing 1.0 needs tool < 3, and tool 3.0.1 was found"),
        ("2.6", "7.7", "nothing is known about thing '7.7' (profile p)"),
    ],
)
def test_what_a_rule_found_is_checked(tmp_path: Path, version: str, things: str, message: str) -> None:
    source = tree(tmp_path)
    Path(source, "tool.bzl").write_text(TOOL)
    Path(source, "BUILD").write_text("")
    Path(source, "WORKSPACE").write_text(
        'workspace(name = "thing")\nload("//:tool.bzl", "tool")\n'
        f'tool(name = "local_tool", version = "{version}", things = "{things}")\n'
    )
    (tmp_path / "p.toml").write_text(PROFILE + CHECK)
    made = Session(Request(source=source, words=(f"--profile={tmp_path / 'p.toml'}",), output_root=str(tmp_path)))
    if not message:
        assert made.workspace.repository("local_tool").directory
        return
    for _ in range(2):  # the second time the repository is there already
        with pytest.raises(WorkspaceError) as caught:
            made.workspace.repository("local_tool")
        told = render(caught.value.diagnostic)
        assert f"error: {message}" in told
        assert "note: repository '@local_tool' is made by tool()" in told
        assert "help: say other things" in told
        made = Session(Request(source=source, words=(f"--profile={tmp_path / 'p.toml'}",), output_root=str(tmp_path)))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("'VERSION \"(.*)\"'", "'VERSION'", "must have one group"),
        ('">= 2.5"', '"at least 2.5"', "not a comparison of versions: 'at least 2.5'"),
        ('"1.0" = "< 3"\n"2.0" = ">= 2.5"\n', "", "'needs' of 'check' of a profile is a table of version ranges"),
        ('what = "thing"\n', "", "'what' of 'check' of a profile must be a text"),
    ],
)
def test_a_wrong_check(tmp_path: Path, old: str, new: str, message: str) -> None:
    source = tree(tmp_path)
    assert old in CHECK
    (tmp_path / "p.toml").write_text(PROFILE + CHECK.replace(old, new))
    with pytest.raises(WorkspaceError) as caught:
        Session(Request(source=source, words=(f"--profile={tmp_path / 'p.toml'}",)))
    assert message in render(caught.value.diagnostic)

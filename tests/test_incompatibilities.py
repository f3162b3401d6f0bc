"""What a profile knows of files that do not go with the libraries of the machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from bazel2ninja import profile
from bazel2ninja.cli import main
from bazel2ninja.diagnostics import WorkspaceError, render
from bazel2ninja.system_libraries.library import SystemLibraryTable

HEAD = """
name = "p"
[recognise]
workspace = "thing"
[[recognise.version]]
file = "version.h"
patterns = ['VERSION (.*)']
"""
ENTRY = """
[[incompatibility]]
versions = "< 2"
files = ["a/old.cc", "a/rules.bzl", "a/unread.cc", "a/absent.cc"]
pattern = 'old_\\w+\\('
symptom = "does not compile: 'old_call' was not declared"
reason = "the library dropped it"
remedy = "call new_call() instead"
"""
LIBRARY = 'with = "zlib"\nrange = "{range}"\n'
COMPONENT = """
[[component]]
name = "Tool"
repository = "local_tool"
file = "found.h"
version = 'VERSION "(.*)"'
reason = "its rule writes it"
"""
TOOL = """
def _impl(ctx):
    ctx.file("BUILD", 'exports_files(["found.h"])')
    ctx.file("found.h", '#define VERSION "3.7.16"')

tool = repository_rule(implementation = _impl)
"""
FILES = {
    "version.h": "VERSION 1.4\n",
    "WORKSPACE": 'workspace(name = "thing")\nload("//:tool.bzl", "tool")\ntool(name = "local_tool")\n',
    "tool.bzl": TOOL,
    "BUILD": "# none\n",
    "a/BUILD": 'load(":rules.bzl", "made")\ncc_library(name = "a", srcs = ["old.cc"])\nmade()\n'
    'filegroup(name = "found", srcs = ["@local_tool//:found.h"])\n',
    "a/rules.bzl": "def made():\n    pass\n",
    "a/old.cc": "int f() {\n  return old_call(1);\n}\nint g() { return old_call(2) + old_other(3); }\n",
    "a/unread.cc": "int h() { return old_call(3); }\n",
    "a/absent.cc": "",
}


@pytest.fixture
def said(tmp_path: Path, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """What `generate` says on standard error for a profile and changes to FILES ("" removes a file)."""

    def generate(text: str, *words: str, status: int = 0, **changes: str) -> str:
        for name, content in {**FILES, **changes}.items():
            path = tmp_path / "tree" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink(missing_ok=True)
            if content:
                path.write_text(content)
        (tmp_path / "p.toml").write_text(HEAD + text)
        output = f"--output={tmp_path / 'out/build.ninja'}"
        (tmp_path / "out").mkdir(exist_ok=True)
        options = (f"--profile={tmp_path / 'p.toml'}", "--allow-unsandboxed")
        assert main(["generate", output, *options, *words, str(tmp_path / "tree")]) == status
        return capsys.readouterr().err.replace(f"{tmp_path}/", "")

    return generate


def test_a_hit(said) -> None:  # type: ignore[no-untyped-def]
    assert said(ENTRY) == (
        "tree/a/old.cc:2:10: warning: known incompatibility: does not compile: 'old_call' was not declared\n"
        "      return old_call(1);\n"
        "             ^\n"
        "help: call new_call() instead\n"
        "note: the library dropped it\n"
        "note: the same in line 4\n"
        "note: known to the profile 'p' (p.toml:9)\n"
    )


def test_a_file_that_is_run_as_starlark_is_read_too(said) -> None:  # type: ignore[no-untyped-def]
    text = said(ENTRY, **{"a/rules.bzl": "def made():\n    pass\n\n\ndef old_rule():\n    pass\n"})
    assert "tree/a/rules.bzl:5:5: warning: known incompatibility" in text
    assert text.count("warning:") == 2


@pytest.mark.parametrize(
    "call", ['template("BUILD", Label("//:linked.BUILD"))', 'symlink(Label("//:linked.BUILD"), "BUILD")']
)
def test_a_file_that_the_build_reads_by_a_repository_rule(said, call: str) -> None:  # type: ignore[no-untyped-def]
    rule = TOOL.replace('ctx.file("BUILD", ', f"ctx.{call}\n    (")
    files = {"tool.bzl": rule, "linked.BUILD": 'exports_files(["found.h"])\n# old_call()\n'}
    entry = ENTRY.replace('"a/old.cc"', '"linked.BUILD"')
    assert "tree/linked.BUILD:2:3: warning: known" in said(entry, **files)


def test_a_file_of_the_tree_that_is_found_before_the_one_that_is_made(said) -> None:  # type: ignore[no-untyped-def]
    build = 'genrule(name = "g", outs = ["made.h"], cmd = "touch $@")\n'
    files = {"a/BUILD": build + 'cc_library(name = "a", hdrs = ["made.h"], srcs = ["new.cc"])\n'}
    files |= {"a/made.h": "int old_made(int);\n", "a/new.cc": '#include "a/made.h"\n'}
    assert "tree/a/made.h:1:5: warning: known" in said(ENTRY.replace('"a/old.cc"', '"a/made.h"'), **files)


def test_many_places(said) -> None:  # type: ignore[no-untyped-def]
    text = said(ENTRY, **{"a/old.cc": "old_call();\n" * 14})
    assert "note: the same in lines 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 more\n" in text


@pytest.mark.parametrize(
    ("change", "entry"),
    [
        ({"a/old.cc": "int f() { return new_call(1); }\n"}, ENTRY),  # mended
        ({"version.h": "VERSION 2.0\n"}, ENTRY),  # another version
        ({}, ENTRY + "unless = 'return old_call\\(2\\)'\n"),  # what shows that it is mended
        ({"a/BUILD": 'cc_library(name = "a")\n'}, ENTRY),  # not read
    ],
)
def test_nothing_to_say(said, change: dict[str, str], entry: str) -> None:  # type: ignore[no-untyped-def]
    assert said(entry, **change) == ""


@pytest.mark.parametrize(("limits", "told"), [(">= 1.2", True), (">= 7", False)])
def test_with_a_library_of_the_system(said, limits: str, told: bool) -> None:  # type: ignore[no-untyped-def]
    text = said(ENTRY + LIBRARY.format(range=limits))
    assert ("known incompatibility" in text) is told, text
    assert (" is here, and it matters with >= 1.2" in text) is told
    if told:
        assert "note: zlib 1." in text


def test_a_library_with_sources_of_its_own_is_not_the_systems(said, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "zlib").mkdir()
    (tmp_path / "zlib/WORKSPACE").write_text("")
    (tmp_path / "zlib/BUILD").write_text('cc_library(name = "zlib", visibility = ["//visibility:public"])\n')
    build = 'cc_library(name = "a", srcs = ["old.cc"], deps = ["@zlib"])\n'
    workspace = FILES["WORKSPACE"] + f'local_repository(name = "zlib", path = "{tmp_path}/zlib")\n'
    files = {"a/BUILD": build, "WORKSPACE": workspace}
    assert said(ENTRY + LIBRARY.format(range=">= 1.2"), **files) == ""
    assert "known incompatibility" in said(ENTRY, **files)


@pytest.mark.parametrize(("limits", "told"), [(">= 3.7, < 3.8", True), (">= 3.10", False)])
def test_with_what_a_repository_rule_found(said, limits: str, told: bool) -> None:  # type: ignore[no-untyped-def]
    text = said(COMPONENT + ENTRY + f'with = "Tool"\nrange = "{limits}"\n')
    assert ("note: Tool 3.7.16 is here, and it matters with >= 3.7, < 3.8" in text) is told, text


def test_a_component_that_tells_no_version(said) -> None:  # type: ignore[no-untyped-def]
    entry = ENTRY + 'with = "Tool"\nrange = ">= 1"\n'
    assert said(COMPONENT.replace("VERSION", "NUMBER") + entry) == ""
    assert said(COMPONENT.replace("found.h", "other.h") + entry) == ""
    assert said(COMPONENT.replace("local_tool", "nowhere") + entry) == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ENTRY.replace("'old_\\w+\\('", "'('"), "p.toml:9: error: not a regular expression: '('"),
        (ENTRY + 'with = "zlib"\n', "p.toml:9: error: 'with' and 'range' of 'incompatibility' of a profile belong"),
        (ENTRY + LIBRARY.format(range="new"), "p.toml:9: error: not a comparison of versions: 'new'"),
        (ENTRY + 'with = "zlob"\nrange = "> 1"\n', "error: 'zlob' is neither a component of the profile nor a library"),
        (ENTRY.replace("remedy", "cure"), "error: 'incompatibility' of a profile has no key 'cure'"),
        (COMPONENT.replace("(.*)", ".*"), "must have one group, the number"),
    ],
)
def test_a_wrong_entry(said, text: str, message: str) -> None:  # type: ignore[no-untyped-def]
    assert message in said(text, status=1)


def test_built_in_profiles_speak_of_what_there_is() -> None:
    libraries = SystemLibraryTable.read().libraries
    for path in Path(profile.DIRECTORY).glob("*.toml"):
        file = profile.ProfileFile(path.read_text(), str(path))
        components = {entry.values["name"] for entry in file.entries if entry.table == "component"}
        named = [entry for entry in file.entries if entry.table == "incompatibility" and "with" in entry.values]
        for entry in named:
            assert entry.values["with"] in {*components, *libraries}, entry.location
        for version in ((1, 15), (2, 0), (2, 14, 1)):
            file.applied(version, {})


def test_the_lines_of_a_file_are_told_once() -> None:
    text = HEAD + ENTRY
    found = profile.ProfileFile(text, "p.toml").applied((1,), {}).incompatibilities
    assert [entry.files[0] for entry in found] == ["a/old.cc"]
    with pytest.raises(WorkspaceError) as caught:
        profile.ProfileFile(text.replace('["a/old.cc"', '[1, "a/old.cc"'), "p.toml")
    assert "'files' of 'incompatibility' of a profile must be a list of texts" in render(caught.value.diagnostic)

"""--allow-missing-repositories: what absent repositories would have is a leaf that fails, and the rest is complete."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bazel2ninja.cli import main

FILES = {
    "WORKSPACE": 'workspace(name = "w")\n'
    'load("@bazel_tools//tools/build_defs/repo:http.bzl", "http_archive")\n'
    'http_archive(name = "known", urls = ["https://x/known.tar.gz"], build_file = "//:known.BUILD")\n',
    "known.BUILD": 'cc_library(name = "lib", srcs = ["lib.cc"], visibility = ["//visibility:public"])\n',
    "BUILD": 'load("@nowhere//:rules.bzl", "generated_library")\n'
    'cc_binary(name = "program", srcs = ["main.cc"], deps = [":own", "@known//:lib", "@known//sub:other"])\n'
    'cc_library(name = "own", srcs = ["own.cc"], deps = ["//inner"])\n'
    'cc_library(name = "user", srcs = ["user.cc"], deps = ["@absent//a:b", ":made"])\n'
    'generated_library(name = "made")\n'
    'genrule(name = "run", outs = ["o"], tools = ["@absent//:tool"], cmd = "$(location @absent//:tool) > $@")\n',
    "inner/BUILD": 'cc_library(name = "inner", visibility = ["@absent//:friends"])\n',
    "main.cc": "int main() {}\n",
    "own.cc": "",
    "user.cc": "",
}


def write(root: Path) -> Path:
    for name, text in FILES.items():
        (root / "src" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "src" / name).write_text(text)
    return root


def generate(root: Path, *words: str) -> int:
    return main(["generate", "-o", str(root / "out/build.ninja"), str(root / "src"), *words])


def test_leaves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path)
    (tmp_path / "out").mkdir()
    assert generate(tmp_path, "//:user") == 1
    assert "@absent" in capsys.readouterr().err
    assert generate(tmp_path, "--allow-missing-repositories", "//...") == 0
    told = capsys.readouterr().err
    # //:user, @known//sub:other, //:made, @absent//a:b and @absent//:tool, and known/lib.cc
    assert "warning: 4 targets and 1 source file are missing: @known (2), @absent (2), // (1)" in told
    assert re.search(r"note: \d+ of \d+ actions need one of them; ninja refuses these, and runs the others", told)
    text = (tmp_path / "out/build.ninja").read_text()
    for path in ("absent/a/b.missing", "absent/tool.missing", "known/lib.cc", "known/sub/other.missing"):
        assert f"external/{path}" in text, path
    if shutil.which("ninja") and shutil.which("gcc"):
        failed = subprocess.run(["ninja", "//:user"], cwd=tmp_path / "out", capture_output=True, text=True)
        assert failed.returncode != 0
        assert "is missing: its repository is absent" in failed.stdout + failed.stderr
        fine = subprocess.run(["ninja", "//:own"], cwd=tmp_path / "out", capture_output=True, text=True)
        assert fine.returncode == 0, fine.stdout + fine.stderr


def test_a_file_that_somebody_removed_from_the_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """WORKSPACE loads it for repositories that the build does not need; what needs them is a leaf."""
    write(tmp_path)
    (tmp_path / "src/WORKSPACE").write_text(
        'load("//tools:repositories.bzl", "declare")\ndeclare(name = "cross_compiler")\n' + FILES["WORKSPACE"]
    )
    (tmp_path / "src/tools").mkdir()
    (tmp_path / "src/tools/repositories.bzl").write_text(
        'load("//tools/cross:configure.bzl", "configure")\ndef declare(name):\n    configure(name = name)\n'
    )
    (tmp_path / "src/tools/BUILD").write_text('filegroup(name = "f", srcs = ["@cross_compiler//:all"])\n')
    (tmp_path / "src/tools/cross").mkdir()
    (tmp_path / "src/tools/cross/BUILD").write_text("")
    (tmp_path / "out").mkdir()
    assert generate(tmp_path, "//inner") == 1
    assert "cannot load '//tools/cross:configure.bzl': no such file" in capsys.readouterr().err
    assert generate(tmp_path, "--allow-missing-repositories", "//:own", "//tools:f") == 0
    told = capsys.readouterr().err
    assert "warning: the source tree has no file '//tools/cross:configure.bzl', which WORKSPACE loads" in told
    assert "external/cross_compiler/all.missing" in (tmp_path / "out/build.ninja").read_text()


def test_a_removed_file_is_an_error_in_a_build_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path)
    (tmp_path / "src/inner/BUILD").write_text('load(":absent.bzl", "x")\nx(name = "inner")\n')
    (tmp_path / "out").mkdir()
    assert generate(tmp_path, "--allow-missing-repositories", "//inner") == 1
    assert "cannot load '//inner:absent.bzl': no such file" in capsys.readouterr().err


def test_a_package_that_somebody_removed_from_the_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is as a repository that nobody has: one leaf for each of its targets, also for a proto_library."""
    write(tmp_path)
    (tmp_path / "src/BUILD").write_text(
        'cc_library(name = "own", srcs = ["own.cc"])\n'
        'cc_library(name = "user", srcs = ["user.cc"], deps = ["//removed:lib", ":message_cc"])\n'
        'proto_library(name = "message", srcs = ["m.proto"], deps = ["//removed:other_message"])\n'
        'cc_proto_library(name = "message_cc", deps = [":message"])\n'
    )
    (tmp_path / "src/m.proto").write_text('syntax = "proto3";\n')
    (tmp_path / "out").mkdir()
    assert generate(tmp_path, "//:user") == 1
    assert "no such package '//removed'" in capsys.readouterr().err
    assert generate(tmp_path, "--allow-missing-repositories", "//:all") == 0, capsys.readouterr().err
    text = (tmp_path / "out/build.ninja").read_text()
    assert "/bin/removed/lib.missing" in text and "/bin/removed/other_message.missing" in text
    assert generate(tmp_path, "--allow-missing-repositories", "//removed:lib") == 1
    assert "no such package '//removed'" in capsys.readouterr().err
    if shutil.which("ninja") and shutil.which("gcc"):
        failed = subprocess.run(["ninja", "//:message"], cwd=tmp_path / "out", capture_output=True, text=True)
        assert failed.returncode != 0
        assert "'//removed:other_message' is missing: its package is absent" in failed.stdout + failed.stderr


def test_what_an_aspect_itself_takes_from_an_absent_repository(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path)
    (tmp_path / "src/BUILD").write_text(
        'cc_library(name = "own", srcs = ["own.cc"])\n'
        'proto_library(name = "message", srcs = ["m.proto"])\n'
        'cc_proto_library(name = "message_cc", deps = [":message"])\n'
        'cc_library(name = "user", srcs = ["user.cc"], deps = [":message_cc"])\n'
        'filegroup(name = "no_toolchain")\n'
        'sh_binary(name = "protoc", srcs = ["protoc.sh"])\n'
    )
    (tmp_path / "src/m.proto").write_text('syntax = "proto3";\n')
    (tmp_path / "out").mkdir()
    (tmp_path / "src/protoc.sh").touch(0o755)
    words = ["--proto_toolchain_for_cc=@absent//:toolchain", "--proto_compiler=//:protoc"]
    assert generate(tmp_path, *words, "--allow-missing-repositories", "//:all") == 0, capsys.readouterr().err
    told = capsys.readouterr().err
    assert "@absent (1)" in told and "@absent//:toolchain is not a proto_lang_toolchain" in told, told
    if shutil.which("ninja"):
        failed = subprocess.run(["ninja", "//:message_cc"], cwd=tmp_path / "out", capture_output=True, text=True)
        assert "'//:message_cc' is missing: it needs '@absent//:toolchain', which is missing" in failed.stdout
    assert generate(tmp_path, words[1], "--proto_toolchain_for_cc=//:no_toolchain", "//:user") == 1
    told = capsys.readouterr().err
    assert "src/BUILD:3:" in told and "//:no_toolchain is not a proto_lang_toolchain" in told, told


def test_what_an_absent_function_gives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who gets it is as absent as the function; who asks what is in it stops the package."""
    write(tmp_path)
    build = (
        'load("@nowhere//:rules.bzl", "names")\n'
        'cc_library(name = "own", srcs = ["own.cc"])\n'
        'cc_library(name = "list", srcs = names("x") + ["user.cc"], deps = [":own"])\n'
        'cc_library(name = "text", srcs = ["user.cc"], copts = ["-I" + names("x"), "-O" + names(1).deep["x"]])\n'
        'cc_library(name = "branch", srcs = ["user.cc"] + select({"//conditions:default": names()}))\n'
        'cc_library(name = "sum", srcs = select({"//conditions:default": ["user.cc"]}) + names())\n'
        'cc_library(name = "user", srcs = ["user.cc"], deps = [":list"])\n'
    )
    (tmp_path / "src/BUILD").write_text(build)
    (tmp_path / "out").mkdir()
    assert generate(tmp_path, "//:own") == 0
    capsys.readouterr()
    for name in ("list", "text", "branch", "sum", "user"):
        assert generate(tmp_path, f"//:{name}") == 1
        told = capsys.readouterr().err
        assert "error: no repository '@nowhere'" in told and "note: 'names' would have been defined there" in told, told
    assert generate(tmp_path, "--allow-missing-repositories", "//:all") == 0
    text = (tmp_path / "out/build.ninja").read_text()
    assert "/bin/list.missing" in text and "libown.a" in text
    assert generate(tmp_path, "//:other") == 1
    assert "the call for 'names()' may have made it" in capsys.readouterr().err
    for use in ("[x for x in names()]", 'str(names()) + ""', '["{}".format(names())]', '["a"] if names() else []'):
        (tmp_path / "src/BUILD").write_text(build + f'cc_library(name = "use", srcs = {use})\n')
        assert generate(tmp_path, "--allow-missing-repositories", "//:own") == 1, use
        assert "src/BUILD:8:" in capsys.readouterr().err


def test_a_file_that_an_absent_macro_would_make(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A text in the call may name it; a file that is there is itself."""
    write(tmp_path)
    (tmp_path / "src/BUILD").write_text(
        'load("@nowhere//:rules.bzl", "generated_library")\n'
        'generated_library(name = "made", outs = [(["-gen"], "ops.h.inc"), (["-x"], "own.cc")])\n'
        'cc_library(name = "user", srcs = ["user.cc", "own.cc", "ops.h.inc"])\n'
    )
    (tmp_path / "out").mkdir()
    assert generate(tmp_path, "//:user") == 1
    assert "no repository '@nowhere'" in capsys.readouterr().err
    assert generate(tmp_path, "--allow-missing-repositories", "//:user") == 0
    assert "warning: 1 target and 0 source files are missing: // (1)" in capsys.readouterr().err
    text = (tmp_path / "out/build.ninja").read_text()
    assert "/bin/ops.missing.h.inc" in text and "own.missing.cc" not in text


def test_an_aspect_that_needs_more_than_files_of_an_absent_target(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Attributes of the absent target: whoever applied the aspect is a leaf, and nobody else."""
    write(tmp_path)
    (tmp_path / "src/rules.bzl").write_text(
        'Sources = provider(fields = ["files"])\n'
        "def _collect(target, ctx):\n"
        "    below = [dep[Sources].files for dep in ctx.rule.attr.deps]\n"
        "    return [Sources(files = depset(ctx.rule.files.srcs, transitive = below))]\n"
        'collect = aspect(_collect, attr_aspects = ["deps"])\n'
        "def _list(ctx):\n"
        "    ctx.actions.write(ctx.outputs.out, str(depset(transitive = [d[Sources].files for d in ctx.attr.deps])))\n"
        "list_sources = rule(_list, attrs = {\n"
        '    "deps": attr.label_list(aspects = [collect]),\n'
        '    "out": attr.output(),\n'
        "})\n"
    )
    (tmp_path / "src/BUILD").write_text(
        'load(":rules.bzl", "list_sources")\n'
        'cc_library(name = "low", srcs = ["own.cc"], deps = ["@absent//a:b"])\n'
        'cc_library(name = "high", srcs = ["user.cc"], deps = [":low"])\n'
        'cc_library(name = "well", srcs = ["own.cc"])\n'
        'list_sources(name = "lacking", deps = [":high"], out = "lacking.txt")\n'
        'list_sources(name = "whole", deps = [":well"], out = "whole.txt")\n'
    )
    (tmp_path / "out").mkdir()
    assert generate(tmp_path, "//:lacking") == 1
    assert "no repository '@absent'" in capsys.readouterr().err
    assert generate(tmp_path, "--allow-missing-repositories", "//:all") == 0, capsys.readouterr().err
    text = (tmp_path / "out/build.ninja").read_text()
    assert "/bin/whole.txt" in text and "/bin/lacking.txt" in text
    if shutil.which("ninja") and shutil.which("gcc"):
        failed = subprocess.run(["ninja", "//:lacking"], cwd=tmp_path / "out", capture_output=True, text=True)
        assert failed.returncode != 0
        fine = subprocess.run(["ninja", "//:whole"], cwd=tmp_path / "out", capture_output=True, text=True)
        assert fine.returncode == 0, fine.stdout + fine.stderr


def test_a_target_that_needs_more_than_files_of_an_absent_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A provider that the absent target would have: who asks for it is a leaf itself, with its output files."""
    write(tmp_path)
    (tmp_path / "src/rules.bzl").write_text(
        "Info = provider(fields = ['n'])\n"
        "def _typed(ctx):\n    ctx.actions.write(ctx.outputs.out, str(ctx.attr.dep[Info].n))\n"
        "checked = rule(_typed, attrs = {'dep': attr.label(providers = [Info]), 'out': attr.output()})\n"
        "def _look(target, ctx):\n    return [] if hasattr(ctx.rule.attr, 'dep') else []\n"
        "look = aspect(_look, attr_aspects = ['dep'])\n"
        "unchecked = rule(_typed, attrs = {'dep': attr.label(aspects = [look]), 'out': attr.output()})\n"
    )
    (tmp_path / "src/BUILD").write_text(
        "load(':rules.bzl', 'checked', 'unchecked')\n"
        "checked(name = 'c', dep = '@absent//:x', out = 'c.txt')\n"
        "unchecked(name = 'u', dep = ':c', out = 'u.txt')\n"
        "genrule(name = 'g', srcs = ['u.txt'], outs = ['g.txt'], cmd = 'cp $< $@')\n"
        "genrule(name = 'fine', outs = ['fine.txt'], cmd = 'touch $@')\n"
    )
    (tmp_path / "out").mkdir()
    assert generate(tmp_path, "//:g") == 1
    capsys.readouterr()
    assert generate(tmp_path, "--allow-missing-repositories", "//:g", "//:fine") == 0
    told = capsys.readouterr().err
    assert "'//:u' cannot be analysed without" in told
    assert "1 of 2 actions need one of them" in told
    if shutil.which("ninja"):
        failed = subprocess.run(["ninja", "-k0"], cwd=tmp_path / "out", capture_output=True, text=True)
        assert failed.returncode != 0
        assert "'//:u' is missing: it needs '//:c', which is missing" in failed.stdout + failed.stderr
        assert (tmp_path / "out/bazel-out/k8-fastbuild/bin/fine.txt").exists()


def test_an_error_of_its_own_is_no_leaf(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path)
    (tmp_path / "src/BUILD").write_text(
        "genrule(name = 'wrong', outs = ['w'], cmd = '$(location :nothing)')\n"
        "filegroup(name = 'user', srcs = [':wrong', '@absent//:x'])\n"
    )
    (tmp_path / "out").mkdir()
    assert generate(tmp_path, "--allow-missing-repositories", "//:user") == 1
    assert "nothing" in capsys.readouterr().err
